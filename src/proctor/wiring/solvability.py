"""Which queries of a benchmark can be solved at all, by a judge's opinion."""

from __future__ import annotations

import asyncio
import csv
import io

import msgspec

from proctor.config import Settings
from proctor.errors import OptionError
from proctor.judges.solvability import SolvabilityJudge, SolvabilityVerdict
from proctor.judges.templates import load_template
from proctor.records.grades import Missing
from proctor.records.queries import Query
from proctor.wiring.benchmarks import open_benchmark
from proctor.wiring.judges import model_of_judge
from proctor.wiring.models import Models

__all__ = ["Opinion", "Opinions", "solvability", "solvability_table"]


class Opinion(msgspec.Struct, frozen=True):
    """What a judge says of one query."""

    test_set: str
    query: Query
    said: SolvabilityVerdict | Missing


class Opinions(msgspec.Struct, frozen=True):
    """What a judge says of the queries of a benchmark."""

    judge: str
    opinions: list[Opinion]


async def solvability(settings: Settings) -> Opinions:
    """Ask the settings' judge about every query of their benchmark, some at once."""
    names = settings.judge.name
    model = model_of_judge(names[0]) if len(names) == 1 else None
    if model is None:
        raise OptionError("one model says what can be solved; name one: --judge openai/gpt-4o.")
    template = None if settings.judge.template is None else load_template(settings.judge.template)
    queries = [(name, query) for name, of_set in open_benchmark(settings.benchmark).sets.items() for query in of_set]
    models = Models(settings)
    free = asyncio.Semaphore(settings.run.concurrency)
    try:
        judge = SolvabilityJudge(models.plain(model, url=settings.judge.url), template)

        async def one(test_set: str, query: Query) -> Opinion:
            async with free:
                return Opinion(test_set, query, await judge.judge(query))

        return Opinions(judge.name, list(await asyncio.gather(*(one(*each) for each in queries))))
    finally:
        await models.aclose()


def solvability_table(found: Opinions) -> str:
    """The opinions as CSV text: a line for each query; where there is none, why, and the raw reply."""
    text = io.StringIO(newline="")
    table = csv.writer(text, lineterminator="\n")
    table.writerow(["test_set", "query_id", "query", "status", "reason", "unmeasured", "detail"])
    for one in found.opinions:
        said = one.said
        if isinstance(said, Missing):
            told = ["", "", said.reason, said.detail or ""]
        else:
            told = [said.status.value, said.reason, "", said.raw or ""]
        table.writerow([one.test_set, one.query.id, one.query.text, *told])
    return text.getvalue()

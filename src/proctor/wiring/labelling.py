"""The starter's recorded answers, judged by whoever is named: what people say of them is known."""

from __future__ import annotations

import asyncio
import csv
import io
from collections.abc import Iterable, Mapping

import msgspec

from proctor import starter
from proctor.agents.toolbox import Box, read_at_hand
from proctor.config import Benchmark, Settings
from proctor.errors import OptionError
from proctor.gateway.canned import FunctionSource
from proctor.gateway.gateway import Gateway
from proctor.judges.attempts import Attempt
from proctor.judges.judge import Judge
from proctor.messages import ToolCall
from proctor.records.grades import Missing, Verdict
from proctor.records.queries import Query
from proctor.records.traces import Finish, StopReason, Trace
from proctor.wiring.benchmarks import open_benchmark
from proctor.wiring.judges import judge_of
from proctor.wiring.models import Models

__all__ = ["Labelling", "attempts", "label", "label_table"]


class _Call(msgspec.Struct, frozen=True):
    name: str
    args: dict[str, object]


class _Answer(msgspec.Struct, frozen=True):
    """A line of the file of recorded answers."""

    id: str
    query_id: str
    calls: tuple[_Call, ...]
    answer: str


class Labelling(msgspec.Struct, frozen=True):
    """What a judge says of the starter's recorded answers."""

    judge: str
    table: str
    """The table of labels, as CSV text, with what this judge says of each answer."""
    unmeasured: dict[str, str]
    """By the answer's id, why the judge said nothing."""


async def attempts() -> dict[str, Attempt]:
    """The recorded answers as judges are shown them, by their ids: the calls are made anew."""
    opened = open_benchmark(Benchmark())
    queries = {query.id: query for of_set in opened.sets.values() for query in of_set}
    gateway = Gateway(opened.catalog, simulators=FunctionSource(opened.functions, name=opened.name))

    async def made(recorded: _Answer, query: Query) -> Attempt:
        box = Box(opened.catalog, query, gateway.call_api, at_hand=read_at_hand("query"))
        steps = [await box.call(ToolCall(call.name, dict(call.args))) for call in recorded.calls]
        finish = Finish(recorded.answer)
        return Attempt.of(query, Trace(query.id, StopReason.FINISHED, recorded.answer, (*steps, finish)))

    lines = starter.answers().read_bytes().splitlines()
    recorded = [msgspec.json.decode(line, type=_Answer) for line in lines]
    return {one.id: await made(one, queries[one.query_id]) for one in recorded}


async def label(settings: Settings) -> Labelling:
    """Ask the judge of the settings about every recorded answer."""
    models = Models(settings)
    try:
        judge = judge_of(settings.judge, settings.judge.name, models.role("judge"))
        if judge is None:
            raise OptionError("--judge none says nothing of an answer; name one: --judge openai/gpt-4o-mini.")
        said = await _said(judge, await attempts(), settings.run.concurrency)
    finally:
        await models.aclose()
    unmeasured = {name: verdict.reason for name, verdict in said.items() if isinstance(verdict, Missing)}
    return Labelling(judge.name, label_table(said), unmeasured)


def label_table(said: Mapping[str, Verdict | Missing]) -> str:
    """The starter's table of labels with these verdicts in the column `judge`; nothing where there is none."""
    reader = csv.DictReader(io.StringIO(starter.labels().read_text("utf-8")))
    out = io.StringIO()
    writer = csv.DictWriter(out, reader.fieldnames or (), lineterminator="\n")
    writer.writeheader()
    for row in reader:
        verdict = said[row["id"]]
        writer.writerow(row | {"judge": verdict.status.value if isinstance(verdict, Verdict) else ""})
    return out.getvalue()


async def _said(judge: Judge, asked: Mapping[str, Attempt], concurrency: int) -> dict[str, Verdict | Missing]:
    places = asyncio.Semaphore(concurrency)

    async def one(attempt: Attempt) -> Verdict | Missing:
        async with places:
            return await judge.judge(attempt)

    verdicts: Iterable[Verdict | Missing] = await asyncio.gather(*map(one, asked.values()))
    return dict(zip(asked, verdicts, strict=True))

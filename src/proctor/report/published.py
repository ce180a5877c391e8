"""StableToolBench's published figures, and how far a run can be set beside them.

The figures stand in one file, `published.json`. A run is comparable with a table where the same judge read the same
prompts, the same kind of server answered, and all six sets were asked whole; whatever is not so is said in a sentence.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from importlib import resources

import msgspec

from proctor.judges.templates import built_in
from proctor.metrics._pass_rate import PassRate
from proctor.records.grades import Missing
from proctor.records.runs import RunRecord, RunSpec
from proctor.report.summary import RunSummary

__all__ = ["Beside", "Published", "PublishedRow", "PublishedTable", "beside", "published"]

_BENCHMARK = "stabletoolbench"
Percent = tuple[float, float | None]
"""A mean and its population standard deviation over repeats, where that was published; both in percent."""


class PublishedRow(msgspec.Struct, frozen=True):
    """What one model reached."""

    model: str
    chain: Percent
    """As a chain of calls (CoT)."""
    tree: Percent
    """By a search in depth (DFS)."""


class PublishedTable(msgspec.Struct, frozen=True):
    """Pass rates that one judge gave over one server: averages over the six sets."""

    server: str
    judge: str
    rows: tuple[PublishedRow, ...]


class JudgeAccuracy(msgspec.Struct, frozen=True):
    """How often a judge agreed with people, in percent."""

    model: str
    solving: float
    comparison: float


class CacheLoss(msgspec.Struct, frozen=True):
    """What the loss of a few recorded answers does to how often an answer is found; all in percent."""

    lost: float
    hits_before: float
    hits_after: float


class Retrieval(msgspec.Struct, frozen=True):
    """How well a retriever ranks more than 10,000 APIs, by NDCG in percent."""

    retriever: str
    ndcg_1: float
    ndcg_5: float


class Published(msgspec.Struct, frozen=True):
    """All that was published."""

    sets: dict[str, int]
    """The sets, each with the number of its queries."""
    repeats: int
    """How often every answer was judged."""
    tables: tuple[PublishedTable, ...]
    judges: tuple[JudgeAccuracy, ...]
    cache: CacheLoss
    retrieval: tuple[Retrieval, ...]


class Beside(msgspec.Struct, frozen=True):
    """A run beside one published table."""

    table: PublishedTable
    rate: float | Missing
    """The run's pass rate in percent: the unweighted mean of its sets, queries without an answer left out."""
    sd: float | None
    """Over repeats, where the run has one set."""
    differs: tuple[str, ...]
    """Why the two are not comparable, a sentence each; none where they are."""


@functools.cache
def published() -> Published:
    """The published figures."""
    data = resources.files("proctor.report").joinpath("published.json").read_bytes()
    return msgspec.json.decode(data, type=Published)


def beside(run: RunRecord, answered: RunSummary) -> tuple[Beside, ...]:
    """A run beside each published table. `answered` are its figures without the queries that have no answer."""
    rate = answered.sets_mean_published
    only = answered.sets[0].pass_rate if len(answered.sets) == 1 else None
    sd = only.sd * 100 if isinstance(only, PassRate) and len(only.repeats) > 1 else None
    shown = rate if isinstance(rate, Missing) else rate * 100
    common = tuple(_differs(run))
    return tuple(
        Beside(table, shown, sd, (*_judge_differs(run, table), *_server_differs(run.manifest.spec, table), *common))
        for table in published().tables
    )


def _differs(run: RunRecord) -> Iterator[str]:
    """What sets a run apart from every published one."""
    spec = run.manifest.spec
    if spec.benchmark != _BENCHMARK:
        yield f"the run is over the benchmark {spec.benchmark!r}, the table over StableToolBench's six sets"
    else:
        yield from _sets_differ(run)
    if spec.tools != "query" and spec.policy != "recorded":
        yield f"the tools at hand were {spec.tools!r}, the table's those of the query alone (--tools query)"
    repeats = max((len(trial.verdicts) for trial in run.trials), default=0)
    if repeats and repeats != published().repeats:
        yield f"each answer was judged {_times(repeats)}, the table's {_times(published().repeats)}"


def _sets_differ(run: RunRecord) -> Iterator[str]:
    asked = dict.fromkeys(run.manifest.spec.test_sets, 0)
    for identity in set(run.manifest.query_ids):
        name = identity.partition("/")[0]
        asked[name] = asked.get(name, 0) + 1
    sizes = published().sets
    if lacking := [name for name in sizes if not asked.get(name)]:
        yield f"the run lacks {len(lacking)} of the {len(sizes)} sets that the table averages: {', '.join(lacking)}"
    for name, count in asked.items():
        if name not in sizes:
            yield f"the set {name!r} is none of StableToolBench's"
        elif count and count != sizes[name]:
            yield f"of {name} {count} queries were asked, the table's {sizes[name]}"


def _judge_differs(run: RunRecord, table: PublishedTable) -> Iterator[str]:
    if not run.judge:
        yield f"nobody has judged the run; the table's judge is {table.judge}"
        return
    if run.method != "official" or not re.search(rf"(?<![\w.-]){re.escape(table.judge)}(?![\w.-])", run.judge):
        yield f"the judge is {run.judge}, the table's {table.judge}"
    elif str(built_in("solving")) in run.judge:
        yield "the judge read Proctor's prompts, the table's upstream's (--judge-template)"


def _server_differs(spec: RunSpec, table: PublishedTable) -> Iterator[str]:
    said = spec.simulator or ""
    if spec.policy == "recorded":
        yield f"the answers were recorded before: which server answered is not known, the table's is {table.server}"
        return
    mirror = said.startswith("mirror:") and "cache" in said.lower()
    model = said.startswith("model:") and "gpt" in said.lower()
    if not (mirror if table.server.startswith("Mirror") else model) or spec.policy != "cache":
        played = said or "no simulator"
        yield f"the server is {played} under the policy {spec.policy!r}, the table's {table.server}"


def _times(number: int) -> str:
    return "once" if number == 1 else f"{number} times"

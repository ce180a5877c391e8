"""The exam tested by names: every probe sits the exam like any agent, and the graders' mistakes are counted."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence

import msgspec

from proctor.agents.agent import Agent, Strategy, StrategyAgent, Task, ToolBox
from proctor.agents.plans import Case, Plan, case_of, performed
from proctor.config import Agent as AgentSettings
from proctor.config import Limits, Settings
from proctor.errors import OptionError
from proctor.records.queries import Query
from proctor.records.runs import RunRecord
from proctor.runs.selftest import PROBES, Probe, ProbeResult, SelfTest, result_of
from proctor.wiring.benchmarks import Opened, open_benchmark
from proctor.wiring.exams import prepare, sit
from proctor.wiring.halls import Given

__all__ = ["Stopped", "selftest"]

_SITS = "oracle"
"""The agent in whose place a probe sits."""
Identity = tuple[str, str]


class Stopped(Exception):  # noqa: N818 - somebody wanted it
    """Somebody stopped it, when so many probes had sat."""


async def selftest(
    settings: Settings,
    probes: Sequence[Probe] = PROBES,
    *,
    keep: bool = False,
    advance: Callable[[str, int, int], object] = lambda *_: None,
) -> SelfTest:
    """Let every probe sit the exam of these settings, and hold the grades against what they should be.

    The runs are kept below the settings' output with `keep`, and thrown away without. `advance` is told the name of
    each probe, and how many of how many are done.
    """
    settings = _own(settings)
    benchmark = _limited(open_benchmark(settings.benchmark), settings.benchmark.limit)
    results: list[ProbeResult] = []
    judge = method = ""
    with tempfile.TemporaryDirectory(prefix="proctor-selftest-") as folder:
        if not keep:
            settings = _changed(settings, "run", output=folder)
        for probe in probes:
            run = await _run(settings, benchmark, probe)
            if run is not None:
                judge, method = run.judge, run.method
            results.append(result_of(probe, run, benchmark.catalog.resolver, method))
            advance(probe.name, len(results), len(probes))
    queries = sum(map(len, benchmark.sets.values()))
    return SelfTest(benchmark.name, judge, method, queries, tuple(results))


async def _run(settings: Settings, benchmark: Opened, probe: Probe) -> RunRecord | None:
    """The run of a probe over the queries to which it applies; None where there are none."""
    config = f"selftest-{benchmark.name}-{probe.name}"
    if probe.plan is None:
        settings = _changed(_changed(settings, "run", name=config), "agent", name=probe.name)
        given, sets = Given(), benchmark.sets
    else:
        plans = _plans(benchmark, probe)
        if not plans:
            return None
        options = {"probe": probe.name}
        settings = _changed(_changed(settings, "run", name=config), "agent", name=_SITS, options=options)
        given = Given(agent=_agent(probe, plans))
        sets = {
            name: [query for query in queries if (name, query.id) in plans] for name, queries in benchmark.sets.items()
        }
    chosen = msgspec.structs.replace(benchmark, sets={name: queries for name, queries in sets.items() if queries})
    ended = await sit(prepare(settings, given, chosen))
    if ended.state.stopped:
        raise Stopped
    if ended.state.left:
        raise OptionError(f"{ended.state.left} trials of the probe {probe.name!r} have no verdict; try again later.")
    return ended.record


def _plans(benchmark: Opened, probe: Probe) -> dict[Identity, Plan]:
    """What the probe does about each query to which it applies."""
    assert probe.plan is not None
    plans: dict[Identity, Plan] = {}
    for identity, case in _cases(benchmark).items():
        plan = probe.plan(case)
        if plan is not None:
            plans[identity] = plan
    return plans


def _cases(benchmark: Opened) -> dict[Identity, Case]:
    every: list[tuple[str, Query]] = [(name, query) for name, queries in benchmark.sets.items() for query in queries]
    cases = {}
    for place, (name, query) in enumerate(every):
        others = tuple(other for _, other in [*every[place + 1 :], *every[:place]])
        cases[name, query.id] = case_of(query, benchmark.catalog, others)
    return cases


def _agent(probe: Probe, plans: dict[Identity, Plan]) -> Agent:
    """Who carries the plans out."""

    def strategy(task: Task, tools: ToolBox) -> Strategy:
        return performed(plans[task.query.test_set, task.query.id], task, tools)

    return StrategyAgent(probe.name, strategy)


def _own(settings: Settings) -> Settings:
    """The settings of a run, less what is about another agent than a probe, and with somebody who answers calls.

    Where nobody is named who does it, the documentation's templates answer.
    """
    settings = msgspec.structs.replace(settings, agent=AgentSettings(), limits=Limits())
    settings = _changed(settings, "run", epochs=1, engine="local", ray_address=None)
    settings = _changed(settings, "gateway", faults=None, fault=(), faults_by="call")
    said = settings.gateway
    if settings.benchmark.name == "starter" or said.cache or said.simulator or said.live:
        return settings
    return _changed(settings, "gateway", simulator="template")


def _limited(benchmark: Opened, limit: int | None) -> Opened:
    if limit is None:
        return benchmark
    return msgspec.structs.replace(benchmark, sets={name: found[:limit] for name, found in benchmark.sets.items()})


def _changed(settings: Settings, table: str, **values: object) -> Settings:
    return msgspec.structs.replace(settings, **{table: msgspec.structs.replace(getattr(settings, table), **values)})

"""Exhibits of made runs: what pages are tried on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from proctor.records.grades import Missing
from proctor.records.runs import RunRecord
from proctor.report.exhibit import Exhibit, Neighbour, Shown, Versus
from proctor.report.published import beside
from proctor.report.summary import summarise
from proctor.runs.comparing import compare_runs
from proctor.stats.calibration import Calibration

CALIBRATION = Calibration(q0=0.8, m0=60, q1=0.93, m1=90, judge="rubric", labels="labels.csv")


def neighbour(record: RunRecord, *, shown: bool = False) -> Neighbour:
    summary = summarise(record)
    cost, trials = summary.spent.agent.cost, max(summary.overall.trials, 1)
    return Neighbour(
        name=record.name,
        agent=summary.agent,
        model=summary.model,
        method=record.method,
        judge=record.judge,
        queries=summary.overall.queries,
        sopr=summary.overall.sopr,
        cost=cost if isinstance(cost, Missing) else cost / trials,
        faults=record.manifest.spec.faults.get("share", 0.0),
        like=summary.agent,
        shown=shown,
    )


def exhibit(run: RunRecord, *others: RunRecord, compared: bool = False, **more: Any) -> Exhibit:
    """A run, others beside it, and, on request, the first of them as its baseline."""
    beside = (neighbour(run, shown=True), *(neighbour(other) for other in others))
    shown = Shown(run, summarise(run, calibration=more.get("calibration")))
    if not compared:
        return Exhibit(shown, neighbours=beside, **more)
    found = compare_runs(others[0], run)
    versus = Versus("SoPR", found.overall, found.sentence, found.sets)
    baseline = Shown(others[0], summarise(others[0]))
    return Exhibit(shown, baseline, (versus,), differs=found.differs, neighbours=beside, **more)


def full_exhibit(make_run: Callable[..., RunRecord], queries: int = 60, **more: Any) -> Exhibit:
    """One with everything: a baseline, references, faults dialled, costs, a calibration, published numbers."""
    run = make_run(agent="react", queries=queries, skill=0.75, panel=True, **more)
    others = [
        make_run(agent="baseline", queries=queries, skill=0.4),
        make_run(agent="null", queries=queries, skill=-1.0),
        make_run(agent="oracle", queries=queries, skill=1.1),
        *(make_run(agent="react", queries=queries, faults=share, seed=int(share * 100)) for share in (0.2, 0.5)),
    ]
    published = beside(run, summarise(run))
    return exhibit(run, *others, compared=True, calibration=CALIBRATION, published=published)

"""What happens in a run, told to whoever watches: a display, a log, a test."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from proctor.records.grades import Missing, Verdict
from proctor.records.runs import TrialKey
from proctor.records.traces import Failure, Trace, Usage

__all__ = ["Again", "Began", "Event", "Interrupted", "Judged", "Planned", "Tried", "Watcher", "nobody"]


class Planned(msgspec.Struct, frozen=True):
    """The run begins: so many trials in all, of which so many were done before."""

    trials: int
    done: int
    name: str
    """What the run is called."""
    method: str = ""
    """How it is judged: `official` by a model, `rubric`, `heuristic`; empty where nobody judges."""


class Began(msgspec.Struct, frozen=True):
    """A trial begins."""

    trial: TrialKey


class Tried(msgspec.Struct, frozen=True):
    """A trial has its trace."""

    trial: TrialKey
    trace: Trace


class Judged(msgspec.Struct, frozen=True):
    """A trial has a verdict more."""

    trial: TrialKey
    verdict: Verdict | Missing
    usage: Usage = Usage()
    """What it cost."""


class Again(msgspec.Struct, frozen=True):
    """A trial failed through the environment: it is begun again later, or owed to the next run."""

    trial: TrialKey
    failure: Failure


class Interrupted(msgspec.Struct, frozen=True):
    """Somebody wants the run to stop: what is at work is finished."""

    at_work: int


Event = Planned | Began | Tried | Judged | Again | Interrupted
Watcher = Callable[[Event], object]


def nobody(_: Event) -> None:
    """Watches nothing."""

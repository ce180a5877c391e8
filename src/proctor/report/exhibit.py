"""What a page shows: runs with their figures, and what stands beside them. It is handed to the page whole. Pure."""

from __future__ import annotations

from typing import Any

import msgspec

from proctor.records.grades import Missing
from proctor.records.runs import RunRecord
from proctor.report.published import Beside
from proctor.report.summary import RunSummary
from proctor.stats.calibration import Calibration
from proctor.stats.comparisons import Comparison
from proctor.stats.intervals import Estimate

__all__ = ["Exhibit", "Listing", "Neighbour", "Shown", "Versus"]


class Shown(msgspec.Struct, frozen=True):
    """A run and its figures."""

    record: RunRecord
    summary: RunSummary


class Versus(msgspec.Struct, frozen=True):
    """A run held against another by one measure, query by query."""

    measure: str
    """What was compared, as people say it: SoPR, API call score."""
    overall: Comparison | Missing
    sentence: str
    """The verdict in words."""
    sets: dict[str, Comparison | Missing] = {}


class Neighbour(msgspec.Struct, frozen=True):
    """Another run over the same queries, by its figures alone."""

    name: str
    agent: str
    model: str | None
    method: str
    judge: str
    queries: int
    sopr: Estimate | Missing
    cost: float | Missing
    """US dollars a trial."""
    faults: float
    """The share of answers that were spoilt on purpose."""
    like: str
    """What it is but for the faults: runs that share it lie on one curve."""
    page: str | None = None
    """Where its own page is, when there is one to go to."""
    shown: bool = False
    """Whether it is a run of this page."""


class Listing(msgspec.Struct, frozen=True):
    """A run in a list of runs."""

    name: str
    page: str
    """Where its page is."""
    benchmark: str
    model: str | None
    method: str
    """How it was judged; empty where nobody has judged it."""
    trials: int
    planned: int
    began: str
    sopr: Estimate | Missing
    api_call_score: Estimate | Missing


class Exhibit(msgspec.Struct, frozen=True):
    """All that a page shows."""

    run: Shown
    other: Shown | None = None
    """The run that it is compared with."""
    versus: tuple[Versus, ...] = ()
    """The comparison with the other, by each measure."""
    refused: str = ""
    """Why the two cannot be compared, where they cannot."""
    differs: dict[str, tuple[Any, Any]] = {}
    """What the two were told differently: the other's value, then this run's."""
    neighbours: tuple[Neighbour, ...] = ()
    """Runs over the same queries, this one among them."""
    unread: int = 0
    """Further runs that would stand beside it, and were too many to read."""
    published: tuple[Beside, ...] = ()
    """The run beside published tables, where it is over their benchmark."""
    calibration: Calibration | None = None
    grown: int | None = None
    """When the run last wrote something down, in seconds since 1970; None where that is not told."""
    live: str | None = None
    """Where the page may ask whether there is more by now; None for a page in a file, which asks nobody."""

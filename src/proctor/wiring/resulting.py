"""A run's result file with all its figures, by the denominator that is wanted and by the other one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from proctor.records.runs import RunRecord
from proctor.report.summary import Figures, RunSummary, summarise
from proctor.runs.recorded import answered_only
from proctor.runs.resulting import write_result
from proctor.stats.calibration import Calibration

__all__ = ["ALL", "ANSWERED", "Counted", "write_counted"]

ALL = "all queries; one without an answer is unsolved"
ANSWERED = "queries with an answer, as StableToolBench counts"


class Counted(msgspec.Struct, frozen=True):
    """A run with its figures."""

    record: RunRecord
    """The run as it is counted."""
    summary: RunSummary
    """Its figures."""
    other: RunSummary
    """The same by the other denominator."""
    compat: bool = False
    """Whether queries without an answer are left out."""

    @classmethod
    def of(
        cls, run: RunRecord, *, compat: bool = False, calibration: Calibration | None = None, level: float = 0.95
    ) -> Counted:
        """The figures of a run."""
        answered = answered_only(run)
        whole = summarise(run, level=level, calibration=calibration)
        only = summarise(answered, level=level, calibration=calibration, compat="stabletoolbench")
        return cls(answered, only, whole, compat) if compat else cls(run, whole, only, compat)

    @property
    def denominator(self) -> str:
        """Who is in the denominator, in words."""
        return ANSWERED if self.compat else ALL

    def further(self) -> dict[str, Any]:
        """What a result file's summary says beside upstream's figures, under names of Proctor's own."""
        summary, figures = self.summary, self.summary.overall
        return {
            "denominator": self.denominator,
            **_figures(figures),
            "sopr_corrected": figures.corrected,
            "solved_rate_corrected": figures.corrected,
            "flips": summary.flips,
            "pass_rate_by_other_denominator": self.other.overall.pass_rate,
            "sets": {one.name: _figures(one) for one in summary.sets},
            "mean_of_sets": summary.sets_mean,
            "mean_of_sets_published": summary.sets_mean_published,
            "means_of_sets": summary.sets_means,
            "stops": summary.troubles.stops,
            "spent": summary.spent,
        }


def write_counted(folder: Path, counted: Counted) -> Path:
    """Write the result file of a run's folder with all figures, and return where it stands."""
    return write_result(folder, counted.record, counted.further())


def _figures(figures: Figures) -> dict[str, Any]:
    return {
        "sopr": figures.sopr,
        "pass_rate": figures.pass_rate,
        "api_call_score": figures.api_call_score,
        "finish": figures.finish,
        "denominators": figures.denominators,
        "selection": figures.selection,
        "calls": figures.calls,
    }

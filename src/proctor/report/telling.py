"""What a page says in sentences: who judged, how sure a figure is, what came of every trial. Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import msgspec

from proctor.metrics._trials import NOT_JUDGED
from proctor.records.grades import Missing
from proctor.report.summary import Figures, RunSummary
from proctor.report.terminal import amount, percent
from proctor.stats.calibration import Calibration
from proctor.stats.comparisons import Comparison
from proctor.stats.intervals import Estimate

__all__ = ["awaited", "calibrated", "ends", "fate", "judged", "noted", "sentence", "setting", "signed", "signed_ends"]

_METHODS = {
    "heuristic": "Rules about the form of an answer; whether it is true was not looked at. The rate says how "
    "often an answer has the form of one; it is no pass rate, and bounds none.",
    "rubric": "A rule: it looks for the facts that a right answer tells. No model and no person has read the answers.",
    "official": "A model, asked as StableToolBench asks. A model errs; proctor judge calibrate measures how often.",
}


def judged(run: RunSummary) -> str:
    """What kind of judge gave the verdicts."""
    if not run.method:
        return "Nobody has judged these answers yet; proctor grade does."
    return _METHODS.get(run.method, f"Judged by the method {run.method!r}.")


def awaited(run: RunSummary) -> int:
    """How many answers the run's judge has still to judge; 0 where nobody judges."""
    return run.overall.denominators.unmeasured.get(NOT_JUDGED, 0) if run.method else 0


def ends(estimate: Estimate) -> str:
    """An interval in percent, or that there is none."""
    if estimate.low is None or estimate.high is None:
        return "no interval"
    return f"{estimate.low * 100:.1f} to {estimate.high * 100:.1f}"


def noted(estimate: Estimate | Missing) -> str:
    """What else is to be known of a figure: why it is unmeasured, what its interval rests on."""
    if isinstance(estimate, Missing):
        return f"unmeasured: {estimate.reason}" + (f" ({estimate.detail})" if estimate.detail else "")
    return estimate.note or ""


def sentence(text: str) -> str:
    """A note as a sentence by itself."""
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", "!", "?")) else ".")


def signed(share: float) -> str:
    """A difference in points of a hundred."""
    return f"{share * 100:+.1f}".replace("-", "\u2212")


def signed_ends(found: Comparison) -> str:
    """The interval of a difference."""
    difference = found.difference
    if difference.low is None or difference.high is None:
        return "no interval"
    return f"{signed(difference.low)} to {signed(difference.high)}"


def calibrated(found: Calibration, run: RunSummary) -> str:
    """What is known of the judge's errors, and whether it is this judge."""
    told = (
        f"Beside labels of people, the judge passed {percent(found.q1)} of {amount(found.m1)} good answers and failed "
        f"{percent(found.q0)} of {amount(found.m0)} bad ones"
    )
    told += f" ({found.labels})." if found.labels else "."
    if found.judge and run.judge and found.judge != run.judge:
        told += f" This calibration is of {found.judge}, not of {run.judge}."
    return told


def fate(one: Figures) -> list[tuple[str, int]]:
    """What became of every trial that was planned, and was not scored."""
    counts = one.denominators
    told = [*counts.unmeasured.items()]
    if counts.failed_by_environment:
        told.append(("failed through no fault of the agent", counts.failed_by_environment))
    if counts.owed:
        told.append(("still to be run", counts.owed))
    return told


def setting(value: Any) -> str:
    """A setting of a run, as it is said."""
    if value in (None, "", (), [], {}):
        return "none"
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {setting(one)}" for name, one in value.items() if one not in (None, "", (), [], {}))
    return value if isinstance(value, str) else json.dumps(msgspec.to_builtins(value), ensure_ascii=False)

"""How well the calls that were made cover the calls that were wanted, as one F1."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from proctor.dataset_schema import MultiTurnSample
from proctor.errors import SampleError
from proctor.metrics.base import SHARE, MultiTurnMetric
from proctor.metrics.calls import NOT_COMPARABLE, calls_made, identity, readable, unreadable_reason
from proctor.records.grades import Missing, Score


@dataclass(eq=False)
class ToolCallF1(MultiTurnMetric):
    """F1 of the different calls made against the different calls wanted, each with all its arguments.

    Order does not matter and a call made twice counts once. A call whose arguments could not be read is never the one
    that was wanted; one that the reference wants leaves the sample unmeasured. `Score.details` holds how many calls
    were `matched`, `extra` and `missed`.
    """

    name: str = "tool_call_f1"

    needs = frozenset({"user_input", "reference_tool_calls"})
    bounds = SHARE

    def measure(self, sample: MultiTurnSample) -> Score | Missing:
        """Compare the two sets of calls."""
        wanted_calls = getattr(sample, "reference_tool_calls", None)
        if wanted_calls is None:
            return Missing("the sample has no reference_tool_calls")
        wanted: set[Any] = set()
        for call in wanted_calls:
            try:
                wanted.add(identity(call))
            except SampleError as error:
                return Missing(NOT_COMPARABLE, f"{call.name}: {error}")
        made = calls_made(sample.user_input)
        different: set[Any] = set()
        unreadable = 0
        for call in made:
            try:
                different.add(identity(call))
            except SampleError:
                unreadable += 1
        matched = len(different & wanted)
        reason = unreadable_reason(readable(made)) if unreadable else None
        return _score(matched, len(different) - matched + unreadable, len(wanted) - matched, reason)


def _score(matched: int, extra: int, missed: int, reason: str | None) -> Score:
    details = {"matched": matched, "extra": extra, "missed": missed}
    if not matched:
        reason = reason if extra or missed else "no calls were made and none were wanted"
        return Score(0.0, reason=reason, details=details)
    precision = matched / (matched + extra)
    recall = matched / (matched + missed)
    return Score(round(2 * precision * recall / (precision + recall), 4), reason=reason, details=details)

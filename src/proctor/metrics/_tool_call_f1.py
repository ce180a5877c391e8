"""How well the calls that were made cover the calls that were wanted, as one F1."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from proctor.dataset_schema import MultiTurnSample
from proctor.messages import ToolCall
from proctor.metrics.base import SHARE, MultiTurnMetric
from proctor.metrics.calls import calls_made, identity
from proctor.records.grades import Missing, Score


@dataclass(eq=False)
class ToolCallF1(MultiTurnMetric):
    """F1 of the different calls made against the different calls wanted, each with all its arguments.

    Order does not matter and a call made twice counts once. A call whose arguments could not be read is never the one
    that was wanted. `Score.details` holds how many calls were `matched`, `extra` and `missed`.
    """

    name: str = "tool_call_f1"

    needs = frozenset({"user_input", "reference_tool_calls"})
    bounds = SHARE

    def measure(self, sample: MultiTurnSample) -> Score | Missing:
        """Compare the two sets of calls."""
        wanted_calls = getattr(sample, "reference_tool_calls", None)
        if wanted_calls is None:
            return Missing("the sample has no reference_tool_calls")
        try:
            made, unreadable = _different(calls_made(sample.user_input))
            wanted, unreadable_wanted = _different(wanted_calls)
        except RecursionError:
            return Missing("an argument is nested too deeply to be compared")
        matched = len(made & wanted)
        return _score(matched, len(made) - matched + unreadable, len(wanted) - matched + unreadable_wanted)


def _different(calls: list[ToolCall]) -> tuple[set[Any], int]:
    """The calls, each once, and the number of those whose arguments could not be read."""
    readable = [identity(call) for call in calls if call.malformed is None]
    return set(readable), len(calls) - len(readable)


def _score(matched: int, extra: int, missed: int) -> Score:
    details = {"matched": matched, "extra": extra, "missed": missed}
    if not matched:
        return Score(
            0.0, reason=None if extra or missed else "no calls were made and none were wanted", details=details
        )
    precision = matched / (matched + extra)
    recall = matched / (matched + missed)
    return Score(round(2 * precision * recall / (precision + recall), 4), details=details)

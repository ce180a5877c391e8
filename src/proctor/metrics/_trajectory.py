"""The metric over `matching`: does a conversation make the calls that it should?"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from proctor.dataset_schema import MultiTurnSample, Sample
from proctor.errors import OptionError, UnmeasuredError
from proctor.metrics.base import MultiTurnMetric
from proctor.metrics.comparators import Answers
from proctor.metrics.matching import Matcher, read_wanted
from proctor.metrics.pairing import TooManyWaysError
from proctor.metrics.trajectories import Trajectory, made_by
from proctor.metrics.trajectory_result import TrajectoryResult
from proctor.records.gold import GoldItem
from proctor.records.grades import Missing, Score

SCORES: Final = ("match", "f1", "precision", "recall")
"""The numbers that the metric can give."""

_NUMBERS: dict[str, Callable[[TrajectoryResult], float | None]] = {
    "match": lambda result: float(result.matched),
    "f1": lambda result: result.calls.f1,
    "precision": lambda result: result.calls.precision,
    "recall": lambda result: result.calls.recall,
}


class TrajectoryMatch(MultiTurnMetric):
    """Whether the calls of a conversation are those wanted, by the best pairing of the two.

    `mode` says how the calls may relate to those wanted: strict (or exact), in_order, unordered, subset, superset
    (or any_order). `score` says which number is given: `match` (1.0 or 0.0, under the mode), `f1`, `precision` or
    `recall` (of calls, name and arguments, under the mode's order). The other options are those of
    `proctor.metrics.matching.Matcher`: `args`, `overrides`, `tools`, `coerce`, `threshold`.

    `Score.details` holds the whole result as plain data; `details=False` leaves it out. `result(sample)` gives it as
    an object, and `print` tells it in words.
    """

    needs = frozenset({"user_input", "reference_tool_calls"})

    def __init__(
        self,
        mode: str = "strict",
        *,
        score: str = "match",
        name: str = "trajectory_match",
        details: bool = True,
        **options: Any,
    ) -> None:
        if score not in _NUMBERS:
            raise OptionError(f"{score!r} is no score of TrajectoryMatch; known are {', '.join(SCORES)}.")
        _refuse_unknown(options)
        self.name = name
        self._number = _NUMBERS[score]
        self._score = score
        self._details = details
        self._matcher = Matcher(mode, **options)

    @property
    def immediate(self) -> bool:
        """Whether it can be measured without waiting: no comparator asks a model."""
        return not self._matcher.waits

    def lacks(self, sample: Sample) -> Missing | None:
        """Why the sample cannot be measured at all: it says nowhere which calls are wanted."""
        if not isinstance(sample, MultiTurnSample):
            return Missing("the sample is no conversation")
        if sample.reference_tool_calls is None:
            return Missing("the sample has no reference_tool_calls")
        return None

    def result(self, sample: MultiTurnSample) -> TrajectoryResult:
        """The whole result for one conversation. UnmeasuredError where there is none."""
        lack = self.lacks(sample)
        if lack is not None:
            raise UnmeasuredError(self.name, lack.reason)
        return self._matcher.match_calls(made_by(sample.user_input), _wanted(sample), Answers())

    def measure(self, sample: MultiTurnSample) -> Score | Missing:
        """Measure without waiting."""
        if not self.immediate:
            raise TypeError(f"{self.name} has a comparator that has to wait for a model: use ameasure().")
        lack = self.lacks(sample)
        if lack is not None:
            return lack
        try:
            return self._told(self._matcher.match_calls(made_by(sample.user_input), _wanted(sample), Answers()))
        except (UnmeasuredError, TooManyWaysError) as error:
            return _unmeasured(error)

    async def ameasure(self, sample: MultiTurnSample) -> Score | Missing:
        """Measure, and wait for comparators that ask a model."""
        if self.immediate:
            return self.measure(sample)
        lack = self.lacks(sample)
        if lack is not None:
            return lack
        try:
            return self._told(await self._matcher.amatch_calls(made_by(sample.user_input), _wanted(sample)))
        except (UnmeasuredError, TooManyWaysError) as error:
            return _unmeasured(error)

    def _told(self, result: TrajectoryResult) -> Score | Missing:
        value = self._number(result)
        if value is None:
            nothing = "no call was made" if self._score == "precision" else "no call was wanted"
            return Missing(f"{nothing}, so {self._score} is 0 of 0")
        return Score(
            value,
            warning="no call was made and none was wanted: the perfect score says nothing" if result.vacuous else None,
            details=result.to_dict() if self._details else None,
        )


def _wanted(sample: MultiTurnSample) -> Trajectory | list[GoldItem]:
    return read_wanted(sample.reference_tool_calls)


def _unmeasured(error: UnmeasuredError | TooManyWaysError) -> Missing:
    if isinstance(error, TooManyWaysError):
        return Missing("the partial order of the gold leaves too many ways to pair the calls")
    return Missing("a comparator gave no usable grade", detail=error.reason)


def _refuse_unknown(options: dict[str, Any]) -> None:
    known = ("args", "coerce", "overrides", "threshold", "tools")
    unknown = next((option for option in options if option not in known), None)
    if unknown is not None:
        from proctor.errors import nearest

        raise OptionError(f"TrajectoryMatch has no option {unknown!r}; {nearest(unknown, known)}")

"""The metric over `matching`: whether a conversation makes the calls that it should."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from proctor.dataset_schema import MultiTurnSample, Sample
from proctor.errors import OptionError, UnmeasuredError
from proctor.metrics.base import SHARE, MultiTurnMetric
from proctor.metrics.calls import NOT_COMPARABLE, unreadable_reason
from proctor.metrics.comparators import DEFAULT_THRESHOLD, Answers
from proctor.metrics.matching import Matcher, read_wanted
from proctor.metrics.pairing import TOO_LOOSE
from proctor.metrics.trajectories import Trajectory, made_by
from proctor.metrics.trajectory_result import TrajectoryResult, summary
from proctor.records.gold import GoldItem, read_gold
from proctor.records.grades import Missing, Score

Mode = Literal["strict", "exact", "in_order", "unordered", "subset", "superset", "any_order"]
ArgumentMode = Literal["exact", "ignore", "subset", "superset"]
Number = Literal["match", "f1", "precision", "recall"]

_NUMBERS: dict[str, Callable[[TrajectoryResult], float | None]] = {
    "match": lambda result: float(result.matched),
    "f1": lambda result: result.calls.f1,
    "precision": lambda result: result.calls.precision,
    "recall": lambda result: result.calls.recall,
}
_MATCHER_OPTIONS = ("mode", "args", "overrides", "tools", "coerce", "threshold")
_OPTIONS = frozenset({*_MATCHER_OPTIONS, "score"})
_VACUOUS = "No call was made and none was wanted: the perfect score says nothing"


@dataclass(eq=False)
class TrajectoryMatch(MultiTurnMetric):
    """Whether the calls of a conversation are those wanted, by the best pairing of the two.

    The calls wanted are the sample's `gold` where it has one, else its `reference_tool_calls`. `result(sample)` gives
    the whole result, every pair and every difference, and printing that tells it in words; `match(outputs, reference)`
    does so for messages and calls that are no sample. With `details`, scores hold it too, as plain data.

    An option that is set later counts from then on: `metric.mode = "subset"`.
    """

    name: str = "trajectory_match"
    mode: Mode = "strict"
    """How the calls made may relate to those wanted, seen from the calls made."""
    args: ArgumentMode = "exact"
    """How the arguments of a call may relate to those wanted."""
    score: Number = "match"
    """The number that is given: `match` is 1.0 or 0.0 under the mode, the others are of calls with arguments."""
    overrides: Mapping[str, Any] | None = None
    """By tool: an argument mode, a list of the arguments that count, comparators by argument, or a function."""
    tools: list[Any] | dict[str, Any] | None = None
    """The tools' JSON schemas, where they are to say when two arguments are the same."""
    coerce: bool = False
    """Whether text that spells a number or a truth value is that value."""
    threshold: float = DEFAULT_THRESHOLD
    """What the number of a metric or a function that compares arguments has to reach."""
    details: bool = False
    """Whether scores hold the whole result, call by call. It takes several times as long as the verdict."""

    needs = frozenset({"user_input", "reference_tool_calls:optional", "gold:optional"})
    bounds = SHARE

    def __post_init__(self) -> None:
        super().__post_init__()
        self._prepare()

    def __setattr__(self, name: str, value: Any) -> None:
        """Set an option, and refuse what it cannot be; the metric is then as it was."""
        before = self.__dict__.get(name)
        super().__setattr__(name, value)
        if "_matcher" in self.__dict__ and name in _OPTIONS:
            try:
                self._prepare()
            except OptionError:
                super().__setattr__(name, before)
                raise

    def _prepare(self) -> None:
        """Check the options, and make the matcher that they ask for."""
        if self.score not in _NUMBERS:
            raise OptionError(f"{self.score!r} is no score of TrajectoryMatch; known are {', '.join(_NUMBERS)}.")
        options = {name: getattr(self, name) for name in _MATCHER_OPTIONS}
        self._matcher = Matcher(**options)

    @property
    def immediate(self) -> bool:
        """Whether it can be measured without waiting: no comparator asks a model."""
        return super().immediate and not self._matcher.waits

    def lacks(self, sample: Sample) -> Missing | None:
        """Why the sample cannot be measured at all: it says nowhere which calls are wanted."""
        if not isinstance(sample, MultiTurnSample):
            return Missing("the sample is no conversation")
        if sample.reference_tool_calls is None and sample.gold is None:
            return Missing("the sample has no reference_tool_calls")
        return None

    def result(self, sample: MultiTurnSample) -> TrajectoryResult:
        """The whole result for one conversation. UnmeasuredError where there is none."""
        lack = self.lacks(sample)
        if lack is not None:
            raise UnmeasuredError(self.name, lack.reason)
        return self._matcher.match_calls(made_by(sample.user_input), _wanted(sample), Answers())

    def match(self, outputs: Any, reference_outputs: Any) -> TrajectoryResult:
        """The whole result for two lists of messages or calls; OpenAI's dictionaries are read as they are."""
        return self._matcher.match(outputs, reference_outputs)

    def measure(self, sample: MultiTurnSample) -> Score | Missing:
        """Match the calls. Only where `immediate` is true."""
        if self._matcher.waits:
            raise TypeError(f"{self.name} has a comparator that has to wait for a model: use ameasure().")
        lack = self.lacks(sample)
        if lack is not None:
            return lack
        made = made_by(sample.user_input)
        try:
            return self._told(made, self._matcher.match_calls(made, _wanted(sample), Answers()))
        except UnmeasuredError as error:
            return _unmeasured(error)

    async def ameasure(self, sample: MultiTurnSample, callbacks: Any = None) -> Score | Missing:
        """Match the calls, and wait for comparators that ask a model."""
        if not self._matcher.waits:
            return self.measure(sample)
        lack = self.lacks(sample)
        if lack is not None:
            return lack
        made = made_by(sample.user_input)
        try:
            return self._told(made, await self._matcher.amatch_calls(made, _wanted(sample), callbacks))
        except UnmeasuredError as error:
            return _unmeasured(error)

    def _told(self, made: Trajectory, result: TrajectoryResult) -> Score | Missing:
        value = _NUMBERS[self.score](result)
        if value is None:
            nothing = "no call was made" if self.score == "precision" else "no call was wanted"
            return Missing(f"{nothing}, so {self.score} is 0 of 0")
        return Score(
            value,
            reason=None if result.exact else _reason(made, result),
            warning=_VACUOUS if result.vacuous else None,
            details=result.to_dict() if self.details else None,
        )


def _reason(made: Trajectory, result: TrajectoryResult) -> str:
    ordered = result.mode in ("strict", "in_order")
    said = [f"in order, {summary(result)}" if ordered else summary(result)]
    if None in made.keys:
        said += [reason for reason in [unreadable_reason(made.calls)] if reason]
    return "; ".join(said)


def _wanted(sample: MultiTurnSample) -> Trajectory | list[GoldItem]:
    return read_gold(sample.gold) if sample.gold is not None else read_wanted(sample.reference_tool_calls)


def _unmeasured(error: UnmeasuredError) -> Missing:
    if error.reason == TOO_LOOSE:
        return Missing(TOO_LOOSE)
    if error.reason.startswith(NOT_COMPARABLE):
        return Missing(NOT_COMPARABLE, error.reason.removeprefix(f"{NOT_COMPARABLE}: "))
    said = error.reason if error.detail is None else f"{error.reason}\n{error.detail}"
    return Missing("an argument could not be compared", detail=said)

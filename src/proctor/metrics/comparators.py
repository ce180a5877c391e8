"""Comparators: what may decide about one argument in place of equality.

A comparator is one of

    Within        a number may be so far away from the one wanted
    Pattern       text has to fit a regular expression, whatever was wanted (a compiled `re.Pattern` is one too)
    OneOf, Near, Anything      the same as in gold, for every call
    a metric      any metric of a response (the value made) against a reference (the value wanted)
    a function    `function(made, wanted)`, which returns true, false or a number from 0 to 1
    AtLeast       a metric or a function with a threshold of its own
    "ignore"      the argument is not looked at, whether it is there or not
    "exact"       equality, as without a comparator

Where a metric or a function gives a number, the argument agrees when it reaches the threshold. Below that it does not
agree, but calls that are more alike are still paired first, and the result shows the number.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import msgspec

from proctor.dataset_schema import SingleTurnSample
from proctor.errors import OptionError, UnmeasuredError
from proctor.metrics.base import Metric, MetricType, SingleTurnMetric, cell, settled
from proctor.metrics.blocking import together
from proctor.records.gold import Anything, Choice, Near, Pattern, is_number
from proctor.records.grades import Missing, Score
from proctor.records.keys import canonical_json

DEFAULT_THRESHOLD = 0.8
"""What a number has to reach for its argument to agree, where nobody says otherwise."""

_ROUNDING = 1e-9


class Within(msgspec.Struct, frozen=True):
    """A tolerance: a number agrees when it is no farther from the one wanted than this.

    `relative` is a share of the size of the wanted number; where both are given, the wider one counts.
    """

    absolute: float = 0.0
    relative: float = 0.0

    def __post_init__(self) -> None:
        sizes: tuple[Any, ...] = (self.absolute, self.relative)
        if not all(is_number(size) and size >= 0 for size in sizes) or not any(sizes):
            raise OptionError(f"Within needs a tolerance above 0, absolute=…, relative=… or both; it got {sizes}.")


class AtLeast(msgspec.Struct, frozen=True):
    """A metric or a function, and what its number has to reach."""

    measure: Any
    threshold: float


@dataclass
class Answers:
    """What metrics that have to be waited for said about two texts, and what they still have to be asked."""

    known: dict[tuple[int, str, str], float] = field(default_factory=dict)
    open: dict[tuple[int, str, str], Any] = field(default_factory=dict)

    async def ask(self, callbacks: Any = None) -> None:
        """Ask all that is open, at once."""
        questions = list(self.open.items())
        self.open.clear()
        cells = await together(_asked(metric, _sample(*key[1:]), callbacks) for key, metric in questions)
        for (key, metric), found in zip(questions, cells, strict=True):
            self.known[key] = _number(_named(metric), found)


Grade = Callable[[Any, Any, Answers], float]


@dataclass(frozen=True)
class Comparator:
    """A comparator, ready for use: `grade(made, wanted, answers)` has to reach `threshold`."""

    grade: Grade
    threshold: float
    ignores: bool = False
    waits: bool = False


def comparator(given: Any, threshold: float, where: str) -> Comparator | None:
    """Make a comparator of what the user gave; None for plain equality. `where` is for the error."""
    if isinstance(given, str) and given in ("exact", "ignore"):
        return Comparator(lambda *_: 1.0, 0.0, ignores=True) if given == "ignore" else None
    if isinstance(given, AtLeast):
        return comparator(given.measure, checked_threshold(given.threshold), where)
    test = _test(given)
    if test is not None:
        return Comparator(lambda made, wanted, _: test(made, wanted), 1.0)
    if isinstance(given, (Metric, type)) or hasattr(given, "single_turn_ascore"):
        check_text_metric(given, where)
        return _by_metric(given, threshold)
    if callable(given) and not isinstance(given, type):
        return Comparator(lambda made, wanted, _: by_function(given, (made, wanted), where), threshold)
    raise OptionError(
        f"{where}: {given!r} is no comparator; give 'ignore', 'exact', Within(…), Pattern(…), a single-turn metric, "
        "a function of the value made and the value wanted, or AtLeast(metric, threshold)."
    )


_OF_TWO_TEXTS = frozenset({"response", "reference"})
"""What a metric can see of an argument: the value made is the response, the value wanted the reference."""


def check_text_metric(given: Any, where: str) -> None:
    """Refuse what cannot compare the texts of two arguments: OptionError with one sentence, `where` its beginning."""
    name = _named(given)
    if isinstance(given, type):
        raise OptionError(f"{where} is the class {given.__name__}; give an object of it: {given.__name__}(…).")
    if not isinstance(given, Metric):
        if callable(getattr(given, "single_turn_ascore", None) or getattr(given, "single_turn_score", None)):
            return
        kind = type(given).__name__
        raise OptionError(
            f"{where} must be a metric with single_turn_ascore(sample, callbacks), not {kind}: {given!r}."
        )
    needed = given.required_columns.get(MetricType.SINGLE_TURN.name, set())
    if not isinstance(given, SingleTurnMetric) and not needed:
        raise OptionError(f"{where} cannot be {name!r}, which looks at conversations: an argument is only text.")
    more = sorted(needed - _OF_TWO_TEXTS)
    if more:
        raise OptionError(
            f"{where} cannot be {name!r}, which needs {more[0]!r}: of an argument there is only the value made, as "
            "response, and the value wanted, as reference."
        )
    if given.bounds is not None and not (given.bounds[0] >= 0 and given.bounds[1] <= 1):
        least, most = given.bounds
        raise OptionError(f"{where} cannot be {name!r}, which gives {least:g} to {most:g}; it has to give 0 to 1.")


def _test(given: Any) -> Callable[[Any, Any], bool] | None:
    """The comparators that say yes or no by a rule of our own."""
    if isinstance(given, Within):
        return lambda made, wanted: near(made, wanted, given.absolute, given.relative)
    if isinstance(given, re.Pattern):
        return lambda made, _: isinstance(made, str) and given.fullmatch(made) is not None
    if isinstance(given, Choice):
        return lambda made, _: accepts(given, made)
    return None


def checked_threshold(threshold: Any) -> float:
    """The threshold, if it is one."""
    if is_number(threshold) and 0 < threshold <= 1:
        return float(threshold)
    raise OptionError(f"a threshold must be a number above 0 and no more than 1, not {threshold!r}.")


def near(made: Any, wanted: Any, absolute: float, relative: float) -> bool:
    """Whether two numbers are near each other; what is no number is near nothing."""
    if not is_number(made) or not is_number(wanted):
        return False
    try:
        return bool(abs(made - wanted) <= max(absolute, relative * abs(wanted)))
    except OverflowError:  # a whole number that no float holds
        allowed = max(Fraction(absolute), Fraction(relative) * abs(Fraction(wanted)))
        return abs(Fraction(made) - Fraction(wanted)) <= allowed


def accepts(choice: Choice, made: Any) -> bool:
    """Whether a value is one of those that a choice stands for."""
    if isinstance(choice, Anything):
        return True
    if isinstance(choice, Near):
        return near(made, choice.value, choice.absolute, choice.relative)
    if isinstance(choice, Pattern):
        return isinstance(made, str) and re.fullmatch(choice.regex, made) is not None
    text = canonical_json(made)
    return any(
        accepts(value, made) if isinstance(value, Choice) else canonical_json(value) == text for value in choice.values
    )


def by_function(function: Callable[..., Any], values: tuple[Any, Any], where: str) -> float:
    """What a user's function says; its own failure becomes the reason why nothing was measured."""
    try:
        said = function(*values)
    except Exception as error:
        raise UnmeasuredError("trajectory_match", f"the comparator of {where} failed: {error!r}") from error
    try:
        number = math.nan if isinstance(said, str) else float(said)
    except (TypeError, ValueError):
        number = math.nan
    if 0 <= number <= 1:
        return number
    raise UnmeasuredError(
        "trajectory_match", f"the comparator of {where} returned {said!r}, not true, false or a number from 0 to 1"
    )


def text_of(value: Any) -> str:
    """A value as a metric reads it: text as it is, all else as canonical JSON."""
    return value if isinstance(value, str) else canonical_json(value).decode()


def _by_metric(metric: Any, threshold: float) -> Comparator:
    immediate = isinstance(metric, Metric) and metric.immediate

    def grade(made: Any, wanted: Any, answers: Answers) -> float:
        key = (id(metric), text_of(made), text_of(wanted))
        if key not in answers.known:
            if not immediate:
                answers.open[key] = metric
                return 0.0
            answers.known[key] = _number(_named(metric), metric.measure(_sample(*key[1:])))
        return answers.known[key]

    return Comparator(grade, threshold, waits=not immediate)


async def _asked(metric: Any, sample: SingleTurnSample, callbacks: Any) -> Score | Missing:
    if isinstance(metric, Metric):
        return await metric.ameasure(sample, callbacks)
    return cell(_named(metric), await settled(metric.single_turn_ascore(sample, callbacks)))


def _sample(made: str, wanted: str) -> SingleTurnSample:
    return SingleTurnSample(response=made, reference=wanted)


def _number(metric: str, found: Score | Missing) -> float:
    if isinstance(found, Missing):
        raise UnmeasuredError("trajectory_match", f"{metric}: {found.reason}", found.detail)
    if not -_ROUNDING <= found.value <= 1 + _ROUNDING:
        raise UnmeasuredError("trajectory_match", f"{metric} gave {found.value!r}, not a number from 0 to 1")
    return min(max(found.value, 0.0), 1.0)


def _named(metric: Any) -> str:
    return str(getattr(metric, "name", None) or type(metric).__name__)

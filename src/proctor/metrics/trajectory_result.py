"""What matching two trajectories came to, call by call and in numbers."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import msgspec

from proctor.metrics.arguments import Difference
from proctor.metrics.gold_slots import WantedCall
from proctor.metrics.trajectories import MadeCall


class Tally(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """Counts, and the ratios that follow from them."""

    matched: int
    """Calls made that fulfil a call wanted."""
    missing: int
    """Calls wanted, and not optional, that nothing fulfils."""
    extra: int
    """Calls made that fulfil nothing."""
    fulfilled: int
    """Calls wanted, and not optional, that are fulfilled: `matched` without the optional ones."""

    @property
    def precision(self) -> float | None:
        """The share of the calls made that fulfil something. None when none was made and one was wanted."""
        made = self.matched + self.extra
        return self.matched / made if made else None if self.missing else 1.0

    @property
    def recall(self) -> float | None:
        """The share of the calls wanted, optional ones aside, that are fulfilled. None when only others were made."""
        wanted = self.fulfilled + self.missing
        return self.fulfilled / wanted if wanted else None if self.matched or self.extra else 1.0

    @property
    def f1(self) -> float:
        """Twice the calls matched, over that and the calls extra and missing."""
        twice = 2 * self.matched
        all_there_is = twice + self.extra + self.missing
        return twice / all_there_is if all_there_is else 1.0

    @property
    def exact(self) -> bool:
        """Whether nothing is missing and nothing extra."""
        return not self.missing and not self.extra

    def to_dict(self) -> dict[str, Any]:
        """The counts and the ratios as plain data."""
        counts: dict[str, Any] = msgspec.to_builtins(self)
        ratios = {"precision": self.precision, "recall": self.recall, "f1": self.f1, "exact": self.exact}
        return {**counts, **ratios}


class Pair(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """A call made and the call wanted that it is held against."""

    made: MadeCall
    wanted: WantedCall
    differences: tuple[Difference, ...] = ()
    """The arguments that differ; none for a pair that matches."""


class Story(msgspec.Struct, frozen=True, omit_defaults=True):
    """The part of a result that goes call by call."""

    names: Tally
    pairs: tuple[Pair, ...] = ()
    differing: tuple[Pair, ...] = ()
    moved: tuple[Pair, ...] = ()
    missing: tuple[WantedCall, ...] = ()
    extra: tuple[MadeCall, ...] = ()


class TrajectoryResult:
    """What matching two trajectories came to. `print(result)` tells it in words.

    The verdict and the counts are there at once; what goes call by call is worked out when it is first looked at.
    """

    __slots__ = ("_story", "calls", "matched", "mode", "vacuous")

    mode: str
    """The mode: strict, in_order, unordered, subset or superset."""
    matched: bool
    """Whether the trajectory matches under that mode."""
    calls: Tally
    """Counts by name with arguments."""
    vacuous: bool
    """No call was made and none was wanted: the perfect score says nothing."""
    _story: Story | Callable[[], Story]

    def __init__(self, mode: str, matched: bool, calls: Tally, story: Story | Callable[[], Story]) -> None:
        fields = {
            "mode": mode,
            "matched": matched,
            "calls": calls,
            "vacuous": not (calls.matched or calls.extra or calls.missing),
            "_story": story,
        }
        for name, value in fields.items():
            object.__setattr__(self, name, value)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a TrajectoryResult cannot be changed: {name!r}.")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TrajectoryResult):
            return NotImplemented
        return self._parts() == other._parts()

    def __hash__(self) -> int:
        return hash((self.mode, self.matched, self.calls))

    def __repr__(self) -> str:
        return f"TrajectoryResult(mode={self.mode!r}, matched={self.matched}, calls={self.calls})"

    def __reduce__(self) -> tuple[object, ...]:
        return (TrajectoryResult, self._parts())

    @property
    def story(self) -> Story:
        """All that goes call by call, in one record."""
        story = self._story
        if not isinstance(story, Story):
            story = story()
            object.__setattr__(self, "_story", story)
        return story

    @property
    def names(self) -> Tally:
        """Counts by name alone: what `calls` would be if no argument were looked at."""
        return self.story.names

    @property
    def pairs(self) -> tuple[Pair, ...]:
        """Each call made that fulfils a call wanted, with it."""
        return self.story.pairs

    @property
    def differing(self) -> tuple[Pair, ...]:
        """Of the calls missing and extra, those that have the same name, paired by how much alike they are."""
        return self.story.differing

    @property
    def moved(self) -> tuple[Pair, ...]:
        """Of the calls missing and extra, those that are the same but stand in the wrong order."""
        return self.story.moved

    @property
    def missing(self) -> tuple[WantedCall, ...]:
        """Each call wanted, and not optional, that nothing fulfils."""
        return self.story.missing

    @property
    def extra(self) -> tuple[MadeCall, ...]:
        """Each call made that fulfils nothing."""
        return self.story.extra

    def _parts(self) -> tuple[str, bool, Tally, Story]:
        return self.mode, self.matched, self.calls, self.story

    @property
    def exact(self) -> bool:
        """Whether nothing is missing and nothing extra, under the order that the mode asks for."""
        return self.calls.exact

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain data that JSON can hold, the ratios too."""
        story: dict[str, Any] = msgspec.to_builtins(self.story)
        return {
            "mode": self.mode,
            "matched": self.matched,
            "exact": self.exact,
            "vacuous": self.vacuous,
            "calls": self.calls.to_dict(),
            **story,
            "names": self.names.to_dict(),
        }

    def explain(self) -> str:
        """What was found, as a person reads it."""
        verdict = "matches" if self.matched else "does not match"
        lines = [f"The trajectory {verdict} ({self.mode}): {summary(self)}."]
        lines += [f"  = {_call(pair.made)}" for pair in self.pairs]
        for pair in self.differing:
            lines += [f"  ≠ {_call(pair.made)}", *(f"      {_difference(each)}" for each in pair.differences)]
        lines += [f"  ↕ {_call(pair.made)}   out of order" for pair in self.moved]
        shown = {pair.wanted.where for pair in (*self.differing, *self.moved)}
        lines += [f"  - {_call(call)}   missing" for call in self.missing if call.where not in shown]
        seen = {pair.made.index for pair in (*self.differing, *self.moved)}
        lines += [f"  + {_call(call)}   extra" for call in self.extra if call.index not in seen]
        if not self.vacuous:
            lines += [_ratios("name and arguments", self.calls), _ratios("name alone", self.names)]
        return "\n".join(lines)

    def __str__(self) -> str:
        return self.explain()


_LONGEST = 60


def summary(result: TrajectoryResult) -> str:
    """How many calls were made of those wanted, in a few words."""
    if result.vacuous:
        return "no call was made and none was wanted"
    calls = result.calls
    wanted = calls.fulfilled + calls.missing
    verb = "was" if 1 in (calls.fulfilled, wanted) else "were"
    said = f"{calls.fulfilled} of {_counted(wanted, 'call')} wanted {verb} made"
    optional = calls.matched - calls.fulfilled
    if optional:
        said += f", {optional} optional"
    return f"{said}, {calls.extra or 'none'} extra"


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _call(call: MadeCall | WantedCall) -> str:
    if isinstance(call, MadeCall) and call.malformed is not None:
        return f"{call.name}(arguments that cannot be read: {_short(call.malformed)})"
    return f"{call.name}({', '.join(f'{name}={_value(value)}' for name, value in call.args.items())})"


def _difference(difference: Difference) -> str:
    path = difference.path or "arguments"
    if difference.kind == "missing":
        return f"{path}: missing, wanted {_value(difference.wanted)}"
    if difference.kind == "extra":
        return f"{path}: not wanted, made {_value(difference.made)}"
    grade = f" (alike: {difference.grade:.2f})" if difference.grade is not None else ""
    return f"{path}: wanted {_value(difference.wanted)}, made {_value(difference.made)}{grade}"


def _value(value: Any) -> str:
    return _short(json.dumps(msgspec.to_builtins(value), ensure_ascii=False))


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def _ratios(head: str, tally: Tally) -> str:
    parts = [
        f"{name} {'unmeasured' if value is None else f'{value:.2f}'}"
        for name, value in (("precision", tally.precision), ("recall", tally.recall), ("F1", tally.f1))
    ]
    return f"{head}: {', '.join(parts)}"

"""Matching: whether the calls that an agent made fulfil the calls that were wanted.

    read        both sides into calls with keys (`trajectories`), gold into slots (`gold_slots`)
    pair        the best pairing of calls and slots under the mode's order (`candidates`, `pairing`)
    tell        the pairs, what is missing, what is extra, what differs, in numbers too (`trajectory_result`)

Modes are seen from the actual side, the calls that were made:

    strict      the calls wanted, in their order, and no others                    also "exact"
    in_order    the calls wanted, in their order; others may stand between them
    unordered   the calls wanted and no others, in any order
    subset      no calls but those wanted; some may be left out
    superset    the calls wanted, in any order, and perhaps others                 also "any_order"

Where the gold holds a partial order (`after`), the last three keep it.
"""

from __future__ import annotations

from typing import Any, Final

from proctor.errors import OptionError, SampleError, UnmeasuredError
from proctor.metrics.arguments import Rule, Rules, checked_argument_mode
from proctor.metrics.candidates import Candidates
from proctor.metrics.comparators import DEFAULT_THRESHOLD, Answers, checked_threshold
from proctor.metrics.gold_slots import orders, plain_slots, variants
from proctor.metrics.pairing import Pairs, Row, align, arrange, assign, common
from proctor.metrics.trajectories import Key, Texts, Trajectory, is_message, read_trajectory
from proctor.metrics.trajectory_result import Pair, Story, Tally, TrajectoryResult
from proctor.records.gold import AnyOf, GoldCall, GoldItem, read_gold

MODES: Final = {
    "strict": "strict",
    "exact": "strict",
    "in_order": "in_order",
    "unordered": "unordered",
    "subset": "subset",
    "superset": "superset",
    "any_order": "superset",
}
"""The modes by every name that they have."""

_NOTHING_MISSING = frozenset({"strict", "in_order", "unordered", "superset"})
_NOTHING_EXTRA = frozenset({"strict", "unordered", "subset"})
_ORDERED = frozenset({"strict", "in_order"})


def match_trajectories(outputs: Any, reference_outputs: Any, mode: str = "strict", **options: Any) -> TrajectoryResult:
    """Match the calls in `outputs` against those in `reference_outputs`.

    Both are lists of messages or of tool calls; the reference may also be gold (`proctor.records.gold`). The options
    are those of `Matcher`.
    """
    return Matcher(mode, **options).match(outputs, reference_outputs)


class Matcher:
    """A way to match, made once and used for any number of trajectories.

    `args` is the argument mode; `overrides` says otherwise for some tools or arguments; `tools` are the tools' JSON
    schemas; `coerce` takes text that spells a number or a truth value for it; `threshold` is what a graded
    comparator has to reach.
    """

    def __init__(
        self,
        mode: str = "strict",
        *,
        args: str = "exact",
        overrides: Any = None,
        tools: Any = None,
        coerce: bool = False,
        threshold: float = DEFAULT_THRESHOLD,
    ) -> None:
        self.mode = checked_mode(mode)
        default = Rule(checked_argument_mode(args), threshold=checked_threshold(threshold), coerce=coerce)
        self._rules = Rules(default, overrides, tools)

    @property
    def waits(self) -> bool:
        """Whether a comparator has to wait for something: then `amatch` is the way."""
        return self._rules.waits

    def match(self, outputs: Any, reference: Any) -> TrajectoryResult:
        """Match the calls of two sides."""
        if self.waits:
            raise UnmeasuredError("trajectory_match", "a comparator has to wait for a model: use amatch()")
        texts: Texts = {}
        made = read_trajectory(outputs, "outputs", texts)
        return self.match_calls(made, read_wanted(reference, texts), Answers())

    async def amatch(self, outputs: Any, reference: Any) -> TrajectoryResult:
        """Match the calls of two sides, and wait for comparators that ask a model."""
        return await self.amatch_calls(read_trajectory(outputs, "outputs"), read_wanted(reference))

    def match_calls(self, made: Trajectory, wanted: Trajectory | list[GoldItem], answers: Answers) -> TrajectoryResult:
        """Match calls that have been read already. `answers` collects what has to be asked first."""
        if isinstance(wanted, Trajectory) and self._rules.literal:
            calls = _counted(made, wanted, ordered=self.mode in _ORDERED)
            matched = matches(calls, self.mode)
            return TrajectoryResult(self.mode, matched, calls, lambda: self._best(made, wanted, answers).story())
        match = self._best(made, wanted, answers)
        return TrajectoryResult(self.mode, match.matched, match.calls, match.story())

    def _best(self, made: Trajectory, wanted: Trajectory | list[GoldItem], answers: Answers) -> _Match:
        """The variant of the gold that serves the agent best, matched; the one listed first among equals."""
        ways = [plain_slots(wanted)] if isinstance(wanted, Trajectory) else variants(wanted)
        best = None
        for slots in ways:
            match = _Match(Candidates(made, slots, self._rules, answers), self.mode)
            if best is None or match.merit > best.merit:
                best = match
        assert best is not None
        return best

    async def amatch_calls(
        self, made: Trajectory, wanted: Trajectory | list[GoldItem], callbacks: Any = None
    ) -> TrajectoryResult:
        """`match_calls`, waiting for metrics. What is asked is asked at once; answers may lead to more questions."""
        answers = Answers()
        result = self.match_calls(made, wanted, answers)
        while answers.open:
            await answers.ask(callbacks)
            result = self.match_calls(made, wanted, answers)
        return result


def matches(calls: Tally, mode: str) -> bool:
    """Whether a mode is content with what is missing and what is extra."""
    return not (calls.missing and mode in _NOTHING_MISSING) and not (calls.extra and mode in _NOTHING_EXTRA)


def _counted(made: Trajectory, wanted: Trajectory, *, ordered: bool) -> Tally:
    """The counts where calls are equal when their keys are: how many, without who with whom."""
    ours, theirs = made.keys, wanted.keys
    if ours == theirs and None not in ours:
        same = len(ours)
    elif ordered:
        same = common([key for key in ours if key is not None], theirs)
    else:
        free: dict[Key | None, int] = {}
        for key in theirs:
            free[key] = free.get(key, 0) + 1
        same = 0
        for key in ours:
            if key is not None and free.get(key, 0):
                free[key] -= 1
                same += 1
    return Tally(same, len(theirs) - same, len(ours) - same, same)


def checked_mode(mode: Any) -> str:
    """The mode by its first name."""
    if isinstance(mode, str) and mode in MODES:
        return MODES[mode]
    raise OptionError(f"{mode!r} is no matching mode; known are {', '.join(MODES)}.")


def read_wanted(reference: Any, texts: Texts | None = None) -> Trajectory | list[GoldItem]:
    """Read the wanted side: messages, tool calls, or gold."""
    if isinstance(reference, (list, tuple)) and any(map(_is_gold, reference)):
        try:
            return read_gold(reference)
        except SampleError as error:  # the caller calls it by another name
            raise SampleError(str(error).replace("gold[", "reference_outputs[", 1)) from None
    return read_trajectory(reference, "reference_outputs", texts)


def _is_gold(item: Any) -> bool:
    if type(item) is dict:
        return "role" not in item and ("any_of" in item or "name" in item) and not is_message(item)
    return isinstance(item, (GoldCall, AnyOf))


class _Match:
    """One variant of the gold, matched."""

    def __init__(self, candidates: Candidates, mode: str) -> None:
        self._candidates = candidates
        self._mode = mode
        self._before = None if mode in _ORDERED else orders(candidates.slots)
        if mode in _ORDERED or self._before is not None:
            self._pairs = self._in_order(candidates.fulfilled_rows())
            self._moved, self._differing = self._rest()
        else:
            self._pairs = candidates.equal_pairs()
            agreeing, self._differing = self._rest()
            self._pairs += agreeing
            self._moved = []
        self.calls = self._tally(self._pairs)

    @property
    def merit(self) -> tuple[bool, float, int, int]:
        """What makes one variant better for the agent than another."""
        return self.matched, self.calls.f1, self.calls.fulfilled, -self.calls.missing

    @property
    def matched(self) -> bool:
        """Whether the mode has what it asks for."""
        return matches(self.calls, self._mode)

    def story(self) -> Story:
        """All that goes call by call."""
        made, slots = self._candidates.made.calls, self._candidates.slots
        paired, filled = {index for index, _ in self._pairs}, {slot for _, slot in self._pairs}
        unfilled = [slot for index, slot in enumerate(slots) if index not in filled and not slot.optional]
        return Story(
            names=self.calls if self.calls.exact else self._tally(self._named()),
            pairs=tuple(self._told(self._pairs)),
            differing=tuple(self._told(self._differing)),
            moved=tuple(self._told(self._moved)),
            missing=tuple(slot.options[0].shown for slot in unfilled),
            extra=tuple(call for call in made if call.index not in paired),
        )

    def _in_order(self, rows: list[Row]) -> Pairs:
        """The best pairing of rows that keeps the order that is asked for."""
        if self._before is not None:
            return arrange(rows, self._before)
        slots = self._candidates.slots
        if len(rows) == len(slots) and all(index in row for index, row in enumerate(rows)):
            return [(index, index) for index in range(len(rows))]
        return align(rows, len(slots))

    def _rest(self) -> tuple[Pairs, Pairs]:
        """The best pairing of what is left, whatever its order: the pairs that agree, and those that only share a name.

        Calls are numbered by what they are, so that the pairs do not depend on when the calls were made.
        """
        candidates = self._candidates
        keys, slots = candidates.made.keys, candidates.slots
        if len(self._pairs) in (len(keys), len(slots)):
            return [], []
        paired, filled = {index for index, _ in self._pairs}, {slot for _, slot in self._pairs}
        left = [(key, index) for index, key in enumerate(keys) if key is not None and index not in paired]
        numbered = [index for _, index in sorted(left)]
        rows = candidates.rows(numbered, (slot for slot in range(len(slots)) if slot not in filled))
        pairs = sorted((numbered[row], slot) for row, slot in assign(rows))
        agreeing = [pair for pair in pairs if candidates.agree(*pair)]
        return agreeing, [pair for pair in pairs if not candidates.agree(*pair)]

    def _named(self) -> Pairs:
        """The best pairing by name alone."""
        rows = self._candidates.name_rows()
        return self._in_order(rows) if self._mode in _ORDERED or self._before is not None else assign(rows)

    def _tally(self, pairs: Pairs) -> Tally:
        slots = self._candidates.slots
        needed = sum(1 for slot in slots if not slot.optional)
        fulfilled = sum(1 for _, slot in pairs if not slots[slot].optional)
        return Tally(len(pairs), needed - fulfilled, len(self._candidates.made.calls) - len(pairs), fulfilled)

    def _told(self, pairs: Pairs) -> list[Pair]:
        return [self._candidates.pair(*pair) for pair in sorted(pairs)]

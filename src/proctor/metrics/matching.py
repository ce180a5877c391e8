"""Matching: whether the calls that an agent made fulfil the calls that were wanted.

    read        both sides into calls with keys (`trajectories`), gold into slots (`gold_slots`)
    count       which call fits which slot, and how many pairs the mode's order allows (`candidates`, `pairing`)
    tell        on request: the best pairing, what is missing, what is extra, what differs (`trajectory_result`)

Modes are seen from the actual side, the calls that were made:

    strict      the calls wanted, in their order, and no others                    also "exact"
    in_order    the calls wanted, in their order; others may stand between them
    unordered   the calls wanted and no others, in any order
    subset      no calls but those wanted; some may be left out
    superset    the calls wanted, in any order, and perhaps others                 also "any_order"

Where the gold holds a partial order (`after`), the last three keep it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from proctor.errors import OptionError, SampleError, UnmeasuredError
from proctor.metrics.arguments import Rule, Rules, checked_argument_mode
from proctor.metrics.candidates import Candidates
from proctor.metrics.comparators import DEFAULT_THRESHOLD, Answers, checked_threshold
from proctor.metrics.gold_slots import orders, plain_slots, variants
from proctor.metrics.made_calls import MadeCalls
from proctor.metrics.pairing import Pairs, Row, align, arrange, assign, common, longest, most, unlike, unlike_middle
from proctor.metrics.trajectories import Texts, Trajectory, is_message, read_trajectory
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
        if isinstance(wanted, Trajectory) and self._rules.plain and None not in wanted.keys:
            calls = self._counted(made, wanted, answers)
            matched = matches(calls, self.mode)
            return TrajectoryResult(self.mode, matched, calls, lambda: self._best(made, wanted, answers).story())
        match = self._best(made, wanted, answers)
        return TrajectoryResult(self.mode, match.matched, match.calls, match.story)

    def _counted(self, made: Trajectory, wanted: Trajectory, answers: Answers) -> Tally:
        """The counts without who with whom. Calls with equal keys fit under any plain rule, and are paired first."""
        ours: Sequence[int] = range(len(made.keys))
        theirs: Sequence[int] = range(len(wanted.keys))
        if self.mode in _ORDERED:
            ours, theirs = unlike_middle(made.keys, wanted.keys)
        elif self._rules.transitive:
            # Whoever fits a call equal to mine fits whatever mine fits: to pair equals takes nothing from others.
            ours, theirs = unlike(made.keys, wanted.keys)
        same = len(made.keys) - len(ours)
        if not ours or not theirs:
            pass
        elif not self._rules.literal:
            same += self._best(made.part(ours), wanted.part(theirs), answers).calls.matched
        elif self.mode in _ORDERED:
            same += common([made.keys[index] for index in ours], [wanted.keys[index] for index in theirs])
        return Tally(same, len(wanted.keys) - same, len(made.keys) - same, same)

    def _best(self, made: Trajectory, wanted: Trajectory | list[GoldItem], answers: Answers) -> _Match:
        """The variant of the gold that serves the agent best, matched; the one listed first among equals."""
        ways = [plain_slots(wanted)] if isinstance(wanted, Trajectory) else variants(wanted)
        calls = MadeCalls(made)
        best = None
        for slots in ways:
            match = _Match(Candidates(calls, slots, self._rules, answers, self.mode), self.mode)
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
    """One variant of the gold, matched: the counts at once, who is paired with whom when somebody asks."""

    def __init__(self, candidates: Candidates, mode: str) -> None:
        self._candidates = candidates
        self._mode = mode
        self._before = None if mode in _ORDERED else orders(candidates.slots)
        self.calls = self._tally(candidates.fits, candidates.fulfilled_rows)

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
        candidates = self._candidates
        made, slots = candidates.made.calls, candidates.slots
        if self._mode in _ORDERED or self._before is not None:
            pairs = self._in_order(candidates.fulfilled_rows())
            moved, differing = self._rest(pairs)
        else:
            pairs = candidates.equal_pairs()
            agreeing, differing = self._rest(pairs)
            pairs += agreeing
            moved = []
        paired, filled = {index for index, _ in pairs}, {slot for _, slot in pairs}
        unfilled = [slot for index, slot in enumerate(slots) if index not in filled and not slot.optional]
        return Story(
            names=self.calls if self.calls.exact else self._tally(candidates.name_fits, candidates.name_rows),
            pairs=self._told(pairs),
            differing=self._told(differing),
            moved=self._told(moved),
            missing=tuple(slot.options[0].shown for slot in unfilled),
            extra=tuple(call for call in made if call.index not in paired),
        )

    def _tally(self, fits: Sequence[int], rows: Callable[[], list[Row]]) -> Tally:
        """The counts of a best pairing, from each slot's mask of the calls that fit it, or from the rows they make."""
        slots, made = self._candidates.slots, len(self._candidates.made.calls)
        needed = sum([not slot.optional for slot in slots])
        if self._before is None and self._mode not in _ORDERED:
            # Required slots first: a slot that is served stays so, and the most that can be served are.
            served: Sequence[int] = range(len(slots))
            if needed < len(slots):
                served = sorted(served, key=lambda slot: slots[slot].optional)
            served = most(fits, served)
        elif needed == len(slots) and self._before is None:
            served = range(longest(fits, made))
        else:
            served = [slot for _, slot in self._in_order(rows())]
        fulfilled = sum([not slots[slot].optional for slot in served])
        return Tally(len(served), needed - fulfilled, made - len(served), fulfilled)

    def _in_order(self, rows: list[Row]) -> Pairs:
        """The best pairing of rows that keeps the order that is asked for."""
        if self._before is not None:
            return arrange(rows, self._before)
        slots = self._candidates.slots
        if len(rows) == len(slots) and all(index in row for index, row in enumerate(rows)):
            return [(index, index) for index in range(len(rows))]
        return align(rows, len(slots))

    def _rest(self, pairs: Pairs) -> tuple[Pairs, Pairs]:
        """The best pairing of what is left, whatever its order: the pairs that agree, and those that only share a name.

        Calls are numbered by what they are, so that the pairs do not depend on when the calls were made.
        """
        candidates = self._candidates
        keys, slots = candidates.made.keys, candidates.slots
        if len(pairs) in (len(keys), len(slots)):
            return [], []
        paired, filled = {index for index, _ in pairs}, {slot for _, slot in pairs}
        left = [(key, index) for index, key in enumerate(keys) if key is not None and index not in paired]
        numbered = [index for _, index in sorted(left)]
        rows = candidates.rows(numbered, (slot for slot in range(len(slots)) if slot not in filled))
        found = sorted((numbered[row], slot) for row, slot in assign(rows))
        agreeing = [pair for pair in found if candidates.agree(*pair)]
        return agreeing, [pair for pair in found if not candidates.agree(*pair)]

    def _told(self, pairs: Pairs) -> tuple[Pair, ...]:
        return tuple(self._candidates.pair(*pair) for pair in sorted(pairs))

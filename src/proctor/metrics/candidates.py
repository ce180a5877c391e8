"""Candidates: which call made may fill which slot of the gold, and how well.

`fits` says it for the verdict, by a mask for each slot: from the keys of calls (the name and the canonical arguments),
from an index of their arguments where the argument mode is looser, and by looking at both where a comparator or a
choice asks for it. The rows that `pairing` pairs, and what differs, are for whoever wants the whole story.

Each two different calls are looked at once, however often they were made.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from functools import cached_property, lru_cache
from typing import Any

from proctor.metrics.arguments import Comparison, Rule, Rules
from proctor.metrics.comparators import Answers
from proctor.metrics.gold_slots import Option, Slot
from proctor.metrics.made_calls import MadeCalls
from proctor.metrics.pairing import Pairs, Row, Weights
from proctor.metrics.trajectories import Key
from proctor.metrics.trajectory_result import Pair
from proctor.records.gold import ANY_TOOL

_UNSEEN = -1.0
_AGREES = 2.0
"""Is added to how much alike two calls are that agree."""

_weights = lru_cache(maxsize=64)(Weights)


class Candidates:
    """The calls made and the slots of one variant of the gold."""

    def __init__(self, made: MadeCalls, slots: Sequence[Slot], rules: Rules, answers: Answers, mode: str) -> None:
        self.made = made
        self.slots = slots
        self._mode = mode
        self._rules = rules
        self._answers = answers
        self._forms: dict[tuple[int, str], dict[str, Any]] = {}
        self._items: dict[int, dict[str, Any]] = {}
        self._looks: dict[int, array[float]] = {}
        self._rule_of = [self._plain_rule(slot) for slot in slots]
        self.fits = self._all_fits()
        """For each slot a mask of the calls that fill it, name and arguments."""

    @cached_property
    def name_fits(self) -> list[int]:
        """For each slot a mask of the calls that fill it by name alone."""
        return [self._named(slot) for slot in self.slots]

    @cached_property
    def weights(self) -> Weights:
        """The weights of pairs."""
        return _weights(min(len(self.made.calls), len(self.slots)), all_first=self._mode == "subset")

    def fulfilled_rows(self) -> list[Row]:
        """For each call the slots that it fills, name and arguments."""
        rows: list[Row] = [{} for _ in self.made.calls]
        for slot, mask in enumerate(self.fits):
            for index in _bits(mask):
                rows[index][slot] = self._weight(index, slot)
        return rows

    def equal_pairs(self) -> Pairs:
        """The pairs of calls and slots with equal keys, for tools of which every slot is decided by its key.

        For those tools it is the best pairing there is: equal keys make groups in which everyone fits everyone, and
        nobody fits outside. Required slots are filled first. Where any tool will do, no tool's slots are by themselves.
        """
        by_name: dict[str, list[int]] = {}
        for index, slot in enumerate(self.slots):
            for name in {option.name for option in slot.options}:
                by_name.setdefault(name, []).append(index)
        if ANY_TOOL in by_name:
            return []
        pairs: Pairs = []
        taken = 0
        for slots in by_name.values():
            if all(map(self._is_keyed, slots)):
                for index in sorted(slots, key=lambda index: self.slots[index].optional):
                    free = self.fits[index] & ~taken
                    if free:
                        taken |= free & -free
                        pairs.append(((free & -free).bit_length() - 1, index))
        return pairs

    def name_rows(self) -> list[Row]:
        """For each call the slots that it fills by name alone."""
        rows: list[Row] = [{} for _ in self.made.calls]
        for slot, mask in enumerate(self.name_fits):
            weight = self.weights.fulfilled(0.0, optional=self.slots[slot].optional)
            for index in _bits(mask):
                rows[index][slot] = weight
        return rows

    def rows(self, calls: Sequence[int], slots: Iterable[int]) -> list[Row]:
        """For each of some calls, those of some slots that it fills by name, the more alike the heavier."""
        rows: list[Row] = [{} for _ in calls]
        asked = 0
        place = {}
        for at, index in enumerate(calls):
            place[index] = at
            asked |= 1 << index
        for slot in slots:
            for index in _bits(self.name_fits[slot] & asked):
                rows[place[index]][slot] = self._weight(index, slot)
        return rows

    def agree(self, index: int, slot: int) -> bool:
        """Whether a call fills a slot, name and arguments."""
        return bool(self.fits[slot] >> index & 1)

    def pair(self, index: int, slot: int) -> Pair:
        """A call and a slot that has its name, as a result shows them."""
        made = self.made.calls[index]
        options = self.slots[slot].options
        if len(options) == 1 and self.agree(index, slot):
            return Pair(made, options[0].shown)
        key = self.made.key(index)
        told: list[tuple[Comparison, Option]] = []
        for option in self._options(key, slot):
            rule = self._rules.of(key[0], option.args_mode)
            told.append((rule.compare(*self._two_forms(key, option, rule), self._answers), option))
        comparison, option = max(told, key=lambda each: (each[0].agrees, each[0].likeness))
        return Pair(made, option.shown, comparison.differences)

    def _weight(self, index: int, slot: int) -> int:
        likeness = self._likeness(index, slot)
        if self.agree(index, slot):
            return self.weights.fulfilled(likeness, optional=self.slots[slot].optional)
        return self.weights.alike(likeness)

    def _likeness(self, index: int, slot: int) -> float:
        """How much alike the arguments of a call and of a slot with its name are."""
        key = self.made.key(index)
        rule = self._rule_of[slot]
        if rule is None:
            return self._look(key, slot) % _AGREES
        if rule.keyed and self.agree(index, slot):
            return 1.0
        made, wanted = self.made.items(key, rule), self._wanted_items(slot, rule)
        names = len(made.keys() | wanted.keys())
        return len(made.items() & wanted.items()) / names if names else 1.0

    # What fits.

    def _plain_rule(self, slot: Slot) -> Rule | None:
        """The rule of a slot that is decided without looking at pairs; None for one that is not."""
        option = slot.options[0]
        if len(slot.options) > 1 or option.name == ANY_TOOL or option.key is None:
            return None
        rule = self._rules.of(option.name, option.args_mode)
        return rule if rule.plain else None

    def _is_keyed(self, slot: int) -> bool:
        """Whether a slot is decided by equal keys, as those of its tool are that ask for no mode of their own."""
        rule = self._rule_of[slot]
        return rule is not None and rule.keyed and rule is self._rules.of(self.slots[slot].options[0].name)

    def _all_fits(self) -> list[int]:
        fits = [0] * len(self.slots)
        subsets: dict[str, list[int]] = {}
        for index, (slot, rule) in enumerate(zip(self.slots, self._rule_of, strict=True)):
            if rule is None:
                fits[index] = self._by_looking(index)
                continue
            option = slot.options[0]
            if option.name not in self.made.by_name:
                continue
            if rule.mode == "ignore":
                fits[index] = self.made.named(option.name)
            elif rule.mode == "subset":
                subsets.setdefault(option.name, []).append(index)
            elif rule.mode == "superset":
                fits[index] = self.made.with_items(option.name, rule, self._wanted_items(index, rule))
            elif rule.literal:
                assert option.key is not None
                fits[index] = self.made.places.get((option.name, option.key), 0)
            else:
                fits[index] = self.made.with_key(option.name, rule, rule.key(self._wanted_form(option, rule)))
        for name, slots in subsets.items():
            self._add_subsets(fits, name, slots)
        return fits

    def _add_subsets(self, fits: list[int], name: str, slots: list[int]) -> None:
        """Find, for some slots of one tool, the calls that have no argument but those wanted."""
        wanting: dict[tuple[str, Any], int] = {}
        everywhere = 0
        rule = None
        for slot in slots:
            rule = self._rule_of[slot]
            assert rule is not None
            everywhere |= 1 << slot
            for item in self._wanted_items(slot, rule).items():
                wanting[item] = wanting.get(item, 0) | 1 << slot
        assert rule is not None
        for key in self.made.by_name[name]:
            mask = everywhere
            for item in self.made.items(key, rule).items():
                mask &= wanting.get(item, 0)
            places = self.made.places[key]
            for slot in _bits(mask):
                fits[slot] |= places

    def _by_looking(self, slot: int) -> int:
        mask = 0
        for key in self._keys_named(slot):
            if self._look(key, slot) >= _AGREES:
                mask |= self.made.places[key]
        return mask

    def _look(self, key: Key, slot: int) -> float:
        """How much alike a call and a slot with its name are by the slot's best option, and 2 more if they agree."""
        looks = self._looks.get(slot)
        if looks is None:
            looks = self._looks[slot] = array("d", [_UNSEEN]) * len(self.made.numbers)
        number = self.made.numbers[key]
        if looks[number] == _UNSEEN:
            best = (False, 0.0)
            for option in self._options(key, slot):
                rule = self._rules.of(key[0], option.args_mode)
                best = max(best, rule.look(*self._two_forms(key, option, rule), self._answers))
            looks[number] = best[1] + _AGREES * best[0]
        return looks[number]

    def _keys_named(self, slot: int) -> Iterable[Key]:
        names = {option.name for option in self.slots[slot].options}
        if ANY_TOOL in names:
            return self.made.places
        return [key for name in names for key in self.made.by_name.get(name, ())]

    def _named(self, slot: Slot) -> int:
        mask = 0
        for option in slot.options:
            mask |= self.made.everywhere if option.name == ANY_TOOL else self.made.named(option.name)
        return mask

    def _options(self, key: Key, slot: int) -> list[Option]:
        return [option for option in self.slots[slot].options if option.name in (ANY_TOOL, key[0])]

    def _two_forms(self, key: Key, option: Option, rule: Rule) -> tuple[dict[str, Any], dict[str, Any]]:
        return self.made.form(key, rule), self._wanted_form(option, rule, key[0])

    def _wanted_form(self, option: Option, rule: Rule, tool: str = "") -> dict[str, Any]:
        if rule.verbatim:
            return option.args
        place = (id(option), tool or option.name)
        if place not in self._forms:
            self._forms[place] = rule.of(option.args)
        return self._forms[place]

    def _wanted_items(self, slot: int, rule: Rule) -> dict[str, Any]:
        found = self._items.get(slot)
        if found is None:
            found = self._items[slot] = rule.items(self._wanted_form(self.slots[slot].options[0], rule), made=False)
        return found


def _bits(mask: int) -> Iterable[int]:
    """The places of the bits of a mask, the lowest first."""
    places = []
    while mask:
        bit = mask & -mask
        places.append(bit.bit_length() - 1)
        mask ^= bit
    return places

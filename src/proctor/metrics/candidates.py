"""Candidates: which call made may fill which slot of the gold, and how well.

The rows that it makes are what `pairing` pairs. Most calls are decided by their keys alone (the name and the canonical
arguments); arguments are only gone through where a comparator, a choice or a looser argument mode asks for it, and for
calls that are left over. Each two different calls are compared once, however often they were made.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from proctor.metrics.arguments import Comparison, Rule, Rules
from proctor.metrics.comparators import Answers
from proctor.metrics.gold_slots import Option, Slot
from proctor.metrics.pairing import Pairs, Row, Weights
from proctor.metrics.trajectories import Key, Trajectory
from proctor.metrics.trajectory_result import Pair
from proctor.records.gold import ANY_TOOL
from proctor.records.keys import canonical_json


class Candidates:
    """The calls made and the slots of one variant of the gold."""

    def __init__(self, made: Trajectory, slots: Sequence[Slot], rules: Rules, answers: Answers) -> None:
        self.made = made
        self.slots = slots
        self.weights = Weights(min(len(made.calls), len(slots)))
        self._rules = rules
        self._answers = answers
        self._forms: dict[Key, dict[str, Any]] = {}
        self._wanted_forms: dict[tuple[int, str], dict[str, Any]] = {}
        self._compared: dict[tuple[Key, int], Comparison | None] = {}
        self._items: dict[tuple[Any, ...], dict[str, bytes]] = {}
        self._by_name: dict[str, list[int]] = {}
        self._any_tool: list[int] = []
        self._keyed = [self._is_keyed(slot) for slot in slots]
        for index, slot in enumerate(slots):
            for name in {option.name for option in slot.options if option.shown.malformed is None}:
                (self._any_tool if name == ANY_TOOL else self._by_name.setdefault(name, [])).append(index)

    def of(self, index: int) -> list[int]:
        """The slots that a call fills by its name."""
        key = self.made.keys[index]
        if key is None:
            return []
        named = self._by_name.get(key[0], [])
        return sorted({*named, *self._any_tool}) if self._any_tool else named

    def fulfilled_rows(self) -> list[Row]:
        """For each call the slots that it fills, name and arguments."""
        by_key: dict[Key, list[int]] = {}
        for index, keyed in enumerate(self._keyed):
            if keyed and self.slots[index].options[0].shown.malformed is None:
                by_key.setdefault(self._wanted_key(index), []).append(index)
        return [self._fulfilled_row(index, by_key) for index in range(len(self.made.calls))]

    def equal_pairs(self) -> Pairs:
        """The pairs of calls and slots with equal keys, for tools of which every slot is decided by its key.

        For those tools it is the best pairing there is: equal keys make groups in which everyone fits everyone, and
        nobody fits outside. Required slots are filled first. Where any tool will do, no tool's slots are by themselves.
        """
        if self._any_tool:
            return []
        free: dict[Key, list[int]] = {}
        for slots in self._by_name.values():
            if all(self._keyed[slot] for slot in slots):
                for slot in reversed(slots):
                    free.setdefault(self._wanted_key(slot), []).append(slot)
        for slots in free.values():
            slots.sort(key=lambda slot: (not self.slots[slot].optional, -slot))
        pairs = []
        for index, key in enumerate(self.made.keys):
            if key is not None and key[0] in self._by_name:
                slots = free.get(self._made_key(index), [])
                if slots:
                    pairs.append((index, slots.pop()))
        return pairs

    def name_rows(self) -> list[Row]:
        """For each call the slots that it fills by name alone."""
        weights = [self.weights.fulfilled(0.0, optional=slot.optional) for slot in self.slots]
        return [{slot: weights[slot] for slot in self.of(index)} for index in range(len(self.made.calls))]

    def rows(self, calls: Iterable[int], slots: Iterable[int]) -> list[Row]:
        """For each of some calls, those of some slots that it fills by name, the more alike the heavier."""
        left = set(slots)
        return [
            {slot: self._weight(self._look(index, slot), slot) for slot in self.of(index) if slot in left}
            for index in calls
        ]

    def agree(self, index: int, slot: int) -> bool:
        """Whether a call fills a slot, name and arguments."""
        return self._look(index, slot)[0]

    def pair(self, index: int, slot: int) -> Pair:
        """A call and a slot that has its name, as a result shows them."""
        made = self.made.calls[index]
        if self._keyed[slot] and self._made_key(index) == self._wanted_key(slot):
            return Pair(made, self.slots[slot].options[0].shown)
        comparison, option = self._compare_best(index, slot)
        return Pair(made, option.shown, comparison.differences)

    def _compare_best(self, index: int, slot: int) -> tuple[Comparison, Option]:
        """What differs between a call and a slot that has its name, by the slot's best option."""
        found = [
            (self._compare(index, option), option) for option in self.slots[slot].options if self._fits(index, option)
        ]
        return max(found, key=lambda each: (each[0].agrees, each[0].likeness))

    def _look(self, index: int, slot: int) -> tuple[bool, float]:
        """Whether a call fills a slot that has its name, and how much alike the arguments are."""
        if not self._keyed[slot]:
            comparison, _ = self._compare_best(index, slot)
            return comparison.agrees, comparison.likeness
        if self._made_key(index) == self._wanted_key(slot):
            return True, 1.0
        made, wanted = self._made_items(index), self._wanted_items(slot)
        names = len(made.keys() | wanted.keys())
        return False, len(made.items() & wanted.items()) / names if names else 0.0

    def _weight(self, look: tuple[bool, float], slot: int) -> int:
        agrees, likeness = look
        if agrees:
            return self.weights.fulfilled(likeness, optional=self.slots[slot].optional)
        return self.weights.alike(likeness)

    def _fulfilled_row(self, index: int, by_key: dict[Key, list[int]]) -> Row:
        candidates = self.of(index)
        if not candidates:
            return {}
        row = {
            slot: self.weights.fulfilled(1.0, optional=self.slots[slot].optional)
            for slot in (by_key.get(self._made_key(index), ()) if by_key else ())
        }
        for slot in candidates:
            if not self._keyed[slot]:
                agrees, likeness = self._look(index, slot)
                if agrees:
                    row[slot] = self._weight((True, likeness), slot)
        return row

    def _is_keyed(self, slot: Slot) -> bool:
        if len(slot.options) > 1:
            return False
        option = slot.options[0]
        if option.name == ANY_TOOL or (option.key is None and option.shown.malformed is None):
            return False
        return option.args_mode in (None, self._rules.of(option.name).mode) and self._rules.of(option.name).keyed

    def _fits(self, index: int, option: Option) -> bool:
        return option.shown.malformed is None and option.name in (ANY_TOOL, self.made.calls[index].name)

    def _compare(self, index: int, option: Option) -> Comparison:
        key = self._literal_key(index)
        found = self._compared.get((key, id(option)))
        if found is None:
            rule = self._rules.of(key[0], option.args_mode)
            found = rule.compare(self._made_form(index, rule), self._wanted_form(option, rule, key[0]), self._answers)
            self._compared[key, id(option)] = found
        return found

    def _literal_key(self, index: int) -> Key:
        key = self.made.keys[index]
        assert key is not None
        return key

    def _made_key(self, index: int) -> Key:
        key = self._literal_key(index)
        rule = self._rules.of(key[0])
        if rule.literal or not rule.keyed:
            return key
        return key[0], rule.key(self._made_form(index, rule))

    def _wanted_key(self, slot: int) -> Key:
        option = self.slots[slot].options[0]
        rule = self._rules.of(option.name)
        if rule.literal:
            assert option.key is not None
            return option.name, option.key
        return option.name, rule.key(self._wanted_form(option, rule, option.name))

    def _made_form(self, index: int, rule: Rule) -> dict[str, Any]:
        place = self._literal_key(index)
        if place not in self._forms:
            self._forms[place] = rule.of(self.made.calls[index].args)
        return self._forms[place]

    def _wanted_form(self, option: Option, rule: Rule, tool: str) -> dict[str, Any]:
        place = (id(option), tool)
        if place not in self._wanted_forms:
            self._wanted_forms[place] = rule.of(option.args)
        return self._wanted_forms[place]

    def _made_items(self, index: int) -> dict[str, bytes]:
        key = self._literal_key(index)
        if key not in self._items:
            self._items[key] = _spelt(self._made_form(index, self._rules.of(key[0])))
        return self._items[key]

    def _wanted_items(self, slot: int) -> dict[str, bytes]:
        option = self.slots[slot].options[0]
        if (slot,) not in self._items:
            self._items[slot,] = _spelt(self._wanted_form(option, self._rules.of(option.name), option.name))
        return self._items[slot,]


def _spelt(args: dict[str, Any]) -> dict[str, bytes]:
    return {name: canonical_json(value) for name, value in args.items()}

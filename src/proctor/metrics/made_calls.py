"""The calls that were made, and where in their sequence there is what a gold asks for, as masks of their places."""

from __future__ import annotations

from typing import Any

from proctor.metrics.arguments import Rule
from proctor.metrics.trajectories import Key, Trajectory


class MadeCalls:
    """The calls of an agent, each different one looked at once. Malformed ones are nowhere to be found."""

    def __init__(self, made: Trajectory) -> None:
        self.calls = made.calls
        self.keys = made.keys
        self.places: dict[Key, int] = {}
        """By key, where such a call was made."""
        self.by_name: dict[str, list[Key]] = {}
        """By name, the different calls."""
        self.numbers: dict[Key, int] = {}
        """The different calls, numbered."""
        self._args: dict[Key, dict[str, Any]] = {}
        self._forms: dict[Key, dict[str, Any]] = {}
        self._items: dict[tuple[Key, bool], dict[str, Any]] = {}
        self._by_item: dict[tuple[str, bool], dict[tuple[str, Any], int]] = {}
        self._by_key: dict[tuple[str, str], dict[bytes, int]] = {}
        for index, key in enumerate(made.keys):
            if key is None:
                continue
            if key in self.places:
                self.places[key] |= 1 << index
            else:
                self.places[key] = 1 << index
                self.numbers[key] = len(self.numbers)
                self._args[key] = made.calls[index].args
                self.by_name.setdefault(key[0], []).append(key)

    @property
    def everywhere(self) -> int:
        """Where a call was made that can be read."""
        return sum(self.places.values())

    def key(self, index: int) -> Key:
        """The key of the call at a place, which can be read."""
        key = self.keys[index]
        assert key is not None
        return key

    def named(self, name: str) -> int:
        """Where a tool was called."""
        return sum([self.places[key] for key in self.by_name.get(name, ())])

    def with_key(self, name: str, rule: Rule, wanted: bytes) -> int:
        """Where a tool was called with arguments that have this key in its rule's form."""
        found = self._by_key.get((name, rule.mode))
        if found is None:
            found = self._by_key[name, rule.mode] = {}
            for key in self.by_name[name]:
                own = rule.key(self.form(key, rule))
                found[own] = found.get(own, 0) | self.places[key]
        return found.get(wanted, 0)

    def with_items(self, name: str, rule: Rule, wanted: dict[str, Any]) -> int:
        """Where a tool was called with all these arguments, and perhaps others."""
        by_item = self._by_item.get((name, rule.mode != "subset"))
        if by_item is None:
            by_item = self._by_item[name, rule.mode != "subset"] = {}
            for key in self.by_name[name]:
                for item in self.items(key, rule).items():
                    by_item[item] = by_item.get(item, 0) | self.places[key]
        mask = -1 if wanted else self.named(name)
        for item in wanted.items():
            mask &= by_item.get(item, 0)
        return mask

    def form(self, key: Key, rule: Rule) -> dict[str, Any]:
        """The arguments of a call in its tool's rule's form."""
        if rule.verbatim:
            return self._args[key]
        found = self._forms.get(key)
        if found is None:
            found = self._forms[key] = rule.of(self._args[key])
        return found

    def items(self, key: Key, rule: Rule) -> dict[str, Any]:
        """`Rule.items` of a call."""
        place = (key, rule.mode != "subset")
        found = self._items.get(place)
        if found is None:
            found = self._items[place] = rule.items(self.form(key, rule), made=True)
        return found

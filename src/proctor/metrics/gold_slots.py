"""Gold taken apart: the slots that calls can fill, for each choice among alternatives.

A slot is filled by one call. Alternatives between single calls share a slot; alternatives between groups of calls make
several variants of the whole gold, of which the best for the agent counts.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import msgspec

from proctor.errors import SampleError, UnmeasuredError
from proctor.metrics.calls import NOT_COMPARABLE
from proctor.metrics.trajectories import Trajectory
from proctor.records.gold import AnyOf, Choice, GoldCall, GoldItem
from proctor.records.keys import canonical, canonical_form, canonical_json

MAX_VARIANTS = 2_000
"""So many combinations of alternatives are tried; gold that leaves more is refused."""


class WantedCall(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """A call that the gold wants, as a result shows it."""

    where: str
    """Its place in the gold: `3`, or `3.any_of[0][1]`."""
    name: str
    args: dict[str, Any]
    """The arguments as plain data, choices as they stand in files."""
    optional: bool = False


class Option(msgspec.Struct, frozen=True, gc=False):
    """One call that fills a slot."""

    shown: WantedCall
    name: str
    args: dict[str, Any]
    key: bytes | None
    """The canonical JSON of the arguments; None where it does not say all, as they hold choices."""
    args_mode: str | None = None


class Slot(msgspec.Struct, frozen=True, gc=False):
    """A place that one call can fill, by one of its options."""

    options: tuple[Option, ...]
    optional: bool = False
    labels: tuple[str, ...] = ()
    after: tuple[str, ...] = ()


Variant = list[Slot]


def plain_slots(wanted: Trajectory) -> Variant:
    """The slots of a plain list of calls. UnmeasuredError where one of them cannot be compared."""
    slots = []
    for call, key in zip(wanted.calls, wanted.keys, strict=True):
        if key is None:
            raise UnmeasuredError("trajectory_match", f"{NOT_COMPARABLE}: {call.name}: {call.malformed}")
        slots.append(Slot((Option(WantedCall(str(call.index), call.name, call.args), call.name, call.args, key[1]),)))
    return slots


def variants(items: Sequence[GoldItem]) -> list[Variant]:
    """All ways to choose among the alternatives, in the order in which they are listed."""
    if _count(items) > MAX_VARIANTS:
        raise SampleError(
            f"gold: its groups of alternatives can be combined in {_count(items)} ways, more than {MAX_VARIANTS}; "
            "alternatives between single calls cost nothing, alternatives between groups multiply."
        )
    return _combined(items, "", ((), ()))


def orders(slots: Sequence[Slot]) -> list[int] | None:
    """For each slot a mask of those that come before it (transitively), or None where there is no order at all."""
    if not any(slot.after for slot in slots):
        return None
    bearers: dict[str, int] = {}
    for index, slot in enumerate(slots):
        for label in slot.labels:
            bearers[label] = bearers.get(label, 0) | 1 << index
    direct = [0] * len(slots)
    for index, slot in enumerate(slots):
        for label in slot.after:
            direct[index] |= bearers.get(label, 0)
    closed: dict[int, int] = {}
    for index in range(len(slots)):
        _close(index, direct, closed)
    return [closed[index] for index in range(len(slots))]


def _close(start: int, direct: list[int], closed: dict[int, int]) -> None:
    """Fill in what comes before a slot, through any number of others; a stack, as chains may be long."""
    stack = [start]
    while stack:
        index = stack[-1]
        before = [other for other in range(len(direct)) if direct[index] >> other & 1]
        waiting = [other for other in before if other not in closed]
        if waiting:
            stack += waiting
            continue
        stack.pop()
        mask = direct[index]
        for other in before:
            mask |= closed[other]
        closed[index] = mask


Place = tuple[tuple[str, ...], tuple[str, ...]]
"""The labels that a call answers to, and those that it comes after."""


def _combined(items: Sequence[GoldItem], prefix: str, place: Place) -> list[Variant]:
    choices = [_variants_of(item, f"{prefix}{index}", place) for index, item in enumerate(items)]
    return [list(itertools.chain.from_iterable(parts)) for parts in itertools.product(*choices)]


def _variants_of(item: GoldItem, where: str, place: Place) -> list[Variant]:
    labels, after = place
    place = ((*labels, item.label) if item.label is not None else labels, (*after, *item.after))
    if isinstance(item, GoldCall):
        return [[Slot((_option(item, where, optional=item.optional),), item.optional, *place)]]
    if _is_one_slot(item):
        options = tuple(
            _option(call, f"{where}.any_of[{index}]", optional=item.optional)
            for index, (call,) in enumerate(item.options)
            if isinstance(call, GoldCall)
        )
        return [[Slot(options, item.optional, *place)]]
    found = []
    for index, option in enumerate(item.options):
        found += _combined(option, f"{where}.any_of[{index}].", place)
    return [*found, []] if item.optional else found


def _is_one_slot(item: AnyOf) -> bool:
    return all(
        len(option) == 1
        and isinstance(option[0], GoldCall)
        and not (option[0].optional or option[0].label or option[0].after)
        for option in item.options
    )


def _count(items: Sequence[GoldItem]) -> int:
    ways = 1
    for item in items:
        if isinstance(item, AnyOf) and not _is_one_slot(item):
            ways *= sum(_count(option) for option in item.options) + item.optional
    return ways


def _option(call: GoldCall, where: str, *, optional: bool) -> Option:
    try:
        # Canonical, and a copy, so that a result does not change with the gold that it was made from.
        args, key = (canonical(call.args), None) if has_choice(call.args) else canonical_form(call.args)
        canonical_json(args)
    except SampleError as error:
        raise UnmeasuredError("trajectory_match", f"{NOT_COMPARABLE}: gold[{where}], {call.name}: {error}") from None
    shown = WantedCall(where, call.name, msgspec.to_builtins(args), optional)
    return Option(shown, call.name, args, key, call.args_mode)


def has_choice(value: Any) -> bool:
    """Whether a value, at any depth, stands for several."""
    if isinstance(value, dict):
        return any(has_choice(item) for item in value.values())
    if isinstance(value, (list, tuple)):
        return any(has_choice(item) for item in value)
    return isinstance(value, Choice)

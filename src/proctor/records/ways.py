"""The ways of making the calls that gold asks for: each a plain list of calls. Pure."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from proctor.records.gold import AnyOf, Anything, GoldCall, GoldItem, Near, OneOf, Pattern

__all__ = ["ways"]


def ways(items: Sequence[GoldItem]) -> Iterator[tuple[GoldCall, ...]]:
    """Every way of choosing among the alternatives of gold, and among the values of its arguments."""
    for parts in itertools.product(*map(_ways, items)):
        yield tuple(itertools.chain.from_iterable(parts))


def _ways(item: GoldItem) -> list[tuple[GoldCall, ...]]:
    if isinstance(item, AnyOf):
        return [way for option in item.options for way in ways(option)]
    choices = [[(name, value) for value in _choices(value)] for name, value in item.args.items()]
    return [
        (msgspec.structs.replace(item, args={name: value for name, value in chosen if value is not None}),)
        for chosen in itertools.product(*choices)
    ]


def _choices(value: Any) -> Sequence[Any]:
    """The values that stand for a gold argument; None is an argument that is left out."""
    if isinstance(value, OneOf):
        return value.values
    if isinstance(value, Near):
        return [value.value]
    return [None] if isinstance(value, (Anything, Pattern)) else [value]

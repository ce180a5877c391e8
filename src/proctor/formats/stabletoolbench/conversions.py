"""A conversion: what came of it, and what was lost on the way."""

from __future__ import annotations

from typing import Generic, NamedTuple, TypeVar

Value = TypeVar("Value")


class Conversion(NamedTuple, Generic[Value]):
    """What came of a conversion. Nothing is lost in silence: what the new form cannot say is named, a sentence each."""

    value: Value
    lost: tuple[str, ...] = ()

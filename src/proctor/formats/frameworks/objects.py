"""Other people's objects: their fields by name, whether they are dictionaries or not."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any

from proctor import json_text
from proctor.errors import InputError, SampleError
from proctor.messages.checked import shown


def field(thing: Any, *names: str) -> Any:
    """The first of these fields that the thing has, and that is not None."""
    for name in names:
        value = thing.get(name) if isinstance(thing, Mapping) else getattr(thing, name, None)
        if value is not None:
            return value
    return None


def text_field(thing: Any, *names: str) -> str | None:
    """The field, where it is text."""
    value = field(thing, *names)
    if value is not None and hasattr(value, "value") and not isinstance(value, str):
        value = value.value
    return value if isinstance(value, str) else None


def listed(things: Any, what: str, *names: str) -> list[Any]:
    """The list that somebody handed over, or that stands in one of these fields of what they did."""
    if not isinstance(things, list | tuple) and (inside := field(things, *names)) is not None:
        things = inside
    if not isinstance(things, list | tuple):
        raise SampleError(f"expected {what}, not {shown(things)}.")
    if not things:
        raise SampleError(f"expected {what}, and the list is empty.")
    return list(things)


def plain(thing: Any) -> Any:
    """A thing as plain data: pydantic models, dataclasses and whatever is made of them."""
    if isinstance(thing, Mapping):
        return {str(name): plain(value) for name, value in thing.items()}
    if isinstance(thing, list | tuple):
        return [plain(value) for value in thing]
    dump: Callable[[], Any] | None = getattr(thing, "model_dump", None)
    if dump is not None and not isinstance(thing, type):
        return plain(dump())
    if dataclasses.is_dataclass(thing) and not isinstance(thing, type):
        return {one.name: plain(getattr(thing, one.name)) for one in dataclasses.fields(thing)}
    return thing


def as_text(value: Any) -> str:
    """What a tool answered, as text: text as it is, anything else as JSON."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    try:
        return json_text.encode_checked(plain(value)).decode()
    except InputError:
        return str(value)

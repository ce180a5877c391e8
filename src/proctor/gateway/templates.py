"""A documented response as an answer: the call's arguments in their places, types where only types are given. Pure."""

from __future__ import annotations

import hashlib
import json
import re
from typing import Any

from proctor.catalog.names import standardise
from proctor.gateway.source import Call

__all__ = ["filled", "salvaged"]

_TYPES = frozenset(
    {"str", "string", "int", "integer", "float", "number", "bool", "boolean", "null", "none", "nonetype"}
)
"""Documented responses often name the type where a value would stand."""
_LISTS = re.compile(r"(?:empty (list|dict|tuple|set)|list of (\w+) with length (\d{1,6}))", re.IGNORECASE)
"""They also say what a list holds, and how many."""
_LONGEST_LIST = 20
_DEEPEST = 40
_OPENS = {"{": "}", "[": "]"}


def filled(template: Any, call: Call) -> Any:
    """The template with every field that is named like an argument set to it, and names of types replaced by values.

    The values that stand for types are drawn from the call's key: the same call has the same ones.
    """
    given = {standardise(name): value for name, value in call.arguments.items()}
    return _filled(template, given, call.key, "", 0)


def salvaged(template: Any) -> Any:
    """A documented response as a value; of one that is JSON text, what the text says.

    Recorded documents hold texts that were cut after so many characters. The fields that are whole are kept, and what
    was open is closed; None where no field is whole. A text that is whole and no JSON stays as it is.

    >>> salvaged('{"status": "str", "data": {"id": "int", "name": "st')
    {'status': 'str', 'data': {'id': 'int'}}
    """
    if not isinstance(template, str) or template.lstrip()[:1] not in _OPENS:
        return template
    try:
        return json.loads(template)
    except (ValueError, RecursionError):
        cut, whole = _closed(template)
    if not cut:
        return template
    try:
        return None if whole is None else json.loads(whole)
    except (ValueError, RecursionError):
        return None


def _closed(text: str) -> tuple[bool, str | None]:
    """Whether something is still open at the end; and JSON up to its last whole value, with all that is open closed."""
    still_open: list[str] = []
    closed: str | None = None
    inside = escaped = False
    for place, character in enumerate(text):
        if inside:
            inside, escaped = escaped or character != '"', character == "\\" and not escaped
        elif character == '"':
            inside = True
        elif character in _OPENS:
            still_open.append(_OPENS[character])
        elif character == "," and still_open:
            closed = text[:place] + "".join(reversed(still_open))
        elif still_open and character == still_open[-1]:
            still_open.pop()
            closed = text[: place + 1] + "".join(reversed(still_open))
    return inside or bool(still_open), closed


def _filled(value: Any, given: dict[str, Any], key: str, path: str, depth: int) -> Any:
    if depth > _DEEPEST:
        return None
    if isinstance(value, dict):
        return {name: _field(name, item, given, key, f"{path}/{name}", depth) for name, item in value.items()}
    if isinstance(value, list):
        return [_filled(item, given, key, f"{path}/{place}", depth + 1) for place, item in enumerate(value)]
    return _of_type(value, key, path) if isinstance(value, str) else value


def _of_type(value: str, key: str, path: str) -> Any:
    """A value of the type that a text names; a text that names none is one itself."""
    named = value.strip().lower()
    if named in _TYPES:
        return _drawn(named, key, path)
    found = _LISTS.fullmatch(named)
    if found is None:
        return value
    if found[1]:
        return {} if found[1] == "dict" else []
    return [_drawn(found[2], key, f"{path}/{place}") for place in range(min(int(found[3]), _LONGEST_LIST))]


def _field(name: str, value: Any, given: dict[str, Any], key: str, path: str, depth: int) -> Any:
    argument = given.get(standardise(name))
    if argument is not None and not isinstance(value, dict | list) and not isinstance(argument, dict | list):
        return argument
    return _filled(value, given, key, path, depth + 1)


def _drawn(kind: str, key: str, path: str) -> Any:
    number = int.from_bytes(hashlib.sha256(f"{key}{path}".encode("utf-8", "replace")).digest()[:4], "big")
    if kind in {"int", "integer", "number"}:
        return number % 1000
    if kind == "float":
        return number % 100_000 / 100
    if kind in {"bool", "boolean"}:
        return number % 2 == 1
    if kind in {"null", "none", "nonetype"}:
        return None
    if kind in {"list", "dict"}:
        return [] if kind == "list" else {}
    return f"{path.rsplit('/', 1)[-1] or 'value'}-{number % 10_000}"

"""References inside a JSON document (`{"$ref": "#/…"}`), replaced by what they point to."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

MAX_DEPTH = 24
"""A document that goes deeper than this goes round in circles; what is below it is left open."""
MAX_PARTS = 20_000
"""What one description may grow to when its references are written out; the rest is left open."""


def resolved(value: Any, document: Mapping[str, Any], depth: int = MAX_DEPTH) -> Any:
    """The value with its references into the same document written out.

    A reference that leads back to itself, to another file, or nowhere becomes an empty object, which in a schema means
    that anything goes. With `depth=1` only the outermost reference is followed.

    >>> resolved({"$ref": "#/a"}, {"a": {"type": "string"}})
    {'type': 'string'}
    """
    if depth == 1:
        return _target(value["$ref"], document) if _is_reference(value) else value
    return _Writer(document).write(value, depth, ())


class _Writer:
    def __init__(self, document: Mapping[str, Any]) -> None:
        self._document = document
        self._left = MAX_PARTS

    def write(self, value: Any, depth: int, within: tuple[str, ...]) -> Any:
        if not isinstance(value, (dict, list)):
            return value
        self._left -= 1
        if depth == 0 or self._left < 0:
            return {} if isinstance(value, dict) else []
        if isinstance(value, list):
            return [self.write(item, depth - 1, within) for item in value]
        if _is_reference(value):
            pointer = value["$ref"]
            if pointer in within:
                return {}
            return self.write(_target(pointer, self._document), depth - 1, (*within, pointer))
        return {key: self.write(item, depth - 1, within) for key, item in value.items()}


def _is_reference(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get("$ref"), str)


def _target(pointer: str, document: Any) -> Any:
    if not pointer.startswith("#/"):
        return {}
    found = document
    for part in pointer[2:].split("/"):
        key = part.replace("~1", "/").replace("~0", "~")
        if not isinstance(found, Mapping) or key not in found:
            return {}
        found = found[key]
    return found

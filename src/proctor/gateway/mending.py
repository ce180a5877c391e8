"""JSON as models write it: quotation marks that were not escaped, raw line breaks, a comma too many. Pure.

Where a text ends is told by what follows a quotation mark: in an object the name of the next field or the brace, in a
list the next item or the bracket. Nothing is added: what is not whole is not read.
"""

from __future__ import annotations

import json
import re
from typing import Any

__all__ = ["mended", "unescaped"]

_DEEPEST = 100
_BLANK = re.compile(r"\s*")
_MARKS = re.compile(r'\\.|"', re.DOTALL)
_SCALAR = re.compile(r"(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?=\s*[,}\]]|\s*\Z)")
_AFTER = r"(?=\s*(?:[,}\]`]|\Z))"
_ENDS_NAME = re.compile(r"\s*:")
_ENDS_FIELD = re.compile(rf'\s*(?:,\s*"(?:[^"\\]|\\.){{0,200}}"\s*:|,?\s*\}}{_AFTER})', re.DOTALL)
_ENDS_ITEM = re.compile(rf'\s*(?:,\s*(?:["{{\[\d-]|true\b|false\b|null\b)|,?\s*\]{_AFTER})')
_QUOTE = re.compile(r'(?<!\\)((?:\\\\)*)"')
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))", re.DOTALL)
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", '"': '"', "\\": "\\", "/": "/", "'": "'"}


def mended(text: str, *, paired: bool) -> tuple[Any, int]:
    """The object or the list that a text begins with, and where it ends; ValueError where there is none that is whole.

    `paired` takes quotation marks inside a text for pairs, which tells `"x", "y"` in a text from two items. Where that
    leads to nothing, they may be single ones, as in `5" pipe`.

    >>> mended('{"title": "The "Great" 75", "id": 3,}', paired=True)
    ({'title': 'The "Great" 75', 'id': 3}, 37)
    """
    if text[:1] not in {"{", "["}:
        raise ValueError("neither an object nor a list")
    return _Reader(text, paired).value(0, _ENDS_FIELD, 0)


def unescaped(inside: str) -> str:
    """What a text between quotes says; quotation marks in it may stand there as they are."""
    escaped = _QUOTE.sub(r"\1\"", inside)
    try:
        said = json.loads(f'"{escaped}"', strict=False)
    except ValueError:
        return _ESCAPE.sub(_character, inside)
    return str(said)


def _character(escape: re.Match[str]) -> str:
    if escape[1]:
        return chr(int(escape[1], 16))
    return _ESCAPED.get(escape[2], escape[0])


class _Reader:
    """Reads one text."""

    def __init__(self, text: str, paired: bool) -> None:
        self._text = text
        self._paired = paired

    def value(self, at: int, ends: re.Pattern[str], depth: int) -> tuple[Any, int]:
        """The value at a place, and the place behind it. `ends` is what may follow a text here."""
        begins = self._text[at : at + 1]
        if begins == '"':
            return self._string(at + 1, ends)
        if depth > _DEEPEST:
            raise ValueError("nested too deeply")
        if begins == "{":
            return self._object(at + 1, depth + 1)
        if begins == "[":
            return self._list(at + 1, depth + 1)
        found = _SCALAR.match(self._text, at)
        if found is None:
            raise ValueError(f"no value at {at}")
        return json.loads(found[1]), found.end()

    def _object(self, at: int, depth: int) -> tuple[dict[str, Any], int]:
        read: dict[str, Any] = {}
        at = self._skipped(at)
        while self._text[at : at + 1] != "}":
            if self._text[at : at + 1] != '"':
                raise ValueError(f"no name at {at}")
            name, at = self._string(at + 1, _ENDS_NAME)
            at = self._skipped(self._skipped(at) + 1)  # the colon
            read[name], at = self.value(at, _ENDS_FIELD, depth)
            at = self._behind_comma(at, "}")
        return read, at + 1

    def _list(self, at: int, depth: int) -> tuple[list[Any], int]:
        read: list[Any] = []
        at = self._skipped(at)
        while self._text[at : at + 1] != "]":
            item, at = self.value(at, _ENDS_ITEM, depth)
            read.append(item)
            at = self._behind_comma(at, "]")
        return read, at + 1

    def _string(self, at: int, ends: re.Pattern[str]) -> tuple[str, int]:
        open_pairs = 0
        for mark in _MARKS.finditer(self._text, at):
            if mark[0] != '"':
                continue
            place = mark.start()
            fits = ends.match(self._text, place + 1) is not None
            if self._paired and not fits and self._opens_a_pair(at, place):
                open_pairs += 1
            elif self._paired and open_pairs:
                open_pairs -= 1
            elif fits:
                return unescaped(self._text[at:place]), place + 1
        raise ValueError(f"the text at {at} does not end")

    def _opens_a_pair(self, begin: int, place: int) -> bool:
        before, after = self._text[place - 1], self._text[place + 1 : place + 2]
        return (place == begin or before.isspace() or before in "([") and not after.isspace() and after not in ",}]:"

    def _behind_comma(self, at: int, close: str) -> int:
        at = self._skipped(at)
        if self._text[at : at + 1] == ",":
            return self._skipped(at + 1)
        if self._text[at : at + 1] != close:
            raise ValueError(f"neither a comma nor an end at {at}")
        return at

    def _skipped(self, at: int) -> int:
        found = _BLANK.match(self._text, at)
        assert found is not None
        return found.end()

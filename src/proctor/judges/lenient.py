"""Objects as models write them: JSON, nearly JSON, and Python's literals. Pure.

Read beside JSON: single and curly quotes, raw line breaks in texts, a comma too many, `True`, `None`, names without
quotes. A name that stands twice in an object with two values makes the object ambiguous, and is kept as that.
"""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple

__all__ = ["AMBIGUOUS", "Found", "objects"]

_DEEPEST = 40
_MOST_FAILURES = 400
"""So many braces that begin nothing readable are looked at; text beyond them is left unread."""

_BLANK = re.compile(r"\s*")
_DOUBLE = re.compile(r'"((?:[^"\\]++|\\.)*+)"', re.DOTALL)
_SINGLE = re.compile(r"'((?:[^'\\]++|\\.|'(?!\s*[,:}\]]))*+)'", re.DOTALL)
_CURLY = re.compile(r"[“”„]((?:[^“”\\]++|\\.)*+)[“”]", re.DOTALL)
_NUMBER = re.compile(r"[+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d{1,3})?")
_WORD = re.compile(r"[^\W\d]\w*")
_WORDS = {"true": True, "false": False, "null": None, "none": None}
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|.)", re.DOTALL)
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}

AMBIGUOUS = object()
"""Stands for the value of a name that was given twice with two values."""


class Found(NamedTuple):
    """An object in a text, and where it stands."""

    value: dict[str, Any]
    start: int
    end: int


class _Source(str):
    """The text that is read, and which quotation marks are known to be closed nowhere in what is left of it."""

    __slots__ = ("unclosed",)

    unclosed: set[str]


class _UnreadableError(Exception):
    """Something that cannot be read; `within` are the places of the braces that were open there."""

    def __init__(self) -> None:
        super().__init__()
        self.within: set[int] = set()


class _TooDeepError(_UnreadableError):
    """It might be read by one who begins further inside: there, so that no part is read again and again."""

    def __init__(self, place: int) -> None:
        super().__init__()
        self.place = place


def objects(written: str) -> list[Found]:
    """The complete objects of a text, outermost ones only, in order."""
    text = _Source(written)
    text.unclosed = set()
    found: list[Found] = []
    hopeless: set[int] = set()
    place = failures = 0
    while failures < _MOST_FAILURES and (place := text.find("{", place)) >= 0:
        if place in hopeless:
            place += 1
            continue
        try:
            value, end = _object(text, place, 0)
        except _TooDeepError as error:
            failures += 1
            place = error.place
        except _UnreadableError as error:
            hopeless |= error.within
            failures += 1
            place += 1
        else:
            found.append(Found(value, place, end))
            place = end
    return found


def _value(text: _Source, place: int, depth: int) -> tuple[Any, int]:
    if depth > _DEEPEST:
        raise _TooDeepError(place)
    begins = text[place : place + 1]
    if begins == "{":
        try:
            return _object(text, place, depth)
        except _UnreadableError as error:
            error.within.add(place)
            raise
    if begins == "[":
        return _list(text, place, depth)
    if begins and begins in "\"'“”„":
        return _text(text, place)
    if match := _NUMBER.match(text, place):
        return _number(match[0]), match.end()
    if match := _WORD.match(text, place):
        return _WORDS.get(match[0].lower(), match[0]), match.end()
    raise _UnreadableError


def _object(text: _Source, place: int, depth: int) -> tuple[dict[str, Any], int]:
    read: dict[str, Any] = {}
    place = _blank(text, place + 1)
    while text[place : place + 1] != "}":
        name, place = _name(text, place)
        place = _blank(text, place)
        if text[place : place + 1] != ":":
            raise _UnreadableError
        value, place = _value(text, _blank(text, place + 1), depth + 1)
        read[name] = value if read.get(name, value) == value and not _mixed(read.get(name, value), value) else AMBIGUOUS
        place = _after(text, place, "}")
    return read, place + 1


def _list(text: _Source, place: int, depth: int) -> tuple[list[Any], int]:
    read: list[Any] = []
    place = _blank(text, place + 1)
    while text[place : place + 1] != "]":
        value, place = _value(text, place, depth + 1)
        read.append(value)
        place = _after(text, place, "]")
    return read, place + 1


def _after(text: str, place: int, closing: str) -> int:
    """The place after a comma, or of the closing bracket."""
    place = _blank(text, place)
    if text[place : place + 1] == ",":
        return _blank(text, place + 1)
    if text[place : place + 1] != closing:
        raise _UnreadableError
    return place


def _name(text: _Source, place: int) -> tuple[str, int]:
    if text[place : place + 1] in ('"', "'", "“", "”", "„"):
        return _text(text, place)
    if match := _WORD.match(text, place):
        return match[0], match.end()
    raise _UnreadableError


def _text(text: _Source, place: int) -> tuple[str, int]:
    mark = text[place]
    match = None if mark in text.unclosed else {'"': _DOUBLE, "'": _SINGLE}.get(mark, _CURLY).match(text, place)
    if match is None:
        text.unclosed.add(mark)
        raise _UnreadableError
    return _unescaped(match[1]), match.end()


def _unescaped(inside: str) -> str:
    """What a text between quotes says. Line breaks may stand in it as they are."""
    if "\\" not in inside:
        return inside
    try:
        said: str = json.loads(f'"{inside}"', strict=False)
    except ValueError:
        return _ESCAPE.sub(lambda match: _ESCAPED.get(match[1], match[1]), inside)
    return said


def _number(digits: str) -> float | int:
    if len(digits) > 300:
        raise _UnreadableError
    return float(digits) if re.search(r"[.eE]", digits) else int(digits)


def _mixed(one: Any, other: Any) -> bool:
    """Whether two values that Python calls equal are of two kinds: 1 and true."""
    return isinstance(one, bool) is not isinstance(other, bool)


def _blank(text: str, place: int) -> int:
    match = _BLANK.match(text, place)
    assert match is not None
    return match.end()

"""Arguments as they come over the wire, read as what a parameter is to be; what it cannot be is refused. Pure."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable
from typing import Any

__all__ = ["Refused", "day", "reader"]

Reader = Callable[[str, Any], Any]
_LARGEST = 1e12
_FIRST_YEAR, _LAST_YEAR = 1000, 2999
"""Within these, whatever an API reckons stays a number and a date."""


class Refused(Exception):  # noqa: N818 - it is an answer of the API, not a fault of the program
    """What an API says in place of a response, such as `404 Not Found: there is no station 'X'`."""


def reader(kind: str, choices: tuple[str, ...] = ()) -> Reader:
    """How a value of this type is read: a function from the parameter's name and the value to what it stands for."""
    if choices:
        return lambda name, value: _choice(name, value, choices)
    return _READERS[kind]


def day(text: str) -> dt.date:
    """The day that a checked date stands for."""
    return dt.date.fromisoformat(text)


def _bad(name: str, expected: str, value: Any) -> Refused:
    return Refused(f"400 Bad Request: {name} must be {expected}, not {value!r:.60}.")


def _text(name: str, value: Any) -> str:
    """Text; a number is what it is as text, for that is how it would stand in an address."""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str) or not value.strip():
        raise _bad(name, "text that is not empty", value)
    return value.strip()


def _number(name: str, value: Any) -> float:
    if isinstance(value, str) and re.fullmatch(r"\s*-?\d{1,15}(\.\d{1,10})?\s*", value):
        value = float(value)
    if isinstance(value, bool) or not isinstance(value, (int, float)) or value - value != 0:
        raise _bad(name, "a number", value)
    if abs(value) > _LARGEST:
        raise _bad(name, f"a number between {-_LARGEST:g} and {_LARGEST:g}", value)
    return float(value)


def _whole(name: str, value: Any) -> int:
    try:
        number = _number(name, value)
    except Refused as refused:
        raise Refused(str(refused).replace("a number", "a whole number", 1)) from None
    if not number.is_integer():
        raise _bad(name, "a whole number", value)
    return int(number)


def _truth(name: str, value: Any) -> bool:
    said = value.strip().lower() if isinstance(value, str) else value
    if isinstance(said, bool):
        return said
    if said in ("true", "false"):
        return bool(said == "true")
    raise _bad(name, "true or false", value)


def _date(name: str, value: Any) -> str:
    said = _text(name, value)
    try:
        found = dt.date.fromisoformat(said) if re.fullmatch(r"\d{4}-\d{2}-\d{2}", said) else None
    except ValueError:
        found = None
    if found is None:
        raise _bad(name, "a date as YYYY-MM-DD", value)
    if not _FIRST_YEAR <= found.year <= _LAST_YEAR:
        raise _bad(name, f"a date of the years {_FIRST_YEAR} to {_LAST_YEAR}", value)
    return found.isoformat()


def _time(name: str, value: Any) -> str:
    said = _text(name, value)
    if not re.fullmatch(r"([01]\d|2[0-3]):[0-5]\d", said):
        raise _bad(name, "a time as HH:MM", value)
    return said


def _choice(name: str, value: Any, choices: tuple[str, ...]) -> str:
    said = _text(name, value)
    for choice in choices:
        if said.casefold() == choice.casefold():
            return choice
    raise _bad(name, f"one of {', '.join(choices)}", value)


_READERS: dict[str, Reader] = {
    "STRING": _text,
    "NUMBER": _number,
    "INTEGER": _whole,
    "BOOLEAN": _truth,
    "DATE (YYYY-MM-DD)": _date,
    "TIME (24-hour HH:MM)": _time,
}

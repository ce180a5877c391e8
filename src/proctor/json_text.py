"""JSON text, read strictly: what two readers could read in two ways is refused, and the reason is one sentence.

Refused beside what is no JSON at all: a key that stands twice in one object, NaN and Infinity, half of a surrogate
pair, numbers that no float holds, and a nesting deeper than `MAX_DEPTH`.
"""

from __future__ import annotations

import json
import math
from typing import Any

import msgspec

from proctor.errors import InputError

MAX_DEPTH = 100
"""Lists and objects may stand in one another so deep. Fixed, so that it does not depend on who calls whom."""

_NO_OPENING_BRACKETS = bytes(byte for byte in range(256) if byte not in b"[{")

UNREADABLE = (msgspec.MsgspecError, UnicodeError, RecursionError)
"""What a msgspec decoder raises for a text that it cannot read; `problem` makes a sentence of it."""

_decode = msgspec.json.Decoder().decode
_encode = msgspec.json.Encoder().encode


def decode(data: bytes | str) -> Any:
    """The value of a JSON text. InputError, with one sentence, for a text that is not to be trusted."""
    try:
        value = _decode(data)
    except UNREADABLE as error:
        raise InputError(problem(error, data)) from None
    raw = data.encode() if isinstance(data, str) else data
    if may_be_deep(raw):
        refuse_depth(value)
    refuse_duplicates(raw, _encode(value))
    return value


def problem(error: Exception, data: bytes | str) -> str:
    """What is wrong with a JSON text that msgspec could not decode."""
    if isinstance(error, RecursionError):
        return _TOO_DEEP
    try:
        raw = data.encode() if isinstance(data, str) else data
        raw.decode()
    except UnicodeEncodeError:
        return _HALF_PAIR
    except UnicodeDecodeError as wrong:
        return f"byte {wrong.start} is not valid UTF-8 (0x{wrong.object[wrong.start]:02x}); save the text as UTF-8."
    return _lenient_problem(raw, cut_off="truncated" in str(error))


def refuse_duplicates(data: bytes, encoded: bytes) -> None:
    """InputError for a key that stands twice in one object of a JSON text that is otherwise in order.

    `encoded` is what was read from it, as JSON again. A key that was lost in reading took its colon with it, so where
    both have the same number of colons none was lost, and the slow search can be left out. (Only a colon that is
    written as an escape could deceive that count.)
    """
    if b"\\" not in data or b"\\u003" not in data:
        # A reader of certain types leaves out what is null; one of no type loses nothing but keys that stand twice.
        colons = data.count(b":")
        if colons == encoded.count(b":") or colons == _encode(_decode(data)).count(b":"):
            return
    try:
        json.loads(data, object_pairs_hook=_unique)
    except RecursionError:
        raise InputError(_TOO_DEEP) from None


def may_be_deep(data: bytes) -> bool:
    """Whether a text has brackets enough to be nested too deeply: quick, and never wrong when it says no."""
    return len(data) > MAX_DEPTH and len(data.translate(None, _NO_OPENING_BRACKETS)) > MAX_DEPTH


def refuse_depth(value: Any, depth: int = 0) -> None:
    """InputError for a value with more than `MAX_DEPTH` lists and dictionaries in one another.

    `depth` says how many stand around the value already.
    """
    kind = type(value)
    if kind is not dict and kind is not list:
        return
    if depth >= MAX_DEPTH:
        raise InputError(_TOO_DEEP)
    for item in value.values() if kind is dict else value:
        if type(item) is dict or type(item) is list:
            refuse_depth(item, depth + 1)


_TOO_DEEP = f"the JSON is nested too deeply: more than {MAX_DEPTH} lists and objects in one another."
_HALF_PAIR = "the text holds half of a surrogate pair (\\ud800 to \\udfff), which is no character."


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in found if names.count(name) > 1)
        raise InputError(f"the key {twice!r} stands twice in one object; which of the two is meant?")
    return found


def _lenient_problem(data: bytes, *, cut_off: bool) -> str:
    """What Python's own reader says: it lets some things pass, and knows better where a text stops being JSON."""
    try:
        # As text: of bytes it would guess the encoding.
        json.loads(data.decode(), parse_constant=_no_constant, parse_float=_finite)
    except InputError as error:
        return str(error)
    except RecursionError:
        return _TOO_DEEP
    except json.JSONDecodeError as error:
        return _syntax_problem(error, cut_off=cut_off)
    except ValueError:
        return "a whole number has more digits than can be read."
    return _HALF_PAIR


def _no_constant(name: str) -> float:
    raise InputError(f"JSON has no number {name}; write null or leave the field out.")


def _finite(digits: str) -> float:
    number = float(digits)
    if number in (float("inf"), float("-inf")):
        raise InputError(f"the number {digits} is too large for a float.")
    return number


def _syntax_problem(error: json.JSONDecodeError, *, cut_off: bool) -> str:
    if error.doc.startswith("\ufeff"):
        return "a byte order mark stands before the JSON; only the beginning of a file may have one."
    if not error.doc.strip():
        return "there is no JSON: the text is empty."
    if cut_off:
        return "the JSON is cut off: it ends before it is complete."
    said = f"{error.msg[:1].lower()}{error.msg[1:]}".removesuffix(" at")
    near = error.doc[max(0, error.pos - 12) : error.pos + 12]
    return f"this is not JSON: {said} at character {error.pos}, near {near!r}."


def encode(value: Any) -> bytes:
    """The JSON text of a value, without blanks; InputError for what JSON cannot hold. `decode` gives the value back."""
    refuse_foreign(value)
    return encode_checked(value)


def encode_checked(value: Any) -> bytes:
    """The JSON text of a value in which `refuse_foreign` found nothing, or of a structure that holds such values."""
    try:
        return _encode_plain(value)
    except UnicodeEncodeError:
        raise InputError(_HALF_PAIR) from None
    except RecursionError:
        raise InputError(_TOO_DEEP) from None


def refuse_foreign(value: Any, depth: int = 0) -> None:
    """InputError for a value that JSON does not have: NaN, a date, a key that is no text, a nesting too deep."""
    kind = type(value)
    if kind is str or kind is int or kind is bool or value is None:
        return
    if kind is float:
        if not math.isfinite(value):
            raise InputError(f"JSON has no number {value!r}; leave the field out or write null.")
    elif depth >= MAX_DEPTH and isinstance(value, (dict, list, tuple)):
        raise InputError(_TOO_DEEP)
    elif isinstance(value, dict):
        for key, item in value.items():
            if not isinstance(key, str):
                raise InputError(f"a key of a JSON object must be text, not {type(key).__name__}: {key!r}.")
            refuse_foreign(item, depth + 1)
    elif isinstance(value, (list, tuple)):
        for item in value:
            refuse_foreign(item, depth + 1)
    else:
        inner = plain(value)
        refuse_foreign(inner, depth)


def plain(value: Any) -> Any:
    """What a value of a foreign type says in plain data: text, numbers and arrays of numpy do, a date does not."""
    if isinstance(value, str):
        return str.__str__(value)
    for kind in (int, float):
        if isinstance(value, kind):
            return kind(value)
    if isinstance(value, dict):
        return dict(value)
    if hasattr(value, "tolist"):
        return value.tolist()
    raise InputError(f"a value of type {type(value).__name__} has no JSON form: {value!r:.60}.")


_encode_plain = msgspec.json.Encoder(enc_hook=plain).encode

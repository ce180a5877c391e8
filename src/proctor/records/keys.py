"""Identity: the same thing said in another way has the same key.

The key of a value is the hash of its canonical JSON: keys sorted, no blanks, `1.0` written as `1`, text as it is. It is
never `str(dict)`, where the order of keys and the kind of quotes decide what is the same
(docs/decisions/identity-is-canonical.md).
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any

import msgspec

from proctor import json_text
from proctor.errors import InputError, SampleError

_encode = msgspec.json.Encoder(order="deterministic").encode


def canonical(value: Any) -> Any:
    """The value with each float that is a whole number written as one; the rest is left as it is.

    SampleError for a number that JSON does not have (NaN, infinity), a key that is no text, and a nesting too deep.
    """
    return _canonical(value, 0, _as_it_is)


def canonical_json(value: Any) -> bytes:
    """The one spelling of a JSON value. A record is spelt as the JSON that it is written as.

    SampleError for what JSON does not have: beside what `canonical` refuses, a set, a date, half of a surrogate pair.

    >>> canonical_json({"b": 1.0, "a": "x"}) == canonical_json({"a": "x", "b": 1})
    True
    """
    return canonical_form(value)[1]


def canonical_form(value: Any) -> tuple[Any, bytes]:
    """The value as plain data, numbers in their one spelling, and its `canonical_json`: both in one walk."""
    plain = _canonical(value, 0, _spelt)
    try:
        return plain, _encode(plain)
    except UnicodeEncodeError:
        raise SampleError("the value holds text that is not valid Unicode (half of a surrogate pair).") from None
    except ValueError:
        raise SampleError("the value holds a whole number with more digits than can be written.") from None


def content_hash(value: Any) -> str:
    """The key of a JSON value: 64 hexadecimal digits."""
    return hashlib.sha256(canonical_json(value)).hexdigest()


def call_key(category: str, tool: str, api: str, arguments: Any) -> str:
    """The key of an API call: the same API with the same arguments, however they were written."""
    return content_hash([category, tool, api, arguments])


def _canonical(value: Any, depth: int, other: Callable[[Any, int], Any]) -> Any:
    kind = type(value)
    if kind is str or kind is int or kind is bool or value is None:
        return value
    if kind is float:
        return _canonical_number(value)
    if depth >= json_text.MAX_DEPTH:
        raise SampleError("the value is nested too deeply to be compared.")
    if kind is dict:
        return {
            key if type(key) is str else _text_key(key): _canonical(item, depth + 1, other)
            for key, item in value.items()
        }
    if kind is list or kind is tuple:
        return [_canonical(item, depth + 1, other) for item in value]
    return other(value, depth)


def _canonical_number(value: float) -> float | int:
    """A whole number is written as one, however large: it is exactly the float, and equal numbers have one key."""
    if value.is_integer():
        return int(value)
    if value - value != 0:
        raise SampleError(f"JSON has no number {value!r}.")
    return value


def _as_it_is(value: Any, _depth: int) -> Any:
    return value


def _spelt(value: Any, depth: int) -> Any:
    """A value of a type that is not JSON's own, as one that is."""
    if isinstance(value, msgspec.Struct):
        known = msgspec.to_builtins(value, enc_hook=json_text.plain)
    elif isinstance(value, list | tuple):
        known = list(value)
    else:
        try:
            known = json_text.plain(value)
        except InputError as error:
            raise SampleError(str(error)) from None
    return _canonical(known, depth, _spelt)


def _text_key(key: Any) -> str:
    if isinstance(key, str):
        return str.__str__(key)
    raise SampleError(f"a key of a JSON object must be text, not {type(key).__name__}: {key!r}.")

"""Identity: the same thing said in another way has the same key.

The key of a value is the hash of its canonical JSON: keys sorted, no blanks, `1.0` written as `1`, text as it is. It is
never `str(dict)`, where the order of keys and the kind of quotes decide what is the same
(docs/decisions/identity-is-canonical.md).
"""

from __future__ import annotations

import hashlib
import math
from typing import Any

import msgspec

from proctor.errors import SampleError

_EXACT = 2**53
"""Up to here every whole number is the same as a float and as an int."""

_encode = msgspec.json.Encoder(order="deterministic").encode


def canonical(value: Any) -> Any:
    """The value with each float that is a whole number written as one; the rest is left as it is.

    Raises SampleError for a number that JSON does not have (NaN, infinity), a key that is no text, and a nesting too
    deep.
    """
    try:
        return _canonical(value)
    except RecursionError:
        raise SampleError("the value is nested too deeply to be compared.") from None


def canonical_json(value: Any) -> bytes:
    """The one spelling of a JSON value.

    >>> canonical_json({"b": 1.0, "a": "x"}) == canonical_json({"a": "x", "b": 1})
    True
    """
    try:
        return _encode(canonical(value))
    except UnicodeEncodeError:
        raise SampleError("the value holds text that is not valid Unicode (half of a surrogate pair).") from None
    except TypeError as error:
        raise SampleError(f"the value has no JSON form: {error}.") from None


def content_hash(value: Any) -> str:
    """The key of a JSON value: 64 hexadecimal digits."""
    return hashlib.sha256(canonical_json(value)).hexdigest()


def call_key(category: str, tool: str, api: str, arguments: Any) -> str:
    """The key of an API call: the same API with the same arguments, however they were written."""
    return content_hash([category, tool, api, arguments])


def _canonical(value: Any) -> Any:
    kind = type(value)
    if kind is str or kind is int or kind is bool or value is None:
        return value
    if kind is float:
        return _canonical_number(value)
    if kind is dict:
        return {_text_key(key): _canonical(item) for key, item in value.items()}
    if kind is list or kind is tuple:
        return [_canonical(item) for item in value]
    return value


def _canonical_number(value: float) -> float | int:
    if not math.isfinite(value):
        raise SampleError(f"JSON has no number {value!r}.")
    return int(value) if value.is_integer() and abs(value) <= _EXACT else value


def _text_key(key: Any) -> str:
    if type(key) is not str:
        raise SampleError(f"a key of a JSON object must be text, not {type(key).__name__}: {key!r}.")
    return key

"""Reading what a simulator wrote: the error and the response of an envelope, or why there are none. Pure.

Simulators are asked for `{"error": "…", "response": …}` and write that in half of all cases. The rest is read by a
ladder, the strictest reading first: strict JSON; JSON with raw line breaks in its texts; JSON with prose around it; a
Python literal; the envelope's fields cut apart, where quotation marks were not escaped; and what is left of a reply
that was cut off at the token limit. Nothing is made up: without a response and an error, a reply is `Unreadable`.
"""

from __future__ import annotations

import ast
import functools
import json
import re
from collections.abc import Callable, Iterator
from typing import Any

import msgspec

from proctor import json_text
from proctor.errors import InputError
from proctor.gateway.mending import mended, unescaped

__all__ = ["Envelope", "Unreadable", "read_envelope"]

_LONGEST = 1_000_000
_THINKING = re.compile(r"\s*<(think|thinking|reasoning)>.*?</\1>", re.DOTALL | re.IGNORECASE)
_FENCE = re.compile(r"```[a-zA-Z]*[ \t]*\n(.*?)(?:\n[ \t]*```|\Z)", re.DOTALL)
_BEGINS = re.compile(r"""\{\s*(?P<quote>["'])(?:mechanism_of_the_api|error|response)(?P=quote)\s*:""")
_FIELD = re.compile(r'[{,\n]\s*"(?P<name>error|response)"\s*:\s*')
_FENCED = re.compile(r"[^`]*```[a-zA-Z]*\s*([{\[].*[}\]])\s*```[^`]*", re.DOTALL)
_CLOSES = re.compile(r'"\s*,?\s*\}')
_PARTIAL_ESCAPE = re.compile(r"(?<!\\)\\(?:u[0-9a-fA-F]{0,3})?\Z")
_CLOSED = re.compile(r'(?<!\\)(?:\\\\)*"\Z')
_THOUGHT = "mechanism_of_the_api"


class Envelope(msgspec.Struct, frozen=True):
    """What a simulator said."""

    error: str
    response: Any
    how: str
    """How it was read: `strict`, `raw characters`, `prose around`, `literal`, `bare`, `cut apart` or `cut off`.

    Only what is `cut off` has lost something of what was meant."""


class Unreadable(msgspec.Struct, frozen=True):
    """A reply that holds no answer."""

    problem: str


def read_envelope(text: str) -> Envelope | Unreadable:
    """The error and the response in a simulator's reply.

    >>> read_envelope('{"error": "", "response": "a "quoted" word"}')
    Envelope(error='', response='a "quoted" word', how='cut apart')
    """
    if len(text) > _LONGEST:
        return Unreadable("it is far too long")
    text = _without_thinking(text)
    if not text:
        return Unreadable("it is empty")
    for how, read in _LADDER:
        for value in read(text):
            envelope = _envelope(value, how)
            if envelope is not None:
                return envelope
    return _cut_apart(text)


def _without_thinking(text: str) -> str:
    while match := _THINKING.match(text):
        text = text[match.end() :]
    return text.lstrip("\ufeff").strip()


def _strict(text: str) -> Iterator[Any]:
    yield from _parsed(lambda: json.loads(text, parse_constant=_refuse))


def _raw_characters(text: str) -> Iterator[Any]:
    yield from _parsed(lambda: json.loads(text, strict=False, parse_constant=_refuse))


def _prose_around(text: str) -> Iterator[Any]:
    """The object in a fence, or the first one in the text that begins like an envelope."""
    for fenced in _FENCE.finditer(text):
        yield from _raw_characters(fenced[1].strip())
    decoder = json.JSONDecoder(strict=False, parse_constant=_refuse)
    for begins in _BEGINS.finditer(text):
        if begins["quote"] == "'":
            return  # as Python writes it; what begins inside it is its own
        for value, end in _parsed(functools.partial(decoder.raw_decode, text, begins.start())):
            if _is_prose(text[end:]):
                yield value


def _literal(text: str) -> Iterator[Any]:
    """An envelope as Python writes it."""
    begins = _BEGINS.search(text)
    end = text.rfind("}")
    if begins is not None and end > begins.start() and _is_prose(text[end + 1 :]):
        yield from _parsed(lambda: ast.literal_eval(text[begins.start() : end + 1]))


def _fenced(text: str) -> Iterator[Any]:
    """A response without an envelope, in the one fence of a reply."""
    found = _FENCED.fullmatch(text)
    if found is not None and not _BEGINS.search(text):
        for value, end in _read_leniently(found[1]):
            if end == len(found[1]):
                yield value


_LADDER: tuple[tuple[str, Callable[[str], Iterator[Any]]], ...] = (
    ("strict", _strict),
    ("raw characters", _raw_characters),
    ("prose around", _prose_around),
    ("literal", _literal),
    ("fenced", _fenced),
)


def _parsed(read: Callable[[], Any]) -> Iterator[Any]:
    try:
        yield read()
    except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
        return


def _refuse(name: str) -> Any:
    raise ValueError(name)


def _is_prose(rest: str) -> bool:
    """Whether what stands behind an object is no part of it."""
    return not rest.strip() or not re.match(r'\s*[,:"\]}]', rest)


def _envelope(value: Any, how: str) -> Envelope | None:
    """The envelope that an object is, or None. A model may forget one of the two fields, or write the response bare."""
    value = _sound(value)
    if isinstance(value, list) and value and how in {"strict", "fenced"}:
        return Envelope("", value, "bare")
    if not isinstance(value, dict):
        return None
    if "response" in value or "error" in value:
        return _checked(value.get("error"), value.get("response"), how)
    bare = value and _THOUGHT not in value and how in {"strict", "raw characters", "fenced"}
    return Envelope("", value, "bare") if bare else None


def _sound(value: Any) -> Any:
    """A value that JSON has, halves of surrogate pairs replaced; None for any other."""
    try:
        json_text.encode(value)
    except InputError:
        pass
    except (OverflowError, ValueError):
        return None
    else:
        return value
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False)
        mended = json.loads(text.encode("utf-16", "surrogatepass").decode("utf-16", "replace"))
        json_text.encode(mended)
    except (ValueError, TypeError, OverflowError, RecursionError):
        return None
    return mended


def _checked(error: Any, response: Any, how: str) -> Envelope | None:
    """An envelope in which neither field says anything is none."""
    text = _as_text(error)
    empty = response is None or (isinstance(response, str) and not response.strip())
    return None if empty and not text.strip() else Envelope(text, "" if response is None else response, how)


def _as_text(error: Any) -> str:
    if error is None or error is False or error in ("None", "null"):
        return ""
    return error if isinstance(error, str) else json.dumps(error, ensure_ascii=False)


def _cut_apart(text: str) -> Envelope | Unreadable:
    """Cut the text at the names of the two fields; what stands between them are their values."""
    begins = _BEGINS.search(text)
    if begins is None:
        return Unreadable("it holds no envelope of an error and a response")
    fields = [found for found in _FIELD.finditer(text) if found.start() >= begins.start()]
    response = next((found for found in fields if found["name"] == "response"), None)
    errors = [found for found in fields if found["name"] == "error"]
    if response is None:
        return _error_alone(text, errors)
    before = [found for found in errors if found.start() < response.start()]
    alone = None if before else _complete(text[response.end() :])  # an error that comes later may be the response's own
    if before:
        error = _inner(text[before[-1].end() : response.start()])
        said, whole = _last(text[response.end() :])
    elif alone is not None:
        error, said, whole = "", alone[0], True
    elif errors:
        error, whole = _last(text[errors[-1].end() :])
        said = _inner(text[response.end() : errors[-1].start()])
    else:
        error = ""
        said, whole = _last(text[response.end() :])
    found = _checked(_sound(error), _sound(said), "cut apart" if whole else "cut off")
    return found if found is not None else Unreadable("neither its error nor its response says anything")


def _error_alone(text: str, errors: list[re.Match[str]]) -> Envelope | Unreadable:
    if not errors:
        return Unreadable("it ends before its error and its response")
    error, whole = _last(text[errors[-1].end() :])
    found = _checked(_sound(error), None, "cut apart") if whole else None
    return found if found is not None else Unreadable("it ends before its response")


def _inner(raw: str) -> Any:
    """The value of a field that another one follows."""
    raw = raw.strip().removesuffix(",").rstrip()
    for value, end in _read_leniently(raw):
        if end == len(raw):
            return value
    return unescaped(raw[1:].removesuffix('"')) if raw.startswith('"') else raw


def _read_leniently(raw: str) -> Iterator[tuple[Any, int]]:
    """The value that a text begins with and where it ends, in every way in which it can be read, strictest first."""
    decoder = json.JSONDecoder(strict=False, parse_constant=_refuse)
    yield from _parsed(lambda: decoder.raw_decode(raw))
    for paired in (True, False):
        yield from _parsed(functools.partial(mended, raw, paired=paired))


def _complete(raw: str) -> tuple[Any, str] | None:
    """The value that ends an envelope, and what stands behind it; None where it cannot be read to its end."""
    for value, end in _read_leniently(raw):
        rest = raw[end:].strip().removeprefix(",").lstrip()
        if not rest or (rest.startswith("}") and _is_prose(rest[1:])):
            return value, rest
    return None


def _last(raw: str) -> tuple[Any, bool]:
    """The value of the field that ends the envelope, and whether the envelope is complete."""
    found = _complete(raw)
    if found is not None:
        return found[0], bool(found[1]) or isinstance(found[0], dict | list)
    if raw.startswith('"'):
        return _last_text(raw)
    return raw.rstrip(), False


def _last_text(raw: str) -> tuple[str, bool]:
    """The text that ends an envelope, with quotation marks in it that were not escaped; or its beginning."""
    close = next((close for close in reversed(list(_CLOSES.finditer(raw, 1))) if _ends(raw, close)), None)
    if close is not None:
        inside, whole = raw[1 : close.start()], raw[1 : close.end()]
        if not _is_json(inside) and (_is_json(whole) or _is_half(inside)):
            return unescaped(whole), False  # the brace belonged to JSON inside the text
        return unescaped(inside), True
    inside = raw[1:].rstrip()
    unclosed = inside[:-1]
    if _CLOSED.search(inside) and (_is_json(unclosed) or unclosed.replace('\\"', "").count('"') % 2 == 0):
        return unescaped(unclosed), False
    return unescaped(_PARTIAL_ESCAPE.sub("", inside)), False


def _ends(raw: str, close: re.Match[str]) -> bool:
    """Whether a quotation mark and a brace end an envelope."""
    before = raw[: close.start()]
    is_escaped = (len(before) - len(before.rstrip("\\"))) % 2 == 1
    return not is_escaped and _is_prose(raw[close.end() :])


def _is_half(inside: str) -> bool:
    """Whether a text is JSON that does not end."""
    return inside[:1] in {"{", "["} and inside.count("{") > inside.count("}")


def _is_json(text: str) -> bool:
    return text[:1] in {"{", "["} and any(True for _ in _parsed(lambda: json.loads(text, strict=False)))

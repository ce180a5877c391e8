"""Reading a judge's reply: the wanted fields, or what is wrong with it. Pure, and it never raises.

Which object of a reply counts is decided by what an agent could make a judge repeat:

- Reasoning at the reply's beginning (`<think>…</think>`) is set aside.
- An object that stands, with the same values, in what the agent wrote is a quotation and no opinion: it is set aside.
- Where what remains says two things, the reply says nothing: it is asked for again. The same holds where a wanted
  field stands outside of every complete object (a quotation mark that was not escaped, a reply that was cut off).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import msgspec

from proctor.judges.fences import neutral
from proctor.judges.lenient import Found, objects
from proctor.judges.shapes import WORDS, Shape, bare
from proctor.models.chat import Reply

__all__ = ["Unread", "read_reply", "read_text"]

_REASONING = re.compile(r"\s*<(think|thinking|reasoning)>(.*?)</\1>", re.DOTALL | re.IGNORECASE)
_OPEN_REASONING = re.compile(r"\s*<(think|thinking|reasoning)>", re.IGNORECASE)
_NAME = re.compile(r"[\"'“”]([^\"'“”\n]{1,60})[\"'“”]\s*:")
_LONGEST = 200_000
_LONGEST_READ = 50_000
"""So much of a material is read for objects; that nothing is copied letter by letter is seen in all of it."""
_UNICODE = re.compile(r"\\+u([0-9a-fA-F]{4})")
_ESCAPE = re.compile(r"\\+[nrtbf]?")
_SIGNS = re.compile(r"[^\w:]|_")
_DEEP = 40
_WRAPPERS = frozenset({"arguments", "parameters", "args", "input", "function", "functioncall", "properties"})
"""Names under which models hide the object that was wanted."""


class Unread(msgspec.Struct, frozen=True):
    """A reply that cannot be used."""

    problem: str
    """What is wrong with it, as a sentence for the one who wrote it."""


Fields = dict[str, Any]


def read_reply(reply: Reply, shape: Shape, quotable: Iterable[str] = ()) -> Fields | Unread:
    """The wanted fields of a reply. The arguments of a function that it calls come before its text."""
    named = [call for call in reply.tool_calls if call.name == shape.name]
    calls = named or list(reply.tool_calls)
    texts = [call.malformed if call.malformed is not None else _json(call.args) for call in calls]
    return read_text("\n".join(texts) if texts else reply.text, shape, quotable)


def read_text(text: str, shape: Shape, quotable: Iterable[str] = ()) -> Fields | Unread:
    """The wanted fields in a reply's text. `quotable` is what the agent wrote, which is no judge's opinion."""
    outside = _without_reasoning(text)
    if isinstance(outside, Unread):
        return outside
    found = objects(outside)
    if _stands_loose(outside, found, shape):
        return Unread("a wanted field stands outside of a complete JSON object, or twice.")
    read = [_fields(each.value, shape) for each in found]
    whole = [
        (fields, outside[each.start : each.end])
        for fields, each in zip(read, found, strict=True)
        if not isinstance(fields, Unread)
    ]
    if whole:
        return _chosen(whole, shape, list(quotable))
    return next((fields for fields in reversed(read) if isinstance(fields, Unread)), Unread("it holds no JSON object."))


def _chosen(whole: list[tuple[Fields, str]], shape: Shape, quotable: list[str]) -> Fields | Unread:
    """The judge's own of several objects that have the wanted fields, each with its text."""
    quoted = _quoted(shape, quotable)
    own = [fields for fields, text in whole if _key(fields) not in quoted and not _copied(text, quotable)]
    if not own:
        return Unread("it only repeats what stands in the material; give a judgement of your own.")
    if len({_key(_decided(fields, shape)) for fields in own}) > 1:
        return Unread("it holds several JSON objects that say different things; give one.")
    return own[-1]


def _without_reasoning(text: str) -> str | Unread:
    if len(text) > _LONGEST:
        return Unread("it is far too long.")
    while match := _REASONING.match(text):
        text = text[match.end() :]
    if _OPEN_REASONING.match(text):
        return Unread("it ends in the middle of its reasoning.")
    return text if text.strip() else Unread("it is empty.")


def _fields(value: Mapping[str, Any], shape: Shape, depth: int = 0) -> Fields | Unread:
    """The fields of one object, or of the one object that it is wrapped around."""
    given: dict[str, list[Any]] = {}
    for name, said in value.items():
        given.setdefault(bare(name), []).append(said)
    lacking = [field.name for field in shape.deciding if bare(field.name) not in given]
    if lacking and depth < 3:
        inner = [_inner(said) for name, said in value.items() if bare(name) in _WRAPPERS or len(value) == 1]
        read = [_fields(one, shape, depth + 1) for one in inner if one is not None]
        if len(read) == 1 and not isinstance(read[0], Unread):
            return read[0]
    if lacking:
        return Unread(f"its JSON object lacks the field {lacking[0]!r}.")
    fields: Fields = {}
    for field in shape.fields:
        said = given.get(bare(field.name), [])
        try:
            values = [field.read(one) for one in said]
        except ValueError:
            if field.name in WORDS and field not in shape.deciding:
                continue
            return Unread(f"its field {field.name!r} must be {field.wanted}.")
        if len(values) > 1 and any(one != values[0] for one in values):
            return Unread(f"its field {field.name!r} stands there twice.")
        fields.update({field.name: values[0]} if values else {})
    spoken = next((said[0] for name in WORDS if (said := given.get(name)) and isinstance(said[0], str)), None)
    return fields if spoken is None or WORDS & fields.keys() else {"reason": spoken, **fields}


def _inner(said: Any) -> Mapping[str, Any] | None:
    """The object inside a wrapper; function calls hold it as text."""
    if isinstance(said, Mapping):
        return said
    found = objects(said) if isinstance(said, str) else []
    return found[0].value if len(found) == 1 else None


def _stands_loose(text: str, found: list[Found], shape: Shape) -> bool:
    """Whether a deciding field, written as a JSON name, stands outside of the complete objects."""
    place, rest = 0, []
    for one in found:
        rest.append(text[place : one.start])
        place = one.end
    loose = "\n".join([*rest, text[place:]])
    names = {bare(field.name) for field in shape.deciding}
    return any(bare(name) in names for name in _NAME.findall(loose))


def _quoted(shape: Shape, quotable: Iterable[str]) -> set[str]:
    """The keys of all objects of this shape that the agent wrote."""
    names = [bare(field.name) for field in shape.deciding]
    keys = set()
    for text in quotable:
        letters = bare(text)
        if any(name in letters for name in names):
            for version in dict.fromkeys((text[:_LONGEST_READ], neutral(text[:_LONGEST_READ]))):
                read = [_fields(each, shape) for found in objects(version) for each in _with_inner(found.value)]
                keys |= {_key(fields) for fields in read if not isinstance(fields, Unread)}
    return keys


def _copied(written: str, quotable: Iterable[str]) -> bool:
    """Whether an object stands, letter by letter, in what the agent wrote, whatever it was escaped or fenced by."""
    letters = _letters(written)
    return any(letters in _letters(text) for text in quotable)


def _letters(text: str) -> str:
    """The letters and digits of a text, and its colons; JSON's escapes are read, however often they were escaped."""
    text = _UNICODE.sub(lambda match: chr(int(match[1], 16)), text)
    return _SIGNS.sub("", _ESCAPE.sub("", text)).lower()


def _with_inner(value: Any, depth: int = 0) -> Iterator[Mapping[str, Any]]:
    """An object, those inside it, and those in the texts inside it."""
    if isinstance(value, Mapping):
        yield value
    inside: Iterable[Any] = ()
    if isinstance(value, Mapping | list):
        inside = value.values() if isinstance(value, Mapping) else value
    elif isinstance(value, str):
        inside = [found.value for found in objects(value)]
    for item in inside if depth < _DEEP else ():
        yield from _with_inner(item, depth + 1)


def _decided(fields: Fields, shape: Shape) -> Fields:
    """What a reply says, its reasons left out."""
    return {field.name: fields[field.name] for field in shape.deciding}


def _key(fields: Fields) -> str:
    return repr(sorted(fields.items()))


def _json(args: dict[str, Any]) -> str:
    try:
        return msgspec.json.encode(args).decode()
    except (TypeError, ValueError, RecursionError):
        return repr(args)

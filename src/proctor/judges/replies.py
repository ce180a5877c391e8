"""Reading a judge's reply: the wanted fields, or what is wrong with it. Pure, and it never raises.

Which object of a reply counts is decided by what an agent could make a judge repeat:

- Reasoning at the reply's beginning (`<think>…</think>`) is set aside.
- An object that carries the seal of the prompt is the judge's own, wherever it stands; one with another seal is not.
- An object without a seal counts where it is all that the reply says. Among other words it may be what the judge
  found in the agent's text, decoded or translated; prompts that give no seal have to take it there too.
- An object that stands in what the agent wrote is a quotation and no opinion: it is set aside. Only an Unsolved that is
  the whole reply counts all the same, for no agent gains by writing it.
- Where what remains says two things, the reply says nothing: it is asked for again. The same holds where a wanted
  field stands outside of every complete object (a quotation mark that was not escaped, a reply that was cut off).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import msgspec

from proctor.judges.lenient import Found, objects
from proctor.judges.quotations import Material
from proctor.judges.shapes import WORDS, Shape, bare
from proctor.models.chat import Reply
from proctor.records.grades import Status

__all__ = ["SEAL", "Unread", "read_reply", "read_text"]

SEAL = "seal"
"""The field by which an object says that the judge itself wrote it."""
_REASONING = re.compile(r"\s*<(think|thinking|reasoning)>(.*?)</\1>", re.DOTALL | re.IGNORECASE)
_OPEN_REASONING = re.compile(r"\s*<(think|thinking|reasoning)>", re.IGNORECASE)
_NAME = re.compile(r"[\"'“”]([^\"'“”\n]{1,60})[\"'“”]\s*:")
_WORD = re.compile(r"\w+")
_LONGEST = 200_000
_MOST = 100
"""A reply with more different objects of the wanted shape says nothing that could be told apart."""
_WRAPPERS = frozenset({"arguments", "parameters", "args", "input", "function", "functioncall", "properties"})
"""Names under which models hide the object that was wanted."""
_HANDED = """
    a an and answer are as asked assessment below certainly course evaluation final follows for format give given grade
    here hope helps i in is it json judgement judgment let ll me my now object of ok okay output reply requested
    response result s see sure thank thanks that the think this to verdict will with you your im_end eot_id end_of_turn
"""
_COURTESIES = frozenset(_HANDED.split())
"""The words in which a model hands its object over. They say nothing that could speak against it."""


class Unread(msgspec.Struct, frozen=True):
    """A reply that cannot be used."""

    problem: str
    """What is wrong with it, as a sentence for the one who wrote it."""


Fields = dict[str, Any]


class _Opinion(NamedTuple):
    """An object that has the wanted fields."""

    fields: Fields
    seals: tuple[Any, ...] = ()
    """What it carries as its seal; more than one where models write the name twice."""
    text: str = ""


def read_reply(reply: Reply, shape: Shape, quotable: Iterable[str] = (), seal: str | None = None) -> Fields | Unread:
    """The wanted fields of a reply. The arguments of a function that it calls come before its text."""
    named = [call for call in reply.tool_calls if call.name == shape.name]
    calls = named or list(reply.tool_calls)
    texts = [call.malformed if call.malformed is not None else _json(call.args) for call in calls]
    return read_text("\n".join(texts) if texts else reply.text, shape, quotable, seal)


def read_text(text: str, shape: Shape, quotable: Iterable[str] = (), seal: str | None = None) -> Fields | Unread:
    """The wanted fields in a reply's text.

    `quotable` is what the agent wrote, which is no judge's opinion; `seal` what the prompt gave the judge to seal its
    object by, None where it gave nothing.
    """
    outside = _without_reasoning(text)
    if isinstance(outside, Unread):
        return outside
    found = objects(outside)
    loose = _loose(outside, found)
    if _names_field(loose, shape):
        return Unread("a wanted field stands outside of a complete JSON object, or twice.")
    read = [(_opinion(each.value, shape), each) for each in found]
    whole = [
        opinion._replace(text=outside[each.start : each.end])
        for opinion, each in read
        if not isinstance(opinion, Unread)
    ]
    if not whole:
        problems = [opinion for opinion, _ in read if isinstance(opinion, Unread)]
        return problems[-1] if problems else Unread("it holds no JSON object.")
    alone = len(whole) == len(found) and all(word in _COURTESIES for word in _WORD.findall(loose.lower()))
    return _chosen(whole, shape, list(quotable), seal, alone=alone)


def _chosen(
    whole: list[_Opinion], shape: Shape, quotable: list[str], seal: str | None, *, alone: bool
) -> Fields | Unread:
    """The judge's own of several objects that have the wanted fields. `alone`: the reply says nothing beside them."""
    if len({opinion.text for opinion in whole}) > _MOST:
        return Unread("it holds far too many JSON objects; give one.")
    sealed = [opinion for opinion in whole if seal is not None and opinion.seals == (seal,)]
    plain = [opinion for opinion in whole if seal is None or not opinion.seals]
    if not sealed and not plain:
        return Unread(f'its field "{SEAL}" is not the one that was given: "{seal}".')
    own = [*sealed, *_unquoted(plain, shape, quotable)]
    if not own and alone and all(_is_unsolved(opinion.fields, shape) for opinion in plain):
        own = plain
    if not own:
        return Unread(f"it only repeats what stands in the material; give a judgement of your own{_told(seal)}.")
    if len({_key(_decided(opinion.fields, shape)) for opinion in own}) > 1:
        return Unread("it holds several JSON objects that say different things; give one.")
    if seal is not None and not sealed and not alone:
        return Unread(f"its JSON object stands among other words; give the object alone{_told(seal)}.")
    return own[-1].fields


def _told(seal: str | None) -> str:
    return "" if seal is None else f', with the further field "{SEAL}": "{seal}"'


def _unquoted(plain: list[_Opinion], shape: Shape, quotable: list[str]) -> list[_Opinion]:
    """Those that do not stand in the material."""
    if not plain or not quotable:
        return plain
    material = Material(quotable)
    said: dict[str, _Opinion] = {}  # each object that was written several times is looked for once
    for opinion in plain:
        said.setdefault(opinion.text, opinion)
    copied = {text for text in said if material.holds(text)}
    quoted = material.keys(lambda value: _said(value, shape), [bare(field.name) for field in shape.deciding])
    return [opinion for opinion in plain if opinion.text not in copied and _key(opinion.fields) not in quoted]


def _said(value: Mapping[str, Any], shape: Shape) -> str | None:
    opinion = _opinion(value, shape)
    return None if isinstance(opinion, Unread) else _key(opinion.fields)


def _is_unsolved(fields: Fields, shape: Shape) -> bool:
    field = shape.only("choice")
    return field is not None and bare(str(fields[field.name])) == bare(Status.UNSOLVED.value)


def _without_reasoning(text: str) -> str | Unread:
    if len(text) > _LONGEST:
        return Unread("it is far too long.")
    while match := _REASONING.match(text):
        text = text[match.end() :]
    if _OPEN_REASONING.match(text):
        return Unread("it ends in the middle of its reasoning.")
    return text if text.strip() else Unread("it is empty.")


def _opinion(value: Mapping[str, Any], shape: Shape, depth: int = 0) -> _Opinion | Unread:
    """What one object says, or the one object that it is wrapped around."""
    given: dict[str, list[Any]] = {}
    for name, said in value.items():
        given.setdefault(bare(name), []).append(said)
    lacking = [field.name for field in shape.deciding if bare(field.name) not in given]
    if lacking and depth < 3:
        inner = [_inner(said) for name, said in value.items() if bare(name) in _WRAPPERS or len(value) == 1]
        read = [_opinion(one, shape, depth + 1) for one in inner if one is not None]
        if len(read) == 1 and not isinstance(read[0], Unread):
            return read[0]
    if lacking:
        return Unread(f"its JSON object lacks the field {lacking[0]!r}.")
    fields = _fields(given, shape)
    return fields if isinstance(fields, Unread) else _Opinion(fields, tuple(given.get(SEAL, ())))


def _fields(given: Mapping[str, list[Any]], shape: Shape) -> Fields | Unread:
    """The wanted fields out of all that an object has, by their bare names."""
    fields: Fields = {}
    for field in shape.fields:
        try:
            values = [field.read(one) for one in given.get(bare(field.name), [])]
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


def _loose(text: str, found: list[Found]) -> str:
    """What stands outside of the complete objects."""
    place, rest = 0, []
    for one in found:
        rest.append(text[place : one.start])
        place = one.end
    return "\n".join([*rest, text[place:]])


def _names_field(loose: str, shape: Shape) -> bool:
    """Whether a deciding field stands there, written as a JSON name."""
    names = {bare(field.name) for field in shape.deciding}
    return any(bare(name) in names for name in _NAME.findall(loose))


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

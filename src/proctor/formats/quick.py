"""Records read quickly: what nearly all lines of a file of conversations hold, decoded into its types at once.

`read_quickly` knows samples, in any order of their fields and with an `id` or without, and messages in OpenAI's plain
shape, as a list, under `messages` or as a sample's `user_input`. It gives up on everything else, and on whatever is
odd: `read_record` then reads the line with care, and says what is wrong with it.
"""

from __future__ import annotations

import typing
from collections.abc import Iterable
from typing import Any

import msgspec
from msgspec import UNSET, UnsetType

from proctor import json_text
from proctor.dataset_schema import MultiTurnSample, Sample, SingleTurnSample
from proctor.dataset_schema.samples import free_values
from proctor.errors import InputError
from proctor.formats.conversations import SENT_ALONG
from proctor.messages.lines import Said, quickly_read

Id = str | int

_OWN_FIELD = b'"user_input":'
_OPENAI_LIST = b'[{"role":'
_OPENAI_MESSAGE = b'{"role":'
_OPENAI_FIELD = b'"messages":'
# What a decoder checked need not be checked again.
_make: Any = msgspec.StructMeta.__call__


def _fields(kind: type[Sample], leave_out: str = "") -> list[Any]:
    """The fields of a sample and its `id`, as `defstruct` takes them: `user_input` of a conversation is needed."""
    hints = typing.get_type_hints(kind)
    needed = "user_input" if kind is MultiTurnSample else ""
    names = [name for name in kind.__struct_fields__ if name != leave_out]
    fields = [(name, hints[name]) if name == needed else (name, hints[name], None) for name in names]
    return [("id", Id | None, None), *fields]


def _decoder(name: str, fields: list[Any]) -> Any:
    kind = msgspec.defstruct(name, fields, kw_only=True, omit_defaults=True, forbid_unknown_fields=True, gc=False)
    return msgspec.json.Decoder(kind).decode


_beside = [(name, Any | UnsetType, UNSET) for name in sorted(SENT_ALONG)]
_decode_conversation = _decoder("Conversation", _fields(MultiTurnSample))
_decode_turn = _decoder("Turn", _fields(SingleTurnSample))
_wanted = _fields(MultiTurnSample, leave_out="user_input")
_decode_messages = _decoder("Messages", [("messages", list[Said]), *_wanted, *_beside])
_decode_said = _decoder("Said", [("user_input", list[Said]), *_wanted])
_decode_list = msgspec.json.Decoder(list[Said]).decode
_encode = msgspec.json.Encoder().encode
_OF_TURNS = SingleTurnSample.__struct_fields__


def read_quickly(data: bytes) -> tuple[Sample, Id | None] | None:
    """The sample in a line and its id; None for a line that has to be read with care."""
    try:
        if data.startswith(_OPENAI_LIST):
            return _list(data)
        if not data.startswith(b"{"):
            return None
        at = data.find(_OWN_FIELD)
        if at >= 0:
            after = at + len(_OWN_FIELD)
            if b"[" not in data[after : after + 2]:
                return _turn(data)
            return _messages(data, "user_input") if _OPENAI_MESSAGE in data[after : after + 12] else _conversation(data)
        return _messages(data, "messages") if _OPENAI_FIELD in data else _turn(data)
    except (*json_text.UNREADABLE, InputError):
        return None


def _conversation(data: bytes) -> tuple[Sample, Id | None]:
    read = _decode_conversation(data)
    _refuse_duplicates(data, read)
    sample = _sample(read, read.user_input)
    if json_text.may_be_deep(data):
        _refuse_depth(free_values(sample))
    return sample, read.id


def _messages(data: bytes, field: str) -> tuple[Sample, Id | None] | None:
    read = (_decode_messages if field == "messages" else _decode_said)(data)
    messages = quickly_read(getattr(read, field))
    if not messages:
        return None
    _refuse_duplicates(data, read)
    sample = _sample(read, messages)
    if json_text.may_be_deep(data):
        _refuse_depth(free_values(sample))
        _refuse_depth((getattr(read, name, None), 1) for name in SENT_ALONG)
    return sample, read.id


def _list(data: bytes) -> tuple[Sample, Id | None] | None:
    read = _decode_list(data)
    messages = quickly_read(read)
    if not messages:
        return None
    _refuse_duplicates(data, read)
    sample: Sample = _make(MultiTurnSample, user_input=messages)
    return sample, None


def _turn(data: bytes) -> tuple[Sample, Id | None] | None:
    read = _decode_turn(data)
    fields = {name: value for name in _OF_TURNS if (value := getattr(read, name)) is not None}
    if not fields:
        return None
    _refuse_duplicates(data, read)
    sample: Sample = _make(SingleTurnSample, **fields)
    return sample, read.id


def _sample(read: Any, messages: list[Any]) -> MultiTurnSample:
    """The sample with what was read beside its messages. It looks at the order of the messages itself."""
    sample: MultiTurnSample = _make(
        MultiTurnSample,
        user_input=messages,
        reference=read.reference,
        reference_tool_calls=read.reference_tool_calls,
        gold=read.gold,
        rubrics=read.rubrics,
        reference_topics=read.reference_topics,
    )
    return sample


def _refuse_duplicates(data: bytes, read: Any) -> None:
    encoded = _encode(read)
    # No key was lost where a line is written as we would write it, or has as many colons; the rest is looked at.
    if not data.startswith(encoded) and (data.count(b":") != encoded.count(b":") or b"\\" in data):
        json_text.refuse_duplicates(data, encoded)


def _refuse_depth(values: Iterable[tuple[Any, int]]) -> None:
    for value, depth in values:
        json_text.refuse_depth(value, depth)

"""Messages in OpenAI's plain shape, read from JSON quickly.

`Said` is one of them as a decoder of JSON reads it, and holds what nearly all of them hold and nothing else: whatever
is odd about one makes the decoder, or `quickly_read`, give up, and `read_messages` is there to read it with care.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import msgspec
from msgspec import UNSET, UnsetType

from proctor.messages.calls import ToolCall, read_arguments
from proctor.messages.turns import AIMessage, AnyMessage, HumanMessage, SystemMessage, ToolMessage

# Unset and null are told apart, so that what was read is written again as it was.


class _Function(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    name: str
    arguments: str


class _Call(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    function: _Function
    id: str | UnsetType | None = UNSET
    type: str | UnsetType = UNSET


class Said(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    """One message."""

    role: Literal["user", "assistant", "tool", "system", "developer"]
    content: str | UnsetType | None = UNSET
    tool_calls: list[_Call] | UnsetType | None = UNSET
    tool_call_id: str | UnsetType = UNSET
    name: str | UnsetType = UNSET
    refusal: UnsetType | None = UNSET


# What the decoder checked need not be checked again.
_make: Any = msgspec.StructMeta.__call__


def quickly_read(said: Sequence[Said]) -> list[AnyMessage] | None:
    """The messages, as `read_messages` reads them; None where one of them has to be read with care."""
    messages: list[AnyMessage] = []
    for one in said:
        message = _message(one)
        if message is None:
            return None
        messages.append(message)
    return messages


def _message(said: Said) -> AnyMessage | None:
    text = said.content or ""
    if said.role == "tool":
        if said.tool_calls:
            return None
        answer: AnyMessage = _make(ToolMessage, text, tool_call_id=_known(said.tool_call_id), name=_known(said.name))
        return answer
    if said.tool_call_id is not UNSET or said.name is not UNSET:
        return None
    if said.role == "assistant":
        calls = said.tool_calls
        told: AnyMessage = _make(AIMessage, text, tool_calls=[_call(call) for call in calls] if calls else None)
        return told
    if said.tool_calls:
        return None
    message: AnyMessage = _make(HumanMessage if said.role == "user" else SystemMessage, text)
    return message


def _call(call: _Call) -> ToolCall:
    args, malformed = read_arguments(call.function.arguments)
    made: ToolCall = _make(ToolCall, call.function.name, args, _known(call.id), malformed)
    return made


def _known(text: str | UnsetType | None) -> str | None:
    return None if text is UNSET else text

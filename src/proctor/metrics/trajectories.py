"""Trajectories: the calls of an agent, read from whatever holds them.

A list of messages (Proctor's, or OpenAI's dictionaries), a list of calls, or a dictionary with such a list under
`messages` is read. Nothing that is read is changed.

Messages are most of what there is to read and say nothing about calls. So messages in OpenAI's plain shape are only
looked at; everything else goes to `proctor.messages`, which knows all shapes and says what is wrong with them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from proctor.errors import SampleError
from proctor.messages import AIMessage, AnyMessage, ToolCall, read_messages, read_tool_call
from proctor.records.keys import canonical_form

Key = tuple[str, bytes]
"""A call's name and the canonical JSON of its arguments."""


class MadeCall(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """A call that the agent made."""

    index: int
    """Which of its calls this is, from 0."""
    name: str
    args: dict[str, Any]
    malformed: str | None = None
    """The arguments as the agent wrote them, when they are no JSON object: such a call matches nothing."""


class Trajectory:
    """The calls of one side, in order, each with its key; None for a call that nothing is equal to."""

    __slots__ = ("calls", "keys")

    def __init__(self) -> None:
        self.calls: list[MadeCall] = []
        self.keys: list[Key | None] = []

    def part(self, places: Sequence[int]) -> Trajectory:
        """Some of the calls, each still with its index."""
        part = Trajectory()
        part.calls = [self.calls[index] for index in places]
        part.keys = [self.keys[index] for index in places]
        return part

    def add(self, call: ToolCall) -> None:
        """Add a call. Arguments that JSON cannot hold make it malformed."""
        args: dict[str, Any] = {}
        malformed = call.malformed
        key = None
        if malformed is None:
            try:
                # A copy, so that a result does not change with what it was made from.
                args, text = canonical_form(call.args or {})
                key = (call.name, text)
            except SampleError as error:
                args, malformed = {}, str(error)
        self.calls.append(MadeCall(len(self.calls), call.name, args, malformed))
        self.keys.append(key)

    def add_openai(self, call: Any, texts: Texts) -> None:
        """Add a call as OpenAI writes it, or as any other that `read_tool_call` knows."""
        if type(call) is dict and type(function := call.get("function")) is dict:
            name, text = function.get("name"), function.get("arguments")
            if type(name) is str and type(text) is str:
                read = texts.get(text)
                if read is None:
                    read = texts[text] = _quickly(text)
                if read:
                    self.calls.append(MadeCall(len(self.calls), name, read[0]))
                    self.keys.append((name, read[1]))
                    return
        self.add(_tool_call(call))


Texts = dict[str, tuple[dict[str, Any], bytes] | tuple[()]]
"""Arguments that have been read already, by their text: agents and golds write the same again and again."""


def read_trajectory(data: Any, where: str, texts: Texts | None = None) -> Trajectory:
    """Read the calls of one side. SampleError, with `where`, for what holds none and cannot hold any."""
    if isinstance(data, dict) and isinstance(data.get("messages"), list):
        data = data["messages"]
    if not isinstance(data, (list, tuple)):
        raise SampleError(f"{where} must be a list of messages or of tool calls, not {type(data).__name__}.")
    read = Trajectory()
    texts = {} if texts is None else texts
    index = 0
    try:
        for index, item in enumerate(data):  # noqa: B007 - the error says where
            # Parts of a content may be calls, so they are read with care.
            if type(item) is dict and type(item.get("content")) is not list:
                role = item.get("role")
                calls = item.get("tool_calls")
                if role == "assistant" and (calls is None or type(calls) is list) and item.keys() <= _PLAIN_FIELDS:
                    for call in calls or ():
                        read.add_openai(call, texts)
                    continue
                if role in _QUIET and not calls:
                    continue
            _add(read, item)
    except SampleError as error:
        raise SampleError(f"{where}[{index}]: {error}") from None
    return read


def made_by(messages: list[AnyMessage]) -> Trajectory:
    """The calls in messages that have been read already."""
    read = Trajectory()
    for message in messages:
        if type(message) is AIMessage and message.tool_calls:
            for call in message.tool_calls:
                read.add(call)
    return read


def is_message(item: Any) -> bool:
    """Whether an item of a list is a message and not a call."""
    return isinstance(item, AnyMessage) or (
        isinstance(item, dict) and ("role" in item or "content" in item or "tool_calls" in item)
    )


_QUIET = ("tool", "user", "system", "developer")
"""Whose messages hold no calls. A tuple, as a wrong role may be of any type."""
_PLAIN_FIELDS = frozenset({"role", "content", "tool_calls", "name", "refusal", "id"})


def _add(read: Trajectory, item: Any) -> None:
    """Add the calls of an item that is not in OpenAI's plain shape."""
    if type(item) is ToolCall:
        read.add(item)
    elif is_message(item):
        for message in read_messages(item):
            for call in (message.tool_calls or ()) if isinstance(message, AIMessage) else ():
                read.add(call)
    else:
        read.add(_tool_call(item))


def _tool_call(data: Any) -> ToolCall:
    """Read a call; the type that LangChain writes says nothing."""
    if isinstance(data, dict):
        data = {field: value for field, value in data.items() if field != "type"}
    return read_tool_call(data)


def _whole(text: str) -> float | int:
    value = float(text)
    if value - value != 0:
        raise ValueError
    return int(value) if value.is_integer() else value


_SHORT = 200
_decode = msgspec.json.Decoder(float_hook=_whole).decode
_encode = msgspec.json.Encoder(order="deterministic").encode


def _quickly(text: str) -> tuple[dict[str, Any], bytes] | tuple[()]:
    """The arguments and their canonical JSON, for a text in which nothing is odd; else nothing.

    Numbers come out of the decoder in their canonical spelling, so the value need not be walked. A key that stands
    twice takes its colon with it, so equal numbers of colons say that none does; escapes and deep nesting are left to
    the careful reader too.
    """
    if "\\" in text or (len(text) > _SHORT and text.count("{") + text.count("[") > _SHORT // 2):
        return ()
    try:
        value = _decode(text)
    except (msgspec.MsgspecError, ValueError):
        return ()
    if type(value) is not dict:
        return ()
    key = _encode(value)
    return (value, key) if text.count(":") == key.count(b":") else ()

"""The shapes that a message is written in: Proctor's own, OpenAI's and Anthropic's."""

from __future__ import annotations

from typing import Any

from proctor.errors import SampleError, close_to, nearest
from proctor.messages.calls import ToolCall, call_from_function, read_tool_call
from proctor.messages.checked import shown
from proctor.messages.parts import Content, read_content
from proctor.messages.turns import AIMessage, AnyMessage, HumanMessage, SystemMessage, ToolMessage

_Kind = type[HumanMessage | AIMessage | ToolMessage | SystemMessage]

_BY_TYPE: dict[str, _Kind] = {
    "human": HumanMessage,
    "ai": AIMessage,
    "tool": ToolMessage,
    "system": SystemMessage,
}
_BY_ROLE: dict[str, _Kind] = {
    "user": HumanMessage,
    "assistant": AIMessage,
    "tool": ToolMessage,
    "function": ToolMessage,
    "system": SystemMessage,
    "developer": SystemMessage,
}
_OWN_FIELDS = frozenset().union(*(kind.__struct_fields__ for kind in _BY_TYPE.values()))
_OPENAI_FIELDS = frozenset({"role", "content", "name", "tool_calls", "tool_call_id", "function_call", "refusal"})


def read_message(data: Any) -> AnyMessage:
    """Read one message from plain data, in Proctor's own shape, in OpenAI's or in Anthropic's.

    A dictionary with neither `type` nor `role` is the agent's when it has tool calls, a tool's when it says which
    call it answers, else the user's. SampleError for a dictionary that is several messages (`read_messages`).
    """
    messages = read_messages(data)
    if len(messages) > 1:
        msg = f"this one dictionary is {len(messages)} messages, {len(messages) - 1} or more of them tools' answers; "
        raise SampleError(f"{msg}read it by read_messages, or as part of a conversation.")
    return messages[0]


def read_messages(data: Any) -> list[AnyMessage]:
    """Read a dictionary that may be several messages: Anthropic's users hand over the answers of several tools."""
    if isinstance(data, AnyMessage):
        return [data]
    if not isinstance(data, dict):
        msg = f"a message must be a message object or a dictionary, not {shown(data)}."
        raise SampleError(msg)
    return _from_role(data) if "role" in data else [_from_own(data)]


def _from_own(data: dict[str, Any]) -> AnyMessage:
    said = data.get("type", _likely_type(data))
    kind = _BY_TYPE.get(said) if isinstance(said, str) else None
    if kind is None:
        msg = f"a message has the unknown type {said!r}; {nearest(str(said), _BY_TYPE)}"
        raise SampleError(msg)
    fields = {
        str(name): value
        for name, value in data.items()
        if name != "type" and not (value is None and name in _OWN_FIELDS and name != "content")
    }
    message: AnyMessage = kind(**fields)
    return message


def _likely_type(data: dict[str, Any]) -> str:
    if data.get("tool_calls") is not None:
        return "ai"
    return "human" if data.get("tool_call_id") is None else "tool"


def _from_role(data: dict[str, Any]) -> list[AnyMessage]:
    kind = _BY_ROLE.get(data["role"]) if isinstance(data["role"], str) else None
    if kind is None:
        msg = f"a message has the unknown role {data['role']!r}; {nearest(str(data['role']), _BY_ROLE)}"
        raise SampleError(msg)
    content = read_content(data.get("content"))
    if kind is not AIMessage and (data.get("tool_calls") or content.calls):
        what = "tool_calls" if data.get("tool_calls") else "parts that are tool calls"
        raise SampleError(f"a message of the role {data['role']!r} has {what}; only an assistant's may.")
    if not content.answers:
        return [_from_openai(data, kind, content)]
    if kind in (AIMessage, SystemMessage):
        raise SampleError(f"a message of the role {data['role']!r} has a tool's answer; only a user's or a tool's may.")
    rest = [_from_openai(data, HumanMessage, content)] if content.text or content.others else []
    return [*content.answers, *rest]


def _from_openai(data: dict[str, Any], kind: _Kind, content: Content) -> AnyMessage:
    metadata = _other_fields(data, kind)
    if content.others:
        metadata["content_parts"] = data["content"]
    refused = read_content(data.get("refusal")).text
    fields: dict[str, Any] = {"content": content.text or refused}
    if content.text and data.get("refusal"):
        metadata["refusal"] = data["refusal"]
    if kind is AIMessage:
        fields["tool_calls"] = _calls(data, content)
    elif kind is ToolMessage:
        fields["tool_call_id"] = data.get("tool_call_id")
        fields["name"] = data.get("name")
    message: AnyMessage = kind(**fields, metadata=metadata or None)
    return message


def _other_fields(data: dict[str, Any], kind: _Kind) -> dict[str, Any]:
    """What OpenAI's shape may hold beside the fields that we know; a misspelt field is an error, the rest is kept."""
    metadata: dict[str, Any] = {}
    for field, value in data.items():
        if field in _OPENAI_FIELDS or value is None:
            continue
        if meant := close_to(str(field), _OPENAI_FIELDS - data.keys(), cutoff=0.8):
            msg = f"a message of the role {data['role']!r} has the unknown field {field!r}; did you mean {meant!r}?"
            raise SampleError(msg)
        metadata[str(field)] = value
    if kind is not ToolMessage:
        metadata |= {field: data[field] for field in ("name", "tool_call_id") if data.get(field)}
    return metadata


def _calls(data: dict[str, Any], content: Content) -> list[ToolCall] | None:
    """The calls beside the content and in it; one that stands in both places is one call."""
    calls = data.get("tool_calls")
    if calls is not None and not isinstance(calls, list):
        msg = f"'tool_calls' of a message must be a list, not {shown(calls)}."
        raise SampleError(msg)
    read = [read_tool_call(call) for call in calls or ()]
    legacy = data.get("function_call")
    if isinstance(legacy, dict):
        read.append(call_from_function(legacy))
    beside = list(read)
    read += [call for call in content.calls if not any(_same(call, other) for other in beside)]
    return read or None


def _same(one: ToolCall, other: ToolCall) -> bool:
    if one.id is not None and other.id is not None:
        return one.id == other.id
    return (one.name, one.args, one.malformed) == (other.name, other.args, other.malformed)

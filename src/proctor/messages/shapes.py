"""The shapes that a message is written in: Proctor's own and OpenAI's."""

from __future__ import annotations

from typing import Any

from proctor.errors import SampleError, close_to, nearest
from proctor.messages.calls import ToolCall, call_from_function, read_tool_call
from proctor.messages.checked import shown
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
    """Read one message from plain data, in Proctor's own shape or in OpenAI's.

    A dictionary with neither `type` nor `role` is the agent's when it has tool calls, a tool's when it says which
    call it answers, else the user's.
    """
    if isinstance(data, AnyMessage):
        return data
    if not isinstance(data, dict):
        msg = f"a message must be a message object or a dictionary, not {shown(data)}."
        raise SampleError(msg)
    if "role" in data:
        return _from_openai(data)
    return _from_own(data)


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


def _from_openai(data: dict[str, Any]) -> AnyMessage:
    kind = _BY_ROLE.get(data["role"]) if isinstance(data["role"], str) else None
    if kind is None:
        msg = f"a message has the unknown role {data['role']!r}; {nearest(str(data['role']), _BY_ROLE)}"
        raise SampleError(msg)
    metadata = _other_fields(data, kind)
    content = _text(data.get("content"), metadata)
    fields: dict[str, Any] = {"content": content or _text(data.get("refusal"), metadata)}
    if content and data.get("refusal"):
        metadata["refusal"] = data["refusal"]
    if kind is AIMessage:
        fields["tool_calls"] = _openai_calls(data)
    elif kind is ToolMessage:
        fields["tool_call_id"] = data.get("tool_call_id")
        fields["name"] = data.get("name")
    elif data.get("tool_calls"):
        msg = f"a message of the role {data['role']!r} has tool_calls; only an assistant's may."
        raise SampleError(msg)
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


def _openai_calls(data: dict[str, Any]) -> list[ToolCall] | None:
    calls = data.get("tool_calls")
    if calls is not None and not isinstance(calls, list):
        msg = f"'tool_calls' of a message must be a list, not {shown(calls)}."
        raise SampleError(msg)
    read = [read_tool_call(call) for call in calls or ()]
    legacy = data.get("function_call")
    if isinstance(legacy, dict):
        read.append(call_from_function(legacy))
    return read or None


def _text(content: Any, metadata: dict[str, Any]) -> str:
    """The text of OpenAI's `content`; parts that are no text are kept in the metadata."""
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        msg = f"'content' of a message must be text or a list of parts, not {shown(content)}."
        raise SampleError(msg)
    texts = [part.get("text") for part in content if isinstance(part, dict)]
    if len(texts) < len(content) or not all(isinstance(text, str) for text in texts):
        metadata["content_parts"] = content
    return "\n".join(text for text in texts if isinstance(text, str))

"""The messages of a conversation, and the tool calls in them.

A message is one of `HumanMessage`, `AIMessage`, `ToolMessage` and `SystemMessage`. Each knows its `type`, and how to
print itself. Dictionaries are read by `read_message`: Proctor's own shape (`{"type": "ai", …}`) and OpenAI's
(`{"role": "assistant", …}`) are both read as what they are.
"""

from __future__ import annotations

import re
from typing import Any, ClassVar, Literal

import msgspec

from proctor import json_text
from proctor.errors import InputError, SampleError, close_to, nearest

__all__ = [
    "AIMessage",
    "AnyMessage",
    "HumanMessage",
    "Message",
    "SystemMessage",
    "ToolCall",
    "ToolMessage",
    "read_message",
    "read_tool_call",
]


class ToolCall(msgspec.Struct, omit_defaults=True, forbid_unknown_fields=True):
    """One call of one tool, as an agent made it or as a reference wants it."""

    name: str
    """The tool's name, as the agent wrote it."""
    args: dict[str, Any]
    """The arguments by name. Empty when the agent's text could not be read (see `malformed`)."""
    id: str | None = None
    """The identifier that joins a call to its answer. It never matters for a score."""
    malformed: str | None = None
    """The arguments as the agent wrote them, when they are not a JSON object. Such a call is always scored as wrong."""


class _MessageMeta(msgspec.StructMeta):
    """Lets `type="human"` be said when a message is made, as every stored message says it."""

    def __call__(self, *args: Any, **fields: Any) -> Any:
        said = fields.pop("type", None)
        if said is not None and said != getattr(self, "type", None):
            msg = f"a {self.__name__} has the type {getattr(self, 'type', None)!r}, not {said!r}."
            raise SampleError(msg)
        return super().__call__(*args, **fields)


class Message(msgspec.Struct, omit_defaults=True, forbid_unknown_fields=True, tag_field="type", metaclass=_MessageMeta):
    """What all messages have."""

    content: str
    """The text."""
    metadata: dict[str, Any] | None = None
    """Whatever else is known of the message. No metric reads it."""

    type: ClassVar[str] = "message"
    speaker: ClassVar[str] = "Message"

    def pretty_repr(self) -> str:
        """The message as a person reads it."""
        return f"{self.speaker}: {self.content}"

    def to_dict(self) -> dict[str, Any]:
        """The message as plain data, unset fields left out; `read_message` reads it back."""
        plain: dict[str, Any] = msgspec.to_builtins(self)
        return plain


class HumanMessage(Message, tag="human"):
    """What the user said."""

    type: ClassVar[Literal["human"]] = "human"
    speaker: ClassVar[str] = "Human"


class SystemMessage(Message, tag="system"):
    """What the agent was told before the conversation began."""

    type: ClassVar[Literal["system"]] = "system"
    speaker: ClassVar[str] = "System"


class AIMessage(Message, kw_only=True, tag="ai"):
    """What the agent said, and the tools that it called with it."""

    tool_calls: list[ToolCall] | None = None
    """The calls, in the order in which they were made."""

    type: ClassVar[Literal["ai"]] = "ai"
    speaker: ClassVar[str] = "AI"

    def __post_init__(self) -> None:
        calls = self.tool_calls
        if calls and any(type(call) is not ToolCall for call in calls):
            self.tool_calls = [read_tool_call(call) for call in calls]

    def pretty_repr(self) -> str:
        """The message as a person reads it: the text, if there is any, then a line for each call."""
        lines = [f"AI: {self.content}"] if self.content else []
        if self.tool_calls is not None:
            lines.append("Tools:")
            lines.extend(f"  {call.name}: {call.args}" for call in self.tool_calls)
        return "\n".join(lines)


class ToolMessage(Message, kw_only=True, tag="tool"):
    """What a tool answered."""

    tool_call_id: str | None = None
    """The `ToolCall.id` that this answers. Without it, answers belong to calls in the order of both."""
    name: str | None = None
    """The tool's name."""
    status: Literal["success", "error"] | None = None
    """Whether the tool did what it was asked; None when nobody said."""

    type: ClassVar[Literal["tool"]] = "tool"
    speaker: ClassVar[str] = "ToolOutput"


AnyMessage = HumanMessage | AIMessage | ToolMessage | SystemMessage

_BY_TYPE: dict[str, type[HumanMessage | AIMessage | ToolMessage | SystemMessage]] = {
    "human": HumanMessage,
    "ai": AIMessage,
    "tool": ToolMessage,
    "system": SystemMessage,
}
_BY_ROLE = {
    "user": HumanMessage,
    "assistant": AIMessage,
    "tool": ToolMessage,
    "function": ToolMessage,
    "system": SystemMessage,
    "developer": SystemMessage,
}
_OPENAI_FIELDS = frozenset({"role", "content", "name", "tool_calls", "tool_call_id", "function_call", "refusal"})


def read_message(data: Any) -> AnyMessage:
    """Read one message from plain data, in Proctor's own shape or in OpenAI's.

    A dictionary with neither `type` nor `role` is the agent's when it has tool calls, else the user's.
    """
    if isinstance(data, AnyMessage):
        return data
    if not isinstance(data, dict):
        msg = f"a message must be a message object or a dictionary, not {type(data).__name__}: {_short(data)}."
        raise SampleError(msg)
    if "role" in data:
        return _from_openai(data)
    return _from_own(data)


def read_tool_call(data: Any) -> ToolCall:
    """Read one tool call: a `ToolCall`, `{"name", "args"}`, or OpenAI's `{"function": {"name", "arguments"}}`.

    Arguments that are not a JSON object are kept as text in `malformed`; that is a wrong call, not an error.
    """
    if isinstance(data, ToolCall):
        return data
    if not isinstance(data, dict):
        msg = f"a tool call must be a ToolCall or a dictionary, not {type(data).__name__}: {_short(data)}."
        raise SampleError(msg)
    function = data.get("function", data)
    if isinstance(function, dict) and ("arguments" in function or function is not data):
        return _call_from_openai(function, data.get("id"))
    try:
        return msgspec.convert(data, ToolCall)
    except msgspec.ValidationError as error:
        raise SampleError(f"a tool call is not readable: {explain(error, data, ToolCall)}") from None


def explain(error: msgspec.ValidationError, data: dict[str, Any], kind: type[msgspec.Struct]) -> str:
    """What msgspec found wrong, and for a field that nobody knows the nearest known one."""
    known = {"type", *kind.__struct_fields__} if issubclass(kind, Message) else set(kind.__struct_fields__)
    unknown = next((field for field in data if field not in known), None)
    if unknown is not None:
        return f"unknown field {unknown!r}; {nearest(str(unknown), known)}"
    return in_words(str(error))


_MISMATCH = re.compile(r"Expected `([^`]*)`, got `([^`]*)`(?: - at `(?:key in )?\$?\.?([^`]*)`)?")
_WORDS = {
    "array": "a list",
    "object": "a dictionary",
    "str": "text",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "null": "null",
}


def in_words(said: str) -> str:
    """What msgspec says of a wrong type, in the words of the other errors.

    >>> in_words("Expected `str | null`, got `int` - at `$.content`")
    "'content' must be text or null, not a whole number."
    """
    wrong = _MISMATCH.fullmatch(said)
    if wrong is None:
        return f"{said.rstrip('.')}."
    expected = " or ".join(_WORDS.get(kind, kind) for kind in wrong[1].split(" | "))
    return f"{wrong[3] or 'it'!r} must be {expected}, not {_WORDS.get(wrong[2], wrong[2])}."


def _from_own(data: dict[str, Any]) -> AnyMessage:
    kind = _BY_TYPE.get(data.get("type", "ai" if "tool_calls" in data else "human"))
    if kind is None:
        msg = f"a message has the unknown type {data['type']!r}; known are ai, human, system, tool."
        raise SampleError(msg)
    fields = {name: value for name, value in data.items() if name != "type"}
    if isinstance(fields.get("tool_calls"), list):
        fields["tool_calls"] = [msgspec.to_builtins(read_tool_call(call)) for call in fields["tool_calls"]]
    try:
        return msgspec.convert({**fields, "type": kind.type}, kind)
    except msgspec.ValidationError as error:
        raise SampleError(f"a message of type {kind.type!r} is not readable: {explain(error, data, kind)}") from None


def _from_openai(data: dict[str, Any]) -> AnyMessage:
    kind = _BY_ROLE.get(data["role"]) if isinstance(data["role"], str) else None
    if kind is None:
        msg = f"a message has the unknown role {data['role']!r}; known are {', '.join(sorted(_BY_ROLE))}."
        raise SampleError(msg)
    metadata = _other_fields(data)
    content = _text(data.get("content"), metadata) or _text(data.get("refusal"), metadata)
    fields: dict[str, Any] = {"content": content, "metadata": metadata or None}
    if kind is AIMessage:
        fields["tool_calls"] = _openai_calls(data)
    elif kind is ToolMessage:
        fields["tool_call_id"] = data.get("tool_call_id")
        fields["name"] = data.get("name")
    elif data.get("tool_calls"):
        msg = f"a message of the role {data['role']!r} has tool_calls; only an assistant's may."
        raise SampleError(msg)
    message: AnyMessage = kind(**fields)
    return message


def _other_fields(data: dict[str, Any]) -> dict[str, Any]:
    """What OpenAI's shape may hold beside the fields that we know; a misspelt field is an error, the rest is kept."""
    metadata: dict[str, Any] = {}
    for field, value in data.items():
        if field in _OPENAI_FIELDS or value is None:
            continue
        if meant := close_to(str(field), _OPENAI_FIELDS - data.keys(), cutoff=0.8):
            msg = f"a message of the role {data['role']!r} has the unknown field {field!r}; did you mean {meant!r}?"
            raise SampleError(msg)
        metadata[field] = value
    if data["role"] not in ("tool", "function") and data.get("name"):
        metadata["name"] = data["name"]
    return metadata


def _openai_calls(data: dict[str, Any]) -> list[ToolCall] | None:
    calls = data.get("tool_calls")
    if calls is not None and not isinstance(calls, list):
        msg = f"tool_calls must be a list, not {type(calls).__name__}: {_short(calls)}."
        raise SampleError(msg)
    read = [read_tool_call(call) for call in calls or ()]
    legacy = data.get("function_call")
    if isinstance(legacy, dict):
        read.append(_call_from_openai(legacy, None))
    return read or None


def _call_from_openai(function: Any, identifier: Any) -> ToolCall:
    if not isinstance(function, dict) or not isinstance(function.get("name"), str):
        msg = f"a tool call's function must be a dictionary with a name, not {_short(function)}."
        raise SampleError(msg)
    args, malformed = _arguments(function.get("arguments"))
    return ToolCall(
        name=function["name"],
        args=args,
        id=identifier if isinstance(identifier, str) else None,
        malformed=malformed,
    )


def _arguments(said: Any) -> tuple[dict[str, Any], str | None]:
    """The arguments of a call, or nothing and the text that could not be read."""
    if said is None or said == "":
        return {}, None
    value = said
    if isinstance(said, str):
        try:
            value = json_text.decode(said)
        except InputError:
            return {}, said
    if isinstance(value, dict):
        return value, None
    return {}, said if isinstance(said, str) else repr(said)


def _text(content: Any, metadata: dict[str, Any]) -> str:
    """The text of OpenAI's `content`; parts that are no text are kept in the metadata."""
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        msg = f"a message's content must be text or a list of parts, not {type(content).__name__}: {_short(content)}."
        raise SampleError(msg)
    texts = [part.get("text") for part in content if isinstance(part, dict)]
    if len(texts) < len(content) or not all(isinstance(text, str) for text in texts):
        metadata["content_parts"] = content
    return "\n".join(text for text in texts if isinstance(text, str))


def _short(data: Any, limit: int = 60) -> str:
    text = repr(data)
    return text if len(text) <= limit else f"{text[:limit]}…"

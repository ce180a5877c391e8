"""LangChain's and LangGraph's messages."""

from __future__ import annotations

from typing import Any

from proctor.dataset_schema import MultiTurnSample
from proctor.errors import SampleError
from proctor.formats.frameworks.objects import as_text, field, listed, text_field
from proctor.formats.frameworks.thread import Thread
from proctor.formats.stabletoolbench.conversions import Conversion
from proctor.messages import AIMessage
from proctor.messages.checked import shown

_CALLS = {"tool_use", "tool_call", "function_call", "input_json_delta", "server_tool_use"}
_KINDS = {"human", "ai", "tool", "system", "function", "user", "assistant", "developer"}


def from_langchain(messages: Any, **wanted: Any) -> Conversion[MultiTurnSample]:
    """The sample of LangChain messages, or of a LangGraph state that has them under `messages`.

    Calls are read from `tool_calls` and `invalid_tool_calls`; where an old release left them there, from
    `additional_kwargs`. Messages as `dumpd` and `message_to_dict` write them are read as well.
    """
    thread = Thread()
    for message in listed(messages, "a list of LangChain messages", "messages"):
        _read(thread, _unpacked(message))
    return thread.sample(wanted)


def _unpacked(message: Any) -> Any:
    """A message out of the forms in which LangChain writes it down."""
    if not isinstance(message, dict):
        return message
    if message.get("lc") is not None and isinstance(message.get("kwargs"), dict):
        path = message.get("id") or [""]
        kind = str(path[-1]).removesuffix("Chunk").removesuffix("Message").lower()
        return {**message["kwargs"], "type": kind}
    if isinstance(message.get("data"), dict) and "type" in message:
        return {**message["data"], "type": message["type"]}
    return message


def _read(thread: Thread, message: Any) -> None:
    kind = text_field(message, "type", "role") or ""
    kind = kind.removesuffix("MessageChunk").lower()
    if kind == "chat":
        kind = text_field(message, "role") or kind
    if kind == "remove":
        thread.lose("messages that were removed from a state")
        return
    if kind not in _KINDS:
        raise SampleError(f"a LangChain message has the unknown type {kind!r}: {shown(message)}.")
    text = _text(thread, field(message, "content"))
    if kind in ("human", "user"):
        thread.human(text)
    elif kind in ("system", "developer"):
        thread.system(text)
    elif kind in ("tool", "function"):
        status = text_field(message, "status")
        thread.returned(
            text,
            text_field(message, "tool_call_id"),
            name=text_field(message, "name"),
            status="error" if status == "error" else "success" if status == "success" else None,
        )
    else:
        thread.add(AIMessage(text))
        _read_calls(thread, message)


def _read_calls(thread: Thread, message: Any) -> None:
    calls = list(field(message, "tool_calls") or ())
    for call in calls:
        if field(call, "function") is not None:
            function = field(call, "function")
            thread.called(field(function, "name"), field(function, "arguments"), field(call, "id"))
        else:
            thread.called(field(call, "name"), field(call, "args"), field(call, "id"))
    unread = field(message, "invalid_tool_calls") or ()
    for call in unread:
        thread.called(field(call, "name"), field(call, "args") or "", field(call, "id"))
    if not calls and not unread:
        _read_old_calls(thread, field(message, "additional_kwargs") or {})


def _read_old_calls(thread: Thread, beside: Any) -> None:
    for call in field(beside, "tool_calls") or ():
        function = field(call, "function")
        thread.called(field(function, "name"), field(function, "arguments"), field(call, "id"))
    legacy = field(beside, "function_call")
    if legacy is not None:
        thread.called(field(legacy, "name"), field(legacy, "arguments"))


def _text(thread: Thread, content: Any) -> str:
    """Content as text; parts that are calls stand in `tool_calls` as well and are no loss."""
    if not isinstance(content, list | tuple):
        return as_text(content)
    texts: list[str] = []
    for part in content:
        kind = "text" if isinstance(part, str) else text_field(part, "type")
        if kind == "text":
            texts.append(part if isinstance(part, str) else text_field(part, "text") or "")
        elif kind not in _CALLS:
            thread.lose(f"parts of the type {kind!r}")
    return "\n".join(texts)

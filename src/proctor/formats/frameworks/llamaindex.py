"""The events of a LlamaIndex workflow."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from proctor.dataset_schema import MultiTurnSample
from proctor.formats.frameworks.objects import as_text, field, listed, text_field
from proctor.formats.frameworks.thread import Thread
from proctor.formats.stabletoolbench.conversions import Conversion


def from_llamaindex(events: Any, **wanted: Any) -> Conversion[MultiTurnSample]:
    """The sample of the events that an agent workflow streams (`handler.stream_events()`), in their order.

    What the user said comes from the first `AgentInput`; later ones repeat the conversation so far. Events as plain
    data have their class's name under `type` or `qualified_name`.
    """
    thread = Thread()
    for event in listed(events, "a list of LlamaIndex events", "events"):
        kind = _kind(event)
        read = _READERS.get(kind)
        body = field(event, "value", "data") if isinstance(event, dict) else None
        if read is not None:
            read(thread, body if isinstance(body, dict) else event)
        elif kind not in _REPEATED:
            thread.lose(f"events of the type {kind}")
    return thread.sample(wanted)


def _kind(event: Any) -> str:
    if isinstance(event, dict):
        return (text_field(event, "qualified_name", "type") or "without a name").rpartition(".")[2]
    return type(event).__name__


def _read_input(thread: Thread, event: Any) -> None:
    if thread.messages:
        return
    for message in field(event, "input", "chat_history") or ():
        _read_message(thread, message)


def _read_start(thread: Thread, event: Any) -> None:
    if thread.messages:
        return
    for message in field(event, "chat_history") or ():
        _read_message(thread, message)
    said = field(event, "user_msg")
    if said is not None:
        thread.human(said if isinstance(said, str) else _text(thread, said))


def _read_message(thread: Thread, message: Any) -> None:
    """A ChatMessage of the conversation before."""
    role = text_field(message, "role") or "user"
    text = _text(thread, message)
    beside = field(message, "additional_kwargs") or {}
    if role in ("system", "developer"):
        thread.system(text)
    elif role == "assistant":
        thread.said(text)
        for call in [*(field(beside, "tool_calls") or ()), *_blocks(message, "tool_call")]:
            function = field(call, "function") or call
            arguments = field(function, "arguments", "tool_kwargs")
            thread.called(field(function, "name", "tool_name"), arguments, field(call, "id", "tool_call_id"))
    elif role in ("tool", "function"):
        thread.returned(text, field(beside, "tool_call_id"), name=text_field(beside, "name"))
    else:
        thread.human(text)


def _read_output(thread: Thread, event: Any) -> None:
    response = field(event, "response")
    thread.said(response if isinstance(response, str) else _text(thread, response))
    for call in field(event, "tool_calls") or ():
        _read_call(thread, call)


def _read_call(thread: Thread, call: Any) -> None:
    """A call stands in the agent's output and in an event of its own: one id is one call."""
    identifier = field(call, "tool_id")
    if not thread.has_call(identifier):
        thread.called(field(call, "tool_name"), field(call, "tool_kwargs"), identifier)


def _read_result(thread: Thread, event: Any) -> None:
    _read_call(thread, event)
    output = field(event, "tool_output")
    failed: Literal["success", "error"] | None = "error" if field(output, "is_error") else None
    content = field(output, "content")
    if content is None and field(output, "blocks") is not None:
        content = _text(thread, output)
    said = output if content is None and not isinstance(output, dict) else content
    thread.returned(as_text(said), field(event, "tool_id"), name=text_field(event, "tool_name"), status=failed)


def _blocks(message: Any, kind: str) -> list[Any]:
    blocks = field(message, "blocks")
    return [block for block in blocks or () if text_field(block, "block_type") == kind]


def _text(thread: Thread, message: Any) -> str:
    """The text of a ChatMessage: its blocks, or the content of older ones."""
    blocks = field(message, "blocks")
    if not blocks:
        return as_text(field(message, "content", "text"))
    for block in blocks:
        kind = text_field(block, "block_type")
        if kind not in ("text", "tool_call"):
            thread.lose(f"blocks of the type {kind!r}")
    return "\n".join(text_field(block, "text") or "" for block in _blocks(message, "text"))


_READERS: dict[str, Callable[[Thread, Any], None]] = {
    "AgentInput": _read_input,
    "AgentWorkflowStartEvent": _read_start,
    "AgentOutput": _read_output,
    "ToolCall": _read_call,
    "ToolCallResult": _read_result,
}
_REPEATED = {"AgentStream", "AgentSetup", "StopEvent", "AgentStreamStructuredOutput"}
"""Events whose content stands in others as well."""

"""The parts of a message's content: text, and the calls and answers that some endpoints write between it.

Anthropic's messages say a call as a part `{"type": "tool_use", …}` of what the agent said, and its answer as a part
`{"type": "tool_result", …}` of what the user says next. A part that looks like a call and cannot be read is refused: a
call that is lost would be scored as one that was never made.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from proctor.errors import SampleError
from proctor.messages.calls import ToolCall, call_from_function
from proctor.messages.checked import shown
from proctor.messages.turns import ToolMessage

_ARGUMENTS = {
    "tool_use": "input",
    "server_tool_use": "input",
    "mcp_tool_use": "input",
    "function_call": "arguments",
    "tool_call": "args",
}
"""Where the arguments stand, by the type of a part that is a call."""
_ANSWERS = {"tool_result": ("tool_use_id", "content"), "function_call_output": ("call_id", "output")}
"""Where the call's id and the answer stand, by the type of a part that is an answer."""
_LIKE_A_CALL = re.compile(r"(tool|function)[-_ ]?(call|use)$", re.IGNORECASE)


class Content(NamedTuple):
    """What a message's content holds."""

    text: str
    calls: list[ToolCall]
    answers: list[ToolMessage]
    others: bool
    """Whether there are parts that are none of these: pictures, thoughts, …"""


def read_content(content: Any) -> Content:
    """Read content: nothing, text, or a list of parts. SampleError for a call that cannot be read."""
    if content is None or isinstance(content, str):
        return Content(content or "", [], [], others=False)
    if not isinstance(content, list):
        msg = f"'content' of a message must be text or a list of parts, not {shown(content)}."
        raise SampleError(msg)
    texts: list[str] = []
    calls: list[ToolCall] = []
    answers: list[ToolMessage] = []
    others = False
    for part in content:
        kind = part.get("type") if isinstance(part, dict) else None
        if isinstance(kind, str) and kind in _ARGUMENTS:
            calls.append(_call(part, kind))
        elif isinstance(kind, str) and kind in _ANSWERS:
            answers.append(_answer(part, kind))
        elif isinstance(part, dict) and isinstance(part.get("text"), str):
            texts.append(part["text"])
        else:
            _refuse_call(part)
            others = True
    return Content("\n".join(texts), calls, answers, others)


def _call(part: dict[str, Any], kind: str) -> ToolCall:
    field = _ARGUMENTS[kind]
    if kind == "tool_call" and field not in part:
        field = "arguments"
    if not isinstance(part.get("name"), str) or field not in part:
        msg = f"a part of the type {kind!r} is a tool call and must have a name and {field!r}, not {shown(part)}."
        raise SampleError(msg)
    return call_from_function({"name": part["name"], "arguments": part[field]}, part.get("call_id", part.get("id")))


def _answer(part: dict[str, Any], kind: str) -> ToolMessage:
    name, field = _ANSWERS[kind]
    said = part.get(field)
    parts = said if isinstance(said, list) else [{"text": said or ""}]
    texts = [inner["text"] for inner in parts if isinstance(inner, dict) and isinstance(inner.get("text"), str)]
    return ToolMessage(
        "\n".join(texts),
        tool_call_id=part.get(name),
        status="error" if part.get("is_error") is True else None,
        metadata={"content_parts": said} if len(texts) < len(parts) else None,
    )


def _refuse_call(part: Any) -> None:
    if not isinstance(part, dict):
        return
    named = [part.get("type"), *part] if "name" not in part else [part.get("type")]
    like = any(isinstance(word, str) and _LIKE_A_CALL.search(word) for word in named)
    if like or ("name" in part and not part.keys().isdisjoint(("input", "args", "arguments"))):
        msg = (
            f"a part of the content looks like a tool call and cannot be read: {shown(part)}; "
            f"known are parts of the types {', '.join(_ARGUMENTS)}, and OpenAI's 'tool_calls' beside the content."
        )
        raise SampleError(msg)

"""A conversation as a judge is shown it. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable

from proctor.messages import AIMessage, AnyMessage, ToolCall

__all__ = ["transcript"]

_LINE = re.compile(r"\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")


def transcript(messages: Iterable[AnyMessage]) -> str:
    """Each message under who said it, and the calls that were really made under `Tools:`.

    Further lines of a text are indented, so that nobody can write another's turn, or a call that was never made.
    """
    return "\n".join(line for message in messages for line in _lines(message))


def _lines(message: AnyMessage) -> list[str]:
    calls = (message.tool_calls or []) if isinstance(message, AIMessage) else []
    lines = [] if calls and not message.content else [_indented(f"{message.speaker}: {message.content}")]
    return [*lines, *(["Tools:"] if calls else []), *map(_call, calls)]


def _call(call: ToolCall) -> str:
    return _indented(f"  {call.name}: {call.args if call.malformed is None else call.malformed}")


def _indented(text: str) -> str:
    return _LINE.sub(r"\g<0>    ", text)

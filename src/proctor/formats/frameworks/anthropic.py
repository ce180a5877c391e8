"""Anthropic's messages: calls are parts of what the agent says, answers parts of what the user says next."""

from __future__ import annotations

from typing import Any

from proctor.dataset_schema import MultiTurnSample
from proctor.formats.frameworks.objects import field, listed, plain, text_field
from proctor.formats.frameworks.thread import Thread
from proctor.formats.stabletoolbench.conversions import Conversion
from proctor.messages import SystemMessage, read_messages

_READ = {"text", "tool_use", "server_tool_use", "mcp_tool_use", "tool_result"}


def from_anthropic(messages: Any, *, system: Any = None, **wanted: Any) -> Conversion[MultiTurnSample]:
    """The sample of Anthropic messages: dictionaries or the SDK's objects, and the `system` prompt beside them.

    >>> conversion = from_anthropic([{"role": "user", "content": "Hi"}], system="Be kind.")
    >>> print(conversion.value.pretty_repr())
    System: Be kind.
    Human: Hi
    """
    thread = Thread()
    before = field(messages, "system") if isinstance(messages, dict) and system is None else system
    if before is not None:
        text = before if isinstance(before, str) else "\n".join(text_field(part, "text") or "" for part in before)
        thread.add(SystemMessage(text))
    for message in listed(messages, "a list of Anthropic messages", "messages"):
        content = field(message, "content")
        parts = content if isinstance(content, list | tuple) else ()
        kept = [plain(part) for part in parts if text_field(part, "type") in _READ]
        said = {"role": text_field(message, "role"), "content": kept if parts else content}
        thread.add(*read_messages(said))
        for kind in dict.fromkeys(text_field(part, "type") for part in parts):
            if kind not in _READ:
                thread.lose(f"parts of the type {kind!r}")
    return thread.sample(wanted)

"""The messages of pydantic-ai: requests and responses, each made of parts."""

from __future__ import annotations

from typing import Any, Literal

from proctor.dataset_schema import MultiTurnSample
from proctor.errors import SampleError
from proctor.formats.frameworks.objects import as_text, field, listed, plain, text_field
from proctor.formats.frameworks.thread import Thread
from proctor.formats.stabletoolbench.conversions import Conversion
from proctor.messages.checked import shown

_FAILED = {"failed", "denied", "interrupted", "retried"}


def from_pydantic_ai(messages: Any, **wanted: Any) -> Conversion[MultiTurnSample]:
    """The sample of `result.all_messages()`, of the result itself, or of the same messages as plain data."""
    every = getattr(messages, "all_messages", None)
    thread = Thread()
    told: str | None = None
    for message in listed(every() if every is not None else messages, "a list of pydantic-ai messages", "messages"):
        instructions = text_field(message, "instructions")
        if instructions and instructions != told:
            thread.system(instructions)
            told = instructions
        for part in listed(message, "a message with parts", "parts"):
            _read(thread, part)
    return thread.sample(wanted)


def _read(thread: Thread, part: Any) -> None:
    kind = text_field(part, "part_kind") or ""
    if kind == "user-prompt":
        thread.human(_text(thread, field(part, "content")))
    elif kind == "system-prompt":
        thread.system(as_text(field(part, "content")))
    elif kind == "text":
        thread.said(as_text(field(part, "content")))
    elif kind in ("tool-call", "builtin-tool-call"):
        thread.called(field(part, "tool_name"), field(part, "args"), field(part, "tool_call_id"))
    elif kind in ("tool-return", "builtin-tool-return"):
        _returned(thread, part, failed=text_field(part, "outcome") in _FAILED)
    elif kind == "retry-prompt" and field(part, "tool_name") is not None:
        _returned(thread, part, failed=True)
    elif kind in ("retry-prompt", "retry-feedback"):
        thread.human(as_text(plain(field(part, "content"))))
    elif not kind:
        raise SampleError(f"a part of a pydantic-ai message has no 'part_kind': {shown(part)}.")
    else:
        thread.lose(f"parts of the kind {kind!r}")


def _returned(thread: Thread, part: Any, *, failed: bool) -> None:
    status: Literal["success", "error"] | None = "error" if failed else None
    thread.returned(
        as_text(plain(field(part, "content"))),
        field(part, "tool_call_id"),
        name=text_field(part, "tool_name"),
        status=status,
    )


def _text(thread: Thread, content: Any) -> str:
    """What the user said: text, or texts among pictures and files."""
    if not isinstance(content, list | tuple):
        return as_text(content)
    texts: list[str] = []
    for part in content:
        said = part if isinstance(part, str) else text_field(part, "content", "text")
        kind = "text" if isinstance(part, str) else text_field(part, "kind") or type(part).__name__
        if kind in ("text", "text-content") and said is not None:
            texts.append(said)
        else:
            thread.lose(f"content of the kind {kind!r}")
    return "\n".join(texts)

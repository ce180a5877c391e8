"""What an HTTP answer of a real API says: an answer, or why it is none. Pure.

It is judged by its status here, and by the shape of what it says where all answers are (`proctor.gateway.judged`).
"""

from __future__ import annotations

import json
from typing import Any

import msgspec

from proctor.gateway.policy import shortened
from proctor.gateway.source import Unanswered
from proctor.records.answers import Answer
from proctor.records.marks import REFUSED_ARGUMENTS

__all__ = ["backend_answer", "http_answer"]

_KINDS = {401: "refused", 402: "refused", 403: "refused", 407: "refused", 408: "timeout", 429: "busy", 504: "timeout"}


def http_answer(status: int, text: str) -> Answer | Unanswered:
    """What an API answered."""
    if 200 <= status < 300:
        return Answer(_decoded(text))
    if status in REFUSED_ARGUMENTS and text.strip():
        return Answer("", text.strip())
    kind = _KINDS.get(status, "unavailable" if status >= 500 else "failed")
    return Unanswered(kind, shortened(f"status {status}: {text}"))


def backend_answer(status: int, text: str) -> Answer | Unanswered:
    """What a backend of ToolBench's kind answered: an object of an error and a response."""
    if not 200 <= status < 300:
        return Unanswered(_KINDS.get(status, "unavailable"), shortened(f"status {status}: {text}"))
    said = _decoded(text)
    if not isinstance(said, dict) or "response" not in said:
        return Unanswered("unreadable", shortened(f"no object of an error and a response: {text}"))
    error = said.get("error")
    return Answer(said["response"], error if isinstance(error, str) else "" if not error else json.dumps(error))


def _decoded(text: str) -> Any:
    try:
        return msgspec.json.decode(text)
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return text

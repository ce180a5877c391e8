"""What an HTTP answer of a real API says: an answer, or why it is none. Pure.

It is judged by its status, and by the shape of what it says; never by digits or words inside of data.
"""

from __future__ import annotations

from typing import Any

import msgspec

from proctor.gateway.policy import refusal, shortened
from proctor.gateway.source import Unanswered
from proctor.records.answers import Answer

__all__ = ["backend_answer", "http_answer"]

_KINDS = {401: "refused", 402: "refused", 403: "refused", 407: "refused", 408: "timeout", 429: "busy", 504: "timeout"}
_REFUSED_ARGUMENTS = frozenset({400, 404, 406, 409, 410, 412, 415, 416, 422})
"""By these an API speaks about the request, so what it says is an answer, unless it has the shape of a failure."""


def http_answer(status: int, text: str) -> Answer | Unanswered:
    """What an API answered."""
    if 200 <= status < 300:
        answer = Answer(_decoded(text))
        return refusal(answer) or answer
    if status in _REFUSED_ARGUMENTS and text.strip():
        answer = Answer("", text.strip())
        spoken = Answer(_decoded(text))
        refused = refusal(spoken) or refusal(answer)
        return answer if refused is None else Unanswered("failed", f"status {status}: {refused.detail}")
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
    answer = Answer(said["response"], error if isinstance(error, str) else "" if not error else str(error))
    return refusal(answer) or answer


def _decoded(text: str) -> Any:
    try:
        return msgspec.json.decode(text)
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return text

"""What an agent came back with, read as its Finish: text, or StableToolBench's `{"answer": {…}}`. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec

from proctor import json_text
from proctor.agents.finish import NAME, read_finish
from proctor.catalog.index import Catalog
from proctor.errors import AgentError, InputError
from proctor.messages import ToolCall
from proctor.records.traces import Finish, Step

__all__ = ["DetailsReader", "Said", "read_said"]

DetailsReader = Callable[[Any, Catalog], Sequence[Step]]
"""Reads `answer_details` as steps; the catalogue knows what their functions stand for."""


class Said(msgspec.Struct, frozen=True):
    """What an agent came back with."""

    finish: Finish | None
    """Its answer; None where it had none."""
    details: Any = None
    """What it says that it did, in StableToolBench's form."""


def read_said(said: Any, who: str) -> Said:
    """Text, or `{"answer": {"final_answer", "answer_details"}}`, or the inner part alone; None is no answer."""
    if isinstance(said, Mapping):
        inner = said.get("answer", said)
        if isinstance(inner, Mapping):
            if "final_answer" not in inner:
                raise AgentError(f"{who} came back with {_shown(said)}, which has no 'final_answer'.")
            return Said(_finish(inner["final_answer"]), inner.get("answer_details") or None)
        said = inner
    if said is None or isinstance(said, str):
        return Said(_finish(said))
    raise AgentError(
        f"{who} came back with {_shown(said)}; expected text, or "
        '{"answer": {"final_answer": "…", "answer_details": […]}}.'
    )


def _finish(text: Any) -> Finish | None:
    """The final answer; where it is written as the arguments of Finish, what these say."""
    if text is None:
        return None
    if not isinstance(text, str):
        return Finish(msgspec.json.encode(text).decode())
    written = _arguments(text)
    if written is not None:
        said = read_finish(ToolCall(name=NAME, args=written))
        if isinstance(said, Finish):
            return said
    return Finish(text) if text.strip() else None


def _arguments(text: str) -> dict[str, Any] | None:
    if "return_type" not in text:
        return None
    try:
        value = json_text.decode(text)
    except InputError:
        return None
    return value if isinstance(value, dict) and "return_type" in value else None


def _shown(value: Any) -> str:
    return f"{type(value).__name__} {value!r:.80}" if not isinstance(value, Mapping) else f"{dict(value)!r:.80}"

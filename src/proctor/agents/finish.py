"""Finish, as an agent that is at work may call it: what it says is read, and what will not do is told. Pure."""

from __future__ import annotations

from typing import Any

from proctor.messages import ToolCall
from proctor.records.finishing import FINISH as NAME
from proctor.records.finishing import GIVE_ANSWER, SCHEMA, finish_of
from proctor.records.traces import CallStep, Finish, Resolution

__all__ = ["FINISH", "NAME", "read_finish"]

FINISH: dict[str, Any] = {"type": "function", "function": SCHEMA}
"""The function as a model is shown it, in OpenAI's form."""


def read_finish(call: ToolCall) -> Finish | CallStep:
    """What a call of Finish says; where that is not allowed, the call as a step with an observation that says so.

    An empty answer stands where it was recorded; an agent that is at work is told to give one.
    """
    said = finish_of(call.args if call.malformed is None else call.malformed)
    if isinstance(said, Finish) and not said.gave_up and not said.answer.strip():
        said = f"{GIVE_ANSWER!r} needs the text that the user is told as final_answer."
    return said if isinstance(said, Finish) else _refused(call, said)


def _refused(call: ToolCall, why: str) -> CallStep:
    return CallStep(NAME, call.args, Resolution.RESOLVED, f"Finish was not understood: {why}", malformed=call.malformed)

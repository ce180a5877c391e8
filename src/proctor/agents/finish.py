"""Finish: the function by which an agent says that it is done, read strictly. Pure."""

from __future__ import annotations

from typing import Any

from proctor.messages import ToolCall
from proctor.records.traces import CallStep, Finish, Resolution

__all__ = ["FINISH", "NAME", "read_finish"]

NAME = "Finish"
_ANSWER = "give_answer"
_RESTART = "give_up_and_restart"

FINISH: dict[str, Any] = {
    "type": "function",
    "function": {
        "name": NAME,
        "description": "Call this to end the task: with your answer to the user, or because you cannot go on.",
        "parameters": {
            "type": "object",
            "properties": {
                "return_type": {
                    "type": "string",
                    "enum": [_ANSWER, _RESTART],
                    "description": f"{_ANSWER}: the task is done. {_RESTART}: this way leads nowhere.",
                },
                "final_answer": {
                    "type": "string",
                    "description": f"All that the user is told; needed with {_ANSWER}.",
                },
            },
            "required": ["return_type"],
        },
    },
}
"""The function as a model is shown it; its names are those of StableToolBench."""


def read_finish(call: ToolCall) -> Finish | CallStep:
    """What a call of Finish says; where that is not allowed, the call as a step with an observation that says so."""
    if call.malformed is not None:
        return _refused(call, "the arguments are not a JSON object.")
    kind, answer = call.args.get("return_type"), call.args.get("final_answer", "")
    if kind == _RESTART:
        return Finish(answer if isinstance(answer, str) else "", gave_up=True)
    if kind != _ANSWER:
        return _refused(call, f"return_type must be {_ANSWER!r} or {_RESTART!r}, not {kind!r:.60}.")
    if not isinstance(answer, str) or not answer.strip():
        return _refused(call, f"{_ANSWER!r} needs the text that the user is told as final_answer.")
    return Finish(answer)


def _refused(call: ToolCall, why: str) -> CallStep:
    return CallStep(NAME, call.args, Resolution.RESOLVED, f"Finish was not understood: {why}", malformed=call.malformed)

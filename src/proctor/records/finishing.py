"""Finish: the function by which an agent says that it is done: its names, its schema, and the reader of its calls."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from proctor import json_text
from proctor.errors import InputError
from proctor.records.traces import Finish

__all__ = ["FINISH", "GIVE_ANSWER", "GIVE_UP", "SCHEMA", "finish_of", "written_finish"]

FINISH: Final = "Finish"
"""The function's name, as StableToolBench has it."""
GIVE_ANSWER: Final = "give_answer"
GIVE_UP: Final = "give_up_and_restart"
"""What agents write that give up, by StableToolBench's convention."""

SCHEMA: dict[str, Any] = {
    "name": FINISH,
    "description": "Call this to end the task: with your answer to the user, or because you cannot go on.",
    "parameters": {
        "type": "object",
        "properties": {
            "return_type": {
                "type": "string",
                "enum": [GIVE_ANSWER, GIVE_UP],
                "description": f"{GIVE_ANSWER}: the task is done. {GIVE_UP}: this way leads nowhere.",
            },
            "final_answer": {
                "type": "string",
                "description": f"All that the user is told; needed with {GIVE_ANSWER}.",
            },
        },
        "required": ["return_type"],
    },
}
"""The function as a model is shown it."""


def finish_of(arguments: Any) -> Finish | str:
    """What a call of Finish says by its arguments, an object or the text of one; else a sentence why it says nothing.

    An answer that is no text is its JSON text. Whether an empty answer will do is for others to say.

    >>> finish_of({"return_type": "give_answer", "final_answer": "At nine."})
    Finish(answer='At nine.', gave_up=False)
    >>> finish_of("{}")
    "return_type must be 'give_answer' or 'give_up_and_restart', not None."
    """
    said = _object(arguments) if isinstance(arguments, str) else arguments
    if not isinstance(said, dict):
        return "the arguments are not a JSON object."
    way, answer = said.get("return_type"), said.get("final_answer")
    if way not in (GIVE_ANSWER, GIVE_UP):
        return f"return_type must be {GIVE_ANSWER!r} or {GIVE_UP!r}, not {way!r:.60}."
    if way == GIVE_ANSWER and answer is None:
        return f"{GIVE_ANSWER!r} needs the text that the user is told as final_answer."
    text = "" if answer is None else answer if isinstance(answer, str) else msgspec.json.encode(answer).decode()
    return Finish(text, gave_up=way == GIVE_UP)


def written_finish(answer: str, *, gave_up: bool = False) -> str:
    """The arguments of Finish, as text."""
    way = GIVE_UP if gave_up else GIVE_ANSWER
    return msgspec.json.encode({"return_type": way, "final_answer": answer}).decode()


def _object(text: str) -> Any:
    try:
        return json_text.decode(text)
    except InputError:
        return None

"""The tool call, and the shapes that it is written in."""

from __future__ import annotations

from typing import Any

from proctor import json_text
from proctor.errors import InputError, SampleError, close_to
from proctor.messages.checked import Checked, shown


class ToolCall(Checked, omit_defaults=True, forbid_unknown_fields=True):
    """One call of one tool, as an agent made it or as a reference wants it."""

    name: str
    """The tool's name, as the agent wrote it."""
    args: dict[str, Any]
    """The arguments by name. Empty when the agent's text could not be read (see `malformed`)."""
    id: str | None = None
    """The identifier that joins a call to its answer. It never matters for a score."""
    malformed: str | None = None
    """The arguments as the agent wrote them, when they are not a JSON object. Such a call is always scored as wrong."""

    def _check(self) -> None:
        self._expect("name", str, "text", optional=False)
        self._expect("args", dict, "a dictionary", optional=False)
        self._expect("id", str, "text")
        self._expect("malformed", str, "text")


def read_tool_call(data: Any) -> ToolCall:
    """Read one tool call: a `ToolCall`, `{"name", "args"}`, or OpenAI's `{"function": {"name", "arguments"}}`.

    Arguments that are not a JSON object are kept as text in `malformed`; that is a wrong call, not an error.
    """
    if isinstance(data, ToolCall):
        return data
    if not isinstance(data, dict):
        msg = f"a tool call must be a ToolCall or a dictionary, not {shown(data)}."
        raise SampleError(msg)
    if "function" in data:
        return call_from_function(data["function"], data.get("id"))
    if "arguments" in data:
        return call_from_function(data, data.get("id"))
    fields = {str(name): value for name, value in data.items()}
    if "args" in fields and fields["args"] in (None, ""):
        fields["args"] = {}
    return ToolCall(**fields)


def call_from_function(function: Any, identifier: Any = None) -> ToolCall:
    """Read OpenAI's `{"name", "arguments"}`, where the arguments are JSON text."""
    if not isinstance(function, dict) or not isinstance(function.get("name"), str):
        msg = f"a tool call's function must be a dictionary with a name, not {shown(function)}."
        raise SampleError(msg)
    if "arguments" not in function:
        for field in function:
            if close_to(str(field), ["arguments", "args"], cutoff=0.6):
                msg = f"a tool call's function has the unknown field {field!r}; did you mean 'arguments'?"
                raise SampleError(msg)
    args, malformed = read_arguments(function.get("arguments"))
    return ToolCall(
        name=function["name"],
        args=args,
        id=identifier if isinstance(identifier, str) else None,
        malformed=malformed,
    )


def read_arguments(said: Any) -> tuple[dict[str, Any], str | None]:
    """The arguments of a call, or none and the text that could not be read.

    `null`, empty text and `{}` are one: no arguments, as JSON text too.
    """
    if said is None or said == "":
        return {}, None
    if isinstance(said, dict):
        return said, None
    if not isinstance(said, str):
        return {}, repr(said)
    try:
        value = json_text.decode(said)
    except InputError:
        return {}, said if said.strip() else None
    if value is None or value == "":
        return {}, None
    return (value, None) if isinstance(value, dict) else ({}, said)

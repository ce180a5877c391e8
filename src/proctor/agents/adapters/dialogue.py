"""What is said between Proctor and an agent in another process or behind an address: JSON objects. Pure.

Proctor says, each in one object:

    {"setup": {"protocol": 1, "tools": {…}}}                           once, where all tasks have the same tools
    {"task": {"id", "query", "seed", "session": {…}, "tools": {…}}}    tools only where they are this task's own
    {"results": [{"id", "name", "observation"}, …], "of": …}           what came of the calls of the task of that id

The agent says, any of these in one object:

    {"calls": [{"id", "name", "arguments"}, …]}       or {"call": {…}} for one
    {"thought": "…"}, {"usage": {"prompt_tokens", "completion_tokens", "requests", "cost"}}
    {"answer": "…"}                                   or StableToolBench's {"answer": {"final_answer", …}}: the end
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from proctor import json_text
from proctor.agents.adapters.final import Said, read_said
from proctor.agents.adapters.functions import Definitions
from proctor.agents.agent import Task
from proctor.errors import AgentError, InputError, SampleError, nearest
from proctor.messages import ToolCall, read_tool_call
from proctor.records.grades import Missing
from proctor.records.traces import CallStep, Finish, Usage

__all__ = ["LONGEST", "Message", "read_message", "results_message", "setup_message", "task_message"]

PROTOCOL = 1
LONGEST = 10_000_000
"""So many bytes a message of an agent may have."""
_WORDS = ("answer", "call", "calls", "thought", "usage")


class Message(msgspec.Struct, frozen=True):
    """What an agent has said in one object."""

    calls: tuple[ToolCall, ...] = ()
    thought: str = ""
    usage: Usage = Usage()
    said: Said | None = None
    """Its answer, with which the task ends."""


class _Spent(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    requests: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float | None = None


def setup_message(tools: Definitions) -> dict[str, Any]:
    """The tools that all tasks have at hand."""
    return {"setup": {"protocol": PROTOCOL, "tools": dict(tools)}}


def task_message(
    task: Task, name: str, session: Mapping[str, str], tools: Definitions | None = None
) -> dict[str, dict[str, Any]]:
    """A task under a name that no other has; `tools` only where they are its own."""
    own = {} if tools is None else {"protocol": PROTOCOL, "tools": dict(tools)}
    said = {"id": name, "query": task.query.text, "seed": task.seed + task.epoch, "session": dict(session)}
    return {"task": {**said, **own}}


def results_message(name: str, calls: Sequence[ToolCall], steps: Sequence[CallStep | Finish]) -> dict[str, Any]:
    """What came of the calls of the task of that name, in their order."""
    return {
        "of": name,
        "results": [
            {"id": call.id, "name": call.name, "observation": _observed(step)}
            for call, step in zip(calls, steps, strict=True)
        ],
    }


def read_message(text: str | bytes, who: str) -> Message:
    """What an agent has said. AgentError with what is wrong where it is nothing that the protocol knows."""
    try:
        said = json_text.decode(text if isinstance(text, str) else text.decode("utf-8"))
    except (InputError, UnicodeDecodeError):
        raise AgentError(f"{who} said something that is no JSON: {_shown(text)}") from None
    if not isinstance(said, dict) or not said:
        raise AgentError(f"{who} said {_shown(text)}; expected an object with one of {', '.join(_WORDS)}.")
    if unknown := [word for word in said if word not in _WORDS]:
        raise AgentError(
            f"{who} said {unknown[0]!r:.40}, which the protocol does not know; {nearest(unknown[0], _WORDS)}"
        )
    return Message(
        calls=_calls(said, who),
        thought=_thought(said.get("thought", ""), who),
        usage=_usage(said["usage"], who) if "usage" in said else Usage(),
        said=read_said({"answer": said["answer"]}, who) if "answer" in said else None,
    )


def _calls(said: Mapping[str, Any], who: str) -> tuple[ToolCall, ...]:
    listed = [*([said["call"]] if "call" in said else []), *_listed(said.get("calls", []), who)]
    return tuple(_call(one, who) for one in listed)


def _listed(calls: Any, who: str) -> list[Any]:
    if not isinstance(calls, list):
        raise AgentError(f"{who} said calls that are no list: {_shown(repr(calls))}")
    return calls


def _call(said: Any, who: str) -> ToolCall:
    known = {"name", "arguments", "args", "id", "function", "type"}
    if not isinstance(said, dict) or not set(said) <= known:
        raise AgentError(f'{who} made a call that is not {{"id", "name", "arguments"}}: {_shown(repr(said))}')
    plain = {key: value for key, value in said.items() if key not in {"id", "type"}}
    plain = {"arguments": {}, **plain} if "name" in plain and "args" not in plain else plain
    try:
        call = read_tool_call(plain)
    except SampleError as error:
        raise AgentError(f"{who} made a call that cannot be read: {error}") from None
    return msgspec.structs.replace(call, id=None if said.get("id") is None else str(said["id"]))


def _thought(said: Any, who: str) -> str:
    if not isinstance(said, str):
        raise AgentError(f"{who} said a thought that is no text: {_shown(repr(said))}")
    return said.strip()


def _usage(said: Any, who: str) -> Usage:
    try:
        spent = msgspec.convert(said, _Spent)
    except msgspec.ValidationError as error:
        raise AgentError(f"{who} said a usage that cannot be read: {error}.") from None
    cost = Missing("the agent does not say what it cost") if spent.cost is None else spent.cost
    return Usage(spent.requests, spent.prompt_tokens, spent.completion_tokens, cost)


def _observed(step: CallStep | Finish) -> str:
    return step.observation if isinstance(step, CallStep) else "The task is finished."


def _shown(text: str | bytes) -> str:
    plain = text if isinstance(text, str) else text.decode("utf-8", "replace")
    return repr(plain.strip()[:200])

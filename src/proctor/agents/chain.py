"""The chain: think, call, look, and so on, until Finish; n times where it gives up (CoT@n). Pure."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import Any

from proctor.agents.agent import AskModel, CallApis, Note, Place, Strategy, Task
from proctor.agents.finish import NAME, read_finish
from proctor.errors import OptionError
from proctor.messages import AIMessage, ToolCall, ToolMessage
from proctor.models.chat import Reply, plain_message
from proctor.records.traces import CallStep, Finish, Resolution, StopReason

__all__ = ["INSTRUCTIONS", "chain"]

INSTRUCTIONS = (
    "You solve a user's task with the functions that you are given. Call them with the values that the task names; "
    "what they return is all that you know about the world. A function that fails may be tried once more with other "
    "arguments; then look for another one. Never make up what a function returned. When you know enough, call Finish "
    "with the whole answer for the user, who sees nothing else."
)
"""What the model is told first."""
_GO_ON = "Call a function, or end with Finish."
_SILENT = 3
"""So many replies in a row without a call, and the try is over."""


def chain(task: Task, tries: int = 1, instructions: str = INSTRUCTIONS) -> Strategy:
    """Work on a task by one chain of calls; after giving up, from the beginning again, `tries` times in all.

    Every try stands in the trace, one after the other; the last is its path.
    """
    if tries < 1:
        raise OptionError(f"a chain has at least 1 try, not {tries}.")
    return _tried(task, tries, instructions)


def _tried(task: Task, tries: int, instructions: str) -> Strategy:
    stop = StopReason.NO_ANSWER
    for number in range(tries):
        if number:
            yield Place(back=-1)
        stop = yield from _one_try(task, instructions)
        if stop is StopReason.FINISHED:
            break
    return stop


def _one_try(task: Task, instructions: str) -> Strategy:
    messages: list[dict[str, Any]] = [
        {"role": "system", "content": instructions},
        {"role": "user", "content": task.query.text},
    ]
    silent = turn = 0
    while silent < _SILENT:
        reply: Reply = yield AskModel(tuple(messages))
        turn += 1
        calls = with_ids(reply.tool_calls, turn)
        messages.append(plain_message(AIMessage(reply.text, tool_calls=list(calls) or None)))
        if not calls:
            silent += 1
            messages.append({"role": "user", "content": _GO_ON})
            continue
        silent = 0
        steps = yield from made(calls)
        for call, step in zip(calls, steps, strict=True):
            if isinstance(step, Finish):
                return StopReason.GAVE_UP if step.gave_up else StopReason.FINISHED
            messages.append(plain_message(ToolMessage(step.observation, tool_call_id=call.id)))
    return StopReason.NO_ANSWER


def made(calls: Sequence[ToolCall]) -> Generator[Any, Any, list[CallStep | Finish]]:
    """Make the calls of one reply: those before Finish at once, then Finish; those after a good one are not made."""
    place = next((at for at, call in enumerate(calls) if call.name == NAME), len(calls))
    steps: list[CallStep | Finish] = []
    if place:
        steps += yield CallApis(tuple(calls[:place]))
    if place == len(calls):
        return steps
    finish = read_finish(calls[place])
    rest = calls[place + 1 :]
    if isinstance(finish, Finish):
        for call in rest:
            yield Note(CallStep(call.name, call.args, Resolution.RESOLVED, "not called: it came beside Finish"))
        yield Note(finish)
        return [*steps, finish]
    yield Note(finish)
    return [*steps, finish, *(yield from made(rest))]


def with_ids(calls: Sequence[ToolCall], turn: int) -> tuple[ToolCall, ...]:
    """The calls, each with an id that no other has, so that answers find them."""
    used: set[str] = set()
    named = []
    for place, call in enumerate(calls):
        fresh = call.id if call.id and call.id not in used else f"call_{turn}_{place}"
        used.add(fresh)
        named.append(ToolCall(name=call.name, args=call.args, id=fresh, malformed=call.malformed))
    return tuple(named)

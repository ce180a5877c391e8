"""The tree: depth-first search over decisions, as DFSDT does it, with up to w children per node. Pure."""

from __future__ import annotations

from typing import Any

import msgspec

from proctor.agents.agent import AskModel, Place, Strategy, Task
from proctor.agents.chain import INSTRUCTIONS, made, with_ids
from proctor.errors import OptionError
from proctor.messages import AIMessage, ToolMessage
from proctor.models.chat import Reply, plain_message
from proctor.records.traces import Finish, StopReason

__all__ = ["tree"]

_OTHERWISE = (
    "From here these ways were tried before, and none of them led to an answer:\n{tried}\n"
    "Do something else now: another function, or clearly other arguments."
)


class _Node(msgspec.Struct):
    """A decision: the conversation up to it, where it stands among the steps, and what was tried from it."""

    messages: list[dict[str, Any]]
    place: int
    tried: list[str]


def tree(task: Task, width: int = 2, depth: int = 12, instructions: str = INSTRUCTIONS) -> Strategy:
    """Work on a task by decisions that are taken back where they led nowhere.

    A node is a conversation so far. Its next reply is asked for up to `width` times; from the second on the model is
    shown what was tried from here and asked for something else. A way ends with giving up, with silence, or at `depth`
    replies. Every step of every way stands in the trace, in the order in which they were made, and its path is the way
    that led to the answer.
    """
    for name, value in (("width", width), ("depth", depth)):
        if value < 1:
            raise OptionError(f"the {name} of a tree is at least 1, not {value}.")
    first = [{"role": "system", "content": instructions}, {"role": "user", "content": task.query.text}]
    return _searched(first, width, depth)


def _searched(first: list[dict[str, Any]], width: int, depth: int) -> Strategy:
    """Go down from the last decision that is not used up; a good Finish ends it all."""
    open_: list[_Node] = [_Node(first, -1, [])]
    stop, turn = StopReason.NO_ANSWER, 0
    while open_:
        node = open_[-1]
        if len(node.tried) >= width or len(open_) > depth:
            open_.pop()
            continue
        if node.tried:
            yield Place(back=node.place)
        turn += 1
        reply: Reply = yield AskModel((*node.messages, *_hint(node.tried)))
        calls = with_ids(reply.tool_calls, turn)
        node.tried.append(_described(reply))
        steps = (yield from made(calls)) if calls else []
        last = steps[-1] if steps else None
        if isinstance(last, Finish):
            stop = StopReason.GAVE_UP if last.gave_up else StopReason.FINISHED
            if stop is StopReason.FINISHED:
                return stop
        elif calls:
            told = [
                plain_message(ToolMessage(step.observation, tool_call_id=call.id))
                for call, step in zip(calls, steps, strict=True)
                if not isinstance(step, Finish)
            ]
            said = plain_message(AIMessage(reply.text, tool_calls=list(calls)))
            open_.append(_Node([*node.messages, said, *told], (yield Place()), []))
    return stop


def _hint(tried: list[str]) -> list[dict[str, Any]]:
    if not tried:
        return []
    listed = "\n".join(f"- {way}" for way in tried)
    return [{"role": "user", "content": _OTHERWISE.format(tried=listed)}]


def _described(reply: Reply) -> str:
    if not reply.tool_calls:
        return f"words without a call: {reply.text[:200]}"
    written = [f"{call.name}({msgspec.json.encode(call.args).decode()[:300]})" for call in reply.tool_calls]
    return ", ".join(written)

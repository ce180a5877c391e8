"""The tree: depth-first search over decisions, as DFSDT does it, with up to w children per node. Pure."""

from __future__ import annotations

from typing import Any

import msgspec

from proctor.agents.agent import AskModel, Strategy, Task
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


class _Search:
    """Where the search stands."""

    def __init__(self, width: int, depth: int) -> None:
        self.width = width
        self.depth = depth
        self.turn = 0
        self.stop = StopReason.NO_ANSWER


def tree(task: Task, width: int = 2, depth: int = 12, instructions: str = INSTRUCTIONS) -> Strategy:
    """Work on a task by decisions that are taken back where they led nowhere.

    A node is a conversation so far. Its next reply is asked for up to `width` times; from the second on the model is
    shown what was tried from here and asked for something else. A way ends with giving up, with silence, or at `depth`
    replies. Every step of every way stands in the trace, in the order in which they were made.
    """
    for name, value in (("width", width), ("depth", depth)):
        if value < 1:
            raise OptionError(f"the {name} of a tree is at least 1, not {value}.")
    first = [{"role": "system", "content": instructions}, {"role": "user", "content": task.query.text}]
    return _rooted(first, _Search(width, depth))


def _rooted(messages: list[dict[str, Any]], search: _Search) -> Strategy:
    yield from _below(messages, 0, search)
    return search.stop


def _below(messages: list[dict[str, Any]], depth: int, search: _Search) -> Strategy:
    """Search below a node; FINISHED ends the whole search."""
    if depth >= search.depth:
        return StopReason.NO_ANSWER
    tried: list[str] = []
    for _ in range(search.width):
        search.turn += 1
        asked = [*messages, *_hint(tried)]
        reply: Reply = yield AskModel(tuple(asked))
        calls = with_ids(reply.tool_calls, search.turn)
        tried.append(_described(reply))
        if not calls:
            continue
        steps = yield from made(calls)
        last = steps[-1] if steps else None
        if isinstance(last, Finish):
            search.stop = StopReason.GAVE_UP if last.gave_up else StopReason.FINISHED
        if search.stop is StopReason.FINISHED:
            return StopReason.FINISHED
        if isinstance(last, Finish):
            continue
        told = [
            plain_message(ToolMessage(step.observation, tool_call_id=call.id))
            for call, step in zip(calls, steps, strict=True)
            if not isinstance(step, Finish)
        ]
        said = plain_message(AIMessage(reply.text, tool_calls=list(calls)))
        if (yield from _below([*messages, said, *told], depth + 1, search)) is StopReason.FINISHED:
            return StopReason.FINISHED
    return StopReason.NO_ANSWER


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

"""The path that counts: of a raw answer's tries, its tree and its conversation, the one line that is its answer.

A valid answer's path is its last conversation. Else it is the last try, or of a tree the path to the leaf that was
expanded last: always the same path of the same file, and the path says which it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from proctor.formats.stabletoolbench.answers import Node, RawAnswer
from proctor.formats.stabletoolbench.turns import Called, Said, Turn, json_text_of
from proctor.records.finishing import FINISH

_BEFORE = 2
"""So many messages come before the agent's own: the system's and the user's."""
_ANSWERS = frozenset({"function", "tool"})


class Path(msgspec.Struct, frozen=True):
    """The turns of an answer, and how they were found."""

    turns: tuple[Turn, ...]
    taken: str
    """Which of the answer's paths this is."""
    lost: tuple[str, ...] = ()
    """What it leaves out, and what the answer itself lacks."""


def path_of(raw: RawAnswer, *, compat: bool = False) -> Path:
    """The path that counts. With `compat`, text beside calls is left out, as upstream's converter does."""
    if raw.valid and raw.conversation:
        return _conversation(raw, compat=compat)
    if raw.tree is not None:
        return _branch(raw.tree)
    if not raw.tries:
        return Path((), "nothing: there is neither a conversation, nor a try, nor a tree")
    lost = _left(len(raw.tries) - 1, "other try")
    turns = tuple(_turns(raw.tries[-1], lost))
    return Path(turns, f"the last try of {len(raw.tries)}", tuple(lost))


def _conversation(raw: RawAnswer, *, compat: bool) -> Path:
    lost = _left(len(raw.tries) - 1, "other try")
    if raw.tree is not None:
        lost += _left(_leaves(raw.tree) - 1, "other branch")
    turns: list[Turn] = []
    for index in range(_BEFORE, len(raw.conversation)):
        message = raw.conversation[index]
        if message["role"] == "assistant":
            made = list(_said(message, raw.conversation[index + 1 :], lost))
            if compat and len(made) > 1 and isinstance(made[0], Said):
                lost += _left(1, "text beside a call")
                made = made[1:]
            turns.extend(made)
            if compat and _finished(message):
                later = raw.conversation[index + 1 :]
                lost += _left(sum(one["role"] == "assistant" for one in later), "message after Finish")
                break
        elif message["role"] not in _ANSWERS:
            lost += _left(1, f"message of the {message['role']} amid the conversation")
    return Path(tuple(turns), "the last conversation", tuple(lost))


def _said(message: dict[str, Any], later: Sequence[dict[str, Any]], lost: list[str]) -> Iterator[Turn]:
    """The turns of one message of the agent: what it said, then its calls, up to Finish."""
    content = message.get("content")
    text = "" if content is None else json_text_of(content)
    function, calls = message.get("function_call"), message.get("tool_calls")
    if not isinstance(function, dict) and not calls:
        yield Said(text)
        return
    if text:
        yield Said(text)
    if isinstance(function, dict):
        response = later[0].get("content") if later and later[0]["role"] in _ANSWERS else None
        yield _called(function, response, lost)
        return
    answers = {one.get("tool_call_id"): one.get("content") for one in later if one["role"] in _ANSWERS}
    for number, call in enumerate(calls or (), 1):
        called = _called(call.get("function") or {}, answers.get(call.get("id")), lost)
        yield called
        if called.name == FINISH:
            lost += _left(len(calls or ()) - number, "call after Finish in one message")
            return


def _finished(message: dict[str, Any]) -> bool:
    """Whether a message of several calls ends the path: upstream reads no further than its Finish."""
    calls = message.get("tool_calls") if not isinstance(message.get("function_call"), dict) else None
    return any((call.get("function") or {}).get("name") == FINISH for call in calls or ())


def _called(function: dict[str, Any], response: Any, lost: list[str]) -> Called:
    name = json_text_of(function.get("name", ""))
    if response is None and name != FINISH:
        lost.append(f"the call of {name} has no response")
    return Called(name, function.get("arguments", ""), "" if response is None else json_text_of(response))


def _branch(root: Node) -> Path:
    """The path to the leaf that was expanded last: depth first, that is the last child of the last child."""
    nodes = [root]
    while nodes[-1].children:
        nodes.append(nodes[-1].children[-1])
    lost = _left(_leaves(root) - 1, "other branch")
    turns = tuple(_turns(nodes[1:], lost))
    return Path(turns, "the path to the leaf that was expanded last", tuple(lost))


def _leaves(root: Node) -> int:
    count, waiting = 0, [root]
    while waiting:
        node = waiting.pop()
        count += not node.children
        waiting.extend(node.children)
    return count


def _turns(nodes: Sequence[Node], lost: list[str]) -> Iterator[Turn]:
    """Nodes as turns: an action and the input after it are one call."""
    action: Node | None = None
    for node in nodes:
        if node.kind == "Action Input":
            yield Called("" if action is None else action.text, node.text, node.observation)
            if action is None:
                lost.append("an input has no action before it, so its call has no name")
            action = None
            continue
        if action is not None:
            yield _unasked(action, lost)
        action = node if node.kind == "Action" else None
        if action is None:
            yield Said(node.text)
    if action is not None:
        yield _unasked(action, lost)


def _unasked(action: Node, lost: list[str]) -> Called:
    lost.append(f"the call of {action.text} was never made, for its input is not there")
    return Called(action.text, "", action.observation)


def _left(count: int, what: str) -> list[str]:
    """What is left out, as a sentence; nothing of it is no sentence."""
    return [f"left out: {what}{f' ({count})' if count > 1 else ''}"] if count > 0 else []

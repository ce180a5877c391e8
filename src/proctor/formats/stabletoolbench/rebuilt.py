"""Back from the converted form to the raw one, where it can: the path becomes a conversation, or a try.

What is converted of it again is the same answer. What only the raw file had (the other tries, the tree, the numbers of
the observations) is not made up.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from proctor.formats.stabletoolbench.conversions import Conversion
from proctor.formats.stabletoolbench.converted import ConvertedAnswer
from proctor.formats.stabletoolbench.turns import Called, Said, Turn
from proctor.records.finishing import FINISH


def raw_of(answer: ConvertedAnswer) -> Conversion[dict[str, Any]]:
    """The document of a raw answer. It is valid where the answer ends by Finish and has a final answer."""
    valid = answer.has_finish and bool(answer.final_answer)
    usage = _usage(answer)
    made = {
        "valid_data": valid,
        "query": answer.query,
        "final_answer": answer.final_answer,
        "function": list(answer.functions),
        "query_count": usage.get("requests", 0),
        "total_tokens": usage.get("prompt_tokens", 0) + usage.get("completion_tokens", 0),
        "train_messages": [_conversation(answer)] if valid else [],
    }
    chain = [] if valid else [node for turn in answer.turns for node in _nodes(turn)]
    document = {
        "win": valid,
        "try_count": 1,
        "trys": [{"chain": chain, "win": valid}],
        "forward_args": {},
        "answer_generation": made,
    }
    return Conversion(document, tuple(_lost(answer)))


def _usage(answer: ConvertedAnswer) -> dict[str, int]:
    header = answer.facts.get("trace")
    usage = header.get("usage") if isinstance(header, dict) else None
    said = usage if isinstance(usage, dict) else {}
    return {name: value for name, value in said.items() if isinstance(value, int)}


def _conversation(answer: ConvertedAnswer) -> list[dict[str, Any]]:
    before = answer.facts.get("before")
    opening = before if isinstance(before, list) else [{"role": "system", "content": ""}]
    opening = opening if len(opening) > 1 else [*opening, {"role": "user", "content": answer.query}]
    return [*opening, *(message for turn in answer.turns for message in _messages(turn))]


def _messages(turn: Turn) -> Iterator[dict[str, Any]]:
    if isinstance(turn, Said):
        yield {"role": "assistant", "content": turn.text}
        return
    yield {"role": "assistant", "content": None, "function_call": {"name": turn.name, "arguments": _arguments(turn)}}
    if turn.response or turn.name != FINISH:
        yield {"role": "function", "name": turn.name, "content": turn.response}


def _nodes(turn: Turn) -> Iterator[dict[str, Any]]:
    if isinstance(turn, Said):
        yield _node("Thought", turn.text)
        return
    yield _node("Action", turn.name)
    yield {**_node("Action Input", _arguments(turn)), "observation": turn.response, "observation_code": None}


def _node(kind: str, text: Any) -> dict[str, Any]:
    return {"node_type": kind, "description": text, "is_terminal": False, "pruned": False}


def _arguments(turn: Called) -> Any:
    return "" if turn.arguments is None else turn.arguments


def _lost(answer: ConvertedAnswer) -> Iterator[str]:
    yield "what only a raw answer tells: other tries and branches, the codes of observations, the limits"
    if any(not call.complete for call in answer.calls):
        yield "the text of calls whose message was cut"
    if any(call.facts for call in answer.calls):
        yield "what Proctor knows of the calls: which API was meant, its whole answer and where it came from"

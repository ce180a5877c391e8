"""Back from the converted form to the raw one, where it can: the path becomes a conversation, or a try.

What is converted of it again is the same answer. Where the answer knows what was taken back, that stands in its other
tries, or in its tree. What only the raw file had (the numbers of the observations, the limits) is not made up.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

from proctor.formats.stabletoolbench.conversions import Conversion
from proctor.formats.stabletoolbench.converted import ConvertedAnswer
from proctor.formats.stabletoolbench.traced import Branches, branches_of
from proctor.formats.stabletoolbench.turns import Called, Said, Turn
from proctor.records.finishing import FINISH, GIVE_ANSWER


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
    document = {"win": valid, **_searched(answer, valid=valid), "forward_args": {}, "answer_generation": made}
    if "tree" in document:
        made["finish_type"] = GIVE_ANSWER if valid else "give_up"
    return Conversion(document, tuple(_lost(answer)))


def is_tree(answer: ConvertedAnswer) -> bool:
    """Whether the answer was searched for by ways that share more than their beginning."""
    branches = branches_of(answer)
    return branches is not None and any(before >= 0 for before in branches.back.values())


def tries_of(answer: ConvertedAnswer) -> int:
    """How often the agent began."""
    branches = branches_of(answer)
    return 1 if branches is None else 1 + sum(before < 0 for before in branches.back.values())


def _searched(answer: ConvertedAnswer, *, valid: bool) -> dict[str, Any]:
    """The tries, or the tree."""
    branches = branches_of(answer)
    if branches is None:
        chain = [] if valid else [node for turn in answer.turns for node in _nodes(turn)]
        return {"try_count": 1, "trys": [{"chain": chain, "win": valid}]}
    if is_tree(answer):
        return {"tree": _tree(branches)}
    begins = [0, *sorted(branches.back), len(branches.turns)]
    parts = [branches.turns[one:other] for one, other in itertools.pairwise(begins)]
    last = len(parts) - 1
    trys = [
        {"chain": [node for turn in part for node in _nodes(turn)], "win": valid and number == last}
        for number, part in enumerate(parts)
    ]
    return {"try_count": len(trys), "trys": trys}


def _tree(branches: Branches) -> dict[str, Any]:
    """The ways as a tree: each turn stands below the one that it follows."""
    root: dict[str, Any] = {**_node("Action Input", ""), "observation": "", "depth": 0, "children": []}
    last = {-1: root}
    size = 1
    for number, turn in enumerate(branches.turns):
        above = last[branches.back.get(number, number - 1)]
        for node in _nodes(turn):
            below = {**node, "depth": above["depth"] + 1, "children": []}
            above["children"].append(below)
            above, size = below, size + 1
        last[number] = above
    return {"size": size, "max_length": max(node["depth"] for node in last.values()), "tree": root}


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
    others = "" if branches_of(answer) is not None else "other tries and branches, "
    yield f"what only a raw answer tells: {others}the codes of observations, the limits"
    if any(not call.complete for call in answer.calls):
        yield "the text of calls whose message was cut"
    if any(call.facts for call in answer.calls):
        yield "what Proctor knows of the calls: which API was meant, its whole answer and where it came from"

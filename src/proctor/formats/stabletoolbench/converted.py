"""Converted answers, `<model>/<set>.json`: `{id: {query, available_tools, answer}}`, an answer being one path of nodes.

A node is `{role, message, next}`: the system's, the user's (both with an empty message), then those of the agent
(`assistant`) and of the functions that it called (`tool`). `converted` makes one of a raw answer, and `read_converted`
reads all that there are, in every encoding of a call. What Proctor knows beside stands under the key `proctor`, of the
answer and of a node; `compat` leaves it out, so that a file is what StableToolBench writes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from proctor.errors import FileError, InputError
from proctor.formats.stabletoolbench.answers import RawAnswer
from proctor.formats.stabletoolbench.conversions import Conversion
from proctor.formats.stabletoolbench.json_files import kind_of, read_json
from proctor.formats.stabletoolbench.paths import Path as Taken
from proctor.formats.stabletoolbench.paths import path_of
from proctor.formats.stabletoolbench.stops import header_of
from proctor.formats.stabletoolbench.turns import Called, Encoding, Said, Turn, json_text_of, read_call
from proctor.records.finishing import FINISH

FACTS = "proctor"
"""The key under which Proctor says more than the format has a place for."""
_OPENING = (("system", ""), ("user", ""))


class ConvertedAnswer(msgspec.Struct, frozen=True):
    """One converted answer."""

    query_id: str
    query: str
    functions: tuple[Any, ...]
    """The functions that were offered, as they were written."""
    method: str
    final_answer: str
    """What Finish was called with, as it was written; empty without one."""
    turns: tuple[Turn, ...]
    opening: tuple[tuple[str, str], ...] = _OPENING
    """Role and message of the nodes before the agent's own."""
    facts: dict[str, Any] = {}
    """What Proctor knows beside."""
    notes: tuple[str, ...] = ()
    """What is odd about it: messages that were cut, branches that were not followed."""

    @property
    def function_names(self) -> list[str]:
        """The names of the functions that were offered."""
        return [name for function in self.functions if (name := _function_name(function))]

    @property
    def calls(self) -> list[Called]:
        """The calls, Finish included."""
        return [turn for turn in self.turns if isinstance(turn, Called)]

    @property
    def has_finish(self) -> bool:
        """Whether the last call is Finish, without which no answer counts as solved."""
        return bool(self.calls) and self.calls[-1].name == FINISH


def converted(raw: RawAnswer, *, compat: bool = False) -> Conversion[ConvertedAnswer]:
    """The converted form of a raw answer.

    `compat` makes it as StableToolBench does: text beside calls is left out. Two things are always as they should be:
    of an answer that is not valid the path is a fixed one and not a random one, and a call without a response has none.
    """
    path = path_of(raw, compat=compat)
    answer = ConvertedAnswer(
        query_id=raw.query_id,
        query=raw.query,
        functions=raw.functions,
        method=raw.method,
        final_answer=raw.final_answer,
        turns=path.turns,
        facts={} if compat else _facts(raw, path),
        notes=() if compat else path.lost,
    )
    return Conversion(answer, (*path.lost, *([] if raw.valid else [f"not valid, so its path is {path.taken}"])))


def _facts(raw: RawAnswer, path: Taken) -> dict[str, Any]:
    """What a raw answer says that the converted form has no place for."""
    known = {"path": path.taken, "before": list(raw.conversation[:2]), "trace": header_of(raw, path)}
    return {name: value for name, value in known.items() if value}


def read_converted(path: str | Path) -> dict[str, ConvertedAnswer]:
    """The answers of a file, by the query's id, in the file's order."""
    document = read_json(path, deep=True)
    if not isinstance(document, dict):
        raise FileError(f"converted answers are an object with ids as keys, not {kind_of(document)}.", path=str(path))
    found: dict[str, ConvertedAnswer] = {}
    for query_id, item in document.items():
        try:
            found[query_id] = read_converted_answer(item, query_id)
        except InputError as error:
            raise FileError(f"answer {query_id!r}: {error}", path=str(path)) from None
    return found


def read_converted_answer(item: Any, query_id: str) -> ConvertedAnswer:
    """One converted answer from plain data; InputError with one sentence where it is none."""
    answer = item.get("answer") if isinstance(item, dict) else None
    if not isinstance(answer, dict) or "answer_details" not in answer:
        raise InputError("a converted answer is an object with 'answer', which has 'answer_details'.")
    facts = dict(item[FACTS]) if isinstance(item.get(FACTS), dict) else {}
    noted = facts.pop("notes", ())
    functions = item.get("available_tools")
    opening, turns, notes = read_details(answer["answer_details"])
    return ConvertedAnswer(
        query_id=query_id,
        query=json_text_of(item.get("query", "")),
        functions=tuple(functions) if isinstance(functions, list) else (),
        method=json_text_of(answer.get("method", "")),
        final_answer=json_text_of(answer.get("final_answer") or ""),
        turns=turns,
        opening=opening,
        facts=facts,
        notes=tuple(dict.fromkeys((*map(str, noted), *notes))),
    )


Details = tuple[tuple[tuple[str, str], ...], tuple[Turn, ...], tuple[str, ...]]


def read_details(details: Any) -> Details:
    """The opening, the turns and the notes of `answer_details`: a root, or a list of them, that lead to other nodes."""
    opening: list[tuple[str, str]] = []
    turns: list[Turn] = []
    notes: list[str] = []
    for node in _nodes(details, notes):
        role, message = node.get("role"), node.get("message")
        facts = node.get(FACTS)
        if role == "tool":
            call = read_call(message, facts if isinstance(facts, dict) else None)
            turns.append(call)
            if not call.complete:
                notes.append(_incomplete(call, len(turns)))
        elif role == "assistant":
            turns.append(Said("" if message is None else json_text_of(message)))
        elif not turns and isinstance(role, str):
            opening.append((role, "" if message is None else json_text_of(message)))
        else:
            notes.append(f"left out: a node of the role {role!r} amid the answer")
    return tuple(opening), tuple(turns), tuple(notes)


def written_converted(answers: Iterable[ConvertedAnswer], *, compat: bool = False) -> dict[str, Any]:
    """The document of a file of converted answers."""
    return {answer.query_id: written_answer(answer, compat=compat) for answer in answers}


def written_answer(answer: ConvertedAnswer, *, compat: bool = False) -> dict[str, Any]:
    """One converted answer as plain data."""
    known = {**answer.facts, **({"notes": list(answer.notes)} if answer.notes else {})}
    facts = {} if compat or not known else {FACTS: known}
    details, count = written_details(answer.turns, answer.opening, compat=compat)
    return {
        "query": answer.query,
        "available_tools": list(answer.functions),
        "answer": {
            "method": answer.method,
            "total_steps": count,
            "final_answer": answer.final_answer,
            "answer_details": details,
        },
        **facts,
    }


def written_details(
    turns: Iterable[Turn],
    opening: Iterable[tuple[str, str]] = _OPENING,
    *,
    compat: bool = False,
    as_text: bool = False,
) -> tuple[list[dict[str, Any]], int]:
    """The `answer_details` of turns, and how many nodes they are. With `as_text`, a call's message is JSON text."""
    nodes: list[dict[str, Any]] = [{"role": role, "message": message, "next": []} for role, message in opening]
    nodes += [_node(turn, compat=compat, as_text=as_text) for turn in turns]
    following: list[dict[str, Any]] = []
    for node in reversed(nodes):
        node["next"] = following
        following = [node]
    return following, len(nodes)


def _node(turn: Turn, *, compat: bool, as_text: bool) -> dict[str, Any]:
    if isinstance(turn, Said):
        return {"role": "assistant", "message": turn.text, "next": []}
    message: Any = turn.text
    if turn.complete:
        message = {"name": turn.name, "arguments": turn.arguments, "response": turn.response}
        message = json_text_of(message) if as_text else message
    facts = {} if compat or turn.facts is None else {FACTS: turn.facts}
    return {"role": "tool", "message": message, "next": [], **facts}


def _nodes(details: Any, notes: list[str]) -> Iterator[Mapping[str, Any]]:
    """The nodes of the one path. Where it forks, the last branch is followed, and that is noted."""
    branches = details if isinstance(details, list) else [details]
    if len(branches) > 1 and not any(isinstance(one, dict) and one.get("next") for one in branches):
        yield from (_checked(one) for one in branches)  # a plain list of steps
        return
    while branches:
        if len(branches) > 1:
            notes.append(f"left out: {len(branches) - 1} of {len(branches)} branches, all but the last")
        node = _checked(branches[-1])
        yield node
        following = node.get("next") or []
        if not isinstance(following, list):
            raise InputError(f"the 'next' of a node must be a list of nodes, not {kind_of(following)}.")
        branches = following


def _checked(node: Any) -> Mapping[str, Any]:
    if not isinstance(node, dict):
        raise InputError(
            f"a node of answer_details must be an object with role, message and next, not {kind_of(node)}."
        )
    return node


def _incomplete(call: Called, number: int) -> str:
    if call.encoding is Encoding.CUT:
        return f"turn {number}: the call's message was cut, so only its name is known ({call.name})"
    return f"turn {number}: the call's message cannot be read"


def _function_name(function: Any) -> str:
    inner = function.get("function", function) if isinstance(function, dict) else {}
    name = inner.get("name") if isinstance(inner, dict) else None
    return name if isinstance(name, str) else ""

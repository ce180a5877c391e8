"""Raw answers, `<query_id>_<method>.json`: what an agent of StableToolBench leaves behind.

A file of chain of thought (`CoT@n`) holds tries, each a chain of nodes; one of depth-first search (`DFS_…`) holds
a tree. Both hold what was generated: the conversations with the model, the functions that it was offered, and the final
answer. The file is kept whole beside what is read of it, so nothing is lost.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from proctor.errors import FileError, InputError
from proctor.formats.stabletoolbench.json_files import kind_of, read_json
from proctor.store.lines import unreadable

_NAME = re.compile(r"(?P<query>.+?)_(?P<method>(?:CoT|DFS).*)")


class Node(msgspec.Struct, frozen=True):
    """A step of a try or of a tree: a thought, the name of a function, or what it was asked with its observation."""

    kind: str
    """`Thought`, `Action` or `Action Input`."""
    text: str
    """The thought, the function's name, or the arguments as they were written."""
    observation: str = ""
    code: int | None = None
    """The status of the observation: 0 ok, 1 no such function, 3 final answer, 4 gave up, and so on."""
    pruned: bool = False
    depth: int = 0
    children: tuple[Node, ...] = ()


class RawAnswer(msgspec.Struct, frozen=True):
    """One raw answer."""

    query_id: str
    method: str
    """As the file's name has it: `CoT@1`, `DFS_woFilter_w2`."""
    query: str
    valid: bool
    """Whether the agent ended by Finish, so that its last conversation is its answer."""
    final_answer: str
    """The arguments of Finish as they were written; empty when the answer is not valid."""
    functions: tuple[Any, ...]
    """The functions that were offered, as they were offered."""
    conversation: tuple[dict[str, Any], ...]
    """The messages of the last conversation with the model."""
    tries: tuple[tuple[Node, ...], ...]
    """The chain of each try (CoT)."""
    tree: Node | None
    """The root of the search (DFS)."""
    finish_type: str | None
    requests: int
    """How often the model was asked."""
    tokens: int
    """Prompts and replies together; the file does not tell them apart."""
    document: dict[str, Any]
    """The file as it was."""

    @property
    def arguments(self) -> Mapping[str, Any]:
        """What the search was started with (`forward_args`): its limits."""
        said = self.document.get("forward_args")
        return said if isinstance(said, dict) else {}


def read_answer(path: str | Path) -> RawAnswer:
    """The answer in a file, whose name says the query and the method."""
    stem = Path(path).stem
    named = _NAME.fullmatch(stem)
    query_id, _, method = (named["query"], "", named["method"]) if named else stem.partition("_")
    if not query_id or not method:
        raise FileError("a raw answer is named <query_id>_<method>.json, such as 588_CoT@1.json.", path=str(path))
    try:
        return answer_of(read_json(path, deep=True), query_id, method)
    except FileError:
        raise
    except InputError as error:
        raise FileError(str(error), path=str(path)) from None


def answer_files(folder: str | Path) -> list[Path]:
    """The files of a folder that may be raw answers, in the order of their names."""
    try:
        found = sorted(path for path in Path(folder).iterdir() if path.suffix == ".json" and path.name[0] != ".")
    except OSError as error:
        raise unreadable(folder, error) from None
    if not found:
        raise FileError("the folder has no file <query_id>_<method>.json; check the path.", path=str(folder))
    return found


def answer_of(document: Any, query_id: str, method: str) -> RawAnswer:
    """The answer in plain data; InputError with one sentence where it is none."""
    if not isinstance(document, dict) or not isinstance(document.get("answer_generation"), dict):
        raise InputError("a raw answer is an object with 'answer_generation'; is this another file?")
    made = document["answer_generation"]
    conversations = _list(made.get("train_messages"), "train_messages")
    tree = document.get("tree")
    return RawAnswer(
        query_id=query_id,
        method=method,
        query=_text(made.get("query")),
        valid=bool(made.get("valid_data")),
        final_answer=_text(made.get("final_answer")),
        functions=tuple(_list(made.get("function"), "function")),
        conversation=tuple(_messages(conversations[-1])) if conversations else (),
        tries=tuple(tuple(_chain(one, index)) for index, one in enumerate(_list(document.get("trys"), "trys"))),
        tree=_tree(tree.get("tree")) if isinstance(tree, dict) and tree.get("tree") is not None else None,
        finish_type=made["finish_type"] if isinstance(made.get("finish_type"), str) else None,
        requests=_count(made.get("query_count"), "query_count"),
        tokens=_count(made.get("total_tokens"), "total_tokens"),
        document=document,
    )


def _messages(conversation: Any) -> Iterator[dict[str, Any]]:
    for index, message in enumerate(_list(conversation, "the last of train_messages")):
        if not isinstance(message, dict) or not isinstance(message.get("role"), str):
            raise InputError(f"message {index} of the last conversation must be an object with a role.")
        calls = [message.get("function_call"), *_list(message.get("tool_calls"), "tool_calls")]
        if not all(call is None or _is_call(call) for call in calls):
            raise InputError(f"message {index} of the last conversation has a call that is no object.")
        yield message


def _is_call(call: Any) -> bool:
    return isinstance(call, dict) and isinstance(call.get("function", {}), dict)


def _chain(attempt: Any, index: int) -> Iterator[Node]:
    if not isinstance(attempt, dict):
        raise InputError(f"trys[{index}] must be an object with a chain, not {kind_of(attempt)}.")
    for data in _list(attempt.get("chain"), f"trys[{index}].chain"):
        yield _node(data, ())


def _tree(root: Any) -> Node:
    """The nodes of a tree, leaves first: a search may be deeper than functions can call each other."""
    order: list[Any] = []
    waiting = [root]
    while waiting:
        data = waiting.pop()
        order.append(data)
        waiting.extend(_children(data))
    made: dict[int, Node] = {}
    for data in reversed(order):
        made[id(data)] = _node(data, tuple(made[id(child)] for child in _children(data)))
    return made[id(root)]


def _children(data: Any) -> list[Any]:
    return _list(data.get("children"), "the children of a node") if isinstance(data, dict) else []


def _node(data: Any, children: tuple[Node, ...]) -> Node:
    if not isinstance(data, dict) or not isinstance(data.get("node_type"), str):
        raise InputError("a node must be an object with a node_type (Thought, Action or Action Input).")
    code, depth = data.get("observation_code"), data.get("depth")
    return Node(
        kind=data["node_type"],
        text=_text(data.get("description")),
        observation=_text(data.get("observation")),
        code=code if isinstance(code, int) else None,
        pruned=data.get("pruned") is True,
        depth=depth if isinstance(depth, int) else 0,
        children=children,
    )


def _list(value: Any, what: str) -> list[Any]:
    if value is None:
        return []
    if not isinstance(value, list):
        raise InputError(f"{what} must be a list, not {kind_of(value)}.")
    return value


def _text(value: Any) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def _count(value: Any, what: str) -> int:
    if value is None:
        return 0
    if isinstance(value, bool) or not isinstance(value, int):
        raise InputError(f"{what} must be a whole number, not {kind_of(value)}.")
    return value

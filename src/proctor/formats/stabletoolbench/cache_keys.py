"""The texts under which cache files keep answers, read as the arguments that they mean.

StableToolBench writes `str(dict)`, others write JSON. A text is read as JSON, else as a Python literal that knows `nan`
and `inf`; what is neither stays a text. Nothing is ever evaluated, and nothing is guessed.
"""

from __future__ import annotations

import ast
import json
import warnings
from typing import Any

from proctor.errors import SampleError
from proctor.json_text import MAX_DEPTH

LONGEST = 1 << 20
"""A longer text is not read as arguments."""

_CONSTANTS = {"nan": float("nan"), "inf": float("inf"), "NaN": float("nan"), "Infinity": float("inf")}


def read_arguments(text: str) -> dict[str, Any] | None:
    """The arguments that a cache file's key stands for, or None where it cannot be read as any.

    >>> read_arguments("{'city': 'Oslo', 'lat': nan}")
    {'city': 'Oslo', 'lat': nan}
    """
    if len(text) > LONGEST or not text.lstrip().startswith("{"):
        return None
    for read in (_read_json, _read_literal):
        try:
            arguments = read(text)
        except (ValueError, SyntaxError, RecursionError, MemoryError, SampleError):
            continue
        return arguments if isinstance(arguments, dict) and not _too_deep(arguments) else None
    return None


def written_arguments(arguments: dict[str, Any]) -> str:
    """The text under which StableToolBench looks for arguments: its `str(dict)`."""
    return str(arguments)


def _read_json(text: str) -> Any:
    return json.loads(text, object_pairs_hook=_unique)


def _read_literal(text: str) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)
        warnings.simplefilter("ignore", DeprecationWarning)
        return _value(ast.parse(text.strip(), mode="eval").body)


def _value(node: ast.expr) -> Any:
    """What a literal says. Only what JSON could have said, and the two numbers that it lacks."""
    if isinstance(node, ast.Constant) and isinstance(node.value, (str, int, float, bool, type(None))):
        return node.value
    if isinstance(node, ast.Name) and node.id in _CONSTANTS:
        return _CONSTANTS[node.id]
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        number = _value(node.operand)
        if isinstance(number, (int, float)) and not isinstance(number, bool):
            return -number
    if isinstance(node, ast.List):
        return [_value(item) for item in node.elts]
    if isinstance(node, ast.Dict):
        return _unique([(_name(key), _value(value)) for key, value in zip(node.keys, node.values, strict=True)])
    raise ValueError


def _name(node: ast.expr | None) -> str:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    raise ValueError


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object in which no key stands twice: of two that do, nobody can know which was meant."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError
    return found


def _too_deep(value: Any, depth: int = 1) -> bool:
    if depth > MAX_DEPTH - 2:  # an entry's key is made of the arguments in a list
        return True
    items = value.values() if isinstance(value, dict) else value
    return any(_too_deep(item, depth + 1) for item in items if isinstance(item, (dict, list)))

"""Samples in the cells of Arrow, which knows one type a column.

Arrow gives all dictionaries of a column the same keys and fills in None where there was none, so that arguments of
different tools run into one another. What a tool or a user makes up (arguments, metadata, rubrics) is therefore
written as JSON text. When such text is read it is decoded, and where a dictionary was left to Arrow, what it filled in
is left out.
"""

from __future__ import annotations

from typing import Any

from proctor.dataset_schema.columns import from_json, to_json

_INT64 = 2**63
_FREE = {"args", "metadata"}
"""What is written as JSON text in messages and calls."""

CALL = {"name": "string", "args": "string", "id": "string", "malformed": "string"}
"""The fields of a call, and the types of their cells."""
MESSAGE = {
    "type": "string",
    "content": "string",
    "metadata": "string",
    "tool_calls": [CALL],
    "tool_call_id": "string",
    "name": "string",
    "status": "string",
}
"""The fields of a message, and the types of their cells; a list has the type of its items."""


def schema(name: str, values: list[Any]) -> Any:
    """The type of a column's cells: a name, or a list with the type of the items."""
    if name == "reference_tool_calls":
        return [CALL]
    if name == "user_input" and any(isinstance(value, list) for value in values):
        return [MESSAGE]
    if name in ("retrieved_contexts", "reference_contexts", "multi_responses", "reference_topics"):
        return ["string"]
    if name in ("retrieved_context_ids", "reference_context_ids"):
        items = [item for value in values for item in value or ()]
        if all(isinstance(item, str) for item in items):
            return ["string"]
        if all(isinstance(item, int) and -_INT64 <= item < _INT64 for item in items):
            return ["int64"]
    return "string"


def folded(name: str, value: Any, kind: Any) -> Any:
    """A value as a cell of the type `kind`: what no type fits is JSON text."""
    if value is None:
        return None
    if kind == "string":
        return value if isinstance(value, str) and name not in _FREE else to_json(value)
    if isinstance(kind, list):
        return [folded(name, item, kind[0]) for item in value]
    if isinstance(kind, dict):
        return {field: folded(field, value.get(field), inner) for field, inner in kind.items()}
    return value


def opened_up(name: str, value: Any) -> Any:
    """What a cell that Arrow made says: the JSON in it decoded, and what Arrow filled in left out."""
    found = _without_fillers(value)
    if name == "user_input" and isinstance(found, list):
        return [_message(item) for item in found]
    if name == "reference_tool_calls" and isinstance(found, list):
        return [_decoded(item, "args") for item in found]
    return found


def _without_fillers(value: Any) -> Any:
    if hasattr(value, "tolist"):
        return _without_fillers(value.tolist())
    if isinstance(value, dict):
        return {field: _without_fillers(item) for field, item in value.items() if item is not None}
    if isinstance(value, list):
        return [_without_fillers(item) for item in value]
    return value


def _message(item: Any) -> Any:
    message = _decoded(item, "metadata")
    if isinstance(message, dict) and isinstance(message.get("tool_calls"), list):
        message["tool_calls"] = [_decoded(call, "args") for call in message["tool_calls"]]
    return message


def _decoded(item: Any, field: str) -> Any:
    """A message or a call with one field that may be JSON text decoded."""
    if isinstance(item, dict) and isinstance(item.get(field), str):
        return {**item, field: from_json(field, item[field])}
    return item

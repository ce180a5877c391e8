"""Samples as the rows of a table, whatever the table's format."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from proctor import json_text
from proctor.dataset_schema.samples import MultiTurnSample, Sample, SingleTurnSample, free_values
from proctor.errors import InputError, SampleError

NESTED = frozenset(
    {
        "gold",
        "multi_responses",
        "reference_context_ids",
        "reference_contexts",
        "reference_tool_calls",
        "reference_topics",
        "retrieved_context_ids",
        "retrieved_contexts",
        "rubrics",
    }
)
"""The fields that hold lists or dictionaries in every kind of sample. `user_input` does in conversations only."""

ONLY_CONVERSATIONS = frozenset(MultiTurnSample.__struct_fields__) - frozenset(SingleTurnSample.__struct_fields__)
"""A table with one of these columns has a conversation in each row."""


def used_columns(samples: Sequence[Sample]) -> list[str]:
    """The names of the fields that any sample has, in the order of the sample's fields."""
    used = {name for sample in samples for name in sample.get_features()}
    return [name for name in samples[0].__struct_fields__ if name in used] if samples else []


def table_columns(samples: Sequence[Sample]) -> list[str]:
    """The columns of a table: those that are used, and one at least, so that rows without any value are rows."""
    return used_columns(samples) or ["user_input"]


def rows_of_columns(columns: Mapping[str, Sequence[Any]]) -> Iterator[dict[str, Any]]:
    """The rows of a dictionary of columns."""
    lengths = {}
    for name, values in columns.items():
        if isinstance(values, str | bytes | Mapping) or not hasattr(values, "__len__"):
            msg = f"the column {name!r} must be a list with a value for each sample, not {type(values).__name__}."
            raise SampleError(msg)
        lengths[name] = len(values)
    if len(set(lengths.values())) > 1:
        told = ", ".join(f"{name!r} has {length}" for name, length in lengths.items())
        raise SampleError(f"the columns must be of one length: {told}.")
    return (dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True))


def is_nested(column: str, *, conversations: bool) -> bool:
    """Whether a column holds lists or dictionaries."""
    return column in NESTED or (column == "user_input" and conversations)


def from_json(column: str, text: str) -> Any:
    """The value of a cell that holds JSON."""
    try:
        return json_text.decode(text)
    except InputError as error:
        raise SampleError(f"column {column!r}, which holds JSON: {error}") from None


def to_json(value: Any) -> str:
    """The JSON of a cell, of a sample that is writable."""
    return json_text.encode_checked(value).decode()


def writable(index: int, sample: Sample) -> bytes:
    """The sample as JSON; SampleError where it has a value that no file can hold: NaN, a date, half of a surrogate."""
    try:
        for value, depth in free_values(sample):
            json_text.refuse_foreign(value, depth)
        return json_text.encode_checked(sample)
    except InputError as error:
        raise SampleError(f"sample {index} cannot be written: {error}") from None


def unfolded(row: Mapping[Any, Any], *, conversations: bool) -> dict[Any, Any]:
    """A row with the JSON of its cells decoded, and without the cells that are None."""
    return {
        name: from_json(name, value)
        if isinstance(value, str) and is_nested(name, conversations=conversations)
        else value
        for name, value in row.items()
        if value is not None
    }


def has_conversations(columns: Iterable[Any]) -> bool:
    """Whether the rows of a table with these columns can only be conversations."""
    return not ONLY_CONVERSATIONS.isdisjoint(columns)

"""Datasets as CSV: a field in each column.

A cell of a column `name` holds text as it is, and of a field that is a list or a dictionary its JSON. A cell of a
column `name:json` holds JSON whatever the field is. An empty cell is a field that is not there; empty text is `""`,
two quotes. Conversations are known by a column that only they have, so `reference_tool_calls` is always written.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from proctor.dataset_schema.columns import from_json, has_conversations, is_nested, table_columns, to_json, writable
from proctor.dataset_schema.samples import MultiTurnSample, Sample, SingleTurnSample
from proctor.errors import FileError, InputError, nearest
from proctor.store.artifacts import artifact
from proctor.store.lines import MAX_LINE_BYTES, opened

_AS_JSON = ":json"
_EMPTY_TEXT = '""'
_Column = tuple[str, bool]
"""A field's name, and whether its cells hold JSON."""


def write(path: str | Path, samples: Sequence[Sample]) -> None:
    """Write a table of the samples. SampleError, and no file, for a value that the table cannot hold."""
    conversations = bool(samples) and isinstance(samples[0], MultiTurnSample)
    names = table_columns(samples)
    if conversations and not has_conversations(names):
        names.append("reference_tool_calls")
    columns = [(name, is_nested(name, conversations=conversations) or _needs_json(name, samples)) for name in names]
    with artifact(path) as file:
        text = io.StringIO(newline="")
        writer = csv.writer(text)
        writer.writerow([_head(column, conversations=conversations) for column in columns])
        for index, sample in enumerate(samples):
            writable(index, sample)
            plain = sample.to_dict()
            writer.writerow([_cell(column, plain) for column in columns])
            file.write_text(text.getvalue())
            text.seek(0)
            text.truncate()
        file.write_text(text.getvalue())


def _needs_json(name: str, samples: Sequence[Sample]) -> bool:
    return any(getattr(sample, name) == _EMPTY_TEXT for sample in samples)


def _head(column: _Column, *, conversations: bool) -> str:
    name, as_json = column
    return f"{name}{_AS_JSON}" if as_json and not is_nested(name, conversations=conversations) else name


def _cell(column: _Column, plain: dict[str, Any]) -> str:
    name, as_json = column
    if name not in plain:
        return ""
    value = plain[name]
    if as_json:
        return to_json(value)
    return value or _EMPTY_TEXT


def read(path: str | Path, sample_type: type[Sample] | None) -> Iterator[Sample]:
    """The samples of a table. FileError, with file and line, at the first row that is none."""
    with opened(path) as file, _long_cells(), _as_text(file) as text:
        rows = _rows(csv.reader(text, strict=True), str(path))
        line, head = next(rows, (1, ["user_input"]))
        columns = _columns(head, sample_type, str(path), line)
        kind = sample_type or (MultiTurnSample if has_conversations(name for name, _ in columns) else SingleTurnSample)
        for line, cells in rows:
            yield _sample(kind, cells, columns, str(path), line)


@contextmanager
def _long_cells() -> Iterator[None]:
    before = csv.field_size_limit(MAX_LINE_BYTES)
    try:
        yield
    finally:
        csv.field_size_limit(before)


@contextmanager
def _as_text(file: Any) -> Iterator[io.TextIOWrapper]:
    text = io.TextIOWrapper(file, "utf-8-sig", newline="")
    try:
        yield text
    finally:
        text.detach()


def _rows(reader: Any, path: str) -> Iterator[tuple[int, list[str]]]:
    """The rows that are not blank, each with the line on which it begins."""
    line = 1
    try:
        for cells in reader:
            if cells:
                yield line, cells
            line = reader.line_num + 1
    except csv.Error as error:
        raise FileError(f"the row is not CSV: {error}.", path=path, line=line) from None
    except UnicodeDecodeError as error:
        byte = error.object[error.start]
        raise FileError(
            f"here or soon after is a byte that is not valid UTF-8 (0x{byte:02x}).", path=path, line=line
        ) from None


def _columns(head: list[str], sample_type: type[Sample] | None, path: str, line: int) -> list[_Column]:
    names = [name.removesuffix(_AS_JSON) for name in head]
    conversations = sample_type is MultiTurnSample or (sample_type is None and has_conversations(names))
    fields = {*SingleTurnSample.__struct_fields__, *MultiTurnSample.__struct_fields__}
    for name in names:
        problem = None
        if name not in fields:
            problem = f"the column {name!r} is no field of a sample; {nearest(name, fields)}"
        elif names.count(name) > 1:
            problem = f"the column {name!r} stands twice in the head of the table."
        if problem is not None:
            raise FileError(problem, path=path, line=line)
    return [
        (name, title.endswith(_AS_JSON) or is_nested(name, conversations=conversations))
        for name, title in zip(names, head, strict=True)
    ]


def _sample(kind: type[Sample], cells: list[str], columns: list[_Column], path: str, line: int) -> Sample:
    if len(cells) != len(columns):
        problem = f"the row has {len(cells)} cells, the head of the table {len(columns)}."
        raise FileError(problem, path=path, line=line)
    try:
        row = {name: _value(name, cell, as_json=as_json) for (name, as_json), cell in zip(columns, cells, strict=True)}
        sample: Sample = kind(**{name: value for name, value in row.items() if value is not None})
    except InputError as error:
        raise FileError(str(error), path=path, line=line) from None
    return sample


def _value(name: str, cell: str, *, as_json: bool) -> Any:
    if cell == "":
        return None
    if as_json:
        return from_json(name, cell)
    return "" if cell == _EMPTY_TEXT else cell

"""Each sample's scores, as rows of a file."""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import PurePath
from typing import Any

import msgspec

from proctor.errors import FileError, OptionError
from proctor.formats.records import Record
from proctor.records.grades import Missing, Score
from proctor.runs.measuring import Cell
from proctor.runs.scoring import Keep
from proctor.store.artifacts import Artifact, artifact

_BUFFER = 1 << 16


@contextmanager
def kept(path: str | None, metrics: Sequence[str]) -> Iterator[Keep | None]:
    """What keeps each row in the file, which is written whole or not at all; None where no file is wanted."""
    if path is None:
        yield None
        return
    form = FORMS[PurePath(path).suffix.lower()]
    with artifact(path) as file, _buffered(file) as write:
        begin, row, end = form(metrics)
        write(begin)
        yield lambda record, cells: write(row(record, cells))
        write(end)


def check_output(path: str | None, inputs: Sequence[str]) -> None:
    """Refuse an output that cannot be one, before anything is measured."""
    if path is None:
        return
    if PurePath(path).suffix.lower() not in FORMS:
        raise OptionError(f"--output {path!r}: the name must end in one of {', '.join(FORMS)}.")
    if any(_same(path, one) for one in inputs):
        raise OptionError(f"--output {path!r} is one of the files that are read; name another.")


Row = Callable[[Record | FileError, Sequence[Cell]], bytes]
Form = Callable[[Sequence[str]], tuple[bytes, Row, bytes]]


def _jsonl(metrics: Sequence[str]) -> tuple[bytes, Row, bytes]:
    return b"", lambda record, cells: _encoded(plain_row(metrics, record, cells)) + b"\n", b""


def _json(metrics: Sequence[str]) -> tuple[bytes, Row, bytes]:
    between = iter([b"\n"])

    def row(record: Record | FileError, cells: Sequence[Cell]) -> bytes:
        return next(between, b",\n") + _encoded(plain_row(metrics, record, cells))

    return b"[", row, b"\n]\n"


def _csv(metrics: Sequence[str]) -> tuple[bytes, Row, bytes]:
    head = ["file", "line", "id", "skipped", *(column for name in metrics for column in (name, f"{name}_unmeasured"))]

    def row(record: Record | FileError, cells: Sequence[Cell]) -> bytes:
        plain = plain_row(metrics, record, cells)
        scores, unmeasured = plain.get("scores", {}), plain.get("unmeasured", {})
        values = [plain.get(column, "") for column in head[:4]]
        for name in metrics:
            values += [scores.get(name, ""), unmeasured.get(name, "")]
        return _csv_line(values)

    return _csv_line(head), row, b""


FORMS: dict[str, Form] = {".jsonl": _jsonl, ".csv": _csv, ".json": _json}
"""How rows are written, by the ending of the file's name."""


def plain_row(metrics: Sequence[str], record: Record | FileError, cells: Sequence[Cell]) -> dict[str, Any]:
    """One sample's scores as plain data; of a record that was skipped, why."""
    row: dict[str, Any] = {"file": record.path, "line": record.line}
    if record.id is not None:
        row["id"] = record.id
    if isinstance(record, FileError):
        return {**row, "skipped": record.problem}
    measured = {name: cell for name, cell in zip(metrics, cells, strict=True) if isinstance(cell, Score)}
    row["scores"] = {name: cell.value for name, cell in measured.items()}
    said = {
        "unmeasured": {
            name: cell.reason for name, cell in zip(metrics, cells, strict=True) if isinstance(cell, Missing)
        },
        "unmeasured_details": {
            name: cell.detail
            for name, cell in zip(metrics, cells, strict=True)
            if isinstance(cell, Missing) and cell.detail is not None
        },
        "reasons": {name: cell.reason for name, cell in measured.items() if cell.reason is not None},
        "warnings": {name: cell.warning for name, cell in measured.items() if cell.warning is not None},
        "details": {name: cell.details for name, cell in measured.items() if cell.details is not None},
    }
    return row | {field: by_metric for field, by_metric in said.items() if by_metric}


_encode = msgspec.json.Encoder().encode


def _encoded(row: dict[str, Any]) -> bytes:
    """The row as JSON; half a surrogate pair in somebody's words, which no file can hold, as its escape."""
    try:
        return _encode(row)
    except UnicodeEncodeError:
        return json.dumps(row).encode()


def _csv_line(values: Sequence[Any]) -> bytes:
    line = io.StringIO(newline="")
    csv.writer(line, lineterminator="\n").writerow(values)
    return line.getvalue().encode(errors="backslashreplace")


@contextmanager
def _buffered(file: Artifact) -> Iterator[Callable[[bytes], None]]:
    """Gathers rows, so that each does not go to the system by itself."""
    gathered = bytearray()

    def write(data: bytes) -> None:
        gathered.extend(data)
        if len(gathered) > _BUFFER:
            file.write(bytes(gathered))
            gathered.clear()

    yield write
    file.write(bytes(gathered))


def _same(one: str, other: str) -> bool:
    return os.path.realpath(one) == os.path.realpath(other)

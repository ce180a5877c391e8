"""StableToolBench's tables: columns parted by tabs, cells quoted where they need it."""

from __future__ import annotations

import ast
import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from proctor.errors import FileError
from proctor.store.lines import opened

_LONGEST_CELL = 1 << 26


def is_table(path: str | Path) -> bool:
    """Whether a file's name says that it is a table and not JSON."""
    return Path(path).suffix.lower() in {".csv", ".tsv"}


def table_head(path: str | Path) -> list[str]:
    """The names of a table's columns."""
    with opened(path) as file:
        line = file.readline(_LONGEST_CELL).removeprefix(b"\xef\xbb\xbf")
    return next(csv.reader([line.decode(errors="replace").rstrip("\r\n")], delimiter="\t"), [])


def read_table(path: str | Path, columns: Sequence[str]) -> list[dict[str, str]]:
    """The rows of a table by the names of the columns, of which it has to have these."""
    with opened(path) as file:
        data = file.read().removeprefix(b"\xef\xbb\xbf")
    limit = csv.field_size_limit(_LONGEST_CELL)
    try:
        rows = list(csv.reader(io.StringIO(data.decode(), newline=""), delimiter="\t", strict=True))
    except UnicodeDecodeError as error:
        raise FileError(f"byte {error.start} is not valid UTF-8; save the table as UTF-8.", path=str(path)) from None
    except csv.Error as error:
        raise FileError(f"is no table with tabs between its columns: {error}.", path=str(path)) from None
    finally:
        csv.field_size_limit(limit)
    head = rows[0] if rows else []
    if lacking := [name for name in columns if name not in head]:
        raise FileError(f"the first row lacks {', '.join(lacking)}; is it parted by tabs?", path=str(path))
    for number, row in enumerate(rows[1:], 2):
        if len(row) != len(head):
            raise FileError(f"row {number} has {len(row)} cells, and the first row {len(head)}.", path=str(path))
    return [dict(zip(head, row, strict=True)) for row in rows[1:]]


def table_bytes(columns: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> bytes:
    """The text of a table."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, delimiter="\t")
    writer.writerow(columns)
    writer.writerows([row[name] for name in columns] for row in rows)
    return text.getvalue().encode()


def literal(text: str) -> Any:
    """The value that a cell's Python text stands for (a list of names, a dictionary); None where it is none."""
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return None

"""Files of recorded conversations, a record at a time.

JSONL with a record on each line, a JSON array of records, and a single record over several lines are told apart by
how the file begins. Nothing but the record at hand is held, however long the file is.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from pathlib import PurePath
from typing import Any, BinaryIO, TypeVar, cast

from proctor.errors import FileError
from proctor.formats.elements import Layout, elements, layout
from proctor.formats.records import Record, read_record
from proctor.store.lines import MAX_LINE_BYTES, numbered_lines, opened, unreadable

_HEAD = 1 << 16
"""So many bytes are looked at to see how a file is laid out."""
_BUFFER = 1 << 18

Read = TypeVar("Read")
Advance = Callable[[int], object]
"""Is told how many more bytes were read."""


def read_records(
    path: str, *, longest: int = MAX_LINE_BYTES, advance: Advance = lambda _: None
) -> Iterator[Record | FileError]:
    """The records of a file, or of standard input where the path is `-`.

    A record that cannot be read is yielded as its error, so that the caller decides whether to go on. A file that
    cannot be opened is raised.
    """
    name = name_of(path)
    for line, data in texts(path, longest=longest, advance=advance):
        if type(data) is FileError:
            yield data
            continue
        try:
            record: Record | FileError = read_record(data, path=name, line=line)  # type: ignore[arg-type] # it is bytes
        except FileError as error:
            record = error
        yield record


def texts(
    path: str, *, longest: int = MAX_LINE_BYTES, advance: Advance = lambda _: None
) -> Iterator[tuple[int, bytes | FileError]]:
    """The JSON text of each record of a file, with the line on which it begins."""
    name = name_of(path)
    with opened(path) as file:
        head = _head(file, name)
        whole = cast("BinaryIO", io.BufferedReader(_Rejoined(head, file, advance), _BUFFER))
        form = layout(head, PurePath(path).suffix.lower())
        if form is Layout.ARRAY:
            yield from elements(whole, name, longest)
        elif form is Layout.VALUE:
            yield from _one_value(whole, name, longest)
        else:
            yield from numbered_lines(whole, name, longest=longest)


def name_of(path: str) -> str:
    """What a file is called in errors and tables: its path, bytes that are no text as escapes."""
    return "<stdin>" if path == "-" else path.encode(errors="backslashreplace").decode()


def _head(file: BinaryIO, name: str) -> bytes:
    try:
        return file.read(_HEAD)
    except OSError as error:
        raise unreadable(name, error) from None


def _one_value(file: BinaryIO, name: str, longest: int) -> Iterator[tuple[int, bytes | FileError]]:
    try:
        data = file.read(longest + 1)
    except OSError as error:
        raise unreadable(name, error) from None
    if len(data) > longest:
        limit = f"{longest / 1024 / 1024:g} MiB"
        yield 1, FileError(f"the one value of this file is longer than {limit}; is this a sample?", path=name, line=1)
    else:
        yield 1, data.removeprefix(b"\xef\xbb\xbf")


class _Rejoined(io.RawIOBase):
    """A file whose beginning was read already, from its beginning: works for pipes, which cannot be rewound."""

    def __init__(self, head: bytes, rest: BinaryIO, advance: Advance) -> None:
        super().__init__()
        self._head = head
        self._rest = rest
        self._advance = advance

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        if self._head:
            piece, self._head = self._head[: len(buffer)], self._head[len(buffer) :]
        else:
            piece = self._rest.read(len(buffer))
        buffer[: len(piece)] = piece
        self._advance(len(piece))
        return len(piece)

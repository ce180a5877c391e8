"""Lines of a file, one at a time: a file of any length is read in the memory of its longest line."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from proctor import json_text
from proctor.errors import FileError, InputError

MAX_LINE_BYTES = 32 * 1024 * 1024
"""A line longer than this is refused: it is more likely a file of another format than a sample."""

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


@contextmanager
def opened(path: str | Path) -> Iterator[BinaryIO]:
    """A file to read bytes from; `-` is standard input. What the system says against it becomes one sentence."""
    if str(path) == "-":
        yield sys.stdin.buffer
        return
    if not str(path):
        raise FileError("a file's name is empty; check the path.")
    try:
        file = Path(path).open("rb")  # noqa: SIM115 - closed below, where its errors are not those of the caller's block
    except OSError as error:
        raise unreadable(path, error) from None
    except ValueError:
        raise FileError("no file can have this name; check the path.", path=repr(str(path))) from None
    with file:
        yield file


def unreadable(path: str | Path, error: OSError) -> FileError:
    """What the system said against a file, as a sentence."""
    if isinstance(error, FileNotFoundError):
        return FileError("no such file; check the path.", path=str(path))
    if isinstance(error, IsADirectoryError):
        return FileError("this is a folder; name a file in it.", path=str(path))
    return FileError(f"cannot be read: {error.strerror or error}.", path=str(path))


def numbered_lines(
    file: BinaryIO, path: str | Path, *, longest: int = MAX_LINE_BYTES
) -> Iterator[tuple[int, bytes | FileError]]:
    """The lines that are not blank, each with its number from 1.

    A line that is too long is yielded as the error that it is, so that the caller decides whether to go on.
    """
    number = 0
    while line := _next_line(file, path, longest + 1):
        number += 1
        if number == 1:
            line = line.removeprefix(_BYTE_ORDER_MARK)
        if len(line) > longest:
            _skip_line(file, path, line)
            limit = f"{longest / 1024 / 1024:g} MiB"
            yield number, FileError(f"the line is longer than {limit}; is this JSONL?", path=str(path), line=number)
        elif not line.isspace() and line:
            yield number, line


def _next_line(file: BinaryIO, path: str | Path, limit: int) -> bytes:
    try:
        return file.readline(limit)
    except OSError as error:
        raise unreadable(path, error) from None


def _skip_line(file: BinaryIO, path: str | Path, begun: bytes) -> None:
    """Read to the end of a line that is too long, in pieces."""
    piece = begun
    while piece and not piece.endswith(b"\n"):
        piece = _next_line(file, path, len(begun))


def decode_json_line(data: bytes, *, path: str, line: int) -> Any:
    """The JSON value of one line, read strictly; FileError with file, line and one sentence where it cannot be."""
    try:
        return json_text.decode(data)
    except InputError as error:
        raise FileError(str(error), path=path, line=line) from None

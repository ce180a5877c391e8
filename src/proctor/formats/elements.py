"""How JSON lies in a file, and the elements of a JSON array one at a time.

An array may be far larger than the memory: only the element at hand is held.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Iterator
from typing import BinaryIO

from proctor.errors import FileError
from proctor.store.lines import unreadable

_TOKEN = re.compile(rb'"(?:[^"\\]++|\\.)*+"|["\[\]{}]', re.DOTALL)
"""A whole text, the quote of a text that is not ended, or a bracket."""
_BLANK = re.compile(rb"[ \t\r\n]*")
_BEGINNING = re.compile(rb"(?:\xef\xbb\xbf)?[ \t\r\n]*\[")
_MARK = b"\xef\xbb\xbf"
_PIECE = 1 << 18
_OPENERS = (b"{", b"[")


class Layout(enum.Enum):
    """How the values lie in a file."""

    LINES = "a value on each line"
    ARRAY = "one array, whose elements are the values"
    VALUE = "one value, over several lines"


def layout(head: bytes, suffix: str = "") -> Layout:
    """How the values lie in a file, judged by its beginning and the ending of its name."""
    text = head.removeprefix(_MARK).lstrip()
    if not text.startswith(_OPENERS):
        return Layout.LINES
    over_lines = suffix not in (".jsonl", ".ndjson") and _goes_on(text, suffix)
    if text.startswith(b"["):
        first = text[1:].lstrip()
        if first.startswith(b"]"):
            # Alone it is an array of nothing; with more behind it, the line of a reference that wants no call.
            return Layout.LINES if first[1:].strip() else Layout.ARRAY
        if first.startswith(b"[") or (first.startswith(b"{") and not _part_of_one_value(first)):
            return Layout.ARRAY
    return Layout.VALUE if over_lines else Layout.LINES


def elements(file: BinaryIO, path: str, longest: int) -> Iterator[tuple[int, bytes | FileError]]:
    """The lists and objects in the array that a file holds, each with the line on which it begins.

    What breaks the array itself, so that the next element cannot be found, is yielded as an error and is the end.
    """
    pieces = _Pieces(file, path)
    try:
        pieces.enter()
        closed = pieces.ends()
        while not closed:
            begin, element = pieces.element(longest)
            yield begin, element if len(element) <= longest else _too_long(path, begin, longest)
            closed = pieces.ends(after_element=True)
        pieces.expect_end()
    except FileError as error:
        yield error.line or 1, error


class _Pieces:
    """A file's bytes, read as they are needed; `line` is the line of the first byte that is not used up."""

    def __init__(self, file: BinaryIO, path: str) -> None:
        self._file = file
        self._path = path
        self._data = b""
        self._at = 0
        self._line = 1

    def error(self, problem: str) -> FileError:
        return FileError(problem, path=self._path, line=self._line)

    def enter(self) -> None:
        """Use up the beginning of the array."""
        self._skip_blank()
        found = _BEGINNING.match(self._data, self._at)
        if found is None:
            raise self.error(f"the beginning of an array was expected, not {self._near()!r}.")
        self._use_up(found.end())

    def ends(self, *, after_element: bool = False) -> bool:
        """Whether the array ends here; if not, and an element came before, the comma is used up."""
        self._skip_blank()
        following = self._data[self._at : self._at + 1]
        if following == b"]":
            self._use_up(self._at + 1)
            return True
        if not following:
            raise self.error("the array is cut off: the file ends before it is closed.")
        if after_element:
            if following != b",":
                raise self.error(f"a comma was expected between two elements, not {self._near()!r}.")
            self._use_up(self._at + 1)
            self._skip_blank()
        return False

    def element(self, longest: int) -> tuple[int, bytes]:
        """The list or object that begins here, with its line."""
        if not self._data.startswith(_OPENERS, self._at):
            raise self.error(f"an element must be an object or a list, not {self._near()!r}.")
        depth, scanned, begin = 0, self._at, self._line
        while True:
            for token in _TOKEN.finditer(self._data, scanned):
                mark = token.group()
                if mark in _OPENERS:
                    depth += 1
                elif mark == b'"':
                    scanned = token.start()
                    break
                elif mark in (b"}", b"]"):
                    depth -= 1
                    if depth == 0:
                        return begin, self._use_up(token.end())
                scanned = token.end()
            if len(self._data) - self._at > longest:
                raise _too_long(self._path, begin, longest, " The rest is not read.")
            scanned -= self._at
            if not self._more():
                raise self.error("the file ends in the middle of this element.")

    def expect_end(self) -> None:
        """Nothing may follow the array."""
        self._skip_blank()
        if self._at < len(self._data):
            raise self.error(f"after the end of the array stands {self._near()!r}; expected nothing.")

    def _near(self) -> str:
        return self._data[self._at : self._at + 12].decode(errors="replace")

    def _skip_blank(self) -> None:
        while True:
            blank = _BLANK.match(self._data, self._at)
            assert blank is not None
            self._use_up(blank.end())
            if self._at < len(self._data) or not self._more():
                return

    def _use_up(self, end: int) -> bytes:
        used = self._data[self._at : end]
        self._line += used.count(b"\n")
        self._at = end
        return used

    def _more(self) -> bool:
        """Read on; what is used up is forgotten, and what is left then begins at 0."""
        try:
            # As much again as is held, so that a long element is looked through a few times and not many.
            piece = self._file.read(max(_PIECE, len(self._data) - self._at))
        except OSError as error:
            raise unreadable(self._path, error) from None
        self._data = self._data[self._at :] + piece
        self._at = 0
        return bool(piece)


def _too_long(path: str, line: int, longest: int, end: str = "") -> FileError:
    return FileError(f"the element is longer than {longest / 1024 / 1024:g} MiB.{end}", path=path, line=line)


def _goes_on(text: bytes, suffix: str) -> bool:
    """Whether the first value goes on after its first line, as a value does that was printed for people."""
    first, newline, _ = text.partition(b"\n")
    if not newline:
        return False
    if suffix != ".json":
        return first.strip() in (b"{", b"[", b"[{")
    depth = 0
    for token in _TOKEN.finditer(first):
        mark = token.group()
        if mark == b'"':
            return False
        depth += (mark in _OPENERS) - (mark in (b"}", b"]"))
    return depth > 0


def _part_of_one_value(first: bytes) -> bool:
    """Whether the first object of a list is a message or a tool call: then the list is one value."""
    keys = _keys(first)
    if keys & {b"user_input", b"messages", b"outputs", b"reference_outputs"}:
        return False
    return bool(keys & {b"role", b"content", b"args", b"arguments", b"function"})


def _keys(text: bytes) -> set[bytes]:
    """The keys of the object that a text begins with, as far as the text goes."""
    depth, keys = 0, set()
    for token in _TOKEN.finditer(text):
        mark = token.group()
        if mark in _OPENERS:
            depth += 1
        elif mark in (b"}", b"]"):
            depth -= 1
            if depth == 0:
                break
        elif depth == 1 and text[token.end() : token.end() + 8].lstrip().startswith(b":"):
            keys.add(mark[1:-1])
    return keys

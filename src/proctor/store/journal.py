"""The journal of a run: what was done, a line each, only ever added to.

A line is `["checksum", "kind", [key …], "note", body]`, JSON like any other. A process may be killed at any moment: a
line that is not whole, or whose checksum is wrong, was never written, and what it told of is owed again. Of several
lines under one key the last one counts. Opening decodes the heads of the lines only, so it is quick.
"""

from __future__ import annotations

import fcntl
import mmap
import os
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Self, TypeVar

import msgspec

from proctor import json_text
from proctor.errors import FileError, StorageError
from proctor.store.artifacts import artifact, unwritable
from proctor.store.lines import unreadable

__all__ = ["Journal", "Key"]

Key = tuple[str | int, ...]
T = TypeVar("T")

_MUCH = 16_000_000
"""So many bytes of dropped records are borne before a file is written anew."""
_HEAD = len('["12345678",')
_line = msgspec.json.Decoder(tuple[str, str, tuple[str | int, ...], str, msgspec.Raw])


class Journal:
    """A journal on the disk, for one process at a time; with `read_only`, for any number beside it.

    `damaged` counts the lines that could not be trusted. What a line says is in the hands of the operating system when
    `append` returns: it survives the death of the process, and of the machine after `sync`.
    """

    def __init__(self, path: str | Path, *, read_only: bool = False) -> None:
        self.path = str(path)
        self.damaged = 0
        self._places: dict[str, dict[Key, tuple[int, int, str]]] = {}
        self._dropped = 0
        self._lock: int | None = None
        if not read_only:
            self._lock = _locked(self.path)
        try:
            self._file = self._opened(os.O_RDONLY if read_only else os.O_RDWR | os.O_CREAT)
            self._size = self._read()
            if not read_only:
                os.ftruncate(self._file, self._size)
        except BaseException:
            self._unlock()
            raise

    def append(self, kind: str, key: Key, body: Any, note: str = "") -> None:
        """Add a line. StorageError when it cannot be put away; the journal is then as it was."""
        if self._lock is None:
            raise StorageError(f"{self.path}: the journal was opened to be read only.")
        said = json_text.encode_checked([kind, list(key), note, body])
        line = b'["%08x",%b\n' % (zlib.crc32(said[1:]), said[1:])
        try:
            self._write(line)
        except OSError as error:
            os.ftruncate(self._file, self._size)
            raise unwritable(self.path, error) from None
        self._places.setdefault(kind, {})[tuple(key)] = (self._size, len(line), note)
        self._size += len(line)

    def drop(self, kind: str, key: Key) -> None:
        """Forget a record that nobody will need again. When most of the file is of such, it is written anew without.

        Only for what may as well be there: until then, opening the file brings it back.
        """
        place = self._places.get(kind, {}).pop(key, None)
        if place is None:
            return
        self._dropped += place[1]
        if self._dropped > _MUCH and self._dropped * 2 > self._size:
            self._rewrite()

    @property
    def empty(self) -> bool:
        """Whether nothing stands there."""
        return not self._size

    def holds(self, kind: str, key: Key) -> bool:
        """Whether there is a record under a key."""
        return key in self._places.get(kind, {})

    def keys(self, kind: str) -> tuple[Key, ...]:
        """The keys of a kind."""
        return tuple(self._places.get(kind, ()))

    def notes(self, kind: str) -> dict[Key, str]:
        """The keys of a kind, in the order in which they were first written, each with its last note."""
        return {key: note for key, (_, _, note) in self._places.get(kind, {}).items()}

    def body(self, kind: str, key: Key, as_type: type[T]) -> T | None:
        """The last body under a key."""
        place = self._places.get(kind, {}).get(key)
        return None if place is None else self._body(place, as_type)

    def bodies(self, kind: str, as_type: type[T]) -> Iterator[tuple[Key, T]]:
        """All keys of a kind with their last bodies, read one at a time."""
        for key, place in list(self._places.get(kind, {}).items()):
            yield key, self._body(place, as_type)

    def clear(self) -> None:
        """Forget everything."""
        os.ftruncate(self._file, 0)
        self._places, self._size, self._dropped, self.damaged = {}, 0, 0, 0

    def raw(self, kind: str, key: Key) -> bytes | None:
        """The last body under a key as it stands there."""
        place = self._places.get(kind, {}).get(key)
        return None if place is None else bytes(self._line(place)[4])

    def sync(self) -> None:
        """Wait until all of it is on the disk itself."""
        os.fsync(self._file)

    def close(self) -> None:
        """Let go of the file and of the lock. It may be called twice."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1
        self._unlock()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _opened(self, flags: int) -> int:
        try:
            return os.open(self.path, flags, 0o666)
        except OSError as error:
            raise (unwritable if flags & os.O_RDWR else unreadable)(self.path, error) from None

    def _read(self) -> int:
        """Take in the heads of all lines; returns where the last whole line ends."""
        size = os.fstat(self._file).st_size
        if not size:
            return 0
        end = 0
        with mmap.mmap(self._file, size, prot=mmap.PROT_READ) as held:
            while (newline := held.find(b"\n", end)) >= 0:
                self._take(held[end:newline], end)
                end = newline + 1
        if end and self.damaged and not self._places:
            raise FileError("holds no line of a journal; is this another file?", path=self.path)
        return end

    def _take(self, line: bytes, start: int) -> None:
        if line[:_HEAD] != b'["%08x",' % zlib.crc32(memoryview(line)[_HEAD:]):
            self.damaged += bool(line.strip())
            return
        try:
            _, kind, key, note, _ = _line.decode(line)
        except json_text.UNREADABLE:
            self.damaged += 1
            return
        self._places.setdefault(kind, {})[key] = (start, len(line), note)

    def _body(self, place: tuple[int, int, str], as_type: type[T]) -> T:
        line = self._line(place)
        try:
            return msgspec.json.decode(line[4], type=as_type)
        except json_text.UNREADABLE as error:
            msg = f"the record {list(line[2])} is of another version of Proctor: {error}."
            raise FileError(msg, path=self.path) from None

    def _line(self, place: tuple[int, int, str]) -> tuple[str, str, tuple[str | int, ...], str, msgspec.Raw]:
        start, length, _ = place
        return _line.decode(os.pread(self._file, length, start))

    def _write(self, line: bytes) -> None:
        at = self._size
        while line:
            written = os.pwrite(self._file, line, at)
            line, at = line[written:], at + written

    def _rewrite(self) -> None:
        """The file without what was dropped, in place of the old one in one step."""
        places: dict[str, dict[Key, tuple[int, int, str]]] = {}
        size = 0
        with artifact(self.path) as file:
            for kind, keys in self._places.items():
                for key, (start, length, note) in keys.items():
                    line = os.pread(self._file, length, start).rstrip(b"\n") + b"\n"
                    file.write(line)
                    places.setdefault(kind, {})[key] = (size, len(line), note)
                    size += len(line)
        fresh = self._opened(os.O_RDWR)
        os.close(self._file)
        self._file, self._size, self._places, self._dropped = fresh, size, places, 0

    def _unlock(self) -> None:
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None


def _locked(path: str) -> int:
    """The lock of a journal, which ends with this process however it ends."""
    beside = f"{path}.lock"
    while True:
        try:
            lock = os.open(beside, os.O_RDWR | os.O_CREAT, 0o666)
        except OSError as error:
            raise unwritable(beside, error) from None
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            owner = os.pread(lock, 20, 0).decode("ascii", "replace").strip()
            os.close(lock)
            raise StorageError(
                f"{path}: this run is being made by another process{f' ({owner})' if owner else ''}; wait for its end, "
                "or name another run."
            ) from None
        if _is_at(lock, beside):
            break
        os.close(lock)  # whoever held it has removed the file meanwhile
    os.ftruncate(lock, 0)
    os.pwrite(lock, str(os.getpid()).encode(), 0)
    return lock


def _is_at(lock: int, path: str) -> bool:
    """Whether the open file is the one at that path."""
    try:
        return os.path.samestat(os.fstat(lock), os.stat(path))  # noqa: PTH116 - the two are compared
    except FileNotFoundError:
        return False

"""Result files, written whole or not at all.

What is written goes to a temporary file beside the one that is meant. Only when all of it is safely on the disk does it
take the file's name, in one step: a reader sees the old file or the new one and never half of one, and a full disk, an
error or Ctrl-C leaves the old file as it was.
"""

from __future__ import annotations

import errno
import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from proctor.errors import StorageError

_PUBLIC = 0o666
"""The permissions of a new file, less those that the user's umask takes away."""


class Artifact:
    """A file that is being written. Nobody sees it until it is complete."""

    def __init__(self, file: BinaryIO, path: str) -> None:
        self._file = file
        self.path = path

    def write(self, data: bytes) -> None:
        """Add bytes to the end. StorageError when they cannot be put away."""
        try:
            self._file.write(data)
        except OSError as error:
            raise unwritable(self.path, error) from None

    def write_text(self, text: str) -> None:
        """Add text to the end, as UTF-8."""
        try:
            data = text.encode()
        except UnicodeEncodeError:
            raise StorageError(f"{self.path}: the text holds half of a surrogate pair, which no file can.") from None
        self.write(data)


@contextmanager
def artifact(path: str | Path) -> Iterator[Artifact]:
    """A file to write as a stream; it takes its name when the block ends well, and is gone when it does not.

    What is no ordinary file (a pipe, a terminal, `/dev/stdout`) is written to directly.
    """
    target = Path(os.path.realpath(path))
    if target.exists() and not target.is_file() and not target.is_dir():
        with _stream(target, str(path)) as file:
            yield Artifact(file, str(path))
        return
    temporary = target.with_name(f".{target.name[:200]}.{secrets.token_hex(4)}.part")
    try:
        with _new_file(temporary, target, str(path)) as file:
            yield Artifact(file, str(path))
            _flush(file, str(path), sync=True)
        _rename(temporary, target, str(path))
    except BaseException:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise


def write_whole(path: str | Path, data: bytes) -> None:
    """Write a file whole or not at all."""
    with artifact(path) as file:
        file.write(data)


def unwritable(path: str, error: OSError) -> StorageError:
    """What the system said against writing a file, as a sentence."""
    if isinstance(error, FileNotFoundError | NotADirectoryError):
        return StorageError(f"{path}: its folder does not exist; make the folder or name another file.")
    if isinstance(error, IsADirectoryError):
        return StorageError(f"{path}: this is a folder; name a file in it.")
    why = error.strerror or str(error)
    return StorageError(f"{path}: cannot be written: {why}. What was there before is unchanged.")


@contextmanager
def _stream(target: Path, path: str) -> Iterator[BinaryIO]:
    try:
        file = target.open("wb")
    except OSError as error:
        raise unwritable(path, error) from None
    try:
        yield file
        _flush(file, path)
    finally:
        with suppress(OSError):
            file.close()


@contextmanager
def _new_file(temporary: Path, target: Path, path: str) -> Iterator[BinaryIO]:
    """The temporary file, with the permissions of the file whose place it takes."""
    try:
        if target.is_dir():
            raise IsADirectoryError
        if target.exists() and not os.access(target, os.W_OK):
            raise PermissionError(errno.EACCES, "the file is read-only")
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _PUBLIC)
    except OSError as error:
        raise unwritable(path, error) from None
    file = os.fdopen(descriptor, "wb")
    try:
        with suppress(OSError):
            os.fchmod(descriptor, stat.S_IMODE(target.stat().st_mode))
        yield file
    finally:
        # What the buffer still holds is written here or lost with the file; the error that counts is the first one.
        with suppress(OSError):
            file.close()


def _flush(file: BinaryIO, path: str, *, sync: bool = False) -> None:
    try:
        file.flush()
        if sync:
            os.fsync(file.fileno())
    except OSError as error:
        raise unwritable(path, error) from None


def _rename(temporary: Path, target: Path, path: str) -> None:
    try:
        temporary.replace(target)
    except OSError as error:
        raise unwritable(path, error) from None
    with suppress(OSError):
        folder = os.open(target.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)

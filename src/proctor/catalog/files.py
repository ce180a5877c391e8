"""The documents below a folder: found safely, in a fixed order, and stamped so that a change of any is noticed."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterable
from pathlib import Path

import msgspec

from proctor.catalog.index import Broken
from proctor.store.lines import unreadable

MAX_FILE_BYTES = 64 * 1024 * 1024
"""A larger file is no tool's document."""
MAX_FOLDERS = 2
"""Category and tool: what lies deeper belongs to something else."""


class Found(msgspec.Struct, frozen=True):
    """A document below a folder."""

    path: Path
    relative: tuple[str, ...]
    """The names of its folders and its own, below the folder that was named."""
    stamp: tuple[int, int, int, int]
    """Size, time of the last change to the content, time of the last change to anything, and inode."""

    @property
    def stem(self) -> str:
        """The file's name without its ending."""
        return self.relative[-1].rpartition(".")[0]


def find_documents(root: Path, endings: tuple[str, ...] = (".json",)) -> tuple[list[Found], list[Broken]]:
    """Every document below a folder, and what was passed over with the reason.

    Links are followed, each folder once, so that links in a circle end. What is no regular file is not opened. Files
    of other kinds, such as generated code, and hidden ones are not looked at.
    """
    found: list[Found] = []
    broken: list[Broken] = []
    seen: set[tuple[int, int]] = set()
    open_folders: list[tuple[Path, tuple[str, ...]]] = [(root, ())]
    while open_folders:
        folder, names = open_folders.pop()
        try:
            status = folder.stat()
            entries = _entries(folder) if (status.st_dev, status.st_ino) not in seen else []
        except OSError as error:
            broken.append(Broken(shown_path(folder), f"cannot be read: {error.strerror or error}"))
            continue
        seen.add((status.st_dev, status.st_ino))
        for entry in entries:
            relative = (*names, entry.name)
            if _is_folder(entry):
                open_folders.append((Path(entry.path), relative))
            elif entry.name.lower().endswith(endings):
                _take(entry, relative, found, broken)
    return sorted(found, key=lambda one: one.relative), broken


def read_bytes(path: Path) -> bytes:
    """All of a file; what the system says against it becomes one sentence."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise unreadable(shown_path(path), error) from None


def stamp_of(found: Iterable[Found], *said: str) -> bytes:
    """32 bytes that change when a document is added, removed, renamed or written to."""
    digest = hashlib.blake2b(digest_size=32)
    for word in said:
        digest.update(f"{len(word)}:{word}".encode())
    for one in found:
        digest.update(os.fsencode("/".join(one.relative)) + repr(one.stamp).encode() + b"\n")
    return digest.digest()


def shown_path(path: Path) -> str:
    """A path as text that can be printed and stored; bytes that are no UTF-8 are spelled out."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def shown_name(name: str) -> str:
    """One name of a path as text that can be printed and stored."""
    return os.fsencode(name).decode("utf-8", "backslashreplace")


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    with os.scandir(folder) as entries:
        return [entry for entry in entries if not entry.name.startswith(".")]


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:
        return False


def _take(entry: os.DirEntry[str], relative: tuple[str, ...], found: list[Found], broken: list[Broken]) -> None:
    path = Path(entry.path)
    try:
        status = entry.stat()
    except OSError as error:
        broken.append(Broken(shown_path(path), f"cannot be read: {error.strerror or error}"))
        return
    if not stat.S_ISREG(status.st_mode):
        broken.append(Broken(shown_path(path), "is no regular file, so it was not opened"))
    elif len(relative) > MAX_FOLDERS + 1:
        broken.append(Broken(shown_path(path), "lies deeper than <category>/<tool>/<api>.json, so it was not read"))
    elif status.st_size > MAX_FILE_BYTES:
        broken.append(Broken(shown_path(path), f"is larger than {MAX_FILE_BYTES // 1024**2} MiB, so it was not read"))
    else:
        stamp = (status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)
        found.append(Found(path, relative, stamp))

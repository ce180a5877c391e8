"""A loaded catalogue in one file, so that the next start need not read thousands.

The file says which documents it was made of (their stamp) and holds a checksum of itself. If either does not fit, or
anything else about it is odd, it is as if it were not there.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
from pathlib import Path

import msgspec

from proctor.catalog.index import Broken
from proctor.records.queries import ToolSpec

_MAGIC = b"proctor catalogue 1\n"
_HASH_BYTES = 32


class Snapshot(msgspec.Struct, frozen=True):
    """What is kept of a load."""

    files: int
    tools: list[ToolSpec]
    broken: list[Broken]


_decoder = msgspec.msgpack.Decoder(Snapshot)


def read_snapshot(path: Path, stamp: bytes) -> Snapshot | None:
    """The snapshot, if there is one that is whole and was made of the documents with this stamp."""
    try:
        content = path.read_bytes() if path.is_file() else b""
    except OSError:
        return None
    head = len(_MAGIC)
    made_of, checksum, body = content[head : head + 32], content[head + 32 : head + 64], content[head + 64 :]
    if not content.startswith(_MAGIC) or made_of != stamp or checksum != _checksum(stamp, body):
        return None
    try:
        return _decoder.decode(body)
    except (msgspec.DecodeError, RecursionError):
        return None


def write_snapshot(path: Path, stamp: bytes, snapshot: Snapshot) -> str:
    """Put a snapshot where the next start looks for it, whole or not at all; says what stood in the way, if anything.

    It is no error: the catalogue is loaded, only the next start takes longer.
    """
    body = msgspec.msgpack.encode(snapshot)
    temporary = ""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
        with os.fdopen(handle, "wb") as file:
            file.write(_MAGIC + stamp + _checksum(stamp, body) + body)
        Path(temporary).replace(path)
    except OSError as error:
        if temporary:
            with contextlib.suppress(OSError):
                Path(temporary).unlink()
        return f"the index {path} could not be written: {error.strerror or error}."
    return ""


def _checksum(stamp: bytes, body: bytes) -> bytes:
    digest = hashlib.blake2b(stamp, digest_size=_HASH_BYTES)
    digest.update(body)
    return digest.digest()

"""A loaded catalogue as bytes, so that the next start need not read thousands of files."""

from __future__ import annotations

import msgspec

from proctor.catalog.index import Broken
from proctor.records.queries import ToolSpec

KIND = b"catalogue 1"
"""Changes whenever records do, or the reading of files."""


class Snapshot(msgspec.Struct, frozen=True):
    """What is kept of a load."""

    files: int
    tools: list[ToolSpec]
    broken: list[Broken]


_decoder = msgspec.msgpack.Decoder(Snapshot)


def packed(snapshot: Snapshot) -> bytes:
    """The snapshot as bytes."""
    return msgspec.msgpack.encode(snapshot)


def unpacked(body: bytes | None) -> Snapshot | None:
    """The snapshot that was packed; None when there is none, or one that an older Proctor made."""
    if body is None:
        return None
    try:
        return _decoder.decode(body)
    except (msgspec.DecodeError, RecursionError):
        return None

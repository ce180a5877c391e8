"""Files that say what they were made of, so that a later start can take them instead of making them again.

Such a file holds the stamp of what it was made of and a checksum of itself. If either does not fit, or anything else
about it is odd, it is as if it were not there.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

from proctor.errors import StorageError
from proctor.store.artifacts import write_whole

STAMP_BYTES = 32


def read_stamped(path: Path, kind: bytes, stamp: bytes) -> bytes | None:
    """The body of the file, if it is whole, of this kind, and made of what has this stamp."""
    try:
        content = path.read_bytes() if path.is_file() else b""
    except OSError:
        return None
    head = _head(kind, stamp)
    end = len(head) + STAMP_BYTES
    if not content.startswith(head) or content[len(head) : end] != _checksum(stamp, memoryview(content)[end:]):
        return None
    return content[end:]


def write_stamped(path: Path, kind: bytes, stamp: bytes, body: bytes) -> str:
    """Put a body where the next start looks for it, whole or not at all; says what stood in the way, if anything.

    That is no error: everything is loaded, only the next start takes longer.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, b"".join((_head(kind, stamp), _checksum(stamp, body), body)))
    except OSError as error:
        return f"the index {path} could not be written: {error.strerror or error}."
    except StorageError as error:
        return f"the index could not be written: {error}"
    return ""


def _head(kind: bytes, stamp: bytes) -> bytes:
    return b"proctor " + kind + b"\n" + stamp


def _checksum(stamp: bytes, body: bytes | memoryview) -> bytes:
    digest = hashlib.blake2b(stamp, digest_size=STAMP_BYTES)
    digest.update(body)
    return digest.digest()

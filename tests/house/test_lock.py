"""The lock: every package with its version and hashes, and no word of where it was made."""

import re
from pathlib import Path

PIN = re.compile(r"[a-z0-9][a-z0-9.-]*==[^ ;]+( ; .+)? \\")
HASH = re.compile(r"    --hash=sha256:[0-9a-f]{64}( \\)?")


def oddities(lock: str) -> list[str]:
    """The lines that are neither a pinned package nor a hash: addresses, paths, options, packages without a hash."""
    return [line for line in lock.splitlines() if not PIN.fullmatch(line) and not HASH.fullmatch(line)]


def test_the_lock_holds_pins_and_hashes_only(root: Path) -> None:
    lock = (root / "requirements.lock").read_text("utf-8")
    assert oddities(lock) == []
    assert "hatchling==" in lock, "the project is built from what the lock holds"


def test_addresses_paths_and_missing_hashes_are_found() -> None:
    assert oddities("click==8.1") != []
    assert oddities("--index-url https://example.org/simple") != []
    assert oddities("click @ file:///wheels/click.whl \\") != []
    assert oddities("<<<<<<< HEAD") != []
    assert oddities("click==8.1 ; python_version < '4' \\\n    --hash=sha256:" + "0" * 64) == []

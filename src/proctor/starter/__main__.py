"""The starter's tool files, checked or written anew: `python -m proctor.starter --check` or `--write`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from proctor.starter import folder, tools
from proctor.starter.documents import documents

__all__ = ["main"]


def main(words: Sequence[str] | None = None, root: Path | None = None) -> int:
    """Do what the words say with the tool files below `root`, and return the exit code: 1 where something is amiss."""
    parser = argparse.ArgumentParser(
        prog="python -m proctor.starter", description="Look after the starter's tool files."
    )
    todo = parser.add_mutually_exclusive_group(required=True)
    todo.add_argument(
        "--check",
        action="store_true",
        help="say which tool files do not fit the functions; write nothing",
    )
    todo.add_argument("--write", action="store_true", help="write the tool files anew from the functions")
    said = parser.parse_args(words)
    root = folder() / "tools" if root is None else root
    wanted = {
        path: msgspec.json.format(msgspec.json.encode(one), indent=1) + b"\n"
        for path, one in documents(tools()).items()
    }
    if said.write:
        _write(root, wanted)
        return 0
    complaints = _differing(root, wanted)
    sys.stdout.writelines(f"{complaint}\n" for complaint in complaints)
    return 1 if complaints else 0


def _there(root: Path) -> dict[str, Path]:
    return {path.relative_to(root).as_posix(): path for path in sorted(root.rglob("*.json"))}


def _differing(root: Path, wanted: Mapping[str, bytes]) -> list[str]:
    there = _there(root)
    stale = [f"tools/{name}: no tool is so called." for name in there if name not in wanted]
    return stale + [
        f"tools/{name}: it is not what the functions make; --write writes it."
        for name, text in wanted.items()
        if name not in there or there[name].read_bytes() != text
    ]


def _write(root: Path, wanted: Mapping[str, bytes]) -> None:
    for name, path in _there(root).items():
        if name not in wanted:
            path.unlink()
    for name, text in wanted.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(text)


if __name__ == "__main__":
    sys.exit(main())

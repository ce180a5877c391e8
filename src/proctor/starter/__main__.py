"""Writes the starter's tool files anew from its functions: `python -m proctor.starter`."""

from __future__ import annotations

import shutil

import msgspec

from proctor.starter import folder, tools
from proctor.starter.documents import documents

if __name__ == "__main__":
    root = folder() / "tools"
    shutil.rmtree(root, ignore_errors=True)
    for path, document in documents(tools()).items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(msgspec.json.format(msgspec.json.encode(document), indent=1) + b"\n")

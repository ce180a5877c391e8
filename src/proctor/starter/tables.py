"""The data sets on which the starter's APIs stand, read once each."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

import msgspec

from proctor.starter.values import Refused

__all__ = ["FOLDER", "one", "table"]

FOLDER = Path(__file__).parent
"""Where the starter's files are."""


@functools.cache
def table(name: str) -> Any:
    """The data set of `data/<name>.json`. Whoever reads it leaves it as it is."""
    return msgspec.json.decode((FOLDER / "data" / f"{name}.json").read_bytes())


def one(rows: list[dict[str, Any]], key: str, value: str, noun: str) -> dict[str, Any]:
    """The row that has this value, in whatever case it is written; refused where there is none."""
    wanted = value.casefold()
    for row in rows:
        if row[key].casefold() == wanted:
            return row
    raise Refused(f"404 Not Found: there is no {noun} {value!r}.")

"""Lines with the look of what they are, where they stand on a terminal; elsewhere they are plain text."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import Any, TextIO

import click

from proctor.report.terminal import Line

__all__ = ["painted", "shows_looks"]

_LOOKS: dict[str, dict[str, Any]] = {
    "title": {"bold": True},
    "head": {"bold": True},
    "total": {"bold": True},
    "note": {"dim": True},
}


def painted(lines: Sequence[Line], out: TextIO | None = None) -> str:
    """The lines as text: heads and totals stand out on a terminal, notes stand back."""
    if not shows_looks(sys.stdout if out is None else out):
        return "\n".join(line.text for line in lines)
    return "\n".join(click.style(one.text, **_LOOKS[one.kind]) if one.kind in _LOOKS else one.text for one in lines)


def shows_looks(out: TextIO) -> bool:
    """Whether text may be bold or coloured there: on a terminal that can, unless NO_COLOR is set to anything."""
    return out.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"

"""A progress bar on a terminal, for work that takes longer than a moment."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

_MOMENT = 0.5
"""Seconds that pass before a bar is drawn: most evaluations are over by then."""


@contextmanager
def progress(what: str, *, total: float | None, show: bool = True) -> Iterator[Callable[[int], object]]:
    """Hands out the function that is told how much more is done. Draws on standard error, and only on a terminal."""
    # A service may have no standard error at all.
    if not show or sys.stderr is None or not sys.stderr.isatty():
        yield lambda _: None
        return
    bar = _Bar(what, total)
    try:
        yield bar.advance
    finally:
        bar.close()


class _Bar:
    """A bar that appears late, so that nothing is imported or drawn for work that is done in a moment."""

    def __init__(self, what: str, total: float | None) -> None:
        self._what = what
        self._total = total
        self._done = 0
        self._begun = time.monotonic()
        self._drawn: Any = None
        self._task: Any = None

    def advance(self, more: int) -> None:
        self._done += more
        if self._drawn is not None:
            self._drawn.update(self._task, completed=self._done)
        elif time.monotonic() - self._begun > _MOMENT:
            self._draw()

    def close(self) -> None:
        if self._drawn is not None:
            self._drawn.stop()

    def _draw(self) -> None:
        from rich.console import Console
        from rich.progress import Progress

        self._drawn = Progress(console=Console(stderr=True), transient=True)
        self._task = self._drawn.add_task(self._what, total=self._total, completed=self._done)
        self._drawn.start()

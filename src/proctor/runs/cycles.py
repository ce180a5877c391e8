"""Looking for cycles less often while a run is at work.

Traces and verdicts hold no cycles and many of them stay, so that looking through all of them at the usual pace takes a
third of a large run's processor time, and more with every trial.
"""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Iterator

__all__ = ["looked_for_seldom"]

_PACE = (50_000, 50, 100)


@contextlib.contextmanager
def looked_for_seldom() -> Iterator[None]:
    """Python looks for cycles seldom while the block lasts, and as before afterwards."""
    usual = gc.get_threshold()
    if usual[0] == 0:  # somebody has switched it off, and may do so
        yield
        return
    gc.set_threshold(*_PACE)
    try:
        yield
    finally:
        gc.set_threshold(*usual)

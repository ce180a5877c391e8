"""Looking for cycles less often while a run is at work.

Traces and verdicts hold no cycles and many of them stay, so that looking through all of them at the usual pace takes a
third of a large run's processor time, and more with every trial.
"""

from __future__ import annotations

import contextlib
import gc
import threading
from collections.abc import Iterator

__all__ = ["looked_for_seldom"]

_PACE = (50_000, 50, 100)
_lock = threading.Lock()
_blocks: list[tuple[int, int, int]] = []
"""For each block that lasts, the pace that was usual before the first of them."""


@contextlib.contextmanager
def looked_for_seldom() -> Iterator[None]:
    """Python looks for cycles seldom while the block lasts, and as before afterwards.

    Of several blocks in a process the last to end puts the pace back, in whatever order they end.
    """
    with _lock:
        usual = _blocks[0] if _blocks else gc.get_threshold()
        if usual[0] != 0:  # somebody may have switched it off, and may do so
            gc.set_threshold(*_PACE)
        _blocks.append(usual)
    try:
        yield
    finally:
        with _lock:
            _blocks.pop()
            if not _blocks and usual[0] != 0:
                gc.set_threshold(*usual)

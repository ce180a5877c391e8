"""Work that waits, done in threads of its own, so that nothing else waits for it."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import ParamSpec, TypeVar

__all__ = ["Aside"]

P = ParamSpec("P")
T = TypeVar("T")


class Aside:
    """At most so many threads, begun when there is work for them.

    The event loop's own threads are few and shared by everybody: forty slow calls there would hold up every write.
    """

    def __init__(self, name: str, threads: int) -> None:
        self._name = name
        self._threads = threads
        self._pool: tuple[int, ThreadPoolExecutor] | None = None

    async def do(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Call the function in a thread and wait for what it returns."""
        return await asyncio.wrap_future(self._executor().submit(function, *args, **kwargs))

    def close(self) -> None:
        """Let the threads end when their work is done. New work begins new ones."""
        if self._pool is not None and self._pool[0] == os.getpid():
            self._pool[1].shutdown(wait=False)
        self._pool = None

    def _executor(self) -> ThreadPoolExecutor:
        if self._pool is None or self._pool[0] != os.getpid():  # a process that was forked off has no threads
            self._pool = os.getpid(), ThreadPoolExecutor(self._threads, thread_name_prefix=self._name)
        return self._pool[1]

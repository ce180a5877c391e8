"""Waiting for async work from code that is not async."""

from __future__ import annotations

import asyncio
import contextvars
import threading
from collections.abc import Callable, Coroutine, Iterable
from typing import Any, TypeVar

Result = TypeVar("Result")


async def together(work: Iterable[Coroutine[Any, Any, Result]]) -> list[Result]:
    """Do it all at once; the results are in the order of the work."""
    return list(await asyncio.gather(*work))


def wait_for(begin: Callable[[], Coroutine[Any, Any, Result]]) -> Result:
    """Begin async work and wait for its end.

    Inside a running loop (a notebook, a web server) the work gets a thread and a loop of its own: no loop is patched.
    """
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(begin())
    ended: list[Result] = []
    broken: list[BaseException] = []

    def work() -> None:
        try:
            ended.append(asyncio.run(begin()))
        except BaseException as error:  # noqa: BLE001 - whatever it is belongs to the caller, on the caller's thread
            broken.append(error)

    thread = threading.Thread(target=contextvars.copy_context().run, args=(work,), name="proctor-wait")
    thread.start()
    thread.join()
    if broken:
        raise broken[0]
    return ended[0]

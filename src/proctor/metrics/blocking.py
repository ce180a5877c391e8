"""Waiting for async work: for all of it, for no longer than some time, and from code that is not async."""

from __future__ import annotations

import threading
from collections.abc import Callable, Coroutine, Iterable
from typing import Any, TypeVar

Result = TypeVar("Result")

# asyncio is loaded by those who wait: most metrics never do.


async def together(work: Iterable[Coroutine[Any, Any, Result]]) -> list[Result]:
    """Do it all at once; the results are in the order of the work."""
    import asyncio

    return list(await asyncio.gather(*work))


async def within(seconds: float | None, work: Coroutine[Any, Any, Result]) -> Result:
    """Do it, but for no longer than this: TimeoutError. None is as long as it takes."""
    import asyncio

    return await asyncio.wait_for(work, seconds)


def wait_for(begin: Callable[[], Coroutine[Any, Any, Result]]) -> Result:
    """Begin async work and wait for its end.

    Inside a running loop (a notebook, a web server) the work gets a thread and a loop of its own: no loop is patched.
    """
    import asyncio
    import contextvars

    # Not inside an `except`: an error of the work would name the absent loop as what it came of.
    if not _loop_is_running():
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


def _loop_is_running() -> bool:
    import asyncio

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True

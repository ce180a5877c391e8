"""One asks and the others wait for the answer, also across processes: by the claims of the store."""

from __future__ import annotations

import asyncio
import contextlib
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable

from proctor.errors import StorageError
from proctor.gateway.aside import Aside
from proctor.records.answers import Answer
from proctor.store.responses import ResponseStore

__all__ = ["turn"]

_LONGEST_WAIT = 0.5


@contextlib.asynccontextmanager
async def turn(
    store: ResponseStore,
    key: str,
    look: Callable[[], Awaitable[Answer | None]],
    aside: Aside,
    *,
    seconds: float,
    wait: float,
) -> AsyncIterator[Answer | None]:
    """Wait for one's turn to ask for an answer; the block is given the answer that somebody else got meanwhile.

    While the block lasts the claim is renewed. Of an owner that died, the claim ends after so many seconds.
    """
    owner = uuid.uuid4().hex
    while not await aside.do(store.claim, key, owner, seconds):
        await asyncio.sleep(wait)
        wait = min(wait * 1.5, _LONGEST_WAIT)
        found = await look()
        if found is not None:
            yield found
            return
    renewal = asyncio.create_task(_renew(store, aside, key, owner, seconds))
    try:
        yield await look()
    finally:
        renewal.cancel()
        await asyncio.wait([renewal])
        await aside.do(store.release, key, owner)


async def _renew(store: ResponseStore, aside: Aside, key: str, owner: str, seconds: float) -> None:
    while True:
        await asyncio.sleep(seconds / 3)
        with contextlib.suppress(StorageError):  # a claim that ends early costs a second question, nothing else
            await aside.do(store.renew, key, owner, seconds)

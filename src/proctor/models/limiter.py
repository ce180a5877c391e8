"""How many calls may be under way at once: halved when the endpoint says "too many", grown while it does not.

`Limiter` is the pure decision, `Gate` the door that calls wait at.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Awaitable, Callable

import msgspec

from proctor.errors import OptionError

__all__ = ["Gate", "Limiter"]

_TURNS = 3
"""So many turns of the event loop lie between two calls that begin; enough for the first to be on its way."""


class Limiter(msgspec.Struct, frozen=True):
    """How many calls may be under way. A change is a new value."""

    ceiling: int
    """Never more than this."""
    allowed: float = 0.0
    """How many now; it begins at the ceiling."""
    cuts: int = 0
    """How often it was halved."""

    def __post_init__(self) -> None:
        if self.ceiling < 1:
            raise OptionError(f"concurrency must be at least 1, not {self.ceiling}.")
        if self.allowed == 0.0:
            msgspec.structs.force_setattr(self, "allowed", float(self.ceiling))

    @property
    def room(self) -> int:
        """How many whole calls may be under way."""
        return int(self.allowed)

    def refused(self, cuts_at_start: int) -> Limiter:
        """After "too many requests": half as many.

        Calls that began before the last cut say nothing about it, so that a burst of refusals halves once.
        """
        if cuts_at_start < self.cuts:
            return self
        return Limiter(self.ceiling, max(1.0, self.allowed / 2), self.cuts + 1)

    def answered(self) -> Limiter:
        """After an answer: a little more, one whole call for every round of calls."""
        if self.allowed >= self.ceiling:
            return self
        return Limiter(self.ceiling, min(float(self.ceiling), self.allowed + 1 / self.allowed), self.cuts)


class Gate:
    """The door before an endpoint: first come, first served. It belongs to one event loop."""

    def __init__(
        self,
        limiter: Limiter,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self.limiter = limiter
        self.under_way = 0
        self._clock = clock
        self._sleep = sleep
        self._open_at = float("-inf")
        self._doorstep = asyncio.Lock()
        self._waiting: deque[asyncio.Future[None]] = deque()

    async def enter(self) -> int:
        """Wait until a call may begin. The returned number belongs to `leave`."""
        if self.under_way < self.limiter.room and not self._waiting:
            self.under_way += 1
        else:
            await self._queue()
        try:
            await self._step_in()
            while (closed := self._open_at - self._clock()) > 0:
                await self._sleep(closed)
        except BaseException:
            self._free()
            raise
        return self.limiter.cuts

    def leave(self, entered: int, *, taken: bool | None = None, wait: float | None = None) -> None:
        """A call has ended.

        `taken` says whether the endpoint took it; False is "too many requests", and None says nothing about its
        capacity. `wait` is for how many seconds the endpoint wants to be left alone: nobody enters before.
        """
        if taken is not None:
            self.limiter = self.limiter.answered() if taken else self.limiter.refused(entered)
        if wait is not None:
            self._open_at = max(self._open_at, self._clock() + wait)
        self._free()

    async def _step_in(self) -> None:
        """Let calls begin one after the other, a few turns of the event loop apart.

        Calls that begin in the same turn stay abreast: their answers come together, and each waits for the work on all
        of them. Apart from each other they keep a fast endpoint a sixth busier.
        """
        if self.under_way > 1:
            async with self._doorstep:
                for _ in range(_TURNS):
                    await asyncio.sleep(0)

    async def _queue(self) -> None:
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self._free()  # its turn had come in the same moment: hand it on
            else:
                self._waiting.remove(turn)
            raise

    def _free(self) -> None:
        self.under_way -= 1
        while self._waiting and self.under_way < self.limiter.room:
            turn = self._waiting.popleft()
            if not turn.done():
                self.under_way += 1
                turn.set_result(None)

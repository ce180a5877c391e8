"""Seats for frameworks: each a thread with an event loop of its own, in which one framework lives from start to end.

A framework that blocks, waits or hangs does so in its own thread, and everything that it keeps between queries (its
event loop, connections, what belongs to a thread) is there at the next query.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import contextvars
import inspect
import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, TypeVar

from proctor.agents.adapters.functions import Definitions, HandedTools
from proctor.agents.adapters.objects import Maker
from proctor.agents.desk import Desk
from proctor.agents.diary import Stopped
from proctor.agents.sessions import CURRENT
from proctor.errors import AgentError
from proctor.messages import ToolCall
from proctor.records.traces import CallStep, Finish, StopReason

__all__ = ["Seat", "Seats", "in_thread"]


OpenSession = Callable[[], Awaitable[dict[str, str]]]
"""Opens the doors of a task, in its event loop, and says where they are."""
T = TypeVar("T")


class Seat:
    """One framework in its thread."""

    def __init__(self, maker: Maker) -> None:
        self._maker = maker
        self._framework: Any = None
        self._answered = False
        self._tools: Definitions | None = None
        self._at_work: list[Desk] = []
        self._preparing = asyncio.Lock()
        self._loop = asyncio.new_event_loop()
        threading.Thread(target=self._live, name="proctor-agent", daemon=True).start()

    @property
    def at_work(self) -> bool:
        """Whether the framework has not come back yet."""
        return bool(self._at_work)

    async def answer(self, desk: Desk, tools: Definitions, session: OpenSession | None = None) -> Any:
        """What the framework answers to the query of a desk."""
        working = asyncio.run_coroutine_threadsafe(self._answer(desk, tools, session), self._loop)
        return await asyncio.wrap_future(working)

    def leave(self) -> None:
        """End the thread, as soon as the framework lets go of it."""
        with contextlib.suppress(RuntimeError):  # it has ended already
            self._loop.call_soon_threadsafe(self._loop.stop)

    def _live(self) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            self._loop.run_forever()
        finally:
            for task in asyncio.all_tasks(self._loop):
                task.cancel()
            self._loop.run_until_complete(asyncio.sleep(0))
            self._loop.run_until_complete(self._loop.shutdown_asyncgens())
            self._loop.close()

    async def _answer(self, desk: Desk, tools: Definitions, session: OpenSession | None) -> Any:
        CURRENT.set(desk)
        self._at_work.append(desk)
        try:
            async with self._preparing:
                await self._prepare(desk, tools, session)
            answer, query = self._framework.answer, desk.task.query.text
            if self._maker.concurrent and not inspect.iscoroutinefunction(answer):
                return await _done(await in_thread(lambda: answer(query)))
            return await _done(answer(query))
        except (SystemExit, KeyboardInterrupt) as error:
            raise AgentError(f"the agent wanted to end the process: {type(error).__name__} {error}".rstrip()) from None
        finally:
            self._at_work.remove(desk)

    async def _prepare(self, desk: Desk, tools: Definitions, session: OpenSession | None) -> None:
        if self._framework is None:
            self._framework = self._maker()
        framework = self._framework
        if self._tools is not tools:
            if hasattr(framework, "setup_tools"):
                await _done(framework.setup_tools(HandedTools(tools, self._call, self._call_later)))
            self._tools = tools
        if self._answered and not self._maker.concurrent and hasattr(framework, "reset"):
            await _done(framework.reset())
        self._answered = True
        if session is not None and hasattr(framework, "setup_session"):
            opening = asyncio.run_coroutine_threadsafe(_opened(session), desk.loop)
            await _done(framework.setup_session(await asyncio.wrap_future(opening)))

    def _call(self, call: ToolCall) -> str:
        return told(self._desk().from_elsewhere(call).result())

    async def _call_later(self, call: ToolCall) -> str:
        return told(await asyncio.wrap_future(self._desk().from_elsewhere(call)))

    def _desk(self) -> Desk:
        """The task that a call belongs to: that of its thread or coroutine, else the only one at work here."""
        desk = CURRENT.get()
        if desk is not None:
            return desk
        if len(self._at_work) == 1:
            return self._at_work[0]
        if not self._at_work:
            raise Stopped(StopReason.FINISHED)
        raise AgentError("a call of this agent cannot be attributed to a query: its thread has no context.")


def told(step: CallStep | Finish) -> str:
    """What an agent is told after a call."""
    return step.observation if isinstance(step, CallStep) else "The task is finished."


class Seats:
    """The seats of one agent: as many as there are tasks at once where it can be made again, else one."""

    def __init__(self, maker: Maker) -> None:
        self._maker = maker
        self._free: list[Seat] = []
        self._all: list[Seat] = []
        self._alone = asyncio.Lock()

    @contextlib.asynccontextmanager
    async def taken(self, *, same_tools: bool) -> AsyncIterator[Seat]:
        """A seat for one task. One whose framework has not come back by then is not used again.

        `same_tools` says that every task has the same tools at hand, so that an object may have several at once.
        """
        if self._maker.concurrent and same_tools:
            if not self._all:
                self._all.append(Seat(self._maker))
            yield self._all[0]
            return
        async with self._alone if not self._maker.fresh else contextlib.nullcontext():
            seat = self._free.pop() if self._free else Seat(self._maker)
            self._all.append(seat)
            try:
                yield seat
            finally:
                self._all.remove(seat)
                if seat.at_work:
                    seat.leave()
                else:
                    self._free.append(seat)

    def leave(self) -> None:
        """End all seats."""
        for seat in (*self._all, *self._free):
            seat.leave()
        self._free.clear()


async def _done(said: Any) -> Any:
    return await said if inspect.isawaitable(said) else said


async def _opened(session: OpenSession) -> dict[str, str]:
    return await session()


async def in_thread(work: Callable[[], T]) -> T:
    """Do something in a thread that nobody has to wait for at the end of the process."""
    done: concurrent.futures.Future[T] = concurrent.futures.Future()
    done.set_running_or_notify_cancel()
    context = contextvars.copy_context()

    def run() -> None:
        try:
            done.set_result(context.run(work))
        except (SystemExit, KeyboardInterrupt) as error:
            done.set_exception(AgentError(f"the agent wanted to end the process: {type(error).__name__}"))
        except BaseException as error:  # noqa: BLE001 - handed to whoever waits
            done.set_exception(error)

    threading.Thread(target=run, name="proctor-agent-task", daemon=True).start()
    return await asyncio.wrap_future(done)

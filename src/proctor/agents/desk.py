"""The desk of an agent that Proctor does not drive: every call that it makes comes by here, through whichever door.

A call is made with the tools at hand, counted against the limits, and written into the diary, in the order in which the
calls were begun. The desk belongs to the event loop of its trial; other threads and loops use `from_elsewhere`.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextvars
from collections.abc import Awaitable
from typing import Any, TypeVar

import msgspec

from proctor.agents.agent import Task, ToolBox, in_time
from proctor.agents.diary import Diary, Stopped
from proctor.agents.finish import NAME, read_finish
from proctor.messages import ToolCall
from proctor.records.traces import CallStep, Finish, StopReason, Thought

__all__ = ["MOST_SECONDS", "Desk"]

T = TypeVar("T")
_GRACE = 0.3
"""Seconds for an agent to leave by itself after a limit has been told to it."""
MOST_SECONDS = 600.0
"""So long an agent may take where the run has no limit of time: one that hangs must not hold the run up for ever."""


class _Slot:
    """The place of one call among those that are not in the diary yet."""

    def __init__(self, step: CallStep | Thought | None = None) -> None:
        self.step = step


class Desk:
    """One agent at one task. It is made in the event loop of its trial."""

    def __init__(self, task: Task, tools: ToolBox, diary: Diary) -> None:
        self.task = task
        self.tools = tools
        self.diary = diary
        self.loop = asyncio.get_running_loop()
        self._context = contextvars.copy_context()
        self.finish: Finish | None = None
        """What a call of Finish said, where the agent ends by one."""
        self.calls = 0
        """How many calls have come by, those included that reached no API."""
        self._slots: list[_Slot] = []
        self._full: StopReason | None = None
        self._broken: Exception | None = None
        self._stop: asyncio.Future[StopReason] = self.loop.create_future()

    @property
    def stop(self) -> StopReason | None:
        """Why no further call is made; None while calls are made."""
        return self._stop.result() if self._stop.done() else None

    async def call(self, call: ToolCall) -> CallStep | Finish:
        """Make a call. `Stopped` when a limit has come, or the task is over."""
        self._refuse_when_over()
        if call.name == NAME:
            return self._finished(call)
        self._refuse_without_room()
        self.calls += 1
        slot = _Slot()
        self._slots.append(slot)
        began = self.diary.clock()
        try:
            step = await in_time(self.tools.call(call), self.diary)
        except BaseException as error:
            self._left(slot, error)
            raise
        self._refuse_when_over()
        shown = self.diary.shown(step.observation)
        slot.step = made = msgspec.structs.replace(step, observation=shown, seconds=self.diary.clock() - began)
        self._note()
        return made

    def think(self, thought: Thought) -> None:
        """Write down what the agent says to itself, after the calls that it has begun."""
        self._refuse_when_over()
        self._slots.append(_Slot(thought))
        self._note()

    def from_elsewhere(self, call: ToolCall) -> concurrent.futures.Future[CallStep | Finish]:
        """Make a call from another thread or another event loop."""
        return self._context.copy().run(asyncio.run_coroutine_threadsafe, self.call(call), self.loop)

    async def outcome(self, working: Awaitable[T]) -> T:
        """What the agent comes back with; `Stopped` as soon as a limit has come, wherever the agent is then.

        An agent that has come to a limit is given a moment to leave, and is cancelled then.
        """
        task = asyncio.ensure_future(working)
        left = self.diary.seconds_left
        wait = MOST_SECONDS if left is None else max(left, 0.0)
        either: set[asyncio.Future[Any]] = {task, self._stop}
        try:
            await asyncio.wait(either, timeout=wait, return_when=asyncio.FIRST_COMPLETED)
            if not self._stop.done() and not task.done():
                self.end(StopReason.TIME_LIMIT)
            if not self._stop.done():
                return task.result()
            await asyncio.wait({task}, timeout=_GRACE)
            raise self._broken or Stopped(self._stop.result())
        finally:
            self.end(StopReason.FINISHED)
            task.cancel()
            task.add_done_callback(_looked_at)

    def end(self, stop: StopReason) -> None:
        """No further call is made; what came back until now is in the diary. Only the first reason counts."""
        if self._stop.done():
            return
        self._stop.set_result(stop)
        self._slots = [slot for slot in self._slots if slot.step is not None]
        self._note()

    def _refuse_when_over(self) -> None:
        if self._stop.done():
            raise Stopped(self._stop.result())

    def _refuse_without_room(self) -> None:
        """Calls that are at work count as if they were in the diary; the desk is closed when they have come back."""
        at_work = len(self._slots)
        calls = sum(not isinstance(slot.step, Thought) for slot in self._slots)
        full = None if self.diary.room(at_work + 1) > at_work else Stopped(StopReason.STEP_LIMIT)
        try:
            self.diary.check(calls=calls + 1)
        except Stopped as limit:
            full = limit
        if full is not None:
            self._full = full.stop
            self._note()
            raise full

    def _left(self, slot: _Slot, error: BaseException) -> None:
        """A call that did not come back: the time was up, whoever made it left, or the run cannot go on."""
        if slot in self._slots:
            self._slots.remove(slot)
        if isinstance(error, Stopped):
            self.end(error.stop)
        elif isinstance(error, Exception):
            self._broken = self._broken or error
            self.end(StopReason.FAILED)
        else:
            self._note()

    def _finished(self, call: ToolCall) -> CallStep | Finish:
        said = read_finish(call)
        if isinstance(said, Finish):
            self.finish = self.finish or said
        else:
            self._refuse_without_room()
            self.calls += 1
            self._slots.append(_Slot(said))
            self._note()
        return said

    def _note(self) -> None:
        """Write down the steps that no earlier call holds up."""
        try:
            while self._slots and (step := self._slots[0].step) is not None:
                self._slots.pop(0)
                self.diary.note(step)
        except Stopped as limit:
            self._slots.clear()
            self.end(limit.stop)
        if self._full is not None and not self._slots:
            self.end(self._full)


def _looked_at(task: asyncio.Future[T]) -> None:
    """Look at what became of an agent that nobody waits for any more."""
    if not task.cancelled():
        task.exception()

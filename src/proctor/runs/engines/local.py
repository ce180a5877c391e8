"""The local engine: trials at work at once in one event loop."""

from __future__ import annotations

import asyncio
import contextlib
import signal
from collections.abc import Awaitable, Callable, Iterator, Sequence

from proctor.records.runs import TrialKey
from proctor.runs.schedule import Ended, Outcome, Patience, Start, State, Stop, after, begin

__all__ = ["carry_out"]

Work = Callable[[TrialKey], Awaitable[Outcome]]
_Event = Ended | Stop | BaseException


async def carry_out(
    owed: Sequence[TrialKey],
    work: Work,
    *,
    concurrency: int = 8,
    patience: Patience | None = None,
    interrupted: Callable[[], object] = lambda: None,
) -> State:
    """Do the work of every trial that is owed, and return how it ended.

    The first Ctrl-C lets what is at work finish and begins nothing more (`interrupted` is told), the second one
    cancels it. An error that the work raises also lets the others finish, and is raised then.
    """
    events: asyncio.Queue[_Event] = asyncio.Queue()
    state, starts = begin(tuple(owed), concurrency, patience or Patience())
    tasks: set[asyncio.Task[None]] = set()
    broken: BaseException | None = None
    with _ctrl_c(events, tasks, interrupted):
        while not state.over:
            for start in starts:
                task = asyncio.create_task(_carried(start, work, events))
                tasks.add(task)
                task.add_done_callback(tasks.discard)
            event = await events.get()
            if isinstance(event, _Failed):
                broken = broken or event.error
                state, starts = after(state, Stop())
                state, starts = after(state, Ended(event.trial, Outcome.ENVIRONMENT))
            elif isinstance(event, Ended | Stop):
                state, starts = after(state, event)
    if broken is not None:
        raise broken
    return state


class _Failed(Exception):  # noqa: N818 - it carries one
    """The work of a trial raised an error."""

    def __init__(self, trial: TrialKey, error: BaseException) -> None:
        self.trial = trial
        self.error = error
        super().__init__(str(error))


async def _carried(start: Start, work: Work, events: asyncio.Queue[_Event]) -> None:
    try:
        if start.after:
            await asyncio.sleep(start.after)
        events.put_nowait(Ended(start.trial, await work(start.trial)))
    except asyncio.CancelledError:
        events.put_nowait(Ended(start.trial, Outcome.ENVIRONMENT))
        raise
    except BaseException as error:  # noqa: BLE001 - handed to the loop of events, which raises it
        events.put_nowait(_Failed(start.trial, error))


@contextlib.contextmanager
def _ctrl_c(
    events: asyncio.Queue[_Event], tasks: set[asyncio.Task[None]], interrupted: Callable[[], object]
) -> Iterator[None]:
    """Turns Ctrl-C into events, where signals can be had (the main thread)."""
    loop = asyncio.get_running_loop()
    pressed = 0

    def press() -> None:
        nonlocal pressed
        pressed += 1
        if pressed == 1:
            events.put_nowait(Stop())
            interrupted()
            return
        events.put_nowait(Stop(at_once=True))
        for task in tasks:
            task.cancel()

    try:
        loop.add_signal_handler(signal.SIGINT, press)
    except (RuntimeError, ValueError):
        yield
        return
    try:
        yield
    finally:
        loop.remove_signal_handler(signal.SIGINT)

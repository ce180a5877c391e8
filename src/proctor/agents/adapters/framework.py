"""A framework: any Python object with `setup_tools(all_tools)` and `answer(query)`, both sync or async.

`answer` returns text, or `{"answer": {"final_answer": …, "answer_details": […]}}`; that is the agent's Finish. Its
calls are those that come by its desk: through the functions that it was handed, or through the doors whose addresses
`setup_session(session)` is told. Only where none came by is what `answer_details` tell taken for its steps, so that
no call counts twice. `reset()` is called between two queries.
"""

from __future__ import annotations

import contextlib
from typing import Any, Protocol

from proctor.agents.adapters.final import DetailsReader, Said, read_said
from proctor.agents.adapters.functions import definitions_of
from proctor.agents.adapters.objects import load_object, maker_of
from proctor.agents.adapters.seats import Seats
from proctor.agents.agent import Task, ToolBox
from proctor.agents.desk import Desk
from proctor.agents.diary import Diary
from proctor.records.traces import CallStep, Finish, StopReason, Thought

__all__ = ["Door", "FrameworkAgent", "ended"]


class Door(Protocol):
    """Lets calls from outside in."""

    def opened(self, desk: Desk) -> contextlib.AbstractAsyncContextManager[dict[str, str]]:
        """The addresses that stand for one task, as long as it lasts."""
        ...


class FrameworkAgent:
    """An agent made of a framework: its object, its class, a function that makes one, or the name of any of these.

    `details` reads what a framework says that it did; without it, `answer_details` are left alone.
    """

    def __init__(
        self, framework: Any, *, name: str | None = None, details: DetailsReader | None = None, door: Door | None = None
    ) -> None:
        called = framework if isinstance(framework, str) else None
        thing = load_object(framework) if isinstance(framework, str) else framework
        self._maker = maker_of(thing, called)
        self.name = name or self._maker.name
        self._seats = Seats(self._maker)
        self._details = details
        self._door = door
        self._tools = definitions_of()

    async def attempt(self, task: Task, tools: ToolBox, diary: Diary) -> StopReason:
        """Ask the framework."""
        definitions = self._tools(tools)
        async with (
            contextlib.AsyncExitStack() as stack,
            self._seats.taken(same_tools=isinstance(tools.offered, int)) as seat,
        ):
            diary.begin()
            desk = Desk(task, tools, diary)

            async def session() -> dict[str, str]:
                assert self._door is not None
                return await stack.enter_async_context(self._door.opened(desk))

            said = await desk.outcome(seat.answer(desk, definitions, None if self._door is None else session))
            return ended(desk, read_said(said, self.name), self._details)

    async def aclose(self) -> None:
        """End its threads."""
        self._seats.leave()

    def __repr__(self) -> str:
        return f"<agent {self.name}>"


def ended(desk: Desk, said: Said, details: DetailsReader | None) -> StopReason:
    """Write down how an agent ended: by a call of Finish, by what it came back with, or without an answer."""
    diary = desk.diary
    if desk.calls == 0 and desk.finish is None and said.details is not None and details is not None:
        steps = details(said.details, desk.tools.catalog)
        for step in steps:
            diary.note(step)
        last = next((step for step in reversed(steps) if not isinstance(step, Thought)), None)
        if isinstance(last, CallStep):
            if said.finish is not None:
                diary.note(Thought(said.finish.answer))
            return StopReason.NO_ANSWER
        if isinstance(last, Finish):
            return StopReason.GAVE_UP if last.gave_up else StopReason.FINISHED
    finish = desk.finish or said.finish
    if finish is None:
        return StopReason.NO_ANSWER
    diary.note(finish)
    return StopReason.GAVE_UP if finish.gave_up else StopReason.FINISHED

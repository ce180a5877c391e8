"""The waist between the exam and whoever sits it: `Agent.attempt(task, tools, diary) -> StopReason`.

A strategy is a generator that touches nothing. It yields what is to be done (ask the model, call APIs, write a step
down) and is sent what came of it; `drive` does these things.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Generator, Sequence
from typing import Any, Protocol, TypeVar, runtime_checkable

import msgspec

from proctor.agents.diary import Diary, Stopped
from proctor.agents.finish import FINISH
from proctor.catalog.index import Catalog
from proctor.errors import ModelError, OptionError
from proctor.messages import ToolCall
from proctor.models.chat import ChatModel, Reply, Request
from proctor.records.queries import ApiId, ApiSpec, Query
from proctor.records.traces import CallStep, Finish, StopReason, Thought, Usage

__all__ = [
    "Agent",
    "AskModel",
    "CallApis",
    "Note",
    "Place",
    "Settings",
    "Strategy",
    "StrategyAgent",
    "Task",
    "ToolBox",
    "drive",
    "in_time",
]


class Task(msgspec.Struct, frozen=True):
    """What an agent is set: a query, and which go at it this is."""

    query: Query
    epoch: int = 0
    seed: int = 0


@runtime_checkable
class ToolBox(Protocol):
    """The tools at hand for one task."""

    @property
    def catalog(self) -> Catalog:
        """The APIs that can be called."""
        ...

    @property
    def functions(self) -> tuple[dict[str, Any], ...]:
        """What a model is shown, in OpenAI's form. It may grow when the agent searches."""
        ...

    @property
    def searches(self) -> bool:
        """Whether there are so many that a model is shown `search_tools` in their place."""
        ...

    @property
    def offered(self) -> tuple[ApiId, ...] | int:
        """The APIs that were at hand; their number when they were all that there are, and no model had to search."""
        ...

    def search(self, text: str, k: int) -> list[ApiSpec]:
        """The k APIs at hand that fit best."""
        ...

    def name(self, api: ApiId) -> str:
        """The name of an API's function."""
        ...

    async def call(self, call: ToolCall) -> CallStep:
        """Make a call, and tell what came of it; a call that is no use is an observation too."""
        ...


@runtime_checkable
class Agent(Protocol):
    """Whoever sits the exam."""

    @property
    def name(self) -> str:
        """What it is called in results."""
        ...

    async def attempt(self, task: Task, tools: ToolBox, diary: Diary) -> StopReason:
        """Work on a query until it is done or cannot go on. Every step is noted in the diary when it is made.

        An agent that comes to a limit may let `Stopped` through. Whatever else it raises is a failed trial.
        """
        ...


class AskModel(msgspec.Struct, frozen=True):
    """Ask the model; a `Reply` is sent back. The functions at hand and Finish go with the question."""

    messages: tuple[dict[str, Any], ...]


class CallApis(msgspec.Struct, frozen=True):
    """Make these calls at once; their steps are sent back, in their order."""

    calls: tuple[ToolCall, ...]


class Note(msgspec.Struct, frozen=True):
    """Write a step down that is no call, or one that was never made."""

    step: Thought | Finish | CallStep


class Place(msgspec.Struct, frozen=True):
    """Ask where the agent stands: the number of its last step is sent back, -1 at the beginning.

    With `back`, it goes back to there first: what was done since is taken back, and stays in the trace beside the path.
    """

    back: int | None = None


Move = AskModel | CallApis | Note | Place
Strategy = Generator[Move, Any, StopReason]
"""What a strategy is: it is sent a `Reply`, a list of `CallStep`, a place or None, and returns why it stopped."""


class Settings(msgspec.Struct, frozen=True, omit_defaults=True):
    """How an agent's model is asked."""

    temperature: float | None = 0.0
    max_tokens: int | None = None


class StrategyAgent:
    """An agent made of a strategy: a function from a task and the tools at hand to a generator of moves."""

    def __init__(
        self,
        name: str,
        strategy: Callable[[Task, ToolBox], Strategy],
        model: ChatModel | None = None,
        settings: Settings | None = None,
    ) -> None:
        self.name = name
        self._strategy = strategy
        self._model = model
        self._settings = settings or Settings()

    async def attempt(self, task: Task, tools: ToolBox, diary: Diary) -> StopReason:
        """Drive the strategy."""

        async def ask(messages: Sequence[dict[str, Any]]) -> Reply:
            if self._model is None:
                raise OptionError(f"the agent {self.name!r} asks a model and was given none.")
            settings = self._settings
            return await self._model.reply(
                Request(
                    messages=tuple(messages),
                    tools=(*tools.functions, FINISH),
                    temperature=settings.temperature,
                    max_tokens=settings.max_tokens,
                    seed=task.seed + task.epoch,
                    repeat=task.epoch,
                )
            )

        return await drive(self._strategy(task, tools), tools, diary, ask)

    def __repr__(self) -> str:
        return f"<agent {self.name}>"


Ask = Callable[[Sequence[dict[str, Any]]], Awaitable[Reply]]
T = TypeVar("T")


async def drive(strategy: Strategy, tools: ToolBox, diary: Diary, ask: Ask) -> StopReason:
    """Do what a strategy says until it stops or comes to a limit; every step is in the diary as soon as it is made."""
    sent: Any = None
    try:
        while True:
            try:
                move = strategy.send(sent)
            except StopIteration as ended:
                stop: StopReason = ended.value
                return stop
            sent = await _made(move, tools, diary, ask)
    except Stopped as limit:
        return limit.stop
    finally:
        strategy.close()


async def _made(move: Move, tools: ToolBox, diary: Diary, ask: Ask) -> Any:
    if isinstance(move, Note):
        return diary.note(move.step)
    if isinstance(move, CallApis):
        return await _called(move.calls, tools, diary)
    if isinstance(move, Place):
        if move.back is not None:
            diary.go_back(move.back)
        return diary.place
    diary.check()
    try:
        reply = await in_time(ask(move.messages), diary)
    except ModelError as error:
        diary.spend(error.usage if isinstance(error.usage, Usage) else Usage())
        raise
    diary.spend(reply.usage)
    if reply.text.strip():
        diary.note(Thought(reply.text))
    return reply


async def _called(calls: Sequence[ToolCall], tools: ToolBox, diary: Diary) -> list[CallStep]:
    """Calls that are made at once, as many as there is room for."""
    diary.check(calls=1)
    within = calls[: diary.room(len(calls))]
    began = diary.clock()

    async def timed(call: ToolCall) -> tuple[CallStep, float]:
        return await tools.call(call), diary.clock() - began

    steps = []
    for step, seconds in await in_time(asyncio.gather(*map(timed, within)), diary):
        shown = msgspec.structs.replace(step, observation=diary.shown(step.observation), seconds=seconds)
        diary.note(shown)
        steps.append(shown)
    if len(within) < len(calls):
        diary.check(calls=1)
    return steps


async def in_time(waiting: Awaitable[T], diary: Diary) -> T:
    """Wait for as long as the agent may go on; `Stopped` when its time is up."""
    left = diary.seconds_left
    if left is None:
        return await waiting
    timer = asyncio.timeout(max(left, 0.0))
    try:
        async with timer:
            return await waiting
    except TimeoutError:
        if timer.expired():
            raise Stopped(StopReason.TIME_LIMIT) from None
        raise

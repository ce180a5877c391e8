"""The same agents in every form: what they are to do is a list of moves, which an actor of each kind plays.

A move is a list: `["call", name, arguments]` (text is sent as it is), `["both", [name, arguments], …]` at once,
`["finish", answer]`, `["give up"]`, `["bad finish"]`, `["crash"]`, `["hang"]`, `["huge", length]`.
"""

import asyncio
import concurrent.futures
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import pytest

from proctor.agents.adapters.framework import FrameworkAgent
from proctor.agents.agent import Agent
from proctor.agents.diary import Limits
from proctor.records.traces import Trace
from proctor.runs.trial import run_trial

Moves = list[list[Any]]


class Blocking:
    """A framework that is not async: it calls the functions that it was handed."""

    def __init__(self, moves: Moves, let_go: threading.Event) -> None:
        self.moves = moves
        self.let_go = let_go
        self.tools: dict[str, dict[str, Any]] = {}

    def setup_tools(self, all_tools: dict[str, dict[str, Any]]) -> None:
        self.tools = all_tools

    def answer(self, query: str) -> Any:
        for kind, *what in self.moves:
            if kind == "call":
                self.call(*what)
            elif kind == "both":
                with concurrent.futures.ThreadPoolExecutor() as pool:
                    list(pool.map(lambda one: self.call(*one), what))
            elif kind == "bad finish":
                self.call("Finish", {"return_type": "done"})
            elif kind == "crash":
                raise ZeroDivisionError("the agent divided by zero")
            elif kind == "hang":
                self.let_go.wait(30)
            else:
                return final(kind, *what)
        return None

    def call(self, name: str, arguments: Any) -> str:
        said: str = self.tools[name]["callable"](arguments)
        return said


class Waiting:
    """A framework that is async."""

    def __init__(self, moves: Moves, let_go: threading.Event) -> None:
        self.moves = moves
        self.tools: dict[str, dict[str, Any]] = {}

    async def setup_tools(self, all_tools: dict[str, dict[str, Any]]) -> None:
        self.tools = all_tools

    async def answer(self, query: str) -> Any:
        for kind, *what in self.moves:
            if kind == "call":
                await self.call(*what)
            elif kind == "both":
                await asyncio.gather(*(self.call(*one) for one in what))
            elif kind == "bad finish":
                await self.call("Finish", {"return_type": "done"})
            elif kind == "crash":
                raise ZeroDivisionError("the agent divided by zero")
            elif kind == "hang":
                await asyncio.sleep(30)
            else:
                return {"answer": {"final_answer": final(kind, *what), "answer_details": []}}
        return None

    async def call(self, name: str, arguments: Any) -> str:
        said: str = await self.tools[name]["acallable"](arguments)
        return said


def final(kind: str, *what: Any) -> str:
    if kind == "give up":
        return '{"return_type": "give_up_and_restart"}'
    return "a" * what[0] if kind == "huge" else str(what[0])


@pytest.fixture
def let_go() -> Iterator[threading.Event]:
    """Ends the threads that hang."""
    event = threading.Event()
    yield event
    event.set()


KINDS: dict[str, Callable[..., Agent]] = {
    "blocking framework": lambda moves, let_go: FrameworkAgent(lambda: Blocking(moves, let_go)),
    "async framework": lambda moves, let_go: FrameworkAgent(lambda: Waiting(moves, let_go)),
}


@pytest.fixture(params=list(KINDS))
def kind(request: Any) -> str:
    return str(request.param)


@pytest.fixture
async def play(kind: str, town: Any, let_go: threading.Event) -> AsyncIterator[Callable[..., Any]]:
    """Plays moves by an agent of a kind, and gives the trace."""
    agents: list[Any] = []

    async def played(*moves: list[Any], **limits: Any) -> Trace:
        agent = KINDS[kind](list(moves), let_go)
        agents.append(agent)
        loop = asyncio.get_running_loop()
        known = {"seconds": 20.0, **limits}
        return await run_trial(agent, town.task, town.box(), Limits(**known), clock=loop.time)

    yield played
    for agent in agents:
        await agent.aclose()

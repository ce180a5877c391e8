"""The same agents in every form: what they are to do is a list of moves, which an actor of each kind plays.

A move is a list: `["call", name, arguments]` (text is sent as it is), `["both", [name, arguments], …]` at once,
`["finish", answer]`, `["give up"]`, `["bad finish"]`, `["crash"]`, `["hang"]`, `["huge", length]`.
"""

import asyncio
import concurrent.futures
import contextlib
import http.server
import json
import shlex
import sys
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from proctor.agents.adapters.command import CommandAgent
from proctor.agents.adapters.endpoint import EndpointAgent
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


class Posted(http.server.BaseHTTPRequestHandler):
    """An endpoint that plays moves: it says one of them after each post."""

    server: "Endpoint"

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.server.posts.append(asked)
        if "setup" in asked:
            return self.say(200, {})
        name = asked["task"]["id"] if "task" in asked else asked["of"]
        at = self.server.at.get(name, 0)
        self.server.at[name] = at + 1
        move: list[Any] = self.server.moves[at] if at < len(self.server.moves) else ["finish", None]
        kind, *what = move
        if kind == "crash":
            return self.say(500, {"error": "ZeroDivisionError: the agent divided by zero"})
        if kind == "hang":
            self.server.let_go.wait(30)
        if kind in {"call", "bad finish"}:
            called, arguments = what if kind == "call" else ("Finish", {"return_type": "done"})
            return self.say(200, {"call": {"id": "1", "name": called, "arguments": arguments}})
        if kind == "both":
            return self.say(200, {"calls": [{"name": one[0], "arguments": one[1]} for one in what]})
        return self.say(200, {"answer": None if what == [None] else final(kind, *what)})

    def say(self, status: int, said: Any) -> None:
        body = json.dumps(said).encode()
        with contextlib.suppress(OSError):  # nobody waits any more
            self.send_response(status)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


class Endpoint(http.server.ThreadingHTTPServer):
    """A real server of an agent."""

    daemon_threads = True

    def __init__(self, moves: Moves, let_go: threading.Event, handler: Any = Posted) -> None:
        super().__init__(("127.0.0.1", 0), handler)
        self.moves = moves
        self.let_go = let_go
        self.at: dict[str, int] = {}
        self.posts: list[Any] = []
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/agent"

    def handle_error(self, *_: Any) -> None:
        """Whoever asked has gone."""


class Served(EndpointAgent):
    """The agent of a server that ends with it."""

    def __init__(self, moves: Moves, let_go: threading.Event) -> None:
        self.server = Endpoint(moves, let_go)
        super().__init__(self.server.url)

    async def aclose(self) -> None:
        await asyncio.to_thread(self.server.shutdown)
        self.server.server_close()


ACTOR = Path(__file__).with_name("actor.py")


def actor(moves: Moves, *options: str, **more: Any) -> CommandAgent:
    """A process that plays moves."""
    return CommandAgent(shlex.join([sys.executable, str(ACTOR), json.dumps(moves), *options]), name="actor", **more)


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
    "command": lambda moves, _: actor(moves),
    "endpoint": Served,
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

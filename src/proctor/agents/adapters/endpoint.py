"""An agent behind an address: each message of the `dialogue` is a POST, and what the agent says is its answer.

A task is posted; the agent answers with calls, whose results are posted next, or with its answer. Nothing is held
between two posts, so one endpoint may have many tasks at once. An endpoint that cannot be reached or is too busy is no
fault of the agent's; one that fails, or says what nobody understands, is.
"""

from __future__ import annotations

import asyncio
import contextlib
import http.client
import socket
from collections.abc import Mapping
from typing import Any
from urllib.parse import SplitResult, urlsplit

import msgspec

from proctor.agents.adapters.dialogue import (
    LONGEST,
    Message,
    read_message,
    results_message,
    setup_message,
    task_message,
)
from proctor.agents.adapters.final import DetailsReader, Said
from proctor.agents.adapters.framework import Door, ended
from proctor.agents.adapters.functions import Definitions, definitions_of
from proctor.agents.adapters.seats import in_thread
from proctor.agents.agent import Task, ToolBox
from proctor.agents.desk import MOST_SECONDS, Desk
from proctor.agents.diary import Diary
from proctor.errors import AgentError, AgentUnavailableError, OptionError
from proctor.records.traces import StopReason, Thought

__all__ = ["EndpointAgent"]

_BUSY = frozenset({408, 429, 502, 503, 504})
_WRONG = frozenset({401, 403, 404, 405, 501})
"""Statuses that every post would have."""


class EndpointAgent:
    """An agent behind an http or https address. A `token` is sent as `Authorization: Bearer …`."""

    def __init__(
        self,
        url: str,
        *,
        name: str | None = None,
        token: str | None = None,
        details: DetailsReader | None = None,
        door: Door | None = None,
    ) -> None:
        self._url = _address(url)
        self.name = name or url
        self._headers = {"Content-Type": "application/json", **({"Authorization": f"Bearer {token}"} if token else {})}
        self._details = details
        self._door = door
        self._tools = definitions_of()
        self._told: Definitions | None = None
        self._telling = asyncio.Lock()
        self._tasks = 0

    async def attempt(self, task: Task, tools: ToolBox, diary: Diary) -> StopReason:
        """Post the task, and make the calls that are asked for."""
        definitions = self._tools(tools)
        same = isinstance(tools.offered, int)
        if same:
            await self._tell(definitions)
        self._tasks += 1
        name = f"{task.query.id}.{self._tasks}"
        async with contextlib.AsyncExitStack() as stack:
            diary.begin()
            desk = Desk(task, tools, diary)
            session = {} if self._door is None else await stack.enter_async_context(self._door.opened(desk))
            asked = task_message(task, name, session, None if same else definitions)
            said = await desk.outcome(self._answer(desk, name, asked))
            return ended(desk, said, self._details)

    async def aclose(self) -> None:
        """Nothing is held between two posts."""

    async def _tell(self, tools: Definitions) -> None:
        """Tell the tools, once."""
        async with self._telling:
            if self._told is not tools:
                await self._post(setup_message(tools))
                self._told = tools

    async def _answer(self, desk: Desk, name: str, asked: Mapping[str, Any]) -> Said:
        while True:
            message = await self._said(asked)
            desk.diary.spend(message.usage)
            if message.thought:
                desk.think(Thought(message.thought))
            steps = await asyncio.gather(*map(desk.call, message.calls))
            if message.said is not None:
                return message.said
            asked = results_message(name, message.calls, steps)

    async def _said(self, asked: Mapping[str, Any]) -> Message:
        message = read_message(await self._post(asked), f"the agent {self.name}")
        if message.said is None and not message.calls:
            raise AgentError(f"the agent {self.name} answered with neither calls nor an answer.")
        return message

    async def _post(self, message: Mapping[str, Any]) -> bytes:
        """Post a message and return what came back with status 200."""
        kind = http.client.HTTPSConnection if self._url.scheme == "https" else http.client.HTTPConnection
        connection = kind(self._url.hostname or "", self._url.port, timeout=MOST_SECONDS + 60)
        body = msgspec.json.encode(message)
        try:
            status, said = await in_thread(lambda: self._exchanged(connection, body))
        except asyncio.CancelledError:
            _hang_up(connection)
            raise
        except (OSError, http.client.HTTPException) as error:
            raise AgentUnavailableError(
                f"the agent {self.name} could not be reached: {type(error).__name__}: {error}".rstrip(": ") + "."
            ) from None
        if status == 200 or (status in {202, 204} and "setup" in message):
            return said
        raise _failure(self.name, status, said)

    def _exchanged(self, connection: http.client.HTTPConnection, body: bytes) -> tuple[int, bytes]:
        path = (self._url.path or "/") + (f"?{self._url.query}" if self._url.query else "")
        with contextlib.closing(connection):
            connection.request("POST", path, body, self._headers)
            answer = connection.getresponse()
            said = answer.read(LONGEST + 1)
        if len(said) > LONGEST:
            raise AgentError(f"the agent {self.name} said more than {LONGEST} bytes at once.")
        return answer.status, said

    def __repr__(self) -> str:
        return f"<agent {self.name}>"


def _failure(name: str, status: int, said: bytes) -> Exception:
    """The error of an answer that is no success."""
    words = said[:300].decode("utf-8", "replace").strip()
    told = f"the agent {name} answered with status {status}{f': {words}' if words else '.'}"
    if status in _BUSY:
        return AgentUnavailableError(told)
    if status in _WRONG or 300 <= status < 400:
        return OptionError(f"{told} Check its address, and PROCTOR_AGENT_TOKEN where it wants a token.")
    return AgentError(told)


def _hang_up(connection: http.client.HTTPConnection) -> None:
    """Let the thread that waits for an answer go."""
    if connection.sock is not None:
        with contextlib.suppress(OSError):
            connection.sock.shutdown(socket.SHUT_RDWR)


def _address(url: str) -> SplitResult:
    parts = urlsplit(url)
    try:
        usable = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:
        usable = False
    if not usable:
        raise OptionError(f"the agent's address is {url!r}; expected one such as http://localhost:8000/agent.")
    return parts

"""Doors of agents at work: each task has its own addresses for `/virtual` and `/mcp`, and calls come by its desk.

An address holds a token that nobody can guess and is gone with the task. What is answered is what the agent is shown:
an answer that is longer than the limit of observations comes as the text of its beginning.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from typing import Any

from proctor.agents.desk import Desk
from proctor.agents.diary import Stopped
from proctor.agents.sessions import Sessions
from proctor.errors import ProctorError
from proctor.messages import ToolCall, read_tool_call
from proctor.records.queries import ApiId
from proctor.records.traces import CallStep
from proctor.server.http import MAX_BODY, Receive, Scope, Send, Sent, read_body, send_answer
from proctor.server.listening import Beside
from proctor.server.lookup import ToolDoor
from proctor.server.mcp import ListedTools, McpDoor, told
from proctor.server.protocol import Rejected, VirtualRequest, error_body, observation_body, read_request

__all__ = ["DeskDoor"]


class DeskDoor:
    """Lets calls from outside in, on a free port of 127.0.0.1. It listens from the first task on."""

    def __init__(self) -> None:
        self._sessions = Sessions()
        self._mcp: dict[str, McpDoor] = {}
        self._server: Beside | None = None

    @contextlib.asynccontextmanager
    async def opened(self, desk: Desk) -> AsyncIterator[dict[str, str]]:
        """The addresses of one task, by the name of their protocol: `virtual` and `mcp`."""
        if self._server is None:
            self._server = Beside(self)
        with self._sessions.opened(desk) as token:
            at = f"{self._server.url}/{token}"
            try:
                yield {"virtual": f"{at}/virtual", "mcp": f"{at}/mcp"}
            finally:
                if (door := self._mcp.pop(token, None)) is not None:
                    await door.aclose()

    async def aclose(self) -> None:
        """Listen no longer."""
        if self._server is not None:
            await self._server.aclose()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, as an ASGI application."""
        token, _, door = scope["path"].removeprefix("/").partition("/")
        desk = self._sessions.find(token)
        if desk is None:
            await send_answer(send, (404, error_body("there is no task at work at this address."), None))
        elif scope["method"] != "POST" or door not in {"virtual", "mcp"}:
            await send_answer(send, (405, error_body("calls come by POST, to /virtual or /mcp of the task."), None))
        elif door == "mcp":
            await self._door(token, desk)(scope, receive, send)
        else:
            body = await read_body(receive, MAX_BODY)
            await send_answer(send, body if isinstance(body, tuple) else await _virtual(desk, body))

    def _door(self, token: str, desk: Desk) -> McpDoor:
        door = self._mcp.get(token)
        if door is None:
            door = self._mcp[token] = McpDoor(DeskTools(desk), max_body=MAX_BODY, local=True)
        return door


class DeskTools(ListedTools):
    """The tools of one task for MCP clients."""

    def __init__(self, desk: Desk) -> None:
        super().__init__(ToolDoor(desk.tools.catalog), searches=desk.tools.searches)
        self._desk = desk

    async def called(self, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """What the agent is shown of the answer."""
        status, body, _ = await _called(self._desk, ToolCall(name=name, args=arguments))
        return told(body, failed=status != 200 or not body.startswith(b'{"error":"",'))


async def _virtual(desk: Desk, body: bytes) -> Sent:
    request = read_request(body)
    if isinstance(request, Rejected):
        return request.status, request.body, None
    name = _name(desk, request)
    return await _called(desk, read_tool_call({"name": name, "arguments": request.tool_input}))


def _name(desk: Desk, asked: VirtualRequest) -> str:
    """The function that a request means; where it means none or several, a name that says so in the trace."""
    match = desk.tools.catalog.resolver.locate(asked.category, asked.tool_name, asked.api_name)
    if match.api is not None:
        return desk.tools.name(match.api)
    if match.candidates:
        return f"{match.candidates[0].tool}_{match.candidates[0].api}"
    return str(ApiId(asked.category, asked.tool_name, asked.api_name))


async def _called(desk: Desk, call: ToolCall) -> Sent:
    try:
        step = await asyncio.wrap_future(desk.from_elsewhere(call))
    except Stopped as stopped:
        return 410, error_body(f"the task is over: {stopped}."), None
    except ProctorError as error:  # the run cannot go on, and its desk knows that
        return 503, error_body(str(error)), None
    said = step.observation if isinstance(step, CallStep) else "The task is finished."
    return 200, observation_body(said), None

"""MCP over standard input and output: one client, which started this process."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import threading
from typing import TYPE_CHECKING, Any, Self

from proctor.errors import InputError
from proctor.server.mcp import McpTools

if TYPE_CHECKING:
    from mcp.shared.message import SessionMessage

__all__ = ["serve"]

_CHUNK = 65_536


async def serve(tools: McpTools, *, max_line: int, descriptor: int = 0) -> None:
    """Serve the client until it closes the input or a signal says to stop; what is at work is finished first."""
    server = tools.server()
    from mcp.server.stdio import stdio_server

    lines = Lines(descriptor, max_line)
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        with contextlib.suppress(RuntimeError):  # some systems have no such signals
            loop.add_signal_handler(number, lines.end)
    known: Any = lines  # the SDK asks a file only for its lines
    async with stdio_server(stdin=known) as (incoming, outgoing):
        waiting = Waiting()
        await server.run(
            Incoming(incoming, waiting), Outgoing(outgoing, waiting), server.create_initialization_options()
        )
    if lines.problem:
        raise InputError(lines.problem)


class Lines:
    """The lines of a file, read by a thread that nobody has to wait for."""

    def __init__(self, descriptor: int, longest: int) -> None:
        self.problem = ""
        self._longest = longest
        self._loop = asyncio.get_running_loop()
        self._queue: asyncio.Queue[str | None] = asyncio.Queue()
        threading.Thread(target=self._read, args=(descriptor,), name="proctor-stdin", daemon=True).start()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> str:
        line = await self._queue.get()
        if line is None:
            raise StopAsyncIteration
        return line

    def end(self) -> None:
        """No line after those that were read."""
        self._queue.put_nowait(None)

    def _read(self, descriptor: int) -> None:
        rest = b""
        with contextlib.suppress(RuntimeError):  # the loop is gone: nobody listens
            while chunk := os.read(descriptor, _CHUNK):
                *lines, rest = (rest + chunk).split(b"\n")
                for line in lines:
                    if line.strip():
                        self._loop.call_soon_threadsafe(self._queue.put_nowait, line.decode("utf-8", "replace"))
                if len(rest) > self._longest:
                    self.problem = f"a message is longer than {self._longest} bytes."
                    break
            self._loop.call_soon_threadsafe(self.end)


class Waiting:
    """The requests that have no answer yet."""

    def __init__(self) -> None:
        self._ids: set[str] = set()
        self._none = asyncio.Event()
        self._none.set()

    def came(self, message: Any) -> None:
        """Take note of what the client said."""
        if getattr(message, "method", None) == "notifications/cancelled":
            self._settled((message.params or {}).get("requestId"))
        elif hasattr(message, "method") and getattr(message, "id", None) is not None:
            self._ids.add(repr(message.id))
            self._none.clear()

    def went(self, message: Any) -> None:
        """Take note of what the client was told."""
        if not hasattr(message, "method"):
            self._settled(getattr(message, "id", None))

    async def over(self) -> None:
        """Wait until every request has its answer."""
        await self._none.wait()

    def _settled(self, name: Any) -> None:
        self._ids.discard(repr(name))
        if not self._ids:
            self._none.set()


class _Wrapped:
    """A stream of the SDK's."""

    def __init__(self, stream: Any, waiting: Waiting) -> None:
        self._stream = stream
        self._waiting = waiting

    async def aclose(self) -> None:
        await self._stream.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()


class Incoming(_Wrapped):
    """Messages of the client; they end when the client has ended and has all its answers."""

    @property
    def last_context(self) -> Any:
        """The context in which the latest message was sent, which the SDK asks for."""
        return getattr(self._stream, "last_context", None)

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> SessionMessage | Exception:
        try:
            item: SessionMessage | Exception = await anext(self._stream)
        except StopAsyncIteration:
            await self._waiting.over()
            raise
        self._waiting.came(getattr(item, "message", None))
        return item

    async def receive(self) -> SessionMessage | Exception:
        """The next message."""
        return await anext(self)


class Outgoing(_Wrapped):
    """Messages for the client."""

    async def send(self, item: SessionMessage, /) -> None:
        """Send a message."""
        await self._stream.send(item)
        self._waiting.went(item.message)

"""Requests over HTTP to whoever may be slow: each in a thread of the source's own, and none longer than was said."""

from __future__ import annotations

import asyncio
import codecs
import contextlib
import http.client
import socket
import time
import urllib.error
import urllib.request
from typing import Any

import msgspec

from proctor.gateway.aside import Aside

__all__ = ["HttpRequest", "Lines"]

_THREADS = 256
"""So many questions are under way at once; more wait, and their time begins when they do not."""
_LONGEST = 5_000_000
_CHUNK = 65_536


class HttpRequest(msgspec.Struct, frozen=True):
    """One HTTP request."""

    method: str
    url: str
    body: bytes | None = None
    headers: dict[str, str] = {}


class Lines:
    """Fetches answers. `timeout` is for the whole of a question, from the connection to the last byte."""

    def __init__(self, timeout: float) -> None:
        self._timeout = timeout
        self._aside = Aside("proctor-live", _THREADS)

    async def fetch(self, request: HttpRequest) -> tuple[int, str]:
        """Status and text of an answer, of any status. TimeoutError, OSError, ValueError or HTTPException without."""
        line = _Line(request, self._timeout)
        work = asyncio.ensure_future(self._aside.do(line.fetch))
        begun = asyncio.ensure_future(line.begun())
        try:
            await asyncio.wait([work, begun], return_when=asyncio.FIRST_COMPLETED)
            async with asyncio.timeout(self._timeout):
                return await work
        finally:
            begun.cancel()
            work.cancel()
            line.cut()

    def close(self) -> None:
        """Let the threads end when their work is done."""
        self._aside.close()


class _Line:
    """One question on its way. Whoever waits can cut it, so that a thread does not hang on a server that drips."""

    def __init__(self, request: HttpRequest, timeout: float) -> None:
        self._request = request
        self._timeout = timeout
        self._loop = asyncio.get_running_loop()
        self._begun = asyncio.Event()
        self._connections: list[http.client.HTTPConnection] = []
        self._is_cut = False

    async def begun(self) -> None:
        """Wait until a thread has taken the question up."""
        await self._begun.wait()

    def cut(self) -> None:
        """Break the connection, where there is one still."""
        self._is_cut = True
        for connection in self._connections:
            if connection.sock is not None:
                with contextlib.suppress(OSError):
                    connection.sock.shutdown(socket.SHUT_RDWR)

    def fetch(self) -> tuple[int, str]:
        """Status and text of the answer."""
        with contextlib.suppress(RuntimeError):  # the loop is gone: nobody waits
            self._loop.call_soon_threadsafe(self._begun.set)
        self._refuse_if_cut()
        asked = self._request
        until = time.monotonic() + self._timeout
        request = urllib.request.Request(asked.url, asked.body, asked.headers, method=asked.method)  # noqa: S310 - checked
        opener = urllib.request.build_opener(_NoRedirection(), _Http(self), _Https(self))
        try:
            with opener.open(request, timeout=self._timeout) as answer:
                return answer.status, _decoded(_read(answer, until), answer.headers.get_content_charset())
        except urllib.error.HTTPError as error:
            with error:
                return error.code, _decoded(_read(error, until), error.headers.get_content_charset())

    def opened(self, connection: http.client.HTTPConnection) -> http.client.HTTPConnection:
        """Take note of a connection."""
        connect = connection.connect

        def connected() -> None:
            connect()
            self._refuse_if_cut()

        connection.connect = connected  # type: ignore[method-assign]
        self._connections.append(connection)
        return connection

    def _refuse_if_cut(self) -> None:
        if self._is_cut:
            raise TimeoutError


class _NoRedirection(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: Any) -> None:
        return None


class _Http(urllib.request.HTTPHandler):
    def __init__(self, line: _Line) -> None:
        super().__init__()
        self._line = line

    def http_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
        return self.do_open(lambda *of, **how: self._line.opened(http.client.HTTPConnection(*of, **how)), req)


class _Https(urllib.request.HTTPSHandler):
    def __init__(self, line: _Line) -> None:
        super().__init__()
        self._line = line

    def https_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
        return self.do_open(lambda *of, **how: self._line.opened(http.client.HTTPSConnection(*of, **how)), req)


def _read(answer: Any, until: float) -> bytes:
    """The body; each read may take long, and all together no longer than was said."""
    data = bytearray()
    while chunk := answer.read1(_CHUNK):
        data += chunk
        if len(data) > _LONGEST:
            raise ValueError(f"the answer is longer than {_LONGEST} bytes")
        if time.monotonic() > until:
            raise TimeoutError
    if getattr(answer, "length", None):
        raise http.client.IncompleteRead(bytes(data[:100]), answer.length)
    return bytes(data)


def _decoded(data: bytes, charset: str | None) -> str:
    """The text in the character set that the answer names; JSON and all that names none is UTF-8."""
    try:
        name = codecs.lookup(charset or "utf-8").name
        return data.decode(name, "replace")
    except (LookupError, UnicodeError):
        return data.decode("utf-8", "replace")

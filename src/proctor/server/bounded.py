"""The server's HTTP, with bounds on what stands before a body: how many headers, how long, and how slowly they come."""

from __future__ import annotations

import asyncio
from functools import cache
from typing import Any

from proctor.server.protocol import error_body

__all__ = ["MOST_HEADERS", "bounded_http"]

MOST_BYTES = 65_536
"""So many bytes may come that are no body: a request's line and headers, or what stands between parts of a body."""
MOST_HEADERS = 100
LONGEST_WAIT = 30.0
"""So many seconds may pass between the beginning of a request and the end of its headers, or two parts of its body."""


@cache
def bounded_http(longest_wait: float = LONGEST_WAIT) -> dict[str, Any]:
    """Settings of uvicorn: its faster parser with bounds, which it lacks; where that is not there, the other one."""
    try:
        from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
    except ImportError:
        return {"http": "h11", "h11_max_incomplete_event_size": MOST_BYTES}
    return {"http": type("Bounded", (_Bounds, HttpToolsProtocol), {"longest_wait": longest_wait})}


_Protocol: Any = asyncio.Protocol


class _Bounds(_Protocol):  # type: ignore[misc]
    """One connection, in front of uvicorn's own protocol."""

    longest_wait = LONGEST_WAIT

    _spent = 0
    _headers = 0
    _refused = False
    _owed_since: float | None = None
    """Since when the client owes the rest of a request."""
    _look: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:
        super().connection_made(transport)
        self._owed_since = self.loop.time()
        self._look = self.loop.call_later(self.longest_wait, self._looked)

    def connection_lost(self, exc: Exception | None) -> None:
        if self._look is not None:
            self._look.cancel()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self._refused:
            return
        self._spent += len(data)
        if self._owed_since is None:
            self._owed_since = self.loop.time()
        super().data_received(data)
        if self._spent > MOST_BYTES or self._headers > MOST_HEADERS:
            self._refuse(431, f"a request has at most {MOST_HEADERS} headers, of {MOST_BYTES} bytes.")

    def on_message_begin(self) -> None:
        self._owed_since, self._headers = self.loop.time(), 0
        super().on_message_begin()

    def on_header(self, name: bytes, value: bytes) -> None:
        self._headers += 1
        if self._headers <= MOST_HEADERS:
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        if self._headers > MOST_HEADERS or sum(len(n) + len(v) for n, v in self.headers) > MOST_BYTES:
            self._refuse(431, f"a request has at most {MOST_HEADERS} headers, of {MOST_BYTES} bytes.")
        if not self._refused:
            self._progressed()
            super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        if not self._refused:
            self._progressed()
            super().on_body(body)

    def on_message_complete(self) -> None:
        if not self._refused:
            self._progressed()
            self._owed_since = None
            super().on_message_complete()

    def _progressed(self) -> None:
        self._spent, self._owed_since = 0, self.loop.time()

    def _looked(self) -> None:
        now = self.loop.time()
        if self._owed_since is not None and now - self._owed_since >= self.longest_wait:
            self._refuse(408, f"the rest of the request did not come within {self.longest_wait:g} seconds.")
            return
        self._look = self.loop.call_at((self._owed_since or now) + self.longest_wait, self._looked)

    def _refuse(self, status: int, sentence: str) -> None:
        if self._refused:
            return
        self._refused = True
        cycle: Any = self.cycle  # None before the first request
        at_work = cycle is not None and not cycle.response_complete
        if not at_work and not self.transport.is_closing():
            said = error_body(sentence)
            head = f"HTTP/1.1 {status} {_PHRASES[status]}\r\ncontent-type: application/json\r\nconnection: close\r\n"
            self.transport.write(f"{head}content-length: {len(said)}\r\n\r\n".encode() + said)
        self.transport.close()


_PHRASES = {408: "Request Timeout", 431: "Request Header Fields Too Large"}

"""Listening at an address: until a signal says to stop, or beside other work in the same event loop."""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import gc
import secrets
import signal
import socket
from collections.abc import AsyncIterator, Callable
from typing import Any, NoReturn

from proctor.errors import NeedsExtraError, OptionError
from proctor.gateway.gateway import Gateway
from proctor.server.bounded import bounded_http

__all__ = ["Beside", "run", "shared"]

_LONGEST = 100_000_000
"""Bytes of a call from one's own workers."""


def run(application: Any, host: str, port: int, began: Callable[[str], object]) -> None:
    """Listen, say where (`began` is given the address), and serve; what is at work at the end is finished."""
    uvicorn = _uvicorn()
    with _listening(host, port) as listening:
        began(_address(listening))
        signal.signal(signal.SIGTERM, _leave)  # for afterwards: while it serves, uvicorn listens to signals itself
        _look_for_cycles_less_often()
        config = uvicorn.Config(
            application, log_level="warning", access_log=False, server_header=False, ws="none", **bounded_http()
        )
        uvicorn.Server(config).run(sockets=[listening])


class Beside:
    """A server on a free port of 127.0.0.1, or of another address, in the event loop of whoever made it."""

    def __init__(self, application: Any, host: str = "127.0.0.1") -> None:
        uvicorn = _uvicorn()
        self._socket = _listening(host, 0)
        config = uvicorn.Config(
            application,
            log_config=None,  # a process's logging is its owner's: uvicorn's own set-up would close others' handlers
            log_level="warning",
            access_log=False,
            server_header=False,
            lifespan="off",
            ws="none",
            timeout_graceful_shutdown=1,
            **bounded_http(),
        )
        self._server = _deaf(uvicorn.Server(config))
        loop = asyncio.get_running_loop()
        self._task = loop.create_task(self._server.serve([self._socket]), context=contextvars.Context())

    @property
    def url(self) -> str:
        """Where it listens."""
        return _address(self._socket)

    async def aclose(self) -> None:
        """Stop; what is at work is given a moment."""
        self._server.should_exit = True
        await self._task
        self._socket.close()


def _deaf(server: Any) -> Any:
    """A server that listens to no signals: they belong to whoever made it."""
    server.capture_signals = contextlib.nullcontext
    return server


@contextlib.asynccontextmanager
async def shared(gateway: Gateway, host: str) -> AsyncIterator[tuple[str, str]]:
    """Share a gateway of this process with others while the block lasts; hands out the address and the token.

    The gateway is closed by whoever has made it.
    """
    from proctor.server.http import Application

    token = secrets.token_urlsafe(32)
    beside = Beside(Application(gateway, token=token, max_body=_LONGEST), host)
    try:
        yield beside.url, token
    finally:
        await beside.aclose()


def _uvicorn() -> Any:
    try:
        import uvicorn
    except ImportError:
        raise NeedsExtraError("serving needs starlette and uvicorn: pip install 'proctor[server]'.") from None
    return uvicorn


def _listening(host: str, port: int) -> socket.socket:
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        return socket.create_server((host, port), family=family, backlog=2048)
    except OSError as error:
        raise OptionError(f"cannot listen at {host}, port {port}: {error.strerror or error}.") from None


def _address(listening: socket.socket) -> str:
    host, port = listening.getsockname()[:2]
    shown = f"[{host}]" if ":" in host else host
    return f"http://{shown}:{port}"


def _look_for_cycles_less_often() -> None:
    """The catalogue stays, and answers hold no cycles: looking for some at the usual pace takes a third of the time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 50)


def _leave(*_: object) -> NoReturn:
    """Leave in the ordinary way, so that the store is closed."""
    raise SystemExit(0)

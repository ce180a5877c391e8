"""Listening at an address: until a signal says to stop, or beside other work in the same event loop."""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import gc
import signal
import socket
from collections.abc import Callable
from typing import Any, NoReturn

from proctor.errors import NeedsExtraError, OptionError

__all__ = ["Beside", "run"]


def run(application: Any, host: str, port: int, began: Callable[[str], object]) -> None:
    """Listen, say where (`began` is given the address), and serve; what is at work at the end is finished."""
    try:
        import uvicorn
    except ImportError:
        raise NeedsExtraError("serving needs starlette and uvicorn: pip install 'proctor[server]'.") from None
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        listening = socket.create_server((host, port), family=family, backlog=2048)
    except OSError as error:
        raise OptionError(f"cannot listen at {host}, port {port}: {error.strerror or error}.") from None
    with listening:
        shown = f"[{host}]" if ":" in host else host
        began(f"http://{shown}:{listening.getsockname()[1]}")
        signal.signal(signal.SIGTERM, _leave)  # for afterwards: while it serves, uvicorn listens to signals itself
        _look_for_cycles_less_often()
        config = uvicorn.Config(application, log_level="warning", access_log=False, server_header=False)
        uvicorn.Server(config).run(sockets=[listening])


class Beside:
    """A server on a free port of 127.0.0.1, in the event loop of whoever made it."""

    def __init__(self, application: Any) -> None:
        try:
            import uvicorn
        except ImportError:
            raise NeedsExtraError("this needs starlette and uvicorn: pip install 'proctor[server]'.") from None
        self._socket = socket.create_server(("127.0.0.1", 0), backlog=2048)
        config = uvicorn.Config(
            application,
            log_level="warning",
            access_log=False,
            server_header=False,
            lifespan="off",
            ws="none",
            timeout_graceful_shutdown=1,
        )
        self._server = _deaf(uvicorn.Server(config))
        loop = asyncio.get_running_loop()
        self._task = loop.create_task(self._server.serve([self._socket]), context=contextvars.Context())

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self._socket.getsockname()[1]}"

    async def aclose(self) -> None:
        """Stop; what is at work is given a moment."""
        self._server.should_exit = True
        await self._task
        self._socket.close()


def _deaf(server: Any) -> Any:
    """A server that listens to no signals: they belong to whoever made it."""
    server.capture_signals = contextlib.nullcontext
    return server


def _look_for_cycles_less_often() -> None:
    """The catalogue stays, and answers hold no cycles: looking for some at the usual pace takes a third of the time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 50)


def _leave(*_: object) -> NoReturn:
    """Leave in the ordinary way, so that the store is closed."""
    raise SystemExit(0)

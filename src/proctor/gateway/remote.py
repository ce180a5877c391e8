"""A gateway somewhere else: calls are answered by a server of Proctor's, so that many processes share one memory.

It speaks HTTP/1.1 over connections that stay open, in the event loop of whoever calls: a thousand calls may wait at
once.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

import msgspec

from proctor.errors import OptionError, ProctorError, StorageError
from proctor.gateway.policy import shortened
from proctor.gateway.source import Unanswered
from proctor.records.answers import Answer, Provenance, Source
from proctor.records.queries import ApiId

__all__ = ["RemoteGateway"]

_Connection = tuple[asyncio.StreamReader, asyncio.StreamWriter]
_Said = tuple[int, bytes, bytes]
"""Status, provenance, body."""


class RemoteGateway:
    """The gateway behind `url`, the address of `proctor serve` or of a run that shares its own.

    A server that cannot be reached is an answer that nobody gave: the trial is begun again later.
    """

    def __init__(self, url: str, token: str | None = None) -> None:
        parts = urlsplit(url)
        if parts.scheme != "http" or parts.hostname is None:
            raise OptionError(f"the address of a gateway begins with http://, and this is {url!r}.")
        self.url = url
        self._place = parts.hostname, parts.port or 80
        path = f"{parts.path.rstrip('/')}/virtual"
        key = "" if token is None else f"authorization: Bearer {token}\r\n"
        host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
        self._head = f"POST {path} HTTP/1.1\r\nhost: {host}\r\ncontent-type: application/json\r\n{key}content-length: "
        self._idle: list[_Connection] = []

    async def call_api(self, api: ApiId, arguments: Mapping[str, Any]) -> Answer:
        """Answer a call."""
        asked = {
            "category": api.category,
            "tool_name": api.tool,
            "api_name": api.api,
            "tool_input": dict(arguments),
            "strip": "",
            "toolbench_key": "",
        }
        body = msgspec.json.encode(asked)
        try:
            status, provenance, said = await self._asked(f"{self._head}{len(body)}\r\n\r\n".encode() + body)
        except (OSError, EOFError, ValueError) as error:
            outage = Unanswered("unavailable", shortened(str(error) or type(error).__name__))
            attempt = f"gateway: {outage}"
            return Answer("", f"{attempt}.", Provenance(Source.MISSED, attempts=(attempt,)))
        return _read(status, provenance, said, self.url)

    async def aclose(self) -> None:
        """Close the connections."""
        while self._idle:
            writer = self._idle.pop()[1]
            writer.close()
            with contextlib.suppress(OSError):
                await writer.wait_closed()

    async def _asked(self, request: bytes) -> _Said:
        """Ask on a connection that is there; where the server has closed it meanwhile, on a new one."""
        while self._idle:
            connection = self._idle.pop()
            try:
                return await self._on(connection, request)
            except (OSError, EOFError):
                continue
        return await self._on(await asyncio.open_connection(*self._place), request)

    async def _on(self, connection: _Connection, request: bytes) -> _Said:
        reader, writer = connection
        try:
            writer.write(request)
            await writer.drain()
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
            headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in head[1:])}
            body = await reader.readexactly(int(headers.get("content-length", "0")))
        except BaseException:
            writer.close()
            raise
        self._idle.append(connection)
        return int(head[0].split(" ")[1]), headers.get("x-proctor-provenance", "").encode("latin-1"), body


def _read(status: int, provenance: bytes, said: bytes, url: str) -> Answer:
    """What a server's answer says."""
    try:
        answer = msgspec.json.decode(said, type=Answer)
        if status == 200:
            made = msgspec.json.decode(provenance, type=Provenance) if provenance else Provenance(Source.MISSED)
            return msgspec.structs.replace(answer, provenance=made)
        told = answer.error
    except (msgspec.MsgspecError, UnicodeError):
        told = shortened(said.decode("utf-8", "replace"))
    if status == 503:
        raise StorageError(told)
    raise ProctorError(f"the gateway at {url} answered with status {status}: {told}")

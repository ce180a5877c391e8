"""The virtual APIs over HTTP: `POST /virtual` as upstream has it, `/mcp`, `/health`, `/metrics` and `/tools`.

`application` makes the ASGI application; `proctor serve` runs it. `/virtual` is answered without any framework, the
rest by starlette (extra `server`).
"""

from __future__ import annotations

import asyncio
import contextlib
import hmac
import time
from collections.abc import AsyncIterator, Awaitable, Callable, MutableMapping
from typing import Any

import msgspec

from proctor.errors import FileError, InputError, NeedsExtraError, OptionError, StorageError
from proctor.gateway.gateway import Gateway
from proctor.records.answers import Answer, Source
from proctor.server.counters import Counters
from proctor.server.local import LocalOnly
from proctor.server.lookup import ToolDoor
from proctor.server.mcp import McpDoor, McpTools
from proctor.server.protocol import (
    PARSE_ERROR,
    Rejected,
    VirtualRequest,
    answer_body,
    error_body,
    provenance_header,
    read_request,
    tool_input,
)

__all__ = ["MAX_BODY", "Application", "Receive", "Scope", "Send", "Sent", "read_body", "send_answer"]

MAX_BODY = 1_000_000
"""A longer request is refused with status 413."""
_MOST_BODIES = 20_000
_DOORS = frozenset({"virtual", "mcp", "tools", "health", "metrics"})
_JSON = (b"content-type", b"application/json")

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
Sent = tuple[int, bytes, bytes | None]
"""Status, body, and provenance for a header."""


class Application:
    """The ASGI application over a gateway.

    With a `token`, every door but `/health` wants it: as `Authorization: Bearer …`, or, at `/virtual`, as the
    `toolbench_key` that upstream's clients send anyway. Without one, only requests to this machine by its own name are
    answered, which a page in a browser cannot send. When the server stops, what is at work is finished first.
    `index` is a file in which the search of tools keeps what it built.
    """

    def __init__(
        self, gateway: Gateway, *, token: str | None = None, max_body: int = MAX_BODY, index: str | None = None
    ) -> None:
        self.gateway = gateway
        self.counters = Counters()
        self.tools = ToolDoor(gateway.catalog, index)
        self.mcp = McpDoor(McpTools(gateway, self.tools), max_body=max_body, local=token is None)
        if token is not None and not token.strip():
            raise OptionError("the token is blank; name one that nobody guesses, or none.")
        self._token = token.strip().encode() if token else None
        self._local = LocalOnly() if token is None else None
        self._max_body = max_body
        self._bodies: dict[int, tuple[Answer, Sent]] = {}
        self._rest = _rest_of(self)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self._rest(scope, receive, send)
            return
        path = scope["path"]
        foreign = self._local.refusal(scope["headers"]) if self._local is not None and path != "/health" else None
        if foreign is not None:
            await send_answer(self._counted(scope, send), foreign)
        elif path == "/virtual" and scope["method"] == "POST":
            await self._virtual(scope, receive, send)
        elif path != "/health" and not self._knows_token(scope):
            await send_answer(self._counted(scope, send), _UNAUTHORISED)
        elif path == "/mcp":
            await self._model_context(scope, receive, self._counted(scope, send))
        else:
            await self._rest(scope, receive, self._counted(scope, send))

    def _counted(self, scope: Scope, send: Send) -> Send:
        """Counts the answer, by its door and its status."""
        door = scope["path"].strip("/").partition("/")[0]
        door = door if door in _DOORS else "other"

        async def counted(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                self.counters.requests[door, message["status"]] += 1
            await send(message)

        return counted

    async def _model_context(self, scope: Scope, receive: Receive, send: Send) -> None:
        """A client of MCP. It is told nothing by the server's own will, so there is nothing to be had but answers."""
        if scope["method"] != "POST":
            await send_answer(send, (405, error_body("MCP's messages come by POST."), None))
            return
        self.counters.at_work += 1
        try:
            await self.mcp(scope, receive, send)
        except NeedsExtraError as error:
            await send_answer(send, (501, error_body(str(error)), None))
        finally:
            self.counters.at_work -= 1

    async def _virtual(self, scope: Scope, receive: Receive, send: Send) -> None:
        counters = self.counters
        began = time.perf_counter()
        counters.at_work += 1
        try:
            body = await read_body(receive, self._max_body)
            sent = body if isinstance(body, tuple) else await self._answered(scope, body)
        finally:
            counters.at_work -= 1
            counters.seconds += time.perf_counter() - began
        counters.requests["virtual", sent[0]] += 1
        await send_answer(send, sent)

    async def _answered(self, scope: Scope, body: bytes) -> Sent:
        request = read_request(body)
        known = self._token is None or self._knows_token(scope)
        if isinstance(request, Rejected):
            return (request.status, request.body, None) if known else _UNAUTHORISED
        if not known and not self._is_token(request.toolbench_key.encode("utf-8", "replace")):
            return _UNAUTHORISED
        arguments = tool_input(request.tool_input)
        if isinstance(arguments, str):
            return 200, error_body(arguments), None
        try:
            return self._encoded(await self._call(request, arguments))
        except (StorageError, FileError) as error:  # the store cannot be read or written
            return 503, error_body(str(error)), None
        except InputError as error:
            return 200, error_body(f"{PARSE_ERROR}: {error}"), None

    async def _call(self, request: VirtualRequest, arguments: dict[str, Any]) -> Answer:
        return await self.gateway.call(request.category, request.tool_name, request.api_name, arguments)

    def _encoded(self, answer: Answer) -> Sent:
        """An answer as it is sent. The memory of the gateway hands out the same answer again: so is its body."""
        known = self._bodies.get(id(answer))
        if known is not None and known[0] is answer:
            return known[1]
        sent = (200, answer_body(answer), provenance_header(answer))
        if answer.provenance is not None and answer.provenance.source is Source.RECORDED:
            if len(self._bodies) >= _MOST_BODIES:
                self._bodies.clear()
            self._bodies[id(answer)] = (answer, sent)
        return sent

    def _knows_token(self, scope: Scope) -> bool:
        if self._token is None:
            return True
        said = next((value for name, value in scope["headers"] if name == b"authorization"), b"")
        kind, _, token = said.partition(b" ")
        return kind.lower() == b"bearer" and self._is_token(token.strip())

    def _is_token(self, said: bytes) -> bool:
        return self._token is None or hmac.compare_digest(said, self._token)


_UNAUTHORISED: Sent = (401, error_body("this server wants its token: Authorization: Bearer <token>."), None)


async def read_body(receive: Receive, most: int) -> bytes | Sent:
    """The body of a request; more than is allowed is not read, and is answered with status 413."""
    message = await receive()
    body: bytes = message.get("body", b"")
    while message.get("more_body") and len(body) <= most:
        message = await receive()
        body += message.get("body", b"")
    if message["type"] == "http.disconnect":
        return 400, error_body("the request was broken off."), None
    if len(body) > most:
        return 413, error_body(f"the request is longer than {most} bytes."), None
    return body


async def send_answer(send: Send, sent: Sent) -> None:
    """Send status, body, and where the answer came from."""
    status, body, provenance = sent
    headers = [_JSON, (b"content-length", str(len(body)).encode())]
    if provenance is not None:
        headers.append((b"x-proctor-provenance", provenance))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def _rest_of(application: Application) -> Any:
    """Everything beside `/virtual`, by starlette."""
    try:
        from starlette.applications import Starlette
        from starlette.requests import Request
        from starlette.responses import PlainTextResponse, Response
        from starlette.routing import Route
    except ImportError:
        raise NeedsExtraError("serving needs starlette and uvicorn: pip install 'proctor[server]'.") from None

    gateway, door = application.gateway, application.tools

    def said(value: Any, status: int = 200) -> Response:
        return Response(msgspec.json.encode(value), status, media_type="application/json")

    async def health(_: Request) -> Response:
        return said({"status": "ok", "policy": gateway.policy.name, "apis": len(gateway.catalog or ())})

    async def metrics(_: Request) -> Response:
        text = application.counters.text(gateway.totals, len(gateway.catalog or ()))
        return PlainTextResponse(text, media_type="text/plain; version=0.0.4")

    async def tools(request: Request) -> Response:
        try:
            return said(await asyncio.to_thread(door.tools, dict(request.query_params)))
        except InputError as error:
            return said({"error": str(error)}, 400)

    async def schema(request: Request) -> Response:
        try:
            return said(door.schema(dict(request.query_params)))
        except InputError as error:
            return said({"error": str(error)}, 400)

    @contextlib.asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        yield
        await application.mcp.aclose()
        await gateway.aclose()

    routes = [
        Route("/health", health),
        Route("/metrics", metrics),
        Route("/tools", tools),
        Route("/tools/schema", schema),
    ]
    return Starlette(routes=routes, lifespan=lifespan)

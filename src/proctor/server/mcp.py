"""The virtual APIs for clients of the Model Context Protocol: lists a page at a time, search, and calls.

`McpTools` says what there is and answers; `McpDoor` serves it over streamable HTTP, `proctor.server.stdio` over a pipe.
It needs the extra `mcp`, which is loaded when the first client asks.
"""

from __future__ import annotations

import abc
import asyncio
from typing import TYPE_CHECKING, Any

import msgspec

from proctor import __version__
from proctor.errors import FileError, InputError, NeedsExtraError, StorageError
from proctor.gateway.gateway import Gateway
from proctor.records.answers import Answer
from proctor.records.queries import ApiId
from proctor.server.lookup import ToolDoor
from proctor.server.protocol import answer_body, error_body

if TYPE_CHECKING:
    from mcp import types
    from mcp.server.lowlevel import Server
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

__all__ = ["PROVENANCE", "SEARCH", "ListedTools", "McpDoor", "McpTools", "told"]

PROVENANCE = "proctor/provenance"
"""Where an answer came from stands under this name in `_meta`."""
SEARCH = "search_tools"
"""The tool that finds tools: the first one of the list."""
_PAGE = 250
_PAGE_BYTES = 400_000
"""A page ends before this size: clients take events of one MiB."""
_FRESH = 60_000
"""So many milliseconds a client may keep a page."""
_MOST_FOUND = 50
_SEARCHING: dict[str, Any] = {
    "name": SEARCH,
    "description": "Find tools by what they do. Those that are found can be called by their names.",
    "inputSchema": {
        "type": "object",
        "properties": {
            "query": {"type": "string", "description": "What the tool should do, in a few words."},
            "limit": {"type": "integer", "description": "How many to find.", "default": 5},
        },
        "required": ["query"],
    },
}
_INSTRUCTIONS = (
    "Every tool is an API. Where there are many, find those that a task needs with search_tools; each can be called by "
    "its name, listed or not. A result is a JSON object: 'error' is empty when all went well, 'response' is the answer."
)


class ListedTools(abc.ABC):
    """What an MCP client is told of a catalogue. Who answers its calls is said by `called`."""

    def __init__(self, door: ToolDoor, *, searches: bool = True) -> None:
        self._door = door
        self._catalog = door.catalog
        self._searches = searches

    @abc.abstractmethod
    async def called(self, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """The result of a call."""

    def server(self) -> Server[Any]:
        """The SDK's server over all this."""
        try:
            from mcp import types
            from mcp.server.lowlevel import Server
        except ImportError:
            raise NeedsExtraError("MCP needs its SDK: pip install 'proctor[mcp]'.") from None
        server: Server[Any] = Server(
            "proctor",
            version=__version__,
            instructions=_INSTRUCTIONS,
            get_tool_input_schema=self.input_schema,
        )
        server.add_request_handler("tools/list", types.PaginatedRequestParams, self._list)
        server.add_request_handler("tools/call", types.CallToolRequestParams, self._call)
        return server

    def input_schema(self, name: str) -> dict[str, Any] | None:
        """The schema of a tool's arguments; None where there is no such tool."""
        api = self._catalog.resolver.resolve(name).api
        if api is None:
            return None
        schema: dict[str, Any] = self._catalog.schema(api, "mcp")["inputSchema"]
        return schema

    def page(self, offset: int) -> tuple[list[dict[str, Any]], int | None]:
        """The tools from an offset on, and the offset of the next page, if there is one."""
        tools = [_SEARCHING] if self._searches and not offset else []
        size = 0
        for place in range(offset, min(offset + _PAGE, len(self._catalog))):
            tool = self._catalog.schema(self._catalog.apis[place].id, "mcp")
            size += len(msgspec.json.encode(tool))
            if size > _PAGE_BYTES and place > offset:
                return tools, place
            tools.append(tool)
        following = offset + _PAGE
        return tools, following if following < len(self._catalog) else None

    async def _list(self, _: Any, params: types.PaginatedRequestParams) -> dict[str, Any]:
        cursor = "0" if params.cursor is None else params.cursor
        if not (cursor.isascii() and cursor.isdigit() and len(cursor) < 10):
            raise _refused(f"there is no page {cursor[:40]!r}; take nextCursor from the page before.")
        tools, following = self.page(int(cursor))
        more = {} if following is None else {"nextCursor": str(following)}
        return {"tools": tools, **more, "resultType": "complete", "ttlMs": _FRESH, "cacheScope": "private"}

    async def _call(self, _: Any, params: types.CallToolRequestParams) -> dict[str, Any]:
        try:
            return await self.called(params.name, params.arguments or {})
        except (StorageError, FileError) as error:  # the store cannot be read or written
            raise _failed(str(error)) from None
        except InputError as error:
            return told(error_body(str(error)), failed=True)


class McpTools(ListedTools):
    """A gateway's catalogue: its answers are those of the gateway."""

    def __init__(self, gateway: Gateway, door: ToolDoor | None = None) -> None:
        super().__init__(door or ToolDoor(gateway.catalog))
        self._gateway = gateway

    async def called(self, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """The answer of the gateway, or what a search has found."""
        if name == SEARCH:
            return await self._found(arguments)
        return _result(await self._gateway.call_api(self._meant(name), arguments))

    def _meant(self, name: str) -> ApiId:
        match = self._catalog.resolver.resolve(name)
        if match.api is not None:
            return match.api
        if match.candidates:
            meant = ", ".join(str(api) for api in match.candidates[:5])
            raise _refused(f"the name {name[:80]!r} stands for several tools ({meant}); use a name from the list.")
        raise _refused(f"there is no tool {name[:80]!r}; {SEARCH} finds tools by what they do.")

    async def _found(self, arguments: dict[str, Any]) -> dict[str, Any]:
        said, limit = arguments.get("query"), arguments.get("limit", 5)
        if not isinstance(said, str) or not said.strip():
            raise InputError(f"{SEARCH} needs the text 'query'.")
        if type(limit) is not int or limit < 1:
            raise InputError(f"limit is a whole number from 1 on, not {limit!r}.")
        hits = await asyncio.to_thread(self._door.search, said, min(limit, _MOST_FOUND))
        found = [self._catalog.schema(hit.api, "mcp") for hit in hits]
        return told(answer_body(Answer({"tools": found}, "" if found else "nothing fits these words.")))


class McpDoor:
    """MCP over streamable HTTP, as an ASGI application for `POST`.

    No session is kept, so that a client may be served by any of several processes. `local` refuses requests that a
    browser was talked into: those whose host is not this machine.
    """

    def __init__(self, tools: ListedTools, *, max_body: int, local: bool) -> None:
        self._tools = tools
        self._max_body = max_body
        self._local = local
        self._owner: asyncio.Task[None] | None = None
        self._stop = asyncio.Event()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer one request."""
        if self._owner is None:
            self._running: asyncio.Future[StreamableHTTPSessionManager] = asyncio.get_running_loop().create_future()
            self._owner = asyncio.create_task(self._run())
        manager = await asyncio.shield(self._running)
        await manager.handle_request(scope, receive, send)

    async def aclose(self) -> None:
        """End, when nothing is at work any more."""
        if self._owner is not None:
            self._stop.set()
            await self._owner

    async def _run(self) -> None:
        """Hold the manager open: it wants to be closed by the task that opened it."""
        try:
            manager = await asyncio.to_thread(self._made)
        except Exception as error:  # noqa: BLE001 - for whoever waits
            self._running.set_exception(error)
            self._owner = None
            return
        async with manager.run():
            self._running.set_result(manager)
            await self._stop.wait()

    def _made(self) -> StreamableHTTPSessionManager:
        server = self._tools.server()
        from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
        from mcp.server.transport_security import TransportSecuritySettings

        hosts = ["127.0.0.1", "localhost", "[::1]"]
        known = TransportSecuritySettings(
            enable_dns_rebinding_protection=self._local,
            allowed_hosts=[*hosts, *(f"{host}:*" for host in hosts)],
            allowed_origins=[f"http://{host}{port}" for host in hosts for port in ("", ":*")],
        )
        return StreamableHTTPSessionManager(
            server,
            json_response=True,
            stateless=True,
            security_settings=known,
            max_request_body_size=self._max_body,
        )


def _result(answer: Answer) -> dict[str, Any]:
    result = told(answer_body(answer), failed=bool(answer.error))
    return {**result, "_meta": {PROVENANCE: msgspec.to_builtins(answer.provenance)}}


def told(body: bytes, *, failed: bool = False) -> dict[str, Any]:
    """The result that says what stands in a body."""
    content = [{"type": "text", "text": body.decode()}]
    said = msgspec.json.decode(body)
    return {"content": content, "structuredContent": said, "isError": failed, "resultType": "complete"}


def _refused(sentence: str) -> Exception:
    from mcp import types
    from mcp.shared.exceptions import MCPError

    return MCPError(types.INVALID_PARAMS, sentence)


def _failed(sentence: str) -> Exception:
    from mcp import types
    from mcp.shared.exceptions import MCPError

    return MCPError(types.INTERNAL_ERROR, sentence)

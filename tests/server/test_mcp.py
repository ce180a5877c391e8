"""The SDK's own MCP clients, over HTTP and over a pipe."""

import asyncio
import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import httpx2
import msgspec
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError

from proctor.catalog.index import Catalog
from proctor.gateway.canned import CannedSource
from proctor.gateway.gateway import Gateway
from proctor.gateway.simulators import TemplateSource
from proctor.gateway.source import Call, Unanswered
from proctor.models.scripted_server import ScriptedServer
from proctor.records.queries import ApiId, ApiSpec, Parameter, ToolSpec
from proctor.server.mcp import PROVENANCE, McpTools
from proctor.server.stdio import Waiting

Serve = Callable[..., Any]
MODES = ["auto", "legacy"]


async def everything(client: Client) -> tuple[list[Any], int]:
    """All tools, and how many pages they took."""
    tools: list[Any] = []
    pages, cursor = 0, None
    while pages == 0 or cursor is not None:
        page = await client.list_tools(cursor=cursor)
        tools += page.tools
        pages, cursor = pages + 1, page.next_cursor
    return tools, pages


def named(tools: list[Any], beginning: str) -> str:
    return str(next(tool.name for tool in tools if tool.name.startswith(beginning)))


async def forecasts(client: Client) -> list[Any]:
    """A task of several calls: find the tools, list the ports, ask for each port's forecast."""
    found = await client.call_tool("search_tools", {"query": "wind and waves at a port"})
    forecast = found.structured_content["response"]["tools"][0]["name"]
    tools, _ = await everything(client)
    ports = await client.call_tool(named(tools, "list_ports"), {})
    assert ports.structured_content == {"error": "", "response": ["Kiel", "Riga"]}
    assert [json.loads(part.text) for part in ports.content if part.type == "text"] == [ports.structured_content]
    told = [
        await client.call_tool(forecast, {"portName": port, "days": 2}) for port in ports.structured_content["response"]
    ]
    assert not any(one.is_error for one in told)
    assert [one.meta and one.meta[PROVENANCE]["source"] for one in told] == ["simulated", "simulated"]
    return [one.structured_content["response"] for one in told]


@pytest.mark.parametrize("mode", MODES)
async def test_a_client_over_http_completes_a_task_of_several_calls(serve: Serve, mode: str) -> None:
    served = serve(simulators=TemplateSource())
    async with Client(f"{served.url}/mcp", mode=mode) as client:
        assert await forecasts(client) == [{"wind": 5, "days": 2}] * 2
    assert 'proctor_requests_total{door="mcp",status="200"}' in served.request("/metrics")[1].decode()


@pytest.fixture
def tools(tmp_path: Path, catalog: Catalog) -> Path:
    """The catalogue as files."""
    for tool in catalog.tools:
        folder = tmp_path / "tools" / tool.category
        folder.mkdir(parents=True)
        apis = [
            {
                "name": api.id.api,
                "description": api.description,
                "required_parameters": msgspec.to_builtins(api.required),
                "optional_parameters": msgspec.to_builtins(api.optional),
                "template_response": api.template_response,
            }
            for api in tool.apis
        ]
        document = {"tool_name": tool.name, "tool_description": tool.description, "api_list": apis}
        (folder / "tool.json").write_text(json.dumps(document))
    return tmp_path / "tools"


def command(*options: object) -> list[str]:
    return ["-m", "proctor", "serve", "--stdio", *map(str, options)]


@pytest.mark.parametrize("mode", MODES)
async def test_a_client_over_a_pipe_completes_a_task_of_several_calls(tools: Path, mode: str) -> None:
    started = StdioServerParameters(
        command=sys.executable,
        env={name: os.environ[name] for name in ("PYTHONPATH",) if name in os.environ},
        args=command("--tools", tools, "--cache", tools.parent / "answers.db", "--simulator", "template"),
    )
    async with Client(started, mode=mode) as client:
        assert await forecasts(client) == [{"wind": 5, "days": 2}] * 2
    assert not (tools.parent / "answers.db-wal").exists(), "the store was closed"


@pytest.fixture(scope="module")
def large() -> Catalog:
    """16,000 APIs of 4,000 tools."""

    def tool(number: int) -> ToolSpec:
        names = [ApiId(f"Category {number % 49}", f"Tool {number}", f"Get Thing {place}") for place in range(4)]
        apis = [ApiSpec(name, f"Tells of {name.api} of {number}.", (Parameter("thing"),)) for name in names]
        return ToolSpec(names[0].category, names[0].tool, "Things.", tuple(apis))

    return Catalog(map(tool, range(4000)))


@pytest.mark.parametrize("mode", MODES)
async def test_16_000_tools_are_listed_by_pages_and_each_can_be_called(serve: Serve, large: Catalog, mode: str) -> None:
    served = serve(catalog=large, script=lambda call: call.api.api)
    async with Client(f"{served.url}/mcp", mode=mode) as client:
        tools, pages = await everything(client)
        assert len({tool.name for tool in tools}) == 16_001
        assert pages <= 100, "clients walk no more pages by themselves"
        last = await client.call_tool(tools[-1].name, {"thing": "x"})
        assert last.structured_content == {"error": "", "response": "Get Thing 3"}


def test_pages_hold_every_tool_once_and_stay_small(large: Catalog) -> None:
    wordy = Parameter("thing", "STRING", "", "", {"type": "string", "enum": [f"value {n}" for n in range(3000)]})
    apis = [ApiSpec(ApiId("c", "t", f"api {n}"), "", (wordy,)) for n in range(40)]
    for catalog in (large, Catalog.of_apis(apis), Catalog([])):
        tools = McpTools(Gateway(catalog))
        names: list[str] = []
        offset: int | None = 0
        while offset is not None:
            page, offset = tools.page(offset)
            names += [tool["name"] for tool in page]
            assert len(msgspec.json.encode(page)) < 1_000_000
        assert names == ["search_tools", *(catalog.names[api.id] for api in catalog)]


async def test_what_is_wrong_is_said_in_a_sentence(serve: Serve) -> None:
    served = serve([Unanswered("unavailable", "connection refused")])
    async with Client(f"{served.url}/mcp") as client:
        with pytest.raises(MCPError, match="there is no tool 'no_such_tool'; search_tools finds tools"):
            await client.call_tool("no_such_tool", {})
        with pytest.raises(MCPError, match="there is no page 'x'; take nextCursor"):
            await client.list_tools(cursor="x")
        tools, _ = await everything(client)
        missed = await client.call_tool(named(tools, "get_forecast"), {"portName": "Kiel"})
        assert missed.is_error
        assert missed.meta is not None
        assert missed.meta[PROVENANCE]["attempts"][-1] == "canned: could not be reached: connection refused"
        assert missed.meta[PROVENANCE]["source"] == "missed"
        for wrong in ({}, {"query": " "}, {"query": "wind", "limit": 0}):
            assert (await client.call_tool("search_tools", wrong)).is_error
        nothing = await client.call_tool("search_tools", {"query": "zzz"})
        assert nothing.structured_content == {"error": "nothing fits these words.", "response": {"tools": []}}


async def test_a_name_in_another_spelling_is_understood_and_arguments_too(serve: Serve) -> None:
    source = CannedSource([1])
    served = serve(simulators=source)
    async with Client(f"{served.url}/mcp") as client:
        await client.call_tool("get_forecast_for_sky_report", {"portname": "Kiel"})
    assert source.calls[0].arguments == {"portName": "Kiel"}


@contextlib.asynccontextmanager
async def with_token(url: str, token: str) -> AsyncIterator[Client]:
    async with (
        httpx2.AsyncClient(headers={"authorization": f"Bearer {token}"}) as http,
        Client(streamable_http_client(f"{url}/mcp", http_client=http)) as client,
    ):
        yield client


async def test_a_token_is_wanted_of_clients_too(serve: Serve) -> None:
    served = serve(simulators=TemplateSource(), token="open sesame")  # noqa: S106 - no secret
    async with with_token(served.url, "open sesame") as client:
        assert await forecasts(client) == [{"wind": 5, "days": 2}] * 2
    assert served.request("/mcp", b"{}")[0] == 401
    assert served.request("/mcp", b"{}", authorization="Bearer open")[0] == 401


ASKS = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
ACCEPTS = "application/json, text/event-stream"


def test_a_page_of_another_site_is_not_served(serve: Serve) -> None:
    served = serve()
    body = msgspec.json.encode(ASKS)
    assert served.request("/mcp", body, accept=ACCEPTS)[0] == 200
    assert served.request("/mcp", body, accept=ACCEPTS, origin="http://evil.example")[0] == 403
    assert served.request("/mcp", body, accept=ACCEPTS, host="evil.example")[0] == 421


def test_only_messages_of_a_bounded_length_are_taken(serve: Serve) -> None:
    served = serve(max_body=2000)
    long = msgspec.json.encode({**ASKS, "more": "x" * 3000})
    assert served.request("/mcp", long, accept=ACCEPTS)[0] == 413
    assert served.request("/mcp")[0] == 405


async def test_identical_calls_at_once_ask_once(serve: Serve) -> None:
    async def slow(_: Call) -> Any:
        await asyncio.sleep(0.1)
        return {"wind": 5}

    source = CannedSource(slow)
    served = serve(simulators=source)
    async with Client(f"{served.url}/mcp") as client:
        name = "get_forecast_for_sky_report"
        told = await asyncio.gather(*(client.call_tool(name, {"portName": "Kiel"}) for _ in range(8)))
    assert [one.structured_content["response"] for one in told] == [{"wind": 5}] * 8
    assert len(source.calls) == 1


def until_asked(model: ScriptedServer) -> None:
    while not model.bodies:
        time.sleep(0.01)


async def test_a_stop_finishes_the_calls_that_are_at_work(tools: Path) -> None:
    with ScriptedServer(['{"error": "", "response": "Kiel"}'], latency=1.0) as model:
        options = ("--tools", tools, "--simulator", "model:tiny", "--model-url", model.url)
        process = subprocess.Popen(  # noqa: ASYNC220, S603 - our own command
            [sys.executable, "-m", "proctor", "serve", "--port", "0", *map(str, options)],
            stdout=subprocess.PIPE,
            text=True,
        )
        assert process.stdout is not None
        url = next(line.split()[-1] for line in process.stdout if line.startswith("listening on "))
        async with Client(f"{url}/mcp") as client:
            tools_there, _ = await everything(client)
            asked = asyncio.create_task(client.call_tool(named(tools_there, "list_ports"), {}))
            await asyncio.to_thread(until_asked, model)
            process.send_signal(signal.SIGTERM)
            assert (await asked).structured_content == {"error": "", "response": "Kiel"}
        process.communicate(timeout=20)
        assert process.returncode == 0


def lines(*messages: dict[str, Any]) -> str:
    return "".join(f"{json.dumps({'jsonrpc': '2.0', **message})}\n" for message in messages)


HELLO = {
    "id": 0,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}},
}
CALL = {"id": 1, "method": "tools/call", "params": {"name": "list_ports_for_sky_report", "arguments": {}}}


@pytest.mark.parametrize("by", ["end of input", "signal"])
def test_a_pipe_that_ends_gets_the_answers_that_are_owed(tools: Path, by: str) -> None:
    with ScriptedServer(['{"error": "", "response": "Kiel"}'], latency=0.5) as model:
        process = subprocess.Popen(  # noqa: S603 - our own command
            [sys.executable, *command("--tools", tools, "--simulator", "model:tiny", "--model-url", model.url)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert process.stdin is not None
        process.stdin.write(lines(HELLO, {"method": "notifications/initialized"}, CALL))
        process.stdin.flush()
        if by == "signal":
            until_asked(model)
            process.send_signal(signal.SIGTERM)
            assert process.wait(20) == 0
        said, complaints = process.communicate(timeout=20)
    assert process.returncode == 0, complaints
    answers = [json.loads(line) for line in said.splitlines()]
    assert [answer["id"] for answer in answers] == [0, 1]
    assert answers[1]["result"]["structuredContent"]["response"] == "Kiel"
    assert "APIs of" in complaints, "what is said to people is not said to the client"


@pytest.mark.parametrize(
    ("options", "said", "sentence"),
    [
        ((), "", "--stdio offers tools by their names; name --tools DIR, or --starter."),
        (("--tools", "{tools}", "--max-body", 1000), "x" * 3000, "a message is longer than 1000 bytes."),
    ],
)
def test_what_cannot_be_served_over_a_pipe_is_said(
    tools: Path, options: tuple[Any, ...], said: str, sentence: str
) -> None:
    words = [str(option).format(tools=tools) for option in options]
    done = subprocess.run(  # noqa: S603 - our own command
        [sys.executable, *command(*words)], input=said, capture_output=True, text=True, timeout=30, check=False
    )
    assert done.returncode == 1
    assert sentence in done.stderr
    assert "Traceback" not in done.stderr


async def test_a_cancelled_request_is_waited_for_no_longer() -> None:
    from mcp.types import JSONRPCNotification, JSONRPCRequest, JSONRPCResponse

    waiting = Waiting()
    for name in (1, "1"):
        waiting.came(JSONRPCRequest(jsonrpc="2.0", id=name, method="tools/list"))
    waiting.went(JSONRPCResponse(jsonrpc="2.0", id=1, result={}))
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(waiting.over(), 0.01)
    cancelled = {"requestId": "1"}
    waiting.came(JSONRPCNotification(jsonrpc="2.0", method="notifications/cancelled", params=cancelled))
    await asyncio.wait_for(waiting.over(), 1)

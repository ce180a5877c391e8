"""Agents behind an address: what is posted, and whose fault it is when nothing comes back."""

import asyncio
import http.server
import json
import socket
import threading
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest
from tests.agents.adapters.conftest import Endpoint, Posted

from proctor.agents.adapters.endpoint import EndpointAgent
from proctor.agents.agent import Task
from proctor.agents.diary import Limits
from proctor.errors import OptionError
from proctor.records.queries import Query
from proctor.records.traces import Fault, StopReason, Trace
from proctor.runs.trial import run_trial

BREAD = "opening_hours_for_bakery_hj5p6"
Ask = Callable[..., Any]


@pytest.fixture
async def serve(let_go: threading.Event) -> AsyncIterator[Callable[..., Endpoint]]:
    servers: list[Endpoint] = []

    def start(moves: Any = (), handler: Any = Posted) -> Endpoint:
        servers.append(Endpoint(list(moves), let_go, handler))
        return servers[-1]

    yield start
    for server in servers:
        await asyncio.to_thread(server.shutdown)
        server.server_close()


@pytest.fixture
def ask(town: Any) -> Ask:
    async def asked(agent: EndpointAgent, times: int = 1, at_hand: str = "all") -> list[Trace]:
        clock = asyncio.get_running_loop().time
        tasks = [Task(Query(str(number), town.query.text, (), town.query.apis)) for number in range(times)]
        limits = Limits(seconds=20)
        return await asyncio.gather(*(run_trial(agent, task, town.box(at_hand), limits, clock=clock) for task in tasks))

    return asked


def answering(status: int, body: bytes) -> type[http.server.BaseHTTPRequestHandler]:
    """An endpoint that always says the same."""

    class Same(Posted):
        def do_POST(self) -> None:  # noqa: N802 - its name
            self.rfile.read(int(self.headers["content-length"]))
            self.server.posts.append(dict(self.headers))
            self.send_response(status)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    return Same


async def test_tools_are_told_once_and_tasks_at_once_are_told_apart(serve: Any, ask: Ask) -> None:
    server = serve([["call", BREAD, {"weekday": "Friday"}], ["finish", "At 7."]])
    traces = await ask(EndpointAgent(server.url), 4)
    assert [trace.final_answer for trace in traces] == ["At 7."] * 4
    assert sum("setup" in post for post in server.posts) == 1
    assert BREAD in server.posts[0]["setup"]["tools"]
    tasks = [post["task"]["id"] for post in server.posts if "task" in post]
    results = {post["of"]: post["results"] for post in server.posts if "results" in post}
    assert len(set(tasks)) == 4
    assert set(results) == set(tasks)
    observed = {one["observation"] for (one,) in results.values()}
    assert observed == {'{"error":"","response":{"of":"Opening Hours","weekday":"Friday"}}'}


async def test_the_tools_of_one_query_come_with_its_task(serve: Any, ask: Ask) -> None:
    server = serve([["finish", "x"]])
    await ask(EndpointAgent(server.url), at_hand="query")
    (post,) = server.posts
    assert len(post["task"]["tools"]) == 2


async def test_the_token_is_sent(serve: Any, ask: Ask) -> None:
    server = serve(handler=answering(200, b'{"answer": "x"}'))
    await ask(EndpointAgent(server.url, token="abc"))  # noqa: S106 - of a test
    assert {post["Authorization"] for post in server.posts} == {"Bearer abc"}


@pytest.mark.parametrize("status", [429, 503])
async def test_an_endpoint_that_is_too_busy_is_no_fault_of_the_agents(serve: Any, ask: Ask, status: int) -> None:
    server = serve(handler=answering(status, b"later"))
    (trace,) = await ask(EndpointAgent(server.url))
    assert trace.failure.fault is Fault.ENVIRONMENT
    assert f"answered with status {status}: later" in trace.failure.message


async def test_an_endpoint_that_cannot_be_reached_is_no_fault_of_the_agents(ask: Ask) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    (trace,) = await ask(EndpointAgent(f"http://127.0.0.1:{port}/"))
    assert trace.failure.fault is Fault.ENVIRONMENT
    assert "could not be reached: ConnectionRefusedError" in trace.failure.message


@pytest.mark.parametrize("status", [302, 401, 404, 405])
async def test_a_wrong_address_stops_the_run(serve: Any, ask: Ask, status: int) -> None:
    server = serve(handler=answering(status, b""))
    with pytest.raises(OptionError, match=f"answered with status {status}"):
        await ask(EndpointAgent(server.url))


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        (b"<html>", "said something that is no JSON: '<html>'"),
        (b"", "said something that is no JSON"),
        (b'{"thought": "hm"}', "answered with neither calls nor an answer"),
        (b'{"text": "x"}', "said 'text', which the protocol does not know"),
    ],
)
async def test_what_nobody_understands_is_named_and_its_own_fault(
    serve: Any, ask: Ask, body: bytes, sentence: str
) -> None:
    (trace,) = await ask(EndpointAgent(serve(handler=answering(200, body)).url), at_hand="query")
    assert (trace.stop, trace.failure.fault) == (StopReason.FAILED, Fault.AGENT)
    assert sentence in trace.failure.message


async def test_stable_tool_benchs_form_of_an_answer(serve: Any, ask: Ask) -> None:
    body = json.dumps({"answer": {"final_answer": "At 7.", "answer_details": []}}).encode()
    (trace,) = await ask(EndpointAgent(serve(handler=answering(200, body)).url))
    assert (trace.stop, trace.final_answer) == (StopReason.FINISHED, "At 7.")


@pytest.mark.parametrize("url", ["localhost:8000", "ftp://x/", "http://", "http://x:99999/"])
def test_what_is_no_address_is_said_at_once(url: str) -> None:
    with pytest.raises(OptionError, match=r"expected one such as http://localhost:8000/agent"):
        EndpointAgent(url)

"""Live sources against servers of this machine, misbehaving ones included."""

import asyncio
import contextlib
import http.server
import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from proctor.errors import OptionError
from proctor.gateway.canned import FunctionSource
from proctor.gateway.gateway import Gateway
from proctor.gateway.http_answers import backend_answer, http_answer
from proctor.gateway.lines import HttpRequest
from proctor.gateway.live import BackendSource, RapidApiSource, api_request
from proctor.gateway.policy import refusal
from proctor.gateway.source import Call, Unanswered
from proctor.models.environment import Secret
from proctor.records.answers import Answer
from proctor.records.queries import ApiId, ApiSpec, Parameter
from proctor.store.responses import open_responses

KEY = "sk-secret-key"
Handle = Callable[[http.server.BaseHTTPRequestHandler], tuple[int, str]]


class Server(http.server.ThreadingHTTPServer):
    """A server before whose door many may stand at once."""

    request_queue_size = 128


@pytest.fixture
def serve() -> Iterator[Callable[[Handle], str]]:
    """Starts a server that answers by a function, and gives its address."""
    servers: list[http.server.ThreadingHTTPServer] = []

    def start(handle: Handle) -> str:
        class Handler(http.server.BaseHTTPRequestHandler):
            def answer(self) -> None:
                status, text = handle(self)
                self.send_response(status)
                if status == 302:
                    self.send_header("location", text)
                self.send_header("content-length", str(len(text.encode())))
                self.end_headers()
                self.wfile.write(text.encode())

            do_GET = do_POST = answer  # noqa: N815 - the standard library's names

            def log_message(self, *_: object) -> None:
                pass

        servers.append(Server(("127.0.0.1", 0), Handler))
        threading.Thread(target=servers[-1].serve_forever, daemon=True).start()
        return f"http://127.0.0.1:{servers[-1].server_port}"

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


def quiet(handle: Handle) -> Handle:
    """Lets a handler write the whole answer itself."""

    def answer(request: http.server.BaseHTTPRequestHandler) -> tuple[int, str]:
        handle(request)
        request.wfile.flush()
        request.connection.shutdown(socket.SHUT_WR)
        raise ConnectionAbortedError

    return answer


def noting(paths: list[str]) -> Handle:
    """Answers everything, and keeps what was asked for."""

    def handle(request: http.server.BaseHTTPRequestHandler) -> tuple[int, str]:
        paths.append(request.path)
        return 200, "{}"

    return handle


def api(url: str | None, method: str = "GET") -> ApiSpec:
    parameters = (Parameter("port"), Parameter("days", place="query"), Parameter("X-Unit", place="header"))
    return ApiSpec(ApiId("Weather", "Sky", "Get"), required=parameters, method=method, url=url)


@pytest.mark.parametrize(
    ("url", "method", "arguments", "expected"),
    [
        ("https://a.b/x", "GET", {"port": "Kiel / Nord"}, HttpRequest("GET", "https://a.b/x?port=Kiel+%2F+Nord")),
        ("https://a.b/x?k=1", "GET", {"days": 2}, HttpRequest("GET", "https://a.b/x?k=1&days=2")),
        ("https://a.b/{port}/f", "GET", {"port": "../x"}, HttpRequest("GET", "https://a.b/..%2Fx/f")),
        (
            "https://a.b/{port}",
            "POST",
            {"port": "Kiel", "more": [1], "days": 3},
            HttpRequest("POST", "https://a.b/Kiel?days=3", b'{"more": [1]}', {"content-type": "application/json"}),
        ),
        ("https://a.b/x", "get", {"X-Unit": "kn"}, HttpRequest("GET", "https://a.b/x", None, {"X-Unit": "kn"})),
    ],
)
def test_arguments_stand_where_they_belong(
    url: str, method: str, arguments: dict[str, Any], expected: HttpRequest
) -> None:
    assert api_request(api(url, method), arguments) == expected


def judged(outcome: Answer | Unanswered) -> Answer | Unanswered:
    """As the gateway takes it."""
    return refusal(outcome) or outcome


@pytest.mark.parametrize("said", ["..", ".", ""])
def test_an_argument_that_would_change_the_path_is_refused(said: str) -> None:
    assert isinstance(api_request(api("https://a.b/{port}/f"), {"port": said}), Unanswered)


def test_an_api_without_an_address_is_undocumented() -> None:
    assert api_request(api(None), {}) == Unanswered("undocumented", "its documentation has no address")


@pytest.mark.parametrize(
    ("status", "text", "expected"),
    [
        (200, '{"id": 47401, "followers": 500000}', Answer({"id": 47401, "followers": 500000})),
        (200, "Room 404 costs 500", Answer("Room 404 costs 500")),
        (200, "[]", Answer([])),
        (404, '{"reason": "no port of that name near you"}', Answer("", '{"reason": "no port of that name near you"}')),
        (422, "days must be below 10", Answer("", "days must be below 10")),
        (200, '{"message": "You are not subscribed to this API."}', "failed"),
        (404, '{"message": "Endpoint \'/x\' does not exist"}', "failed"),
        (200, "", "empty"),
        (401, "{}", "refused"),
        (403, "{}", "refused"),
        (429, "slow down", "busy"),
        (500, "{}", "unavailable"),
        (502, "<html>", "unavailable"),
        (504, "", "timeout"),
        (302, "elsewhere", "failed"),
        (404, "", "failed"),
    ],
)
def test_an_answer_is_judged_by_status_and_shape_and_never_by_digits(
    status: int, text: str, expected: Answer | str
) -> None:
    outcome = judged(http_answer(status, text))
    assert (outcome.kind if isinstance(outcome, Unanswered) else outcome) == expected


@pytest.mark.parametrize(
    ("status", "text", "expected"),
    [
        (200, '{"error": "", "response": {"n": 404}}', Answer({"n": 404})),
        (200, '{"error": "no such port", "response": ""}', Answer("", "no such port")),
        (200, '{"error": "Rate limit error...", "response": ""}', "failed"),
        (200, '{"error": "", "response": ""}', "empty"),
        (200, "oops", "unreadable"),
        (500, "Internal Server Error", "unavailable"),
        (429, "", "busy"),
    ],
)
def test_a_backends_answer_is_read_by_this_table(status: int, text: str, expected: Answer | str) -> None:
    outcome = judged(backend_answer(status, text))
    assert (outcome.kind if isinstance(outcome, Unanswered) else outcome) == expected


async def test_an_api_is_called_with_its_key_which_stands_in_no_answer(serve: Any) -> None:
    url = serve(lambda request: (200, json.dumps({"path": request.path, "key": request.headers["X-RapidAPI-Key"]})))
    source = RapidApiSource(Secret(KEY), hosts=("127.0.0.1",))
    answer = await source.answer(Call.of(api(f"{url}/{{port}}"), {"port": "Kiel"}))
    assert answer == Answer({"path": "/Kiel", "key": "(the key)"})


async def test_a_key_goes_to_its_hosts_only(serve: Any) -> None:
    asked: list[str] = []
    url = serve(noting(asked))
    for address in (url, "http://x.rapidapi.com/a", "https://rapidapi.com.evil.example/a", "https://notrapidapi.com/"):
        outcome = await RapidApiSource(Secret(KEY)).answer(Call.of(api(address), {}))
        assert isinstance(outcome, Unanswered)
        assert outcome.kind == "refused"
    assert asked == []


async def test_a_redirection_is_not_followed(serve: Any) -> None:
    asked: list[str] = []
    other = serve(noting(asked))
    url = serve(lambda _: (302, other))
    outcome = await RapidApiSource(Secret(KEY), hosts=("127.0.0.1",)).answer(Call.of(api(url), {}))
    assert isinstance(outcome, Unanswered)
    assert asked == []


async def test_a_backend_is_sent_the_whole_request(serve: Any) -> None:
    asked: list[Any] = []

    def handle(request: Any) -> tuple[int, str]:
        asked.append(json.loads(request.rfile.read(int(request.headers["content-length"]))))
        return 200, '{"error": "", "response": [1]}'

    source = BackendSource(f"{serve(handle)}/virtual", key=Secret(KEY))
    assert await source.answer(Call.of(api(None), {"port": "Kiel"})) == Answer([1])
    assert asked == [
        {
            "category": "Weather",
            "tool_name": "Sky",
            "api_name": "Get",
            "tool_input": {"port": "Kiel"},
            "strip": "",
            "toolbench_key": KEY,
        }
    ]


async def test_a_backend_that_is_down_or_too_slow_has_no_answer(serve: Any) -> None:
    stop = threading.Event()
    slow = BackendSource(serve(lambda _: ((stop.wait(5) and 200) or 200, "{}")), timeout=0.2)
    outcome = await slow.answer(Call.of(api(None), {}))
    stop.set()
    assert outcome == Unanswered("timeout", "0.2 seconds")
    down = await BackendSource("http://127.0.0.1:9").answer(Call.of(api(None), {}))
    assert isinstance(down, Unanswered)
    assert down.kind == "unavailable"


@pytest.mark.parametrize("url", ["file:///etc/passwd", "http://", "https://[x/", "http://a:99999999/"])
def test_a_backends_address_is_checked(url: str) -> None:
    with pytest.raises(OptionError, match="expected one that begins with http"):
        BackendSource(url)


@pytest.mark.parametrize(
    "url", ["https://[x.p.rapidapi.com/", "https://x.p.rapidapi.com:99999999/", "https://x.p.rapidapi.com:a/", "x"]
)
async def test_an_address_that_is_none_is_no_answer(url: str) -> None:
    outcome = await RapidApiSource(Secret(KEY)).answer(Call.of(api(url), {}))
    assert isinstance(outcome, Unanswered)


async def test_forty_slow_answers_delay_neither_each_other_nor_anything_else(serve: Any, tmp_path: Path) -> None:
    together = threading.Barrier(40)

    def handle(_: Any) -> tuple[int, str]:
        together.wait(20)  # every one of them waits for all the others
        return 200, '{"error": "", "response": 1}'

    store = open_responses(tmp_path / "answers.db")
    slow = Gateway(store=store, policy="live-first", live=BackendSource(serve(handle)))
    quick = Gateway(store=store, simulators=FunctionSource({ApiId("C", "T", "quick"): lambda: 2}))
    calls = [asyncio.create_task(slow.call("C", "T", "slow", {"n": n})) for n in range(39)]
    await asyncio.sleep(0.3)
    assert (await quick.call("C", "T", "quick", {})).response == 2
    assert not any(call.done() for call in calls)
    calls.append(asyncio.create_task(slow.call("C", "T", "slow", {"n": 39})))
    assert [answer.response for answer in await asyncio.gather(*calls)] == [1] * 40
    for gateway in (slow, quick):
        await gateway.aclose()
    store.close()


@pytest.mark.parametrize("where", ["head", "body"])
async def test_the_time_is_that_of_the_whole_question(serve: Any, where: str) -> None:
    stop = threading.Event()

    def drip(request: Any) -> tuple[int, str]:
        begin = b"HTTP/1.0 200 OK\r\n" + (b"x-head: " if where == "head" else b"content-length: 1000\r\n\r\n")
        with contextlib.suppress(OSError):
            request.wfile.write(begin)
            while not stop.wait(0.05):
                request.wfile.write(b" ")
        return 200, ""

    source = BackendSource(serve(drip), timeout=0.5)
    began = time.monotonic()
    assert await source.answer(Call.of(api(None), {})) == Unanswered("timeout", "0.5 seconds")
    assert time.monotonic() - began < 3
    stop.set()
    await source.aclose()


@pytest.mark.parametrize(
    ("data", "kind", "said"),
    [
        ("caf\xe9".encode("latin-1"), "text/plain; charset=iso-8859-1", "caf\xe9"),
        ('["\xe9"]'.encode("latin-1"), "application/json; charset=latin1", ["\xe9"]),
        ("caf\xe9".encode(), "text/plain", "caf\xe9"),
        ('["\xe9"]'.encode(), "application/json", ["\xe9"]),
        ("caf\xe9".encode(), "text/plain; charset=klingon", "caf\xe9"),
        ("caf\xe9".encode(), "text/plain; charset=rot13", "caf\xe9"),
    ],
)
async def test_an_answer_is_read_in_the_characters_that_it_names(
    serve: Any, data: bytes, kind: str, said: object
) -> None:
    def handle(request: Any) -> tuple[int, str]:
        request.wfile.write(f"HTTP/1.0 200 OK\r\ncontent-type: {kind}\r\n\r\n".encode() + data)
        request.close_connection = True
        return 200, ""

    source = RapidApiSource(Secret(KEY), hosts=("127.0.0.1",))
    address = serve(quiet(handle))
    assert await source.answer(Call.of(api(address), {})) == Answer(said)


async def test_an_answer_that_ends_too_early_is_none(serve: Any) -> None:
    def handle(request: Any) -> tuple[int, str]:
        request.wfile.write(b'HTTP/1.0 200 OK\r\ncontent-length: 1000\r\n\r\n{"error": "", "response": [1]}')
        return 200, ""

    outcome = await BackendSource(serve(quiet(handle))).answer(Call.of(api(None), {}))
    assert isinstance(outcome, Unanswered)
    assert outcome.kind == "unavailable"

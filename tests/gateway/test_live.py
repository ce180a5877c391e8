"""Live sources against servers of this machine, misbehaving ones included."""

import http.server
import json
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from proctor.errors import OptionError
from proctor.gateway.http_answers import backend_answer, http_answer
from proctor.gateway.live import BackendSource, HttpRequest, RapidApiSource, api_request
from proctor.gateway.policy import refusal
from proctor.gateway.source import Call, Unanswered
from proctor.models.environment import Secret
from proctor.records.answers import Answer
from proctor.records.queries import ApiId, ApiSpec, Parameter

KEY = "sk-secret-key"
Handle = Callable[[http.server.BaseHTTPRequestHandler], tuple[int, str]]


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

        servers.append(http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler))
        threading.Thread(target=servers[-1].serve_forever, daemon=True).start()
        return f"http://127.0.0.1:{servers[-1].server_port}"

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


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


def test_a_backends_address_is_checked() -> None:
    with pytest.raises(OptionError, match="expected one that begins with http"):
        BackendSource("file:///etc/passwd")

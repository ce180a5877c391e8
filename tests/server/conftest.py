"""The virtual APIs on a free port of this machine."""

import asyncio
import contextlib
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
import uvicorn

from proctor.catalog.index import Catalog
from proctor.gateway.canned import CannedSource
from proctor.gateway.gateway import Gateway
from proctor.records.queries import ApiId, ApiSpec, Parameter, ToolSpec
from proctor.server.bounded import bounded_http
from proctor.server.http import Application
from proctor.store.responses import ResponseStore, open_responses

FORECAST = ApiSpec(
    ApiId("Weather, Sea", "Sky Report", "Get Forecast"),
    "Wind and waves at a port.",
    (Parameter("portName", "STRING", "Name of the port", "Kiel"),),
    (Parameter("days", "NUMBER", "", "3"),),
    template_response={"wind": 5, "days": 3},
)
PORTS = ApiSpec(ApiId("Weather, Sea", "Sky Report", "List Ports"), "All ports.", template_response=["Kiel", "Riga"])
TRAVEL = ApiSpec(ApiId("Travel", "Tickets_for_Trains", "Find_for_Day"), "Trains of a day.")


class Client:
    """A plain HTTP client, written to upstream's protocol."""

    def __init__(self, url: str) -> None:
        self.url = url

    def request(self, path: str, body: bytes | None = None, **headers: str) -> tuple[int, bytes, dict[str, str]]:
        named = {"content-type": "application/json", **headers}
        request = urllib.request.Request(f"{self.url}{path}", body, named)  # noqa: S310 - of this machine
        try:
            with urllib.request.urlopen(request, timeout=20) as answer:  # noqa: S310 - of this machine
                return answer.status, answer.read(), {name.lower(): value for name, value in answer.headers.items()}
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.read(), {name.lower(): value for name, value in error.headers.items()}

    def json(self, path: str, **headers: str) -> Any:
        return msgspec.json.decode(self.request(path, None, **headers)[1])

    def call(
        self, tool: str, api: str, tool_input: Any, category: str = "Weather_Sea", key: str = ""
    ) -> dict[str, Any]:
        asked = {
            "category": category,
            "tool_name": tool,
            "api_name": api,
            "tool_input": tool_input,
            "strip": "truncate",
            "toolbench_key": key,
        }
        status, body, _ = self.request("/virtual", msgspec.json.encode(asked))
        assert status == 200, body
        said: dict[str, Any] = msgspec.json.decode(body)
        return said


@pytest.fixture
def catalog() -> Catalog:
    weather = ToolSpec("Weather, Sea", "Sky Report", "Weather for sailors.", (FORECAST, PORTS))
    return Catalog([weather, ToolSpec("Travel", "Tickets_for_Trains", "Trains.", (TRAVEL,))])


@pytest.fixture
def store(tmp_path: Path) -> Iterator[ResponseStore]:
    opened = open_responses(tmp_path / "answers.db")
    yield opened
    opened.close()


@contextlib.contextmanager
def running(application: Any, **more: Any) -> Iterator[uvicorn.Server]:
    """The application on a free port, in a thread, until the block ends."""
    known = {
        "port": 0,
        "log_config": None,
        "log_level": "warning",
        "access_log": False,
        "ws": "none",
        **bounded_http(),
        **more,
    }
    config = uvicorn.Config(application, **known)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=lambda: asyncio.run(server.serve()))
    thread.start()
    while not server.started and thread.is_alive():
        time.sleep(0.01)
    try:
        yield server
    finally:
        server.should_exit = True
        thread.join(20)


@pytest.fixture
def serve(catalog: Catalog, store: ResponseStore) -> Iterator[Callable[..., Client]]:
    """Starts a server over the catalogue and the store, and gives a client of it."""
    with contextlib.ExitStack() as stack:

        def start(
            script: Any = (), *, token: str | None = None, max_body: int = 10_000, wait: float = 30, **more: Any
        ) -> Client:
            known = {"store": store, "simulators": CannedSource(script), **more}
            gateway = Gateway(known.pop("catalog", catalog), **known)
            application = Application(gateway, token=token, max_body=max_body)
            server = stack.enter_context(running(application, **bounded_http(wait)))
            port = server.servers[0].sockets[0].getsockname()[1]
            return Client(f"http://127.0.0.1:{port}")

        yield start

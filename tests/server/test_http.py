"""The server on a real port: upstream's protocol, its defects avoided, and what a server owes its neighbours."""

import asyncio
import concurrent.futures
import contextlib
import json
import logging
import socket
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from proctor.errors import OptionError
from proctor.gateway.canned import CannedSource
from proctor.gateway.simulators import TemplateSource
from proctor.gateway.source import Call, Unanswered
from proctor.records.answers import Answer
from proctor.records.entries import Entry
from proctor.records.queries import ApiId
from proctor.store.responses import ResponseStore

Serve = Callable[..., Any]
WORDS = "open sesame"


def test_a_client_of_upstream_completes_a_task_of_several_calls(serve: Serve) -> None:
    client = serve(simulators=TemplateSource())
    ports = client.call("sky_report", "list_ports_for_sky_report", "")
    assert ports == {"error": "", "response": ["Kiel", "Riga"]}
    for port in ports["response"]:
        forecast = client.call("sky_report_for_Weather_Sea", "get_forecast", json.dumps({"portname": port, "days": 2}))
        assert forecast == {"error": "", "response": {"wind": 5, "days": 2}}
    assert client.call("Sky Report", "Get Forecast", {})["error"] == "Missing required parameter: portName."


def test_every_answer_says_where_it_came_from(serve: Serve) -> None:
    client = serve([{"wind": 5}])
    asked = {"category": "", "tool_name": "sky_report", "api_name": "get_forecast", "tool_input": "", "strip": ""}
    body = msgspec.json.encode({**asked, "toolbench_key": "secret"})
    sources = [json.loads(client.request("/virtual", body)[2]["x-proctor-provenance"]) for _ in range(3)]
    assert [source["source"] for source in sources] == ["canned", "recorded", "recorded"]
    assert sources[0]["entry"] == sources[1]["entry"]


def test_a_miss_is_an_answer_and_never_an_error_of_the_server(serve: Serve) -> None:
    client = serve([Unanswered("unavailable", "connection refused")])
    assert client.call("no such tool", "x", {})["error"].startswith("there is no API 'x' of a tool 'no such tool'")
    missed = client.call("sky_report", "get_forecast", {})
    assert missed["error"].startswith("no source had an answer to")
    assert "connection refused" not in missed["error"]
    assert missed["response"] == ""


def test_input_that_does_not_parse_is_answered_with_200(serve: Serve) -> None:
    assert serve().call("sky_report", "get_forecast", "{'a': 1}")["error"].startswith("Tool input parse error")
    assert serve().call("sky_report", "get_forecast", '{"a": "\\ud800"}')["error"].startswith("Tool input parse error")


def test_whole_numbers_of_any_length_are_arguments(serve: Serve) -> None:
    client = serve([1, 2])
    assert client.call("sky_report", "get_forecast", '{"days": 123456789012345678901234567890}')["response"] == 1
    assert client.call("sky_report", "get_forecast", '{"days": 123456789012345678901234567891}')["response"] == 2


def test_a_request_that_lacks_a_field_is_unprocessable(serve: Serve) -> None:
    status, body, _ = serve().request("/virtual", b'{"category": "Data"}')
    assert status == 422
    assert msgspec.json.decode(body)["detail"][0]["loc"] == ["body", "tool_name"]


@pytest.mark.parametrize("name", ["../../etc/passwd", "/etc/passwd", "..\\x", "a\x00b", "%2e%2e%2f", "x" * 3000])
def test_no_path_is_ever_made_from_a_name(serve: Serve, tmp_path: Path, name: str) -> None:
    before = {path.name for path in tmp_path.iterdir()}
    assert "there is no API" in serve().call(name, name, {}, category=name)["error"]
    assert {path.name for path in tmp_path.iterdir()} - before <= {"answers.db", "answers.db-wal", "answers.db-shm"}


def test_tools_whose_name_holds_for_work(serve: Serve) -> None:
    client = serve([["ICE 1"]])
    said = client.call("tickets_for_trains_for_Travel", "find_for_day_for_tickets_for_trains", {}, category="Travel")
    assert said["response"] == ["ICE 1"]


def test_text_and_object_that_look_alike_are_two_calls(serve: Serve) -> None:
    client = serve(["text", "object"])
    assert client.call("sky_report", "get_forecast", {"portName": "{'a': 1}"})["response"] == "text"
    assert client.call("sky_report", "get_forecast", {"portName": {"a": 1}})["response"] == "object"


def test_digits_in_data_throw_nothing_away(serve: Serve, store: ResponseStore) -> None:
    data = {"id": 47401, "followers": 500_000, "title": "404 ways"}
    assert serve([data]).call("sky_report", "get_forecast", {})["response"] == data
    assert store.count() == 1


def test_a_request_that_is_too_long_is_refused(serve: Serve) -> None:
    status, body, _ = serve(max_body=2000).request("/virtual", b"x" * 5000)
    assert (status, msgspec.json.decode(body)["error"]) == (413, "the request is longer than 2000 bytes.")


def test_identical_requests_at_once_are_asked_once(serve: Serve) -> None:
    async def slow(_: Call) -> Any:
        await asyncio.sleep(0.1)
        return {"wind": 5}

    source = CannedSource(slow)
    client = serve(simulators=source)
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        said = list(pool.map(lambda _: client.call("sky_report", "get_forecast", {})["response"], range(8)))
    assert said == [{"wind": 5}] * 8
    assert len(source.calls) == 1


def test_a_token_is_wanted_at_every_door_but_health(serve: Serve) -> None:
    client = serve([{"wind": 5}], token=WORDS)
    assert client.request("/health")[0] == 200
    for path in ("/metrics", "/tools", "/tools/schema?name=x", "/nothing"):
        assert client.request(path)[0] == 401
        assert client.request(path, authorization="Bearer open sesam")[0] == 401
    assert client.request("/tools", authorization="Bearer open sesame")[0] == 200
    assert client.request("/virtual", b"{}")[0] == 401


def test_clients_of_upstream_may_send_the_token_as_their_key(serve: Serve) -> None:
    client = serve([{"wind": 5}], token=WORDS)
    assert client.call("sky_report", "get_forecast", {}, key="open sesame")["response"] == {"wind": 5}
    with pytest.raises(AssertionError, match="wants its token"):
        client.call("sky_report", "get_forecast", {}, key="")


def test_keys_are_neither_logged_nor_stored(
    serve: Serve, store: ResponseStore, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    assert serve([{"wind": 5}]).call("sky_report", "get_forecast", {}, key="sk-very-secret")["error"] == ""
    store.close()
    assert "sk-very-secret" not in caplog.text
    assert not any(b"sk-very-secret" in path.read_bytes() for path in tmp_path.iterdir())


def test_health_and_metrics_are_for_machines(serve: Serve) -> None:
    client = serve([{"wind": 5}])
    for _ in range(3):
        client.call("sky_report", "get_forecast", {})
    client.request("/virtual", b"{}")
    assert client.json("/health") == {"status": "ok", "policy": "cache", "apis": 3}
    status, body, headers = client.request("/metrics")
    lines = body.decode().splitlines()
    assert (status, headers["content-type"].split(";")[0]) == (200, "text/plain")
    assert 'proctor_answers_total{source="recorded"} 2' in lines
    assert 'proctor_answers_total{source="canned"} 1' in lines
    assert 'proctor_requests_total{door="virtual",status="200"} 3' in lines
    assert 'proctor_requests_total{door="virtual",status="422"} 1' in lines
    assert 'proctor_requests_total{door="health",status="200"} 1' in lines
    assert "proctor_apis 3" in lines
    assert all(line.startswith("#") or len(line.split(" ")) == 2 for line in lines)


def test_every_request_is_counted_by_its_door(serve: Serve) -> None:
    client = serve()
    for path in ("/tools", "/tools/schema?name=x", "/nothing", "/virtual", "/metrics", "/health"):
        client.request(path)
    client.request("/tools", host="evil.example")
    lines = client.request("/metrics")[1].decode().splitlines()
    counted = {line.partition("{")[2] for line in lines if line.startswith("proctor_requests_total{")}
    assert counted == {
        'door="tools",status="200"} 1',
        'door="tools",status="400"} 1',
        'door="tools",status="421"} 1',
        'door="other",status="404"} 1',
        'door="virtual",status="404"} 1',
        'door="metrics",status="200"} 1',
        'door="health",status="200"} 1',
    }


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"host": "evil.example"}, 421),
        ({"host": "evil.example:8080"}, 421),
        ({"host": "127.0.0.1.evil.example"}, 421),
        ({"host": "10.0.0.1"}, 421),
        ({"host": "[::1"}, 421),
        ({"host": "localhost:x"}, 421),
        ({"origin": "http://evil.example"}, 403),
        ({"origin": "null"}, 403),
        ({"origin": "https://localhost.evil.example"}, 403),
        ({"host": "localhost:8080"}, 200),
        ({"host": "[::1]:8080"}, 200),
        ({"host": "127.0.0.1"}, 200),
        ({"origin": "http://localhost:3000"}, 200),
    ],
)
def test_a_page_in_a_browser_reaches_nothing_without_a_token(
    serve: Serve, store: ResponseStore, headers: dict[str, str], status: int
) -> None:
    client = serve([{"wind": 5}])
    asked = {"category": "", "tool_name": "sky_report", "api_name": "get_forecast", "tool_input": "", "strip": ""}
    body = msgspec.json.encode({**asked, "toolbench_key": ""})
    said = client.request("/virtual", body, **headers)
    assert said[0] == status
    assert client.request("/tools", **headers)[0] == status
    assert client.request("/health", **headers)[0] == 200
    assert store.count() == (status == 200)
    if status != 200:
        assert b"answers this machine only" in said[1]


def test_with_a_token_any_host_will_do(serve: Serve) -> None:
    client = serve(token=WORDS)
    assert client.request("/tools", authorization=f"Bearer {WORDS}", host="exam.example")[0] == 200


def test_a_blank_token_is_refused(serve: Serve) -> None:
    with pytest.raises(OptionError, match="the token is blank"):
        serve(token=WORDS[:0] + " ")


def address_of(client: Any) -> tuple[str, int]:
    host, _, port = client.url.removeprefix("http://").partition(":")
    return host, int(port)


def sent(client: Any, *parts: bytes, wait: float = 0) -> bytes:
    """What the server says to these bytes until it closes the connection."""
    with socket.create_connection(address_of(client), timeout=20) as line:
        with contextlib.suppress(ConnectionError):
            for part in parts:
                line.sendall(part)
                time.sleep(wait)
        said = b""
        with contextlib.suppress(ConnectionError):
            while chunk := line.recv(65_536):
                said += chunk
        return said


HEAD = b"POST /virtual HTTP/1.1\r\nhost: localhost\r\n"


@pytest.mark.parametrize(
    "parts",
    [
        [HEAD + b"x-a: ", *[b"y" * 100_000] * 50],
        [HEAD, *[b"x-a: y\r\n" * 10_000] * 50],
        [HEAD + b"x-a: y\r\n" * 101 + b"\r\n"],
        [HEAD + b"x-a: " + b"y" * 70_000 + b"\r\n\r\n"],
        [HEAD + b"transfer-encoding: chunked\r\n\r\n0\r\n", *[b"x-a: y\r\n" * 10_000] * 50],
        [HEAD + b"transfer-encoding: chunked\r\n\r\n1;", *[b"y" * 100_000] * 50],
        [b"GET /", *[b"y" * 100_000] * 50],
    ],
)
def test_headers_are_bounded_in_number_and_size_with_and_without_a_token(serve: Serve, parts: list[bytes]) -> None:
    client = serve(token=WORDS)
    said = sent(client, *parts)
    assert said == b"" or b" 431 " in said or b" 400 " in said
    assert client.json("/health")["status"] == "ok"


def test_ninety_headers_are_a_request_like_any_other(serve: Serve) -> None:
    client = serve()
    said = sent(client, b"GET /health HTTP/1.1\r\nconnection: close\r\n" + b"x-a: y\r\n" * 90 + b"\r\n")
    assert b" 200 OK" in said


@pytest.mark.parametrize("begin", [b"", b"POST /virtual HT", HEAD, HEAD + b"content-length: 10\r\n\r\n{"])
def test_a_request_that_does_not_come_to_its_end_is_given_up(serve: Serve, begin: bytes) -> None:
    said = sent(serve(wait=0.3), begin)
    assert b" 408 " in said or (said == b"" and b"\r\n\r\n" in begin)


def test_tools_are_listed_a_page_at_a_time(serve: Serve) -> None:
    client = serve()
    first = client.json("/tools?limit=2")
    assert (first["total"], first["next_offset"], len(first["apis"])) == (3, 2, 2)
    rest = client.json("/tools?limit=2&offset=2")
    assert rest["next_offset"] is None
    assert [api["api"] for api in first["apis"] + rest["apis"]] == ["Get Forecast", "List Ports", "Find_for_Day"]
    assert client.json("/tools?category=Travel")["total"] == 1


def test_tools_are_searched_and_shown_as_schemas(serve: Serve) -> None:
    client = serve()
    hit = client.json("/tools?query=wind+and+waves")["apis"][0]
    assert hit["api"] == "Get Forecast"
    schema = client.json(f"/tools/schema?name={hit['name']}")
    assert schema["function"]["name"] == hit["name"]
    assert schema["function"]["parameters"]["required"] == ["portName"]
    assert client.json(f"/tools/schema?name={hit['name']}&form=anthropic")["name"] == hit["name"]


@pytest.mark.parametrize(
    "path", ["/tools?limit=0", "/tools?limit=x", "/tools?offset=-1", "/tools?q=x", "/tools/schema"]
)
def test_a_question_that_is_wrong_is_answered_with_a_sentence(serve: Serve, path: str) -> None:
    status, body, _ = serve().request(path)
    assert status == 400
    assert msgspec.json.decode(body)["error"].endswith(".")


def test_a_store_that_breaks_is_an_error_that_loses_nothing(serve: Serve, store: ResponseStore, tmp_path: Path) -> None:
    store.put(Entry.of(ApiId("a", "b", "c"), {}, Answer(1)))
    store.close()
    (tmp_path / "answers.db").write_bytes(b"this is no database, and never was" * 100)
    for beside in ("answers.db-wal", "answers.db-shm"):
        (tmp_path / beside).unlink(missing_ok=True)
    client = serve([{"wind": 5}])
    asked = {"category": "", "tool_name": "Sky Report", "api_name": "Get Forecast", "tool_input": "", "strip": ""}
    status, body, _ = client.request("/virtual", msgspec.json.encode({**asked, "toolbench_key": ""}))
    assert status == 503
    assert "not a store of answers" in msgspec.json.decode(body)["error"]
    assert (tmp_path / "answers.db").read_bytes().startswith(b"this is no database")


def test_a_client_that_leaves_in_the_middle_breaks_nothing(serve: Serve) -> None:
    client = serve([{"wind": 5}])
    host, port = client.url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port))) as connection:
        connection.sendall(b"POST /virtual HTTP/1.1\r\nhost: localhost\r\ncontent-length: 500\r\n\r\n{")
    assert client.call("sky_report", "get_forecast", {})["response"] == {"wind": 5}

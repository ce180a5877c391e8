"""`proctor serve` as a process of its own."""

import json
import signal
import subprocess
import sys
import threading
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from proctor.models.scripted_server import ScriptedServer

Start = Callable[..., "tuple[subprocess.Popen[str], str]"]


@pytest.fixture
def tools(tmp_path: Path) -> Path:
    folder = tmp_path / "tools"
    (folder / "Weather").mkdir(parents=True)
    ports = {"name": "List Ports", "method": "GET", "template_response": ["Kiel"], "schema": ["Kiel"]}
    tool = {"tool_name": "Sky Report", "tool_description": "Weather.", "api_list": [ports]}
    (folder / "Weather" / "sky_report.json").write_text(json.dumps(tool))
    (folder / "Weather" / "broken.json").write_text("{")
    return folder


@pytest.fixture
def start() -> Iterator[Start]:
    """Starts the command and gives the process and the address that it says; each process ends with the test."""
    started: list[subprocess.Popen[str]] = []

    def run(*options: object) -> tuple[subprocess.Popen[str], str]:
        command = [sys.executable, "-m", "proctor", "serve", "--port", "0", *map(str, options)]
        process = subprocess.Popen(  # noqa: S603 - our own command
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        started.append(process)
        assert process.stdout is not None
        for line in process.stdout:
            if line.startswith("listening on "):
                return process, line.removeprefix("listening on ").strip()
        raise AssertionError(process.communicate()[1])

    yield run
    for process in started:
        process.kill()
        process.communicate()


PORTS = {"category": "Weather", "tool_name": "sky_report", "api_name": "list_ports"}


def call(url: str, tool_input: Any = "", where: dict[str, str] | None = None) -> tuple[dict[str, Any], dict[str, Any]]:
    """A call of upstream's protocol: the answer, and where it came from."""
    asked = {**(where or PORTS), "tool_input": tool_input}
    body = json.dumps({**asked, "strip": "filter", "toolbench_key": ""}).encode()
    request = urllib.request.Request(f"{url}/virtual", body)  # noqa: S310 - of this machine
    with urllib.request.urlopen(request, timeout=20) as answer:  # noqa: S310 - of this machine
        return json.loads(answer.read()), json.loads(answer.headers["x-proctor-provenance"])


def test_it_serves_simulates_and_remembers_over_a_restart(start: Start, tools: Path, tmp_path: Path) -> None:
    cache = tmp_path / "answers.db"
    script = ['{"error": "", "response": "Kiel"}', '{"error": "", "response": "Riga"}']
    with ScriptedServer(script) as model:
        for source in ("simulated", "recorded"):
            process, url = start(
                "--tools", tools, "--cache", cache, "--simulator", "mirror:tiny", "--model-url", model.url
            )
            answer, provenance = call(url)
            assert (answer, provenance["source"]) == ({"error": "", "response": "Kiel"}, source)
            process.send_signal(signal.SIGTERM)
            process.communicate(timeout=20)
            assert process.returncode == 0
        assert len(model.bodies) == 1
    assert not Path(f"{cache}-wal").exists(), "the store was closed"


def test_a_stop_finishes_what_is_at_work(start: Start, tools: Path) -> None:
    with ScriptedServer(['{"error": "", "response": "Kiel"}'], latency=1.0) as model:
        process, url = start("--tools", tools, "--simulator", "model:tiny", "--model-url", model.url)
        said: list[Any] = []
        caller = threading.Thread(target=lambda: said.append(call(url)[0]["response"]))
        caller.start()
        while not model.bodies:
            pass
        process.send_signal(signal.SIGTERM)
        caller.join(20)
        process.communicate(timeout=20)
    assert said == ["Kiel"]


def test_it_says_what_it_serves_and_what_is_broken(start: Start, tools: Path) -> None:
    process, url = start("--tools", tools, "--policy", "frozen", "--cache", _made(tools.parent / "answers.db"))
    assert call(url)[1]["source"] == "missed"
    process.send_signal(signal.SIGTERM)
    _, complaints = process.communicate(timeout=20)
    assert "1 documents could not be read" in complaints


def test_a_dead_live_api_falls_through_and_faults_say_so(start: Start, tools: Path) -> None:
    live = ("--tools", tools, "--policy", "live-first", "--live", "http://127.0.0.1:9/virtual")
    _, url = start(*live, "--simulator", "template")
    answer, provenance = call(url)
    assert (answer["response"], provenance["source"]) == (["Kiel"], "simulated")
    assert any(tried.startswith("backend: could not be reached") for tried in provenance["attempts"])
    _, spoilt = start(*live, "--faults", "1", "--fault", "rate-limit")
    answer, provenance = call(spoilt)
    assert answer["error"].startswith("Rate limit error")
    assert provenance["fault"] == "rate-limit"


def test_a_share_of_the_tools_is_spoilt_with_all_their_calls(start: Start, tools: Path) -> None:
    spoilt = ("--tools", tools, "--simulator", "template", "--fault", "timeout", "--faults-by", "tool")
    for seed, share in ((1, 0.5), (2, 0.5), (3, 0.5)):
        _, url = start(*spoilt, "--faults", share, "--seed", seed)
        hit = {call(url, {"n": n})[1].get("fault") for n in range(12)}
        assert len(hit) == 1, "all calls of the tool, or none"


def test_an_index_of_the_tools_is_kept_beside_the_cache(start: Start, tools: Path, tmp_path: Path) -> None:
    cache = tmp_path / "kept" / "answers.db"
    cache.parent.mkdir()
    before = sorted(tmp_path.rglob("*.json"))
    for _ in range(2):
        process, url = start("--tools", tools, "--cache", cache, "--simulator", "template")
        with urllib.request.urlopen(f"{url}/tools?query=ports", timeout=20) as found:  # noqa: S310 - of this machine
            assert json.loads(found.read())["apis"]
        assert call(url)[0]["response"] == ["Kiel"]
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=20)
    names = {path.name for path in cache.parent.iterdir()}
    assert names == {"answers.db", "answers.db.index", "answers.db.index.search"}
    assert sorted(tmp_path.rglob("*.json")) == before


def test_a_mirror_is_asked_in_the_form_of_its_training(start: Start, tools: Path, tmp_path: Path) -> None:
    words = tmp_path / "system.txt"
    words.write_text("These are the words of the training.\n")
    reply = '{"mechanism_of_the_api": "x", "error": "", "response": "Kiel"}'
    with ScriptedServer([reply] * 2) as model:
        mirror = ("--tools", tools, "--simulator", "mirror:tiny", "--model-url", model.url)
        for form in (("--simulator-thought",), ("--simulator-system", words)):
            _, url = start(*mirror, *form)
            assert call(url)[0]["response"] == "Kiel"
        thinking, trained = [body["messages"][0]["content"] for body in model.bodies]
    assert thinking.startswith("[CHAIN_OF_THOUGHT]")
    assert "mechanism_of_the_api" in thinking
    assert trained == "These are the words of the training."


def test_the_starter_is_served_over_http_and_mcp(start: Start) -> None:
    _, url = start("--starter")
    where = {"category": "Library", "tool_name": "library_branches", "api_name": "opening_hours"}
    answer, provenance = call(url, {"branch_id": "BR-3", "weekday": "Tuesday"}, where)
    assert answer["response"]["hours"] == "08:30-17:00"
    assert (provenance["source"], provenance["model"]) == ("computed", "starter")
    assert call(url, {"branch_id": "BR-3", "weekday": "Someday"}, where)[0]["error"].startswith("400 Bad Request")
    arguments = {"branch_id": "BR-4", "weekday": "Thursday"}
    named = {"name": "opening_hours_for_library_branches", "arguments": arguments}
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": named}).encode()
    head = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
    request = urllib.request.Request(f"{url}/mcp", body, head)  # noqa: S310 - of this machine
    with urllib.request.urlopen(request, timeout=20) as reply:  # noqa: S310 - of this machine
        assert "10:00-22:00" in reply.read().decode()


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--tools", "{tools}", "--host", "0.0.0.0"], "set a token in PROCTOR_TOKEN"),  # noqa: S104 - refused
        (["--tools", "{tools}", "--host", "::"], "set a token in PROCTOR_TOKEN"),
        ([], "name --tools DIR, --cache STORE or both, or --starter"),
        (["--starter", "--tools", "{tools}"], "leave --tools out"),
        (["--starter", "--faults-by", "tool"], "say how many as well: --faults SHARE"),
        (["--starter", "--simulator", "template", "--simulator-thought"], "are for a MirrorAPI"),
        (["--starter", "--simulator", "mirror:m", "--simulator-system", "no.txt"], "no.txt: cannot be read"),
        (["--tools", "{tools}", "--simulator", "gpt-4o"], "expected template, model:NAME or mirror:NAME"),
        (["--tools", "{tools}", "--policy", "caches"], "caches"),
        (["--tools", "{tools}", "--live", "rapidapi"], "set RAPIDAPI_KEY"),
        (["--tools", "{tools}", "--live", "rapid"], "expected one that begins with http://"),
        (["--tools", "{tools}", "--fault", "timeout"], "--faults SHARE"),
        (["--tools", "{tools}/missing"], "no such file or folder"),
        (["--cache", "{tools}/missing.db", "--policy", "frozen"], "no store of answers"),
    ],
)
def test_what_cannot_be_served_is_said_in_a_sentence(tools: Path, options: list[str], sentence: str) -> None:
    named = [option.format(tools=tools) for option in options]
    done = subprocess.run(  # noqa: S603 - our own command
        [sys.executable, "-m", "proctor", "serve", "--port", "0", *named],
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    assert done.returncode == 1
    assert sentence in done.stderr
    assert "Traceback" not in done.stderr


def _made(path: Path) -> Path:
    from proctor.records.answers import Answer
    from proctor.records.entries import Entry
    from proctor.records.queries import ApiId
    from proctor.store.responses import open_responses

    store = open_responses(path)
    store.put(Entry.of(ApiId("a", "b", "c"), {}, Answer(1)))
    store.close()
    return path

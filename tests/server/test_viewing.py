"""A folder of runs over HTTP: what is shown, what is fresh, and what is refused."""

from __future__ import annotations

import base64
import http.client
import signal
import socket
import struct
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from proctor.errors import OptionError
from proctor.records.grades import Status, Verdict
from proctor.records.queries import Query
from proctor.records.runs import Manifest, RunSpec, TrialKey
from proctor.records.traces import StopReason, Trace
from proctor.runs.folders import JOURNAL, begun_folder, run_path
from proctor.runs.ledger import Judging, Ledger, Opinion
from proctor.wiring.shelves import Shelf


def make(results: Path, name: str, queries: int = 3, done: int = 2) -> Path:
    """A run of so many queries, of which some are done."""
    spec = RunSpec("towns", ("towns",), "baseline")
    ids = tuple(f"towns/{number}" for number in range(queries))
    folder = run_path(results, name)
    manifest = Manifest(spec, "0", 1_790_000_000.0, "baseline", "x", query_ids=ids)
    with begun_folder(folder, manifest) as (_, ledger):
        ledger.keep_queries([Query(str(number), f"How warm is it in {number}?") for number in range(queries)], "towns")
        for number in range(done):
            ledger.keep_trace(TrialKey("towns", str(number)), Trace(str(number), StopReason.FINISHED, "warm"))
    return folder


def add(folder: Path, number: int) -> None:
    with Ledger(folder / JOURNAL) as ledger:
        ledger.keep_trace(TrialKey("towns", str(number)), Trace(str(number), StopReason.FINISHED, "warm"))


class Clock:
    """A clock that stands still until it is set."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def results(tmp_path: Path) -> Path:
    folder = tmp_path / "results"
    make(folder, "baseline_a")
    make(folder, "null_b")
    return folder


def test_the_list_names_every_run_and_each_has_its_page(results: Path) -> None:
    shelf = Shelf(results)
    listed = shelf.reply("/")
    assert listed.status == 200
    for name in ("baseline_a", "null_b"):
        assert f'href="runs/{name}/"'.encode() in listed.body
        page = shelf.reply(f"/runs/{name}/")
        assert page.status == 200
        assert f"<title>{name}".encode() in page.body


def test_a_page_leads_to_its_neighbours_and_compares_with_one(results: Path) -> None:
    shelf = Shelf(results)
    assert b'href="../null_b/"' in shelf.reply("/runs/baseline_a/").body
    assert b'href="?against=null_b"' in shelf.reply("/runs/baseline_a/").body
    compared = shelf.reply("/runs/baseline_a/?against=null_b")
    assert compared.status == 200
    assert b"SoPR against null_<wbr>b" in compared.body


def test_a_page_is_made_anew_when_its_run_has_grown_and_only_then(results: Path) -> None:
    shelf = Shelf(results, clock=Clock())
    first, stamp = shelf.reply("/runs/baseline_a/"), shelf.reply("/runs/baseline_a/stamp")
    assert b"2 of 3 trials" in first.body
    assert shelf.reply("/runs/baseline_a/").body is first.body
    assert shelf.reply("/runs/baseline_a/stamp") == stamp
    add(results / "runs" / "baseline_a", 2)
    assert shelf.reply("/runs/baseline_a/stamp") != stamp
    assert b"3 of 3 trials" in shelf.reply("/runs/baseline_a/").body


def test_the_list_has_a_stamp_that_changes_with_any_run(results: Path) -> None:
    shelf = Shelf(results)
    stamp = shelf.reply("/stamp")
    assert shelf.reply("/stamp") == stamp
    add(results / "runs" / "null_b", 2)
    assert shelf.reply("/stamp") != stamp


def test_a_page_that_takes_long_is_called_fresh_for_a_while(results: Path) -> None:
    class Slow(Clock):
        def __call__(self) -> float:
            self.now += 1.0
            return self.now

    clock = Slow()
    shelf = Shelf(results, clock=clock)
    shelf.reply("/runs/baseline_a/")
    stamp = shelf.reply("/runs/baseline_a/stamp")
    add(results / "runs" / "baseline_a", 2)
    assert shelf.reply("/runs/baseline_a/stamp") == stamp
    clock.now += 60
    assert shelf.reply("/runs/baseline_a/stamp") != stamp


@pytest.mark.parametrize(
    "path",
    [
        "/runs/../tools/",
        "/runs/..%2f..%2fetc/",
        "/runs/..%2fruns%2fbaseline_a/",
        "/runs/%2e%2e/",
        "/runs/./",
        "/runs//",
        "/runs/baseline_a",
        "/runs/baseline_a/journal.jsonl",
        "/runs/baseline_a/../../secret",
        "/runs/baseline_a/?against=..%2f..",
        "/runs/baseline_a%00/",
        "/runs/elsewhere/",
        "//etc/passwd",
        "/etc/passwd",
        "",
    ],
)
def test_nothing_but_runs_of_the_folder_is_shown(results: Path, tmp_path: Path, path: str) -> None:
    outside = make(tmp_path / "other", "secret")
    (results / "runs" / "elsewhere").symlink_to(outside, target_is_directory=True)
    shelf = Shelf(results)
    assert shelf.reply(path).status == 404
    assert b"elsewhere" not in shelf.reply("/").body


def test_a_run_that_is_broken_says_so_and_the_others_are_shown(results: Path) -> None:
    (results / "runs" / "null_b" / "manifest.json").write_text("{", "utf-8")
    shelf = Shelf(results)
    assert shelf.reply("/runs/null_b/").status == 500
    assert b"this is no manifest" in shelf.reply("/runs/null_b/").body
    assert shelf.reply("/runs/baseline_a/").status == 200


def test_an_empty_folder_is_shown_as_one_and_no_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    assert b"There is no run here yet" in Shelf(tmp_path / "empty").reply("/").body
    with pytest.raises(OptionError, match="there is no such folder"):
        Shelf(tmp_path / "nothing")


class Door:
    """A `proctor view` in a process of its own."""

    def __init__(self, *words: str) -> None:
        self.process = subprocess.Popen(  # noqa: S603 - our own command
            [sys.executable, "-m", "proctor", "view", "--port", "0", *words], stdout=subprocess.PIPE, text=True
        )
        assert self.process.stdout is not None
        self.url = self.process.stdout.readline().removeprefix("listening on ").strip()

    def get(self, path: str, **headers: str) -> tuple[int, str]:
        host, _, port = self.url.removeprefix("http://").rstrip("/").partition(":")
        connection = http.client.HTTPConnection(host, int(port), timeout=60)
        try:
            connection.request("GET", path, headers=headers)
            reply = connection.getresponse()
            return reply.status, reply.read().decode()
        finally:
            connection.close()

    def close(self) -> int:
        self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(timeout=60)
        assert self.process.stdout is not None
        self.process.stdout.close()
        return code


@pytest.fixture
def doors() -> Iterator[list[Door]]:
    opened: list[Door] = []
    yield opened
    for door in opened:
        if door.process.poll() is None:
            door.close()


def test_the_command_listens_on_loopback_and_leaves_when_it_is_told(results: Path, doors: list[Door]) -> None:
    door = Door(str(results))
    doors.append(door)
    assert door.url.startswith("http://127.0.0.1:")
    assert door.get("/runs/baseline_a/")[0] == 200
    assert door.get("/runs/../../")[0] == 404
    assert door.close() == 0


def test_a_page_of_elsewhere_that_points_here_by_name_is_refused(results: Path, doors: list[Door]) -> None:
    door = Door(str(results))
    doors.append(door)
    assert door.get("/", Host="evil.example")[0] == 403
    assert door.get("/", Host="localhost:1234")[0] == 200


def test_with_a_token_only_those_who_know_it_see_anything(results: Path, doors: list[Door]) -> None:
    door = Door(str(results), "--token", "s3cret")
    doors.append(door)
    assert door.get("/")[0] == 401
    assert door.get("/", Authorization="Bearer wrong")[0] == 401
    assert door.get("/", Authorization="Basic ???")[0] == 401
    assert door.get("/", Authorization="Bearer s3cret")[0] == 200
    password = base64.b64encode(b"anybody:s3cret").decode()
    assert door.get("/", Authorization=f"Basic {password}")[0] == 200


def test_the_list_shows_scores_of_runs_that_are_still_at_work_and_reads_each_only_once(tmp_path: Path) -> None:
    class Counting(Clock):
        """Every look at it is a second later, so that no more than one run is read for a list."""

        def __call__(self) -> float:
            self.now += 1.0
            return self.now

    for name in ("baseline_a", "baseline_b"):
        judge(make(tmp_path, name), "0")
    clock = Counting()
    shelf = Shelf(tmp_path, clock=clock)
    first = shelf.reply("/").body
    assert first.count(b"100.0 %") == 1
    assert first.count(b"not read yet") == 1
    assert shelf.reply("/stamp") != shelf.reply("/stamp")
    second = shelf.reply("/").body
    assert second.count(b"100.0 %") == 2
    assert shelf.reply("/stamp") == shelf.reply("/stamp")
    judge(tmp_path / "runs" / "baseline_a", "1", Status.UNSOLVED)
    clock.now += 100
    assert b"50.0 %" in shelf.reply("/").body


def judge(folder: Path, query: str, status: Status = Status.SOLVED) -> None:
    judging = Judging("rubric", "rubric")
    with Ledger(folder / JOURNAL) as ledger:
        ledger.keep_judging(judging)
        ledger.keep_opinion(TrialKey("towns", query), judging, 0, Opinion(Verdict(status, "so", "rubric")))


def test_a_page_of_a_run_that_is_not_at_its_end_says_how_far_it_is_and_when_it_last_grew(results: Path) -> None:
    folder = results / "runs" / "baseline_a"
    body = Shelf(results).reply("/runs/baseline_a/").body.decode()
    assert "2 of 3 trials so far" in body
    assert f'data-grown="{int((folder / JOURNAL).stat().st_mtime)}"' in body
    add(folder, 2)
    assert "so far" not in Shelf(results).reply("/runs/baseline_a/").body.decode()


def test_a_browser_that_hangs_up_leaves_no_trace_in_the_terminal(results: Path) -> None:
    command = [sys.executable, "-m", "proctor", "view", "--port", "0", str(results)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:  # noqa: S603
        assert process.stdout is not None
        assert process.stderr is not None
        host, _, port = (
            process.stdout.readline().removeprefix("listening on http://").strip().rstrip("/").partition(":")
        )
        for _ in range(3):
            with socket.create_connection((host, int(port)), timeout=60) as line:
                line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))  # the end is a reset
                line.sendall(f"GET /runs/baseline_a/ HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
        connection = http.client.HTTPConnection(host, int(port), timeout=60)
        connection.request("GET", "/runs/baseline_a/")
        assert connection.getresponse().status == 200
        connection.close()
        process.send_signal(signal.SIGTERM)
        assert process.stderr.read() == ""

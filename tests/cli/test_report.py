"""`proctor report`: a run as one HTML file; `proctor run` leaves one too."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from tests.cli.test_reading_runs import QUERIES

from proctor.cli import proctor

Ran = Callable[..., Result]


@pytest.fixture
def ran(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Ran:
    """A command, run in a folder with three runs over the same queries in it."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "towns.json").write_text(json.dumps(QUERIES), "utf-8")

    def run(*words: str) -> Result:
        return CliRunner().invoke(proctor, words)

    for agent in ("baseline", "null", "oracle"):
        sat = run("run", *_exam(agent), "--no-page", "--display", "none")
        assert sat.exit_code == 0, sat.output
    assert not list(Path("results").rglob("*.html"))
    return run


def _exam(agent: str) -> tuple[str, ...]:
    return ("--benchmark", "towns.json", "--agent", agent, "--judge", "heuristic", "--simulator", "template")


def test_a_page_stands_beside_the_result_file_and_holds_all_that_stands_beside_the_run(ran: Ran) -> None:
    ended = ran("report", "baseline_towns")
    assert (ended.exit_code, ended.stdout) == (0, "")
    assert ended.stderr == "page    results/tools/baseline_towns.html\n"
    document = Path("results/tools/baseline_towns.html").read_text("utf-8")
    assert "<title>baseline_towns" in document
    assert "makes the gold calls: the ceiling" in document
    assert "does nothing: the floor" in document


def test_two_runs_are_compared_on_a_page_of_their_own(ran: Ran) -> None:
    ended = ran("report", "results/baseline_towns", "results/tools/null_towns.json")
    assert ended.exit_code == 0
    document = Path("results/tools/baseline_towns_against_null_towns.html").read_text("utf-8")
    assert "SoPR against null_<wbr>towns" in document


def test_a_page_is_written_where_it_is_wanted_or_printed(ran: Ran, tmp_path: Path) -> None:
    assert ran("report", "baseline_towns", "-o", str(tmp_path / "mine.html")).exit_code == 0
    assert ran("report", "baseline_towns", "-o", "-").stdout == (tmp_path / "mine.html").read_text("utf-8")


def test_the_figures_of_a_page_are_json_on_request_and_no_page_is_written_then(ran: Ran) -> None:
    said = json.loads(ran("report", "baseline_towns", "null_towns", "--json").stdout)
    assert said["run"]["name"] == "baseline_towns"
    assert [one["measure"] for one in said["versus"]] == ["SoPR", "API call score"]
    assert {one["name"] for one in said["neighbours"]} == {"baseline_towns", "null_towns", "oracle_towns"}
    assert not list(Path("results").rglob("*.html"))


def test_runs_that_cannot_be_compared_are_shown_and_the_reason_is_said(ran: Ran) -> None:
    few = ("--limit", "2", "--name", "few")
    assert ran("run", *_exam("baseline"), *few, "--display", "none").exit_code == 0
    assert ran("grade", "results/baseline_few", "--judge", "rubric").exit_code == 1, "no rubric fits these queries"
    said = json.loads(ran("report", "baseline_towns", "baseline_few", "--json").stdout)
    assert "was judged by" in said["refused"]
    assert [one["measure"] for one in said["versus"]] == ["API call score"]
    document = ran("report", "baseline_towns", "baseline_few", "-o", "-").stdout
    assert "Not compared." in document


def test_a_run_beside_itself_and_a_run_that_is_not_there_are_refused_in_a_sentence(ran: Ran) -> None:
    ended = ran("report", "baseline_towns", "results/runs/baseline_towns")
    assert ended.exit_code == 1
    assert "are the same run" in ended.stderr
    ended = ran("report", "nothing")
    assert ended.exit_code == 1
    assert "there is no run here" in ended.stderr


def test_a_broken_neighbour_is_passed_over(ran: Ran) -> None:
    Path("results/runs/null_towns/manifest.json").write_text("{", "utf-8")
    said = json.loads(ran("report", "baseline_towns", "--json").stdout)
    assert {one["name"] for one in said["neighbours"]} == {"baseline_towns", "oracle_towns"}


def test_a_run_over_other_queries_does_not_stand_beside(ran: Ran) -> None:
    assert ran("run", *_exam("baseline"), "--limit", "1", "--name", "one", "--display", "none").exit_code == 0
    said = json.loads(ran("report", "baseline_towns", "--json").stdout)
    assert "baseline_one" not in {one["name"] for one in said["neighbours"]}


def test_a_run_ends_with_its_page_and_says_where_it_is(ran: Ran) -> None:
    ended = ran("run", *_exam("null"), "--name", "again", "--display", "plain")
    assert ended.stdout.splitlines()[-3:] == [
        "page        results/tools/null_again.html",
        "result      results/tools/null_again.json",
        "run         results/runs/null_again",
    ]
    assert Path("results/tools/null_again.html").stat().st_size < 200_000


def test_a_calibration_stands_on_the_page(ran: Ran, tmp_path: Path) -> None:
    labels = "human,judge\n" + "1,1\n" * 30 + "0,0\n" * 25 + "0,1\n" * 5
    (tmp_path / "labels.csv").write_text(labels, "utf-8")
    assert ran("judge", "calibrate", "labels.csv", "--output", "judge.json").exit_code == 0
    document = ran("report", "baseline_towns", "--calibration", "judge.json", "-o", "-").stdout
    assert "Solved, corrected" in document


def test_the_starters_own_calibration_is_named_by_a_word(ran: Ran) -> None:
    ended = ran("report", "baseline_towns", "--calibration", "starter", "-o", "-")
    assert ended.exit_code == 0
    assert "Beside labels of people, the judge passed" in ended.stdout

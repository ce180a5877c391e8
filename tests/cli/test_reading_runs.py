"""`proctor list` and `proctor show`: runs read in the terminal."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from proctor.cli import proctor

QUERIES = [
    {
        "query_id": number,
        "query": f"How warm is it in {town}?",
        "relevant APIs": [["Sky Report", "now"]],
        "api_list": [
            {
                "category_name": "Weather",
                "tool_name": "Sky Report",
                "api_name": "now",
                "api_description": "How warm it is in a town.",
                "required_parameters": [{"name": "town", "type": "STRING", "description": "", "default": "Ness"}],
                "optional_parameters": [],
                "method": "GET",
                "template_response": {"town": "Ness", "degrees": 20},
            }
        ],
    }
    for number, town in ((1, "Aldermoor"), (2, "Brackwater"), (3, "Cinderford"))
]
Ran = Callable[..., Result]


@pytest.fixture
def ran(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Ran:
    """A command, run in a folder with a run in it."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "towns.json").write_text(json.dumps(QUERIES), "utf-8")

    def run(*words: str) -> Result:
        return CliRunner().invoke(proctor, words)

    sat = run(
        "run",
        *("--benchmark", "towns.json", "--agent", "baseline", "--judge", "heuristic", "--simulator", "template"),
        *("--name", "first", "--display", "none"),
    )
    assert sat.exit_code == 0, sat.output
    return run


def test_list_names_every_run_with_what_it_is_and_what_it_scored(ran: Ran) -> None:
    head, row = ran("list").output.splitlines()
    assert head.split() == ["run", "judge", "SoPR", "interval", "API", "calls", "trials", "began"]
    assert row.split()[:3] == ["baseline_first", "heuristic", "100.0"]
    assert "43.9 to 100.0    100.0 %       3  20" in row


def test_list_takes_the_figures_from_result_files_and_opens_no_journal_that_is_older(ran: Ran) -> None:
    journal, result = Path("results/runs/baseline_first/journal.jsonl"), Path("results/tools/baseline_first.json")
    before = ran("list").output
    journal.write_bytes(b"not a journal at all\n")
    os.utime(journal, ns=(0, result.stat().st_mtime_ns - 1))
    assert ran("list").output == before


def test_list_shows_no_score_of_a_run_that_has_gone_on_or_has_no_result_file(ran: Ran) -> None:
    more = ("--benchmark", "towns.json", "--agent", "baseline", "--simulator", "template", "--name", "first")
    result = Path("results/tools/baseline_first.json")
    old = result.read_bytes()
    assert ran("run", *more, "--judge", "heuristic", "--epochs", "2", "--resume", "--display", "none").exit_code == 0
    result.write_bytes(old)
    os.utime(result, ns=(0, 0))
    (run,) = json.loads(ran("list", "--json").output)
    assert (run["trials"], run["sopr"]["reason"]) == (6, "the run has gone on since its result file was written")
    result.unlink()
    (run,) = json.loads(ran("list", "--json").output)
    assert run["sopr"]["reason"] == "there is no result file yet"
    assert " - " in ran("list").output


def test_list_fits_80_columns_and_never_cuts_a_name(ran: Ran) -> None:
    name = "a-rather-long-name-for-a-run"
    ran("run", "--benchmark", "towns.json", "--agent", "null", "--judge", "heuristic", "--name", name)
    lines = ran("list").output.splitlines()
    assert max(map(len, lines)) <= 80
    assert any(line.startswith(f"null_{name} ") for line in lines)


def test_list_is_json_on_request(ran: Ran) -> None:
    (run,) = json.loads(ran("list", "--json").output)
    assert (run["sopr"]["value"], run["sopr"]["n"], run["api_call_score"]["value"]) == (1.0, 3, 1.0)
    assert (run["name"], run["trials"], run["planned"], run["method"]) == ("baseline_first", 3, 3, "heuristic")


def test_no_run_at_all_is_said(ran: Ran, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    ended = ran("list", "empty")
    assert (ended.exit_code, ended.stdout) == (0, "")
    assert "proctor run makes one" in ended.stderr


@pytest.mark.parametrize("where", ["results/baseline_first", "results/runs/baseline_first", "results"])
def test_show_prints_the_figures_of_a_run(ran: Ran, where: str) -> None:
    text = ran("show", where).output
    assert text.startswith("baseline_first: baseline on towns, judged by heuristic\n")
    assert max(map(len, text.splitlines())) <= 80


def test_show_finds_a_run_by_its_result_file(ran: Ran) -> None:
    assert ran("show", "results/tools/baseline_first.json").output == ran("show", "results/baseline_first").output


def test_show_lists_trials_on_request(ran: Ran) -> None:
    head, *rows = ran("show", "results", "--trials").output.splitlines()
    assert head.split() == ["trial", "worth", "stopped", "calls", "query"]
    assert [row.split()[0] for row in rows] == ["towns/1#0", "towns/2#0", "towns/3#0"]


def test_show_lists_trials_of_a_status_only(ran: Ran) -> None:
    assert len(ran("show", "results", "--status", "solved").stdout.splitlines()) == 4
    none = ran("show", "results", "--status", "unsolved")
    assert (none.stdout, none.stderr) == ("", "no trial is so.\n")
    assert ran("show", "results", "--stop", "step_limit").stdout == ""


@pytest.mark.parametrize("query", ["2", "towns/2", "towns/2#0"])
def test_show_tells_a_query_from_beginning_to_end(ran: Ran, query: str) -> None:
    text = ran("show", "results", query).output
    assert text.startswith("towns/2#0\n---------\nquery     How warm is it in Brackwater?\n")
    assert "1 calls   now_for_sky_report" in text
    assert '{"town": "Brackwater"}' in text
    assert "simulated" in text
    assert "Solved" in text


def test_show_is_json_on_request(ran: Ran) -> None:
    assert json.loads(ran("show", "results", "--json").output)["overall"]["queries"] == 3
    (trial,) = json.loads(ran("show", "results", "2", "--json").output)
    assert trial["key"] == {"test_set": "towns", "query_id": "2", "epoch": 0}
    assert len(json.loads(ran("show", "results", "--trials", "--json").output)) == 3


def test_a_wide_terminal_gets_longer_lines(ran: Ran, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(os.environ, "COLUMNS", "50")
    assert max(map(len, ran("show", "results", "2").output.splitlines())) <= 50


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("show", "nowhere"), "there is no run here"),
        (("show", "results", "twelve"), "has no trial of a query 'twelve'"),
        (("show", "results", "--calibration", "no.json"), "no.json"),
        (("show", "results", "--status", "good"), "--status"),
    ],
)
def test_what_is_not_there_is_said_in_a_sentence(ran: Ran, words: tuple[str, ...], said: str) -> None:
    ended = ran(*words)
    assert ended.exit_code == 1
    assert said in ended.stderr
    assert "Traceback" not in ended.output


def test_a_long_key_loses_its_middle_unless_all_is_wanted(ran: Ran) -> None:
    name = "a-query-whose-name-is-longer-than-any-line-of-a-terminal-could-hold-beside-others"
    Path("long.json").write_text(json.dumps([{**QUERIES[0], "query_id": name}]), "utf-8")
    words = ("--benchmark", "long.json", "--agent", "null", "--judge", "heuristic", "--display", "none")
    assert ran("run", *words).exit_code == 0
    cut, whole = (ran("show", "null_long", "--trials", *more).output for more in ((), ("--full",)))
    assert max(map(len, cut.splitlines())) <= 80
    assert "long/a-query-wh…beside-others#0" in cut
    assert f"long/{name}#0" in whole
    assert str(QUERIES[0]["query"]) in whole

"""`proctor selftest`: agents of which it is known whether they are right, and what the graders say of them."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from proctor.models.scripted_server import ScriptedServer
from proctor.runs.selftest import KNOWN, PROBES, Grader, known

Run = Callable[..., Result]


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_API_KEY", "none")


def told_by(run: Run, *words: str, exit_code: int = 0) -> dict[str, Any]:
    done = run("selftest", *words, "--json")
    assert done.exit_code == exit_code, done.stderr
    told: dict[str, Any] = json.loads(done.stdout)
    return told


def test_the_starter_by_the_rubric_has_no_mistakes_but_those_that_are_known(run: Run) -> None:
    told = told_by(run, "--limit", "3")
    assert (told["benchmark"], told["method"], told["findings"]) == ("starter", "rubric", [])
    assert [probe["name"] for probe in told["probes"]] == [probe.name for probe in PROBES]
    by_name = {probe["name"]: probe for probe in told["probes"]}
    assert [name for name, probe in by_name.items() if probe["trials"] == 0] == []
    judged = by_name["denied facts"]["cells"]["judge"]
    assert judged["accepted"] == len(judged["wrong"]) > 0
    assert judged["known"] == KNOWN["rubric", "denied facts"]
    oracle = by_name["oracle"]["cells"]
    assert oracle["judge"]["accepted"] == by_name["oracle"]["trials"] == told["queries"]
    assert by_name["wrong argument"]["cells"]["trajectory"]["accepted"] == 0
    assert by_name["wrong argument"]["cells"]["judge"]["expected"] is None


def test_a_judge_that_believes_everything_is_found_out(run: Run) -> None:
    with ScriptedServer(lambda _: {"reason": "it looks good", "answer_status": "Solved"}) as judge:
        words = ("--judge", "openai/scripted", "--judge-url", judge.url, "--limit", "1")
        probes = ("--probe", "oracle", "--probe", "wrong fact", "--probe", "empty answer")
        told = told_by(run, *words, *probes, exit_code=100)
        shown = run("selftest", *words, *probes, "--show", "1")
    assert told["findings"] == [{"probe": "wrong fact", "grader": "judge"}]
    assert shown.exit_code == 100
    said = " ".join(shown.stdout.split())
    assert "FINDING judge: 'wrong fact' falsely accepted 3 times" in said
    assert "it looks good" in said
    assert "judge falsely accepted 3 of 9; falsely rejected 0 of 6" in said


def test_a_judge_that_believes_nothing_is_found_out(run: Run) -> None:
    with ScriptedServer(lambda _: {"reason": "I doubt it", "answer_status": "Unsolved"}) as judge:
        words = ("--judge", "openai/scripted", "--judge-url", judge.url, "--limit", "1")
        told = told_by(run, *words, "--probe", "oracle", "--probe", "wrong fact", exit_code=100)
    assert told["findings"] == [{"probe": "oracle", "grader": "judge"}]


def test_runs_are_kept_where_that_is_asked_for_and_are_not_sat_again(run: Run) -> None:
    says = {"reason": "so it is", "answer_status": "Solved"}
    with ScriptedServer(lambda _: says) as judge:
        words = ("--judge", "openai/scripted", "--judge-url", judge.url, "--limit", "1", "--probe", "oracle")
        told_by(run, *words)
        assert not Path("results").exists()
        asked = len(judge.bodies)
        first = told_by(run, *words, "--output", "kept")
        assert len(judge.bodies) == 2 * asked
        assert told_by(run, *words, "--output", "kept") == first
        assert len(judge.bodies) == 2 * asked
    assert run("show", "kept/oracle_selftest-starter-oracle").exit_code == 0


def test_a_benchmark_without_gold_calls_and_facts_gets_what_can_be_known(run: Run, tmp_path: Path) -> None:
    apis = [
        {"category_name": "Weather", "tool_name": "Sky", "api_name": name, "template_response": {"wind": 1}}
        for name in ("Now", "Week")
    ]
    queries = [{"query_id": 1, "query": "How windy is it?", "relevant APIs": [["Sky", "Now"]], "api_list": apis}]
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "G1.json").write_text(json.dumps(queries))
    told = told_by(run, "--benchmark", "mine", "--judge", "rubric")
    by_name = {probe["name"]: probe for probe in told["probes"]}
    assert by_name["oracle"]["cells"]["API call score"]["accepted"] == 1
    assert by_name["dropped call"]["cells"]["API call score"]["rejected"] == 1
    assert by_name["oracle"]["cells"]["judge"]["unmeasured"] == {"nobody wrote down what a right answer tells": 1}
    assert by_name["wrong fact"]["trials"] == 0
    assert by_name["wrong argument"]["trials"] == 0


def test_settings_about_another_agent_do_not_matter(run: Run, tmp_path: Path) -> None:
    (tmp_path / "proctor.toml").write_text(
        '[agent]\nname = "react"\nmodel = "openai/x"\n[limits]\nmax_calls = 1\n[run]\nepochs = 3\noutput = "mine"\n'
    )
    told = told_by(run, "--limit", "1", "--probe", "oracle", "--probe", "null")
    assert [probe["trials"] for probe in told["probes"]] == [6, 6]
    assert not Path("mine").exists()


def test_the_report_fits_a_terminal(run: Run) -> None:
    done = run("selftest", "--limit", "1", "--judge", "heuristic")
    assert done.exit_code == 0
    assert [line for line in done.stdout.splitlines() if len(line) > 80] == []
    assert "spam" in done.stdout


def test_an_unknown_probe_is_a_sentence(run: Run) -> None:
    done = run("selftest", "--probe", "orakle")
    assert (done.exit_code, done.stdout) == (1, "")
    assert "there is no probe 'orakle'; did you mean 'oracle'?" in done.stderr


def test_what_is_known_names_probes_that_there_are_and_expectations_that_can_fail() -> None:
    probes = {probe.name: probe for probe in PROBES}
    for grader, name in KNOWN:
        one = Grader(grader) if grader in {each.value for each in Grader} else Grader.JUDGE
        assert probes[name].expected(one) is not None
        assert known(grader, one, name) == KNOWN[grader, name]


def test_every_probe_is_expected_to_be_taken_for_what_it_is_by_somebody() -> None:
    assert len({probe.name for probe in PROBES}) == len(PROBES)
    for probe in PROBES:
        assert probe.accepts | probe.rejects
        assert not probe.accepts & probe.rejects

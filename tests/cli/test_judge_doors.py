"""The judges of completeness and of solvability, asked from the command line."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import Result

from proctor.models.scripted_server import ScriptedServer
from proctor.stats.calibration import Calibration

Run = Callable[..., Result]


@pytest.fixture
def sat(run: Run, tmp_path: Path) -> str:
    """A run of the oracle over two queries of the starter, which nobody has judged."""
    said = run(
        "run", "--agent", "oracle", "--judge", "none", "--test-set", "single", "--limit", "2", "--output", str(tmp_path)
    )
    assert said.exit_code == 0, said.output
    return str(next((tmp_path / "runs").iterdir()))


def line(status: str) -> Callable[[Any], dict[str, Any]]:
    return lambda _: {"reason": "it is so", "answer_status": status, "task_status": status}


def test_answers_are_judged_for_completeness_and_the_figure_says_so(run: Run, sat: str) -> None:
    with ScriptedServer(line("Solved")) as server:
        said = run("grade", sat, "--judge", "completeness:llamacpp/tiny", "--judge-url", server.url)
        assert said.exit_code == 0, said.output
        assert "SoPR by completeness" in said.stdout
        asked = server.bodies[0]["messages"][0]["content"]
    assert "whether an answer is complete" in asked
    unnamed = run("grade", sat, "--judge", "completeness")
    assert unnamed.exit_code == 1
    assert "the judge 'completeness' asks a model; say which: --judge completeness:openai/gpt-4o" in unnamed.stderr


@pytest.mark.parametrize("reply", ["I cannot say.", ""])
def test_where_not_one_answer_could_be_judged_the_command_fails_and_says_why(run: Run, sat: str, reply: str) -> None:
    with ScriptedServer(lambda _: reply) as server:
        said = run("grade", sat, "--judge", "llamacpp/tiny", "--judge-url", server.url, "--tries", "1")
    assert said.exit_code == 1
    assert "not one answer could be judged: " in said.stderr
    assert "(2 of 2)." in said.stderr
    results = next((Path(sat).parent.parent / "tools").glob("*.json"))
    result = json.loads(results.read_text("utf-8"))
    if reply:
        assert all(one["evaluation"]["detail"].endswith(reply) for one in result["results"])


def test_a_replay_does_not_wait_for_what_was_never_recorded(run: Run, sat: str, tmp_path: Path) -> None:
    replies = str(tmp_path / "replies.db")
    with ScriptedServer(line("Solved")) as server:
        judge = ["--judge", "llamacpp/tiny", "--judge-url", server.url, "--replies", replies]
        assert run("grade", sat, *judge).exit_code == 0
        assert run("grade", sat, *judge, "--replay").exit_code == 0
        said = run("grade", sat, *judge, "--judge-repeats", "2", "--replay")
    assert said.stderr.count("is owed a verdict") <= 2


def test_queries_are_judged_for_solvability(run: Run, tmp_path: Path) -> None:
    table = tmp_path / "solvable.csv"
    with ScriptedServer(line("Unsure")) as server:
        words = ["judge", "solvability", "--judge", "llamacpp/tiny", "--judge-url", server.url, "--test-set", "single"]
        said = run(*words, "-o", str(table))
        asked = server.bodies[0]["messages"][0]["content"]
    assert said.exit_code == 0, said.output
    rows = list(csv.DictReader(io.StringIO(table.read_text("utf-8"), newline="")))
    assert {row["status"] for row in rows} == {"Unsure"}
    assert (
        f"{len(rows)} of {len(rows)} queries are judged by solvability (llamacpp/tiny, prompts solvability@"
        in said.stdout
    )
    assert "whether a query could be solved at all" in asked
    with ScriptedServer(lambda _: "Well.") as server:
        lost = run(*words[:4], "--judge-url", server.url, "--test-set", "single", "-o", str(table))
    assert lost.exit_code == 1
    assert "unmeasured: " in lost.stdout
    assert all(
        row["detail"].endswith("Well.") for row in csv.DictReader(io.StringIO(table.read_text("utf-8"), newline=""))
    )


def test_rates_over_repeats_say_how_many_queries_were_judged_and_of_how_many_sets_their_mean_is(
    run: Run, tmp_path: Path
) -> None:
    words = ["run", "--agent", "oracle", "--judge", "none", "--test-set", "single", "--test-set", "refusal"]
    assert run(*words, "--limit", "2", "--output", str(tmp_path)).exit_code == 0
    sat = next((tmp_path / "runs").iterdir())
    said = iter([{"reason": "fine", "answer_status": "Solved"}])
    with ScriptedServer(lambda _: next(said, "I cannot say.")) as server:
        told = run("grade", str(sat), "--judge", "llamacpp/tiny", "--judge-url", server.url, "--concurrency", "1")
    assert told.exit_code == 0, told.output
    lines = [line.split() for line in told.stdout.split("SoPR over repeats")[1].splitlines()]
    rates = {line[0]: line[1:] for line in lines if line and line[0] in ("single", "refusal")}
    assert sorted(rates.values()) == [["-", "0", "-", "0"], ["100.0±0.0", "1", "100.0±0.0", "1"]]
    assert "mean of 1 of 2 sets" in told.stdout


def test_a_calibration_of_another_judge_is_warned_of_and_every_set_is_corrected(run: Run, tmp_path: Path) -> None:
    sets = ["--test-set", "single", "--test-set", "refusal"]
    words = ["run", "--agent", "oracle", "--judge", "heuristic", *sets]
    assert run(*words, "--output", str(tmp_path)).exit_code == 0
    sat = str(next((tmp_path / "runs").iterdir()))
    said = {}
    for judge in ("gpt-99, solving@0123", "heuristic"):
        path = tmp_path / "calibration.json"
        path.write_bytes(msgspec.json.encode(Calibration(0.9, 100, 0.9, 100, judge=judge)))
        said[judge] = " ".join(run("grade", sat, "--calibration", str(path)).stdout.split())
    assert "the calibration is of 'gpt-99, solving@0123', and 'heuristic' judged here" in said["gpt-99, solving@0123"]
    assert "the calibration is of" not in said["heuristic"]
    assert "by set" in said["heuristic"]

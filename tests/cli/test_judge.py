from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import Result

from proctor.models.scripted_server import HttpReply, ScriptedServer
from proctor.stats.calibration import Calibration

Run = Callable[..., Result]
Write = Callable[[str, Sequence[Any]], str]
GOAL = "agent_goal_accuracy_without_reference"


@pytest.fixture
def labels(tmp_path: Path) -> str:
    """200 answers: the judge passes 90 % of the good ones and fails 80 % of the bad ones; some have no label."""
    pairs = [("Solved", "Solved")] * 90 + [("Solved", "Unsolved")] * 10
    pairs += [("Unsolved", "Unsolved")] * 76 + [("Unsolved", "Unsure")] * 4 + [("Unsolved", "Solved")] * 20
    lines = [
        "id,human,judge,judge_2,answer",
        *(f'{place},{human},{judge},{human},"a, b"' for place, (human, judge) in enumerate(pairs)),
    ]
    path = tmp_path / "labels.csv"
    path.write_text("\n".join([*lines, "201,,1,0,", "202,1,,,", ""]), "utf-8")
    return str(path)


def test_a_judge_is_compared_with_people(run: Run, labels: str) -> None:
    said = run("judge", "calibrate", labels)
    assert said.exit_code == 0
    assert "passes what people pass" in said.stdout
    table = said.stdout.split("\n\n")[0].splitlines()
    assert next(line for line in table if line.startswith("passes what")).split()[4] == "0.900"
    assert next(line for line in table if line.startswith("fails what")).split()[4] == "0.800"
    assert next(line for line in table if line.startswith("agreement")).split()[1] == "0.830"
    assert "left out, for one of the two has no label: 2" in said.stdout
    assert "Krippendorff's alpha among the judges: 0." in said.stdout
    assert max(map(len, said.stdout.splitlines())) <= 80


def test_the_calibration_is_written_and_says_what_it_is_of(run: Run, labels: str, tmp_path: Path) -> None:
    output = str(tmp_path / "calibration.json")
    said = run("judge", "calibrate", labels, "--output", output, "--judge-name", "tiny, goals@1")
    assert said.exit_code == 0
    assert output in said.stdout
    kept = msgspec.json.decode(Path(output).read_bytes(), type=Calibration)
    assert (kept.q1, kept.m1, kept.q0, kept.m0) == (0.9, 100, 0.8, 100)
    assert (kept.judge, kept.labels, kept.unlabelled) == ("tiny, goals@1", "labels.csv", 2)
    other = run("judge", "calibrate", labels, "--column", "judge_2", "--json")
    assert json.loads(other.stdout)["calibration"]["q1"] == 1.0


@pytest.mark.parametrize(
    ("text", "words", "sentence"),
    [
        ("id,judge\n1,1\n", [], "labels.csv:1: there is no column 'human'; the columns are id, judge."),
        ("human,verdict\n1,1\n", [], "there is no column 'judge'; the columns are human, verdict."),
        ("human,judge\n", [], "there is no labelled answer below the head."),
        ("human,judge\n1,1\nmaybe,1\n", [], "labels.csv:3: 'maybe' in the column 'human' is no label; labels are"),
        ("human,judge\n1,1\n1,0\n", ["-o", "c.json"], "nothing can be calibrated: people failed none"),
        ("human,judge\n1,1\n0,0\n", ["--column", "jugde"], "there is no judge's column 'jugde'; did you mean 'judge'?"),
        ("human,judge\n1,1\n", ["--level", "2"], "level"),
        (
            "human,judge,Judge\n1,1,0\n",
            [],
            "labels.csv:1: two columns are called 'judge'; give each a name of its own.",
        ),
    ],
)
def test_labels_that_are_no_use_are_a_sentence(
    run: Run, tmp_path: Path, text: str, words: list[str], sentence: str
) -> None:
    (tmp_path / "labels.csv").write_text(text, "utf-8")
    said = run("judge", "calibrate", str(tmp_path / "labels.csv"), *words)
    assert said.exit_code == 1
    assert sentence in said.stderr
    assert "Traceback" not in said.stderr


def talks(count: int) -> list[Any]:
    return [
        {"user_input": [{"type": "human", "content": f"Wish {place}."}, {"type": "ai", "content": "Done."}]}
        for place in range(count)
    ]


def judging(body: dict[str, Any]) -> dict[str, Any]:
    """Every third wish was not met."""
    asked = body["messages"][0]["content"]
    if "end_state:" in asked:
        place = asked.split("Human: Wish ")[1].split(".")[0]
        return {"user_goal": f"wish {place}", "end_state": "done"}
    return {"reason": "seen", "verdict": int(int(asked.split("wish ")[1].split()[0]) % 3 != 0)}


@pytest.fixture
def calibration(tmp_path: Path) -> str:
    path = tmp_path / "calibration.json"
    path.write_bytes(msgspec.json.encode(Calibration(0.9, 100, 0.9, 100, judge="tiny", labels="labels.csv")))
    return str(path)


def test_judged_metrics_are_scored_corrected_counted_and_replayed(
    run: Run, write: Write, calibration: str, tmp_path: Path
) -> None:
    files = write("talks.jsonl", talks(9))
    words = ["score", files, "-m", GOAL, "--judge", "local/tiny", "--cache", str(tmp_path / "replies.db")]
    words += ["--calibration", calibration]
    with ScriptedServer(judging) as server:
        said = run(*words, "--model-url", server.url)
        assert said.exit_code == 0, said.stderr
        assert len(server.bodies) == 18
        again = run(*words, "--model-url", server.url, "--json")
        assert len(server.bodies) == 18
    lines = said.stdout.splitlines()
    raw = next(place for place, line in enumerate(lines) if line.startswith(GOAL))
    assert lines[raw].split()[1] == "0.6667"
    assert lines[raw + 1].split()[:2] == ["corrected", "0.7083"]
    assert "corrected: agent_goal" in said.stdout
    assert "model  asked 18 times, " in said.stdout
    assert max(map(len, lines)) <= 80
    figures = json.loads(again.stdout)
    assert figures["metrics"][GOAL]["corrected"]["value"] == pytest.approx((2 / 3 - 0.1) / 0.8)
    assert figures["usage"]["requests"] == 0


def test_a_recording_is_replayed_where_nobody_answers_and_what_it_lacks_is_unmeasured(
    run: Run, write: Write, tmp_path: Path
) -> None:
    recorded = ["score", write("t.jsonl", talks(3)), "-m", GOAL, "--judge", "local/tiny"]
    with ScriptedServer(judging) as server:
        where = ["--model-url", server.url, "--cache", str(tmp_path / "replies.db")]
        first = run(*recorded, *where, "--json")
    again = run(*recorded, *where, "--json", "--replay")
    assert again.exit_code == 0, again.stderr
    assert json.loads(again.stdout)["metrics"] == json.loads(first.stdout)["metrics"]
    more = run("score", write("more.jsonl", talks(4)), *recorded[2:], *where, "--json", "--replay")
    metric = json.loads(more.stdout)["metrics"][GOAL]
    assert (metric["n"], metric["unmeasured"]) == (3, {"the recording does not hold this request": 1})


def test_prices_of_ones_own_are_counted(run: Run, write: Write, tmp_path: Path) -> None:
    prices = tmp_path / "prices.json"
    prices.write_text('{"noted": "2026", "models": {"openai/tiny": {"prompt": 1000000, "completion": 0}}}')
    words = ["score", write("t.jsonl", talks(1)), "-m", GOAL, "--judge", "openai/tiny", "--json"]
    with ScriptedServer(judging) as server:
        said = run(*words, "--model-url", server.url, "--prices", str(prices))
        free = run(*words, "--model-url", server.url)
    assert json.loads(said.stdout)["usage"]["cost"] == json.loads(said.stdout)["usage"]["prompt_tokens"] > 0
    assert json.loads(free.stdout)["usage"]["cost"]["reason"] == "the model's price is not known"


def test_a_reply_that_cannot_be_read_is_unmeasured_with_its_reason(run: Run, write: Write) -> None:
    with ScriptedServer(lambda _: "I would rather not.") as server:
        said = run("score", write("t.jsonl", talks(2)), "-m", GOAL, "--judge", "local/tiny", "--model-url", server.url)
    assert said.exit_code == 1
    assert "could not be measured on any of 2 samples: the judge's reply could not be read" in said.stderr


def test_a_refused_key_stops_with_one_sentence(run: Run, write: Write) -> None:
    with ScriptedServer(lambda _: HttpReply(401, {"error": {"message": "bad key"}})) as server:
        said = run("score", write("t.jsonl", talks(9)), "-m", GOAL, "--judge", "local/tiny", "--model-url", server.url)
    assert said.exit_code == 1
    assert len(said.stderr.splitlines()) == 1
    assert "key" in said.stderr


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["-m", GOAL], f"the metric '{GOAL}' asks a model; say which: --judge openai/gpt-4o-mini."),
        (["-m", "tool_call_f1", "--cache", "x.db"], "--cache belongs to a judge; name it: --judge MODEL."),
        (["-m", "tool_call_f1", "--prices", "x.json"], "--prices belongs to a judge; name it: --judge MODEL."),
        (["-m", GOAL, "--judge", "local/x", "--replay"], "--replay asks nobody and needs the recording: --cache FILE."),
        (["-m", GOAL, "--judge", "local/x", "--prices", "no.json"], "no.json: cannot be read"),
        (["-m", GOAL, "--judge", "local/x", "--replay", "--cache", "no.db"], "there is no recording here"),
        (["-m", "tool_call_f1", "--calibration", "c.json"], "only a metric that a judge decides with yes or no"),
        (["-m", GOAL, "--judge", "local/x", "--calibration", "nowhere.json"], "nowhere.json: cannot be read"),
        (["-m", GOAL, "--judge", "local/x", "--calibration", __file__], "this is no calibration"),
        (["-m", GOAL, "--judge", "local/x", "--calibration", "nope.json"], "nope.json: cannot be read"),
        (["-m", GOAL, "--judge", "local/x", "-M", "prompts=nope"], "a judge template is a folder with config.yaml"),
        (["-m", "tool_call_accuracy", "-M", "arg_comparison_metric=same_meaning"], "'same_meaning' asks a model; say"),
        (
            ["-m", GOAL, "-m", "agent_goal_accuracy_with_reference", "--judge", "local/x", "--calibration", "c.json"],
            "say for which metric, as in",
        ),
    ],
)
def test_what_does_not_fit_together_is_said_before_anybody_is_asked(
    run: Run, write: Write, words: list[str], sentence: str
) -> None:
    address = ["--model-url", "http://127.0.0.1:9/v1"] if "--judge" in words else []
    said = run("score", write("t.jsonl", talks(1)), *words, *address)
    assert said.exit_code == 1
    assert sentence in said.stderr


def test_the_starter_s_labels_calibrate_the_rubric(run: Run, tmp_path: Path) -> None:
    output = tmp_path / "rubric.json"
    said = run("judge", "calibrate", "starter", "--output", str(output), "--judge-name", "rubric")
    assert said.exit_code == 0, said.stderr
    assert "Cohen's kappa" in said.stdout
    made = msgspec.json.decode(output.read_bytes(), type=Calibration)
    assert made.m0 + made.m1 >= 100
    assert made.youden > 0.5


def test_any_judge_labels_the_starter_s_answers(run: Run, tmp_path: Path) -> None:
    table = str(tmp_path / "labels.csv")
    with ScriptedServer(lambda _: {"answer_status": "Solved", "reason": "I like it."}) as server:
        words = ("--judge", "local/kind", "--judge-url", server.url, "--output", table)
        said = run("judge", "label", *words)
    assert said.exit_code == 0, said.stderr
    assert "answers are labelled by solving (" in said.stdout
    kind = json.loads(run("judge", "calibrate", table, "--json").stdout)["judges"]["judge"]
    assert kind["true_positive_rate"]["value"] == 1.0
    assert kind["true_negative_rate"]["value"] < 0.1


def test_a_judge_that_says_nothing_leaves_no_label(run: Run, tmp_path: Path) -> None:
    table = str(tmp_path / "labels.csv")
    with ScriptedServer(lambda _: "Hm.") as server:
        words = ("--judge", "local/shy", "--judge-url", server.url, "--output", table)
        said = run("judge", "label", *words)
    assert said.exit_code == 0, said.stderr
    assert "unmeasured: " in said.stdout
    assert "the judge's reply could not be read" in said.stdout
    nobody = run("judge", "label", "--judge", "none", "--output", table)
    assert (nobody.exit_code, "--judge none says nothing" in nobody.stderr) == (1, True)

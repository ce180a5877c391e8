import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

Run = Callable[..., Result]
FINISH = json.dumps({"return_type": "give_answer", "final_answer": "Sunny."})


def converted(messages: list[Any]) -> dict[str, Any]:
    """A converted answer whose calls have these messages."""
    details: list[Any] = []
    for message in reversed(messages):
        details = [{"role": "tool", "message": message, "next": details}]
    details = [{"role": "system", "message": "", "next": [{"role": "user", "message": "", "next": details}]}]
    body = {"method": "CoT@1", "total_steps": 2 + len(messages), "final_answer": FINISH, "answer_details": details}
    return {"query": "What is the weather?", "available_tools": [{"name": "now"}, {"name": "Finish"}], "answer": body}


@pytest.fixture
def answers(tmp_path: Path) -> Path:
    """Converted answers of two models, a call of theirs in each of the encodings."""
    call = {"name": "now", "arguments": '{"city": "Oslo"}', "response": "sun"}
    finish = {"name": "Finish", "arguments": FINISH, "response": ""}
    cut = str({"name": "now", "arguments": "x" * 200})[:100]
    said: dict[str, list[Any]] = {"ours": [call, json.dumps(call), str(call), cut, finish], "theirs": [call]}
    for model, messages in said.items():
        (tmp_path / model).mkdir()
        (tmp_path / model / "G1.json").write_text(json.dumps({"7": converted(messages)}))
    return tmp_path


def pass_rates(folder: Path, model: str, status: str) -> str:
    solved = {"query": "?", "tool_names": [], "answer_steps": "", "final_step": "", "is_solved": {"0": status}}
    (folder / model).mkdir(exist_ok=True)
    path = folder / model / "rates.json"
    path.write_text(json.dumps({"7": solved}))
    return str(path)


def test_the_recorded_answers_convert_to_the_recorded_files(run: Run, benchmark_data: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    done = run(
        "convert", str(benchmark_data / "answer"), "--to", "converted", "--compat", "stabletoolbench", "-o", str(out)
    )
    assert done.exit_code == 0
    recorded = benchmark_data / "model_predictions_converted"
    paths = sorted(path.relative_to(recorded) for path in recorded.glob("*/*.json"))
    assert paths == sorted(path.relative_to(out) for path in out.glob("*/*.json"))
    for path in paths:
        assert json.loads((out / path).read_bytes()) == json.loads((recorded / path).read_bytes())
    assert done.stderr == "lost (1):\n  1 times: not valid, so its path is the last try of 1\n"


def test_every_encoding_becomes_a_call(run: Run, answers: Path) -> None:
    done = run("convert", str(answers / "ours"), "--to", "samples")
    assert done.exit_code == 0
    (line,) = done.stdout.splitlines()
    calls = [call for message in json.loads(line)["user_input"] for call in message.get("tool_calls", ())]
    assert [call["name"] for call in calls] == ["now"] * 4
    assert [call["args"] for call in calls] == [{"city": "Oslo"}] * 3 + [{}]
    assert "malformed" in calls[3]
    assert "1 times: the arguments of calls whose message was cut: they count as wrong" in done.stderr


def test_samples_are_scored(run: Run, answers: Path, tmp_path: Path) -> None:
    out = str(tmp_path / "talks.jsonl")
    assert run("convert", str(answers / "ours" / "G1.json"), "--to", "samples", "-o", out).exit_code == 0
    scored = run("score", out, "-m", "trajectory_match", "--json")
    assert "neither reference_tool_calls nor gold" in scored.stderr or "no reference" in scored.stderr


def test_there_and_back_is_the_same_file(run: Run, answers: Path, tmp_path: Path) -> None:
    there, back = str(tmp_path / "raw"), str(tmp_path / "back.json")
    assert run("convert", str(answers / "theirs"), "--to", "raw", "-o", there).exit_code == 0
    assert (tmp_path / "raw" / "theirs" / "G1" / "7_CoT@1.json").exists()
    words = ("--to", "converted", "--compat", "stabletoolbench", "-o", back)
    assert run("convert", there, *words).exit_code == 0
    assert json.loads(Path(back).read_bytes()) == json.loads((answers / "theirs" / "G1.json").read_bytes())


def test_a_table_of_pass_rates_is_named_by_its_ending(run: Run, answers: Path, tmp_path: Path) -> None:
    out = tmp_path / "rates.csv"
    done = run("convert", str(answers / "theirs"), "--to", "pass-rates", "-o", str(out), "--json")
    report = json.loads(done.stdout)
    assert (report["answers"], report["written"]) == (1, [str(out)])
    assert "{0: 'AnswerStatus.Unsolved'}" in out.read_text()
    again = run("convert", str(out), "--to", "pass-rates", "--compat", "stabletoolbench")
    assert json.loads(again.stdout)["7"]["is_solved"] == {"0": "AnswerStatus.Unsolved"}


def test_two_models_pass_rates_become_preferences(run: Run, tmp_path: Path) -> None:
    ours = pass_rates(tmp_path, "ours", "AnswerStatus.Solved")
    theirs = pass_rates(tmp_path, "theirs", "AnswerStatus.Unsure")
    done = run("convert", ours, theirs, "--to", "preferences")
    assert json.loads(done.stdout) == {"7": {"ours": 1, "theirs": 0, "round_0": "complete"}}
    table = run("convert", ours, theirs, "--to", "preferences", "-o", str(tmp_path / "p.csv"))
    assert table.exit_code == 0
    back = run("convert", str(tmp_path / "p.csv"), "--to", "preferences")
    assert json.loads(back.stdout) == json.loads(done.stdout)
    assert "1 times: the queries' texts, the tools and the steps of the answers" in back.stderr


@pytest.mark.parametrize(
    ("content", "words", "complaint"),
    [
        (None, ("--to", "samples"), "no such file"),
        ("{}", ("--to", "samples"), "none of the forms that are known"),
        ("[3]", ("--to", "samples"), "x.json:1: messages[0]: a message must be"),
        ('{"7": {"answer": 3}}', ("--to", "raw"), "answer '7': a converted answer is an object"),
        ('{"7": {"is_solved": {"0": "Maybe"}}}', ("--to", "pass-rates"), "a status is one of"),
        ('{"7": {"a": 1, "b": 0}}', ("--to", "samples"), "preferences hold two models' answers"),
        ('{"7": {"a": 1, "b": 0}}', ("--to", "preferences", "--table"), "name the folders with those of a and b"),
        ('{"7": {"is_solved": {}}}', ("--to", "preferences"), "preferences are between two models"),
        ('{"7": {"is_solved": {}}}', ("--to", "samples", "--table"), "--to samples is never a table"),
        ('{"7": {"is_solved": {}}}', ("--to", "samples", "--json"), "--output PATH"),
        ("{", ("--to", "samples", "--on-error", "skip"), "there is nothing here that can be read"),
    ],
)
def test_what_cannot_be_converted_is_a_sentence(
    run: Run, tmp_path: Path, content: str | None, words: tuple[str, ...], complaint: str
) -> None:
    path = tmp_path / "x.json"
    if content is not None:
        path.write_text(content)
    done = run("convert", str(path), *words)
    assert (done.exit_code, done.stdout) == (1, "")
    assert done.stderr.count("\n") <= 3
    assert complaint in done.stderr


def test_several_files_need_a_folder(run: Run, answers: Path) -> None:
    done = run("convert", str(answers), "--to", "raw", "-o", str(answers / "out.json"))
    assert (done.exit_code, "2 files come of this" in done.stderr) == (1, True)

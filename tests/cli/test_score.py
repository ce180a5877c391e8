"""`proctor score`: conversations in, figures out."""

import csv
import json
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

Run = Callable[..., Result]
Write = Callable[[str, Sequence[Any]], str]
ACCURACY = ("--metric", "tool_call_accuracy")
F1 = ("--metric", "tool_call_f1")


def test_the_table_holds_mean_interval_number_and_unmeasured(
    run: Run, write: Write, right: Any, wrong: Any, unknown: Any
) -> None:
    said = run("score", write("a.jsonl", [right, right, right, wrong, unknown]), *ACCURACY, *F1)
    assert said.exit_code == 0
    assert said.stdout == (
        "metric                mean     95 % interval  n  unmeasured\n"
        "tool_call_accuracy  0.7500  0.3006 to 0.9544  4           1\n"
        "tool_call_f1        0.7500  0.3006 to 0.9544  4           1\n"
        "\n"
        "unmeasured: tool_call_accuracy: 1\n"
        "  1  the sample has no reference_tool_calls\n"
        "\n"
        "unmeasured: tool_call_f1: 1\n"
        "  1  the sample has no reference_tool_calls\n"
    )
    assert said.stderr == ""


def turn(response: str) -> dict[str, str]:
    return {"response": response, "reference": "abcd"}


def test_the_interval_of_a_share_ends_where_shares_end(run: Run, write: Write) -> None:
    path = write("a.jsonl", [turn("abcd"), turn("abcd"), turn("abcd"), turn("ab")])
    said = run("score", path, "-m", "non_llm_string_similarity")
    assert said.stdout.splitlines()[1].split()[1:] == ["0.8750", "0.4772", "to", "1.0000", "4", "0"]


@pytest.mark.parametrize(
    ("turns", "note"),
    [
        (1, "one value has no interval"),
        (2, "every value is the same: the interval cannot"),
    ],
)
def test_an_interval_that_tells_nothing_says_so(run: Run, write: Write, turns: int, note: str) -> None:
    said = run("score", write("a.jsonl", [turn("ab")] * turns), "-m", "non_llm_string_similarity")
    assert f"note: non_llm_string_similarity  {note}" in said.stdout


def test_several_files_and_standard_input_are_one_set(run: Run, write: Write, right: Any, wrong: Any) -> None:
    said = run("score", write("a.jsonl", [right]), "-", *F1, "--json", stdin=json.dumps([wrong, wrong, wrong]))
    plain = json.loads(said.stdout)
    assert plain["samples"] == 4
    assert plain["metrics"]["tool_call_f1"]["mean"] == 0.25
    assert plain["metrics"]["tool_call_f1"]["method"] == "wilson"


def test_options_are_for_all_metrics_or_for_one(run: Run, write: Write) -> None:
    calls: list[Any] = [{"name": name, "args": {}} for name in ("a", "b")]
    said = {"type": "ai", "content": "", "tool_calls": calls}
    path = write("a.jsonl", [{"user_input": [said], "reference_tool_calls": calls[::-1]}])

    def mean(*options: str) -> float:
        plain = json.loads(run("score", path, *ACCURACY, *F1, "--json", *options).stdout)
        value: float = plain["metrics"]["tool_call_accuracy"]["mean"]
        return value

    assert mean() == 0.0
    assert mean("-M", "strict_order=false") == 1.0
    assert mean("-M", "tool_call_accuracy.strict_order=false") == 1.0


def test_references_come_from_a_file_of_their_own(run: Run, write: Write, right: Any, unknown: Any) -> None:
    calls = right["reference_tool_calls"]
    samples = write("a.jsonl", [unknown, {**unknown, "id": "x"}])
    by_place = write("r.jsonl", [{"reference_tool_calls": calls}, []])
    said = run("score", samples, *F1, "--reference", by_place, "--json")
    assert json.loads(said.stdout)["metrics"]["tool_call_f1"]["mean"] == 0.5
    by_id = write("i.jsonl", [{"id": "x", "reference_tool_calls": calls}, {"id": "y", "reference_tool_calls": calls}])
    said = run("score", samples, *F1, "--reference", by_id, "--on-error", "skip")
    assert said.exit_code == 0
    assert "references that belong to no sample: 1" in said.stdout
    assert "  1  the references have an '…' and this sample has none (first:" in said.stdout


def test_more_samples_than_references_is_an_error(run: Run, write: Write, unknown: Any) -> None:
    said = run(
        "score",
        write("a.jsonl", [unknown, unknown]),
        *F1,
        "--reference",
        write("r.jsonl", [{"reference_tool_calls": []}]),
    )
    assert said.exit_code == 1
    assert "there is only 1 reference" in said.stderr


class TestOutput:
    @pytest.fixture
    def path(self, write: Write, right: Any, wrong: Any, unknown: Any) -> str:
        long = {**wrong, "id": 3, "reference_tool_calls": wrong["reference_tool_calls"] * 2}
        return write("a.jsonl", [{**right, "id": "one"}, 7, unknown, long])

    ROWS = (
        {"line": 1, "id": "one", "scores": {"tool_call_accuracy": 1.0}},
        {"line": 2, "skipped": "a record must be a sample, a list of messages or a pair of outputs, not int."},
        {
            "line": 3,
            "scores": {},
            "unmeasured": {"tool_call_accuracy": "the sample has no reference_tool_calls"},
        },
        {
            "line": 4,
            "id": 3,
            "scores": {"tool_call_accuracy": 0.0},
            "warnings": {
                "tool_call_accuracy": "Length mismatch: predicted tool calls (1) vs reference tool calls (2). "
                "The sequences cannot be aligned, so the score is 0."
            },
        },
    )

    @pytest.mark.parametrize("ending", ["jsonl", "json"])
    def test_json_rows_hold_all_that_is_known_of_a_sample(
        self, run: Run, path: str, tmp_path: Path, ending: str
    ) -> None:
        out = tmp_path / f"out.{ending}"
        assert run("score", path, *ACCURACY, "-o", str(out), "--on-error", "skip").exit_code == 0
        text = out.read_text()
        rows = json.loads(text) if ending == "json" else [json.loads(line) for line in text.splitlines()]
        assert rows == [{"file": path, **row} for row in self.ROWS]

    def test_json_rows_hold_what_a_score_is_made_of(self, run: Run, path: str, tmp_path: Path) -> None:
        out = tmp_path / "out.jsonl"
        assert run("score", path, *F1, "-o", str(out), "--on-error", "skip").exit_code == 0
        first = json.loads(out.read_text().splitlines()[0])
        assert first["details"] == {"tool_call_f1": {"matched": 1, "extra": 0, "missed": 0}}

    def test_csv_rows_have_a_column_for_each_metric_and_its_reason(self, run: Run, path: str, tmp_path: Path) -> None:
        out = tmp_path / "out.csv"
        assert run("score", path, *ACCURACY, "-o", str(out), "--on-error", "skip").exit_code == 0
        with out.open(newline="") as file:
            rows = list(csv.DictReader(file))
        assert [row["tool_call_accuracy"] for row in rows] == ["1.0", "", "", "0.0"]
        assert [row["tool_call_accuracy_unmeasured"] for row in rows][2] == "the sample has no reference_tool_calls"
        assert [bool(row["skipped"]) for row in rows] == [False, True, False, False]

    def test_an_error_leaves_the_old_file_as_it_was(self, run: Run, path: str, tmp_path: Path) -> None:
        out = tmp_path / "out.json"
        out.write_text("old")
        assert run("score", path, *ACCURACY, "-o", str(out)).exit_code == 1
        assert out.read_text() == "old"
        assert sorted(file.name for file in tmp_path.iterdir()) == ["a.jsonl", "out.json"]

    @pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
    def test_a_full_disk_is_a_sentence(self, run: Run, path: str, tmp_path: Path) -> None:
        out = tmp_path / "out.jsonl"
        out.symlink_to("/dev/full")
        said = run("score", path, *ACCURACY, "-o", str(out), "--on-error", "skip")
        assert said.exit_code == 1
        assert "No space left on device" in said.stderr

    @pytest.mark.parametrize(
        ("name", "sentence"),
        [
            ("out.txt", "the name must end in one of .jsonl, .csv, .json."),
            ("none/out.csv", "its folder does not exist"),
            ("a.jsonl", "is one of the files that are read; name another."),
        ],
    )
    def test_an_output_that_cannot_be_one_is_refused(
        self, run: Run, path: str, tmp_path: Path, name: str, sentence: str
    ) -> None:
        before = Path(path).read_bytes()
        said = run("score", path, *ACCURACY, "-o", str(tmp_path / name), "--on-error", "skip")
        assert said.exit_code == 1
        assert sentence in said.stderr
        assert Path(path).read_bytes() == before


class TestGates:
    @pytest.fixture
    def path(self, write: Write, right: Any, wrong: Any) -> str:
        return write("a.jsonl", [right] * 3 + [wrong])

    @pytest.mark.parametrize(
        ("words", "code"),
        [
            (["--fail-under", "tool_call_f1=0.75"], 0),
            (["--fail-under", "tool_call_f1=0.76"], 100),
            (["--fail-under", "tool-call-f1=0.76", "--gate", "interval"], 0),
            (["--fail-under", "tool_call_f1=0.96", "--gate", "interval"], 100),
            (["--fail-under", "tool_call_f1=0.1", "--fail-under", "tool_call_f1=0.9"], 100),
        ],
    )
    def test_a_gate_fails_with_exit_code_100(self, run: Run, path: str, words: list[str], code: int) -> None:
        said = run("score", path, *F1, *words)
        assert said.exit_code == code
        assert ("FAILED  tool_call_f1 at least" in said.stdout) is (code == 100)

    def test_an_open_question_is_named(self, run: Run, path: str) -> None:
        said = run("score", path, *F1, "--fail-under", "tool_call_f1=0.9", "--gate", "interval")
        assert "passed  tool_call_f1 at least 0.9: the interval is 0.3006 to 0.9544, which does not decide it" in (
            said.stdout
        )

    @pytest.mark.parametrize("threshold", ["tool_call_f1", "=0.8", "f1=0.8", "tool_call_f1=high", "tool_call_f1=nan"])
    def test_a_gate_that_is_none_is_an_error(self, run: Run, path: str, threshold: str) -> None:
        said = run("score", path, *F1, "--fail-under", threshold)
        assert (said.exit_code, said.stdout) == (1, "")
        assert said.stderr.startswith("proctor: --fail-under ")

    def test_nothing_measured_is_an_error_and_no_pass(self, run: Run, write: Write, unknown: Any) -> None:
        said = run("score", write("a.jsonl", [unknown]), *F1, "--fail-under", "tool_call_f1=0")
        assert said.exit_code == 1
        assert "FAILED  tool_call_f1 at least 0: not measured" in said.stdout
        assert said.stderr == (
            "proctor: tool_call_f1 could not be measured on any of 1 samples: the sample has no reference_tool_calls.\n"
        )

    @pytest.mark.parametrize("text", ["", "\n\n", "[]", "[\n]\n"])
    def test_no_sample_at_all_is_an_error_and_no_pass(self, run: Run, text: str) -> None:
        said = run("score", "-", *F1, "--fail-under", "tool_call_f1=0", stdin=text)
        assert (said.exit_code, said.stderr) == (1, "proctor: there is no sample in <stdin>.\n")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ([], "say by which metric: --metric NAME. Known are "),
        (["-m", "tool_call_f"], "there is no metric 'tool_call_f'; did you mean 'tool_call_f1'?"),
        (["-m", "exact_match"], "the metric 'exact_match' is for single-turn samples, and the samples are conversat"),
        ([*F1, "-m", "ToolCallF1"], "the metric 'tool_call_f1' is named twice; once is enough."),
        ([*F1, "-M", "strict"], "-M 'strict' must be of the form key=value or metric.key=value."),
        ([*ACCURACY, "-M", "strict_ordr=1"], "unknown option 'strict_ordr'; did you mean 'strict_order'?"),
        ([*F1, "--level", "1"], "--level is 1; expected a number between 0 and 1"),
        ([*F1, "--max-line-mb", "0"], "--max-line-mb is 0; expected a number above 0."),
        ([*F1, "-", "--reference", "-"], "standard input (-) can be read only once."),
        ([*F1, "--reference", "none.jsonl"], "none.jsonl: no such file; check the path."),
        ([*F1, "none.jsonl"], "none.jsonl: no such file; check the path."),
    ],
)
def test_a_wrong_word_is_a_sentence(run: Run, write: Write, right: Any, words: list[str], sentence: str) -> None:
    said = run("score", write("a.jsonl", [right]), *words)
    assert (said.exit_code, said.stdout) == (1, "")
    assert sentence in said.stderr
    assert said.stderr.count("\n") == 1


def test_a_file_that_cannot_be_read_is_skipped_and_counted_on_request(
    run: Run, write: Write, right: Any, tmp_path: Path
) -> None:
    files = [str(tmp_path / "none.jsonl"), write("a.jsonl", [right]), str(tmp_path)]
    said = run("score", *files, *F1, "--on-error", "skip", "-o", str(out := tmp_path / "out.jsonl"), "--json")
    assert said.exit_code == 0
    figures = json.loads(said.stdout)
    assert (figures["samples"], figures["skipped"]["count"]) == (1, 2)
    assert figures["skipped"]["reasons"] == {"no such file": 1, "this is a folder": 1}
    rows = [json.loads(row) for row in out.read_text().splitlines()]
    assert rows[0] == {"file": files[0], "line": None, "skipped": "no such file; check the path."}
    assert [row.get("line") for row in rows] == [None, 1, None]


def test_only_files_that_cannot_be_read_are_an_error_and_no_pass(run: Run, tmp_path: Path) -> None:
    said = run("score", str(tmp_path / "none.jsonl"), *F1, "--on-error", "skip", "--fail-under", "tool_call_f1=0")
    assert (said.exit_code, said.stdout) == (1, "")
    assert "none.jsonl that can be read: 1 skipped, the first: " in said.stderr


def test_the_table_fits_eighty_columns(run: Run, write: Write, unknown: Any, right: Any) -> None:
    bad = [{"user_input": [], f"field_{'x' * number}": 1} for number in range(60)]
    path = write("a.jsonl", [right, unknown, *bad])
    said = run("score", path, *F1, *ACCURACY, "--on-error", "skip", "--fail-under", "tool_call_f1=0")
    assert said.exit_code == 0
    assert max(map(len, said.stdout.splitlines())) <= 80


def test_the_real_command_scores_a_pipe(right: Any, wrong: Any) -> None:
    done = subprocess.run(  # noqa: S603 - our own command
        [sys.executable, "-m", "proctor", "score", "-", *F1, "--fail-under", "tool_call_f1=0.9"],
        input=f"{json.dumps(right)}\n{json.dumps(wrong)}\n",
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr) == (100, "")
    assert done.stdout.splitlines()[1].split()[:2] == ["tool_call_f1", "0.5000"]


def test_a_sample_without_a_reference_is_unmeasured_and_keeps_its_id(
    run: Run, write: Write, unknown: Any, right: Any, tmp_path: Path
) -> None:
    files = write("a.jsonl", [{**unknown, "id": "x"}, {**unknown, "id": "z"}, {"id": "broken", "mesages": []}])
    wanted = write("r.jsonl", [{"id": "x", "reference_tool_calls": right["reference_tool_calls"]}])
    kept = tmp_path / "rows.jsonl"
    said = run("score", files, *F1, "--reference", wanted, "--on-error", "skip", "-o", str(kept))
    assert said.exit_code == 0
    rows = [json.loads(line) for line in kept.read_text().splitlines()]
    assert [row["id"] for row in rows] == ["x", "z", "broken"]
    assert rows[1]["unmeasured"] == {"tool_call_f1": "the sample has no reference_tool_calls"}
    assert "mesages" in rows[2]["skipped"]


def test_samples_with_references_of_their_own_are_scored_by_the_file_alone(
    run: Run, write: Write, right: Any, wrong: Any
) -> None:
    gold = [{"name": "nothing_like_it"}]
    files = write("a.jsonl", [{**right, "id": "x", "gold": gold}, {**wrong, "id": "z", "gold": gold}])
    wanted = write("r.jsonl", [{"id": "x", "reference_tool_calls": right["reference_tool_calls"]}])
    said = run("score", files, *F1, "-m", "trajectory_match", "--reference", wanted, "--json")
    assert said.exit_code == 0
    metrics = json.loads(said.stdout)["metrics"]
    assert [(figure["mean"], figure["n"]) for figure in metrics.values()] == [(1.0, 1), (1.0, 1)]
    assert all(figure["unmeasured"] == {"the sample has no reference_tool_calls": 1} for figure in metrics.values())


def test_an_option_that_is_given_twice_is_refused(run: Run, write: Write, right: Any) -> None:
    files = write("a.jsonl", [right])
    said = run("score", files, "-m", "trajectory_match", "-M", "threshold=0.5", "-M", "threshold=0.6")
    assert said.exit_code == 1
    assert "-M threshold is given twice, as '0.5' and '0.6'; which of the two is meant?" in said.stderr


def test_a_comparison_that_cannot_be_is_refused_before_anything_is_read(run: Run, write: Write, right: Any) -> None:
    said = run("score", write("a.jsonl", [right]), *ACCURACY, "-M", "arg_comparison_metric=tool_call_f1")
    assert (said.exit_code, said.stdout) == (1, "")
    assert "arg_comparison_metric cannot be 'tool_call_f1', which looks at conversations" in said.stderr


def test_the_starter_comes_with_conversations(run: Run) -> None:
    metrics = ("tool_call_accuracy", "tool_call_f1", "trajectory_match")
    said = run("score", "starter", *(word for name in metrics for word in ("-m", name)), "--json")
    assert said.exit_code == 0, said.stderr
    figures = json.loads(said.stdout)
    assert figures["samples"] >= 60
    assert {name.partition("(")[0] for name in figures["metrics"]} == set(metrics)


def test_a_file_of_ones_own_that_is_called_starter_goes_first(
    run: Run, write: Write, right: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write("starter", [right])
    monkeypatch.chdir(tmp_path)
    said = run("score", "starter", "-m", "tool_call_f1", "--json")
    assert json.loads(said.stdout)["samples"] == 1

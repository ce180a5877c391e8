"""A shell can finish commands and options."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from proctor.cli import proctor
from proctor.cli.completion import SHELLS
from proctor.cli.group import VERBS


@pytest.mark.parametrize("shell", SHELLS)
def test_each_shell_gets_its_script(shell: str) -> None:
    ended = CliRunner().invoke(proctor, ["completion", shell], standalone_mode=False)
    assert "_PROCTOR_COMPLETE" in ended.output
    assert f"{shell}_complete" in ended.output


def finished(*words: str, kind: str = "plain", where: Path | None = None) -> list[str]:
    """What bash is told for the last of these words: those of a kind."""
    known = {"_PROCTOR_COMPLETE": "bash_complete", "COMP_WORDS": " ".join(words), "COMP_CWORD": str(len(words) - 1)}
    code = "import sys; sys.argv = ['proctor']; from proctor.cli import main; main()"
    ran = subprocess.run(  # noqa: S603 - words of our own
        [sys.executable, "-c", code],
        env={**os.environ, **known},
        capture_output=True,
        text=True,
        check=False,
        cwd=where,
    )
    assert ran.stderr == ""
    return [line.partition(",")[2] for line in ran.stdout.splitlines() if line.startswith(f"{kind},")]


def test_verbs_are_finished() -> None:
    assert finished("proctor", "") == sorted(VERBS)
    assert finished("proctor", "sc") == ["score"]


def test_options_of_a_verb_are_finished() -> None:
    assert finished("proctor", "score", "--fail") == ["--fail-under"]


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with two runs in its `results`."""
    folder = tmp_path_factory.mktemp("runs")
    for agent in ("null", "oracle"):
        words = ["run", "--agent", agent, "--limit", "1", "--output", str(folder / "results"), "--display", "none"]
        assert CliRunner().invoke(proctor, [*words, "--no-page"], standalone_mode=False).exit_code == 0
    return folder


@pytest.mark.parametrize("verb", ["show", "report", "compare", "grade"])
def test_runs_are_finished_by_their_names(runs: Path, verb: str) -> None:
    assert finished("proctor", verb, "", where=runs) == ["null_starter", "oracle_starter"]
    assert finished("proctor", verb, "or", where=runs) == ["oracle_starter"]
    assert finished("proctor", verb, "results/nu", where=runs) == ["results/null_starter"]
    assert finished("proctor", verb, "elsewhe", kind="file", where=runs) == ["elsewhe"]


def test_the_second_run_of_a_comparison_is_finished_too(runs: Path) -> None:
    assert finished("proctor", "compare", "null_starter", "o", where=runs) == ["oracle_starter"]


def test_the_queries_of_a_run_are_finished(runs: Path) -> None:
    ids = finished("proctor", "show", "oracle_starter", "q", where=runs)
    assert ids
    assert all(one.startswith("q") for one in ids)
    assert finished("proctor", "show", "no_such_run", "", where=runs) == []


@pytest.mark.parametrize(
    ("words", "found"),
    [
        (("run", "--agent", "b"), ["baseline"]),
        (("run", "--agent", ""), [*("baseline", "dfs", "null", "oracle", "react", "recorded", "scripted", "spam")]),
        (("run", "--judge", ""), ["heuristic", "rubric", "none"]),
        (("grade", "x", "--judge", "r"), ["rubric"]),
        (("run", "--benchmark", ""), ["starter", "stabletoolbench"]),
        (("run", "--policy", "c"), ["cache"]),
        (("run", "--test-set", "m"), ["mixed", "multi"]),
        (("run", "--benchmark", "nowhere", "--test-set", ""), []),
        (("score", "x.jsonl", "--metric", "rouge"), ["rouge_score"]),
        (("score", "x.jsonl", "-m", "rouge"), ["rouge_score"]),
        (("metrics", "ble"), ["bleu_score"]),
        (("tools", "list", "sta"), ["starter"]),
        (("tools", "sea"), ["search"]),
    ],
)
def test_names_are_finished(words: tuple[str, ...], found: list[str], tmp_path: Path) -> None:
    assert finished("proctor", *words, where=tmp_path) == found


def test_the_sets_of_a_folder_of_queries_are_finished(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    for name in ("easy", "hard"):
        (tmp_path / "mine" / f"{name}.json").write_text("[]")
    words = ("proctor", "run", "--benchmark", "mine", "--test-set", "")
    assert finished(*words, where=tmp_path) == ["easy", "hard"]


@pytest.mark.parametrize(
    "words", [("score", "talks"), ("convert", ""), ("judge", "calibrate", "la"), ("cache", "stats", "")]
)
def test_files_are_left_to_the_shell(words: tuple[str, ...]) -> None:
    assert finished("proctor", *words, kind="file") == [words[-1]]


def test_a_shell_reads_the_script(tmp_path: Path) -> None:
    script = tmp_path / "proctor.bash"
    script.write_text(CliRunner().invoke(proctor, ["completion", "bash"], standalone_mode=False).output)
    ran = subprocess.run(["bash", "-n", str(script)], capture_output=True, text=True, check=False)  # noqa: S603, S607 - bash, with a file of our own
    assert (ran.returncode, ran.stderr) == (0, "")

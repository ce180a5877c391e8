"""The command itself: its verbs, its help, its exit codes."""

import importlib
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import click
import pytest
from click.testing import Result

import proctor
from proctor.cli import proctor as group
from proctor.cli.group import VERBS

Run = Callable[..., Result]


def command(*words: str, stdout: int = subprocess.PIPE) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(  # noqa: S603 - our own command
        [sys.executable, "-m", "proctor", *words],
        stdout=stdout,
        stderr=subprocess.PIPE,
        text=True,
        timeout=60,
        check=False,
    )


def test_python_m_proctor_is_the_command() -> None:
    done = command("--version")
    assert (done.returncode, done.stdout, done.stderr) == (0, f"proctor {proctor.__version__}\n", "")


@pytest.mark.parametrize("verb", sorted(VERBS))
def test_each_verb_has_the_help_that_the_list_shows(verb: str) -> None:
    found = importlib.import_module(f"proctor.cli.{verb}").command
    assert isinstance(found, click.Command)
    assert found.get_short_help_str(limit=200) == VERBS[verb]


def test_help_lists_every_verb(run: Run) -> None:
    shown = run("--help")
    assert shown.exit_code == 0
    assert all(verb in shown.stdout and VERBS[verb] in shown.stdout for verb in VERBS)


def test_nothing_at_all_shows_the_help_and_is_an_error(run: Run) -> None:
    shown = run()
    assert shown.exit_code == 1
    assert "Commands:" in shown.stderr


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["scor"], "proctor: there is no command 'scor'; did you mean 'score'?\n"),
        (["frobnicate"], f"proctor: there is no command 'frobnicate'; commands are {', '.join(sorted(VERBS))}.\n"),
        (["--versoin"], "proctor: No such option '--versoin'."),
        (["score", "--on-error", "skip"], "proctor: Missing argument 'FILE...'.\n"),
        (["score", "x", "--on-error", "panic"], "proctor: Invalid value for '--on-error'"),
    ],
)
def test_a_wrong_word_is_a_sentence_and_exit_code_1(run: Run, words: list[str], sentence: str) -> None:
    said = run(*words)
    assert said.exit_code == 1
    assert said.stderr.startswith(sentence)
    assert said.stdout == ""


def test_ctrl_c_is_exit_code_130(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("proctor.cli.metrics._lines", stop)
    said = run("metrics")
    assert (said.exit_code, said.stderr.strip()) == (130, "proctor: stopped.")


def test_a_defect_keeps_its_traceback(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("proctor.cli.metrics._lines", lambda _: 1 / 0)
    assert isinstance(run("metrics").exception, ZeroDivisionError)


def test_code_that_calls_it_gets_the_error_itself() -> None:
    with pytest.raises(click.ClickException):
        group.main(["scor"], standalone_mode=False)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
@pytest.mark.parametrize("words", [["metrics"], ["--help"], ["--version"]])
def test_a_full_disk_behind_standard_output_is_a_sentence(words: list[str]) -> None:
    with Path("/dev/full").open("w") as full:
        done = command(*words, stdout=full.fileno())
    assert done.returncode == 1
    assert done.stderr == f"proctor: standard output cannot be written: {os.strerror(28)}.\n"


def test_a_reader_who_leaves_is_no_error_to_speak_of() -> None:
    out, into = os.pipe()
    os.close(out)
    done = command("metrics", stdout=into)
    os.close(into)
    assert done.stderr == ""


@pytest.mark.parametrize("closed", [0, 1, 2], ids=["standard input", "standard output", "standard error"])
def test_a_closed_stream_is_an_empty_one(closed: int, tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    line = "import os, sys; os.close(int(sys.argv[1])); os.execv(sys.executable, [sys.executable, *sys.argv[2:]])"
    words = [
        sys.executable,
        "-c",
        line,
        str(closed),
        "-m",
        "proctor",
        "score",
        "-",
        "-m",
        "exact_match",
        "-o",
        str(out),
    ]
    said = subprocess.run(  # noqa: S603 - our own command
        words, input='{"response": "a", "reference": "a"}', capture_output=True, text=True, timeout=60, check=False
    )
    assert "Traceback" not in said.stderr
    assert said.stderr == ("proctor: there is no sample in <stdin>.\n" if closed == 0 else "")
    assert ("exact_match" in said.stdout) == (closed == 2)
    assert said.returncode == (1 if closed == 0 else 0)
    assert out.exists() == (closed != 0)

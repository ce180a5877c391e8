"""A suite that uses the plugin, run by pytest itself in a process of its own."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

CONFTEST = 'pytest_plugins = ["proctor.pytest_plugin"]\n'
SUITE = """
import pytest
from proctor import MultiTurnSample
from proctor.messages import AIMessage, HumanMessage, ToolCall
from proctor.metrics import ToolCallF1

def talk(town, wanted="Tarvin"):
    call = AIMessage(content="", tool_calls=[ToolCall(name="weather", args={"town": town})])
    gold = None if wanted is None else [ToolCall(name="weather", args={"town": wanted})]
    return MultiTurnSample(user_input=[HumanMessage(content="Rain?"), call], reference_tool_calls=gold)

@pytest.mark.parametrize("town", ["Tarvin", "Harn", "Tarvin", "Tarvin"])
def test_talks_are_scored(score, town):
    assert score(talk(town), ToolCallF1()) in (0.0, 1.0)

def test_a_metric_may_be_named(score):
    assert score(talk("Tarvin"), "tool_call_accuracy") == 1.0
"""
UNMEASURED = """
def test_nothing_to_hold_it_against(score):
    assert score(talk("Tarvin", None), ToolCallF1()) >= 0
"""

Suite = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def suite(tmp_path: Path) -> Suite:
    """Runs a suite of that text with these options."""

    def run(text: str, *options: str) -> "subprocess.CompletedProcess[str]":
        (tmp_path / "conftest.py").write_text(CONFTEST)
        (tmp_path / "test_agent.py").write_text(text)
        return subprocess.run(  # noqa: S603
            [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "no:randomly", *options, "."],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    return run


def rows(done: "subprocess.CompletedProcess[str]") -> list[list[str]]:
    return [line.split() for line in done.stdout.splitlines() if line.startswith(("tool_call", "passed", "FAILED  "))]


def test_scores_of_all_tests_stand_below_them(suite: Suite) -> None:
    done = suite(SUITE)
    assert done.returncode == 0, done.stdout
    assert rows(done) == [
        ["tool_call_f1", "0.7500", "0.3006", "to", "0.9544", "4", "0"],
        ["tool_call_accuracy", "1.0000", "0.2065", "to", "1.0000", "1", "0"],
    ]


def test_what_cannot_be_measured_fails_its_test_and_is_counted(suite: Suite) -> None:
    done = suite(SUITE + UNMEASURED)
    assert done.returncode == 1
    assert "unmeasured: tool_call_f1: " in done.stdout
    assert "reference_tool_calls" in done.stdout
    assert ["tool_call_f1", "0.7500", "0.3006", "to", "0.9544", "4", "1"] in rows(done)


def test_a_gate_fails_the_session_though_every_test_passed(suite: Suite) -> None:
    done = suite(SUITE, "--proctor-fail-under", "tool_call_f1=0.9", "--proctor-fail-under", "tool_call_accuracy=0.9")
    assert done.returncode == 1
    assert "5 passed" in done.stdout
    assert "FAILED  tool_call_f1 at least 0.9: the mean is 0.7500" in done.stdout
    assert "passed  tool_call_accuracy at least 0.9: the mean is 1.0000" in done.stdout


def test_a_gate_that_is_passed_changes_nothing(suite: Suite) -> None:
    assert suite(SUITE, "--proctor-fail-under", "tool_call_f1=0.7").returncode == 0


@pytest.mark.parametrize("said", ["tool_call_f2=0.5", "tool_call_f1", "tool_call_f1=high"])
def test_a_gate_that_cannot_be_read_fails_with_a_sentence(suite: Suite, said: str) -> None:
    done = suite(SUITE, "--proctor-fail-under", said)
    assert done.returncode == 1
    assert "FAILED  --proctor-fail-under" in done.stdout


def test_workers_scores_are_gathered(suite: Suite) -> None:
    done = suite(SUITE, "-n", "2", "--proctor-fail-under", "tool_call_f1=0.9")
    assert done.returncode == 1
    assert ["tool_call_f1", "0.7500", "0.3006", "to", "0.9544", "4", "0"] in rows(done)


def test_a_suite_that_does_not_load_the_plugin_has_nothing_of_it(tmp_path: Path) -> None:
    (tmp_path / "test_plain.py").write_text("def test_plain():\n    pass\n")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "."],
        cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert (done.returncode, "proctor" in done.stdout) == (0, False)

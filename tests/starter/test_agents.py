"""The starter tells agents apart: nothing from something, something from everything, and one baseline from another."""

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from proctor.cli import proctor
from proctor.report.summary import summarise
from proctor.runs.folders import read_run
from proctor.stats.intervals import Estimate

Sit = Callable[..., Estimate]


@pytest.fixture
def command() -> Callable[..., Result]:
    def run(*words: str) -> Result:
        return CliRunner().invoke(proctor, list(words), prog_name="proctor")

    return run


@pytest.fixture
def sit(command: Callable[..., Result], tmp_path: Path) -> Sit:
    """Let an agent sit the whole starter, and tell its solvable pass rate."""

    def sat(agent: str, *words: str, name: str = "starter") -> Estimate:
        done = command("run", "--agent", agent, *words, "--name", name, "--output", str(tmp_path), "--display", "none")
        assert done.exit_code == 0, done.output
        found = summarise(read_run(tmp_path / "runs" / f"{agent}_{name}")).overall.sopr
        assert isinstance(found, Estimate)
        return found

    return sat


def test_the_baseline_is_clearly_between_null_and_oracle(sit: Sit) -> None:
    null, baseline, oracle = sit("null"), sit("baseline"), sit("oracle")
    assert null.value == 0.0
    assert oracle.value == 1.0
    assert float(null.high or 1) < float(baseline.low or 0)
    assert float(baseline.high or 1) < float(oracle.low or 0)
    assert 0.2 < baseline.value < 0.6


def test_a_baseline_that_uses_what_answers_tell_is_told_from_one_that_does_not(
    sit: Sit, command: Callable[..., Result], tmp_path: Path
) -> None:
    sit("baseline")
    sit("baseline", "-A", "hops=0", name="at-once")
    runs = [str(tmp_path / "runs" / f"baseline_{name}") for name in ("at-once", "starter")]
    done = command("compare", *runs, "--gate")
    assert done.exit_code == 0, done.output
    assert "improved on" in done.output
    assert command("compare", *reversed(runs), "--gate").exit_code == 100

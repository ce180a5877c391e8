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


def finished(*words: str) -> list[str]:
    """What bash is told for the last of these words."""
    known = {"_PROCTOR_COMPLETE": "bash_complete", "COMP_WORDS": " ".join(words), "COMP_CWORD": str(len(words) - 1)}
    code = "import sys; sys.argv = ['proctor']; from proctor.cli import main; main()"
    ran = subprocess.run(  # noqa: S603 - words of our own
        [sys.executable, "-c", code], env={**os.environ, **known}, capture_output=True, text=True, check=False
    )
    return [line.partition(",")[2] for line in ran.stdout.splitlines()]


def test_verbs_are_finished() -> None:
    assert finished("proctor", "") == sorted(VERBS)
    assert finished("proctor", "sc") == ["score"]


def test_options_of_a_verb_are_finished() -> None:
    assert finished("proctor", "score", "--fail") == ["--fail-under"]


def test_a_shell_reads_the_script(tmp_path: Path) -> None:
    script = tmp_path / "proctor.bash"
    script.write_text(CliRunner().invoke(proctor, ["completion", "bash"], standalone_mode=False).output)
    ran = subprocess.run(["bash", "-n", str(script)], capture_output=True, text=True, check=False)  # noqa: S603, S607 - bash, with a file of our own
    assert (ran.returncode, ran.stderr) == (0, "")

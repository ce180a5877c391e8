"""A progress bar on a terminal, for work that takes longer than a moment."""

import io
import subprocess
import sys
from contextlib import redirect_stderr

import pytest

from proctor.runs import progress as module
from proctor.runs.progress import progress


class Terminal(io.StringIO):
    """What looks like a terminal and keeps what is drawn."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    monkeypatch.setenv("TERM", "xterm")
    return Terminal()


@pytest.mark.parametrize("total", [100, None])
def test_work_that_takes_long_is_drawn(terminal: Terminal, monkeypatch: pytest.MonkeyPatch, total: int | None) -> None:
    monkeypatch.setattr(module, "_MOMENT", -1.0)
    with redirect_stderr(terminal), progress("scoring", total=total) as advance:
        advance(30)
        advance(20)
    assert "scoring" in terminal.getvalue()


def test_work_that_is_done_in_a_moment_is_not_drawn(terminal: Terminal) -> None:
    with redirect_stderr(terminal), progress("scoring", total=100) as advance:
        advance(100)
    assert terminal.getvalue() == ""


def test_nothing_is_drawn_on_request(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_MOMENT", -1.0)
    with redirect_stderr(terminal), progress("scoring", total=100, show=False) as advance:
        advance(100)
    assert terminal.getvalue() == ""


def test_nothing_is_drawn_or_loaded_where_there_is_no_terminal() -> None:
    code = (
        "import sys\nfrom proctor.runs import progress\nprogress._MOMENT = -1\n"
        "with progress.progress('scoring', total=1) as advance:\n    advance(1)\n"
        "print('rich' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)  # noqa: S603
    assert (done.stdout, done.stderr) == ("False\n", "")

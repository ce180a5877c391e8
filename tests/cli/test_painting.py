"""The look of lines on a terminal."""

from __future__ import annotations

import io

import pytest

from proctor.cli.painting import painted
from proctor.report.terminal import Line

LINES = [Line("a run", "title"), Line(""), Line("set  SoPR", "head"), Line("one  10.0 %"), Line("spent  1 s", "note")]


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def able(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")


def test_on_a_terminal_heads_are_bold_and_notes_dim() -> None:
    assert painted(LINES, Terminal()).splitlines() == [
        "\x1b[1ma run\x1b[0m",
        "",
        "\x1b[1mset  SoPR\x1b[0m",
        "one  10.0 %",
        "\x1b[2mspent  1 s\x1b[0m",
    ]


def test_elsewhere_lines_are_plain(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = "a run\n\nset  SoPR\none  10.0 %\nspent  1 s"
    assert painted(LINES, io.StringIO()) == plain
    for name, value in (("NO_COLOR", "1"), ("TERM", "dumb")):
        with monkeypatch.context() as patched:
            patched.setenv(name, value)
            assert painted(LINES, Terminal()) == plain

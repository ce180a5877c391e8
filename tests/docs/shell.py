"""Commands on the pages: read, checked against the command line that there is, and run where they can be."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys

import click

from proctor.cli import proctor
from proctor.cli.compare import EXIT_CODES
from proctor.wiring.judges import NOBODY, RULES

OTHERS = {
    "curl": "it asks a server that waits",
    "pip": "it asks the network",
    "python": "it measures for minutes",
    "python3": "it makes an environment",
    "ray": "it starts a cluster",
    ".": "it belongs to an environment",
}
"""Programs that are not Proctor, each with the reason why it is not run."""


class UnknownError(Exception):
    """A command of a page that there is not."""


def commands(block: str) -> list[str]:
    """The commands of a block, without comments and prompts; one that goes on over lines is one."""
    found: list[str] = []
    begun = ""
    for line in block.replace("\\\n", " ").splitlines():
        begun += line.strip().removeprefix("$ ") if not begun else f"\n{line}"
        if not begun or begun.startswith("#"):
            begun = ""
        elif _is_whole(begun):
            found.append(begun)
            begun = ""
    assert not begun, f"a quotation does not end: {begun}"
    return found


def _is_whole(command: str) -> bool:
    try:
        shlex.split(command, comments=True)
    except ValueError:
        return False
    return True


def words_of(command: str) -> list[str]:
    """The words of a command up to `||`; `…` stands for what a reader knows."""
    words = shlex.split(command, comments=True)
    words = words[: words.index("||")] if "||" in words else words
    return [word for word in words if word != "…"]


def parsed(words: list[str]) -> click.Context:
    """The command with its options, as click reads them; nothing is run. UnknownError where click knows them not."""
    try:
        context = proctor.make_context("proctor", list(words[1:]))
        while isinstance(context.command, click.Group):
            name, command, rest = context.command.resolve_command(context, [*context._protected_args, *context.args])
            assert command is not None
            context = command.make_context(name, rest, parent=context)
    except (click.ClickException, click.exceptions.Exit) as error:
        raise UnknownError(f"{shlex.join(words)}: {error}") from error
    return context


def obstacle(words: list[str]) -> str | None:
    """Why a command of Proctor's cannot be run here; None where it can."""
    said = dict(zip(words, [*words[1:], ""], strict=True))
    reasons = {
        "it waits for clients": words[1] in {"serve", "view"},
        "it needs StableToolBench's files": "--data" in said or said.get("--benchmark") == "stabletoolbench",
        "its judge is a model": said.get("--judge", NOBODY) not in {*RULES, NOBODY},
        "it asks a model": "--model" in said or re.match("model:|mirror:", said.get("--simulator", "")) is not None,
        "it runs for minutes": said.get("--epochs", "1") not in {"1", "2"},
        "it needs a cluster": said.get("--engine") == "ray",
        "the queries are the reader's": said.get("--benchmark") == "my-queries",
    }
    return next((reason for reason, holds in reasons.items() if holds), None)


def run_command(command: str, where: str) -> str:
    """Check a command, run it where it can be run, and say what it printed."""
    words = words_of(command)
    if words[0] in OTHERS:
        return ""
    assert words[0] == "proctor", f"{where}: {words[0]!r} is neither Proctor nor among the other programs"
    parsed(words)
    if obstacle(words) is not None:
        return ""
    fine = set(EXIT_CODES.values()) if "--gate" in words else {0}
    ended = subprocess.run(  # noqa: S603 - a command of our own pages
        [sys.executable, "-m", *words], capture_output=True, text=True, check=False, timeout=300
    )
    assert ended.returncode in fine, f"{where}: {command}\n{ended.stdout}{ended.stderr}"
    return ended.stdout

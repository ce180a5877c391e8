"""What holds for every command that reads: data on request, and lines that fit a terminal."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from proctor.cli import proctor
from proctor.cli.group import VERBS

NO_DATA = {
    "run": "its --display json prints the result file",
    "serve": "it answers others",
    "view": "it answers a browser",
    "completion": "it prints a script",
    "judge label": "it writes a file",
}
"""The commands without --json, each with the reason."""


def commands() -> Iterator[tuple[str, click.Command]]:
    context = click.Context(proctor)
    for verb in VERBS:
        command = proctor.get_command(context, verb)
        assert command is not None
        if isinstance(command, click.Group):
            yield from ((f"{verb} {name}", one) for name, one in command.commands.items())
        else:
            yield verb, command


def test_every_command_that_reads_prints_data_on_request() -> None:
    flags = {name: {flag for one in command.params for flag in one.opts} for name, command in commands()}
    assert {name for name, known in flags.items() if "--json" not in known} == set(NO_DATA)


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two runs over the starter, and a store of answers."""
    output = tmp_path_factory.mktemp("results")
    for agent in ("baseline", "null"):
        words = ["run", "--agent", agent, "--limit", "3", "--output", str(output), "--display", "none", "--no-page"]
        ended = CliRunner().invoke(proctor, words)
        assert ended.exit_code == 0, ended.output
    return output


READ = [
    "list RESULTS",
    "show RESULTS/baseline_starter",
    "show RESULTS/baseline_starter --trials",
    "show RESULTS/baseline_starter --calibration starter",
    "compare RESULTS/null_starter RESULTS/baseline_starter",
    "grade RESULTS/baseline_starter",
    "judge calibrate starter",
    "metrics",
    "score starter -m tool_call_f1",
    "selftest --limit 1 --probe oracle",
    "tools list starter --category Railway",
    "tools search --tools starter 'how warm is the sea and when does the ferry leave'",
    "tools show starter week_number_for_almanac",
    "tools schema starter week_number_for_almanac",
    "tools check starter",
]


def told(results: Path, line: str) -> str:
    words = [word.replace("RESULTS", str(results)) for word in shlex.split(line)]
    ended = CliRunner().invoke(proctor, words)
    assert ended.exit_code == 0, ended.output
    return ended.stdout.replace(str(results), "results")


@pytest.mark.parametrize("line", [line for line in READ if "schema" not in line])
def test_what_is_read_fits_80_columns(results: Path, line: str) -> None:
    wide = [one for one in told(results, line).splitlines() if len(one) > 80]
    assert wide == []


@pytest.mark.parametrize("line", READ)
def test_what_is_read_is_data_on_request(results: Path, line: str) -> None:
    assert json.loads(told(results, f"{line} --json")) not in ({}, [], None)


def test_the_data_of_an_api_has_all_that_is_documented(results: Path) -> None:
    found = json.loads(told(results, "tools show starter week_number_for_almanac --json"))
    assert found["documentation"]["required"][0]["name"] == "date"
    assert found["tool_description"]
    assert json.loads(told(results, "tools schema starter week_number_for_almanac --json")) == json.loads(
        told(results, "tools schema starter week_number_for_almanac")
    )

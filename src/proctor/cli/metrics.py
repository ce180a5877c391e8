"""`proctor metrics`: what can be measured, and what each metric needs."""

from __future__ import annotations

import textwrap
from typing import Any

import click
import msgspec

from proctor.cli import finishing
from proctor.metrics import registry
from proctor.metrics.base import MetricType
from proctor.metrics.registry import Entry, OfRuns
from proctor.report.tables import WIDTH

_KINDS = {MetricType.SINGLE_TURN: "single turns", MetricType.MULTI_TURN: "conversations"}


@click.command()
@click.argument("names", nargs=-1, metavar="[NAME...]", shell_complete=finishing.metrics)
@click.option("--json", "as_json", is_flag=True, help="Print the list as JSON.")
def command(names: tuple[str, ...], as_json: bool) -> None:
    """List the metrics, and what each needs.

    With names, only those. A metric's options are set by `proctor score -M option=value`.
    """
    chosen = [registry.entry(name) for name in names or registry.names()]
    if as_json:
        click.echo(msgspec.json.format(msgspec.json.encode([_plain(entry) for entry in chosen])).decode())
    else:
        parts = [_lines(entry) for entry in chosen] + (
            [] if names else [_lines_of_runs(one) for one in registry.OF_RUNS]
        )
        click.echo("\n\n".join("\n".join(lines) for lines in parts))


def _lines(entry: Entry) -> list[str]:
    model = ", asks a model" if entry.asks_model else ""
    needs = f"needs {', '.join(entry.needs)} ({_KINDS[entry.sample_type]}{model})"
    options = [f"-M {option.name}={option.default}  ({option.allowed})" for option in entry.options.values()]
    return [entry.name, *(line for text in (entry.says, needs, *options) for line in _indented(text))]


def _lines_of_runs(one: OfRuns) -> list[str]:
    return [one.name, *_indented(one.says), *_indented(f"needs {one.needs}: {one.given_by}")]


def _indented(text: str) -> list[str]:
    return textwrap.wrap(text, WIDTH, initial_indent="  ", subsequent_indent="    ", break_on_hyphens=False)


def _plain(entry: Entry) -> dict[str, Any]:
    return {
        "name": entry.name,
        "says": entry.says,
        "needs": entry.needs,
        "samples": entry.sample_type.value,
        "asks_model": entry.asks_model,
        "options": {
            option.name: {"default": msgspec.to_builtins(option.default, enc_hook=str), "allowed": option.allowed}
            for option in entry.options.values()
        },
    }

"""`proctor show`: a run in the terminal, from its figures down to one trace."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Sequence
from typing import Any

import click
import msgspec

from proctor.cli import finishing
from proctor.cli.options import with_calibration
from proctor.cli.painting import painted
from proctor.errors import OptionError, close_to
from proctor.metrics._trials import status as status_of
from proctor.records.grades import Missing
from proctor.records.runs import RunRecord, Trial
from proctor.records.traces import StopReason
from proctor.report.summary import summarise
from proctor.report.tables import WIDTH, table
from proctor.report.terminal import Line, amount, overview
from proctor.report.traces import trial_lines, trial_row
from proctor.runs.folders import find_run, read_run
from proctor.wiring.calibrations import calibration_for

_HEAD = ("trial", "worth", "stopped", "calls", "query")
_STATUSES = ("solved", "unsure", "unsolved", "unmeasured")
_WIDEST = 120
"""Traces are read as text: on a wide screen longer lines would be hard to follow."""


@click.command()
@click.argument("run", shell_complete=finishing.runs)
@click.argument("query", required=False, shell_complete=finishing.queries)
@click.option("--trials", is_flag=True, help="List the trials, a line each.")
@click.option("--status", type=click.Choice(_STATUSES), help="List only trials of this status.")
@click.option(
    "--stop", type=click.Choice([stop.value for stop in StopReason]), help="List only trials that stopped so."
)
@click.option("--full", is_flag=True, help="Tell all: every figure, by set too; of a trial whatever is long.")
@with_calibration
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(run: str, query: str | None, **said: Any) -> None:
    """Read a run in the terminal: its figures, its trials, its traces.

    RUN is a run's name as `proctor list` shows it, its folder, or its result file. With QUERY (an id, or
    set/id) every trial of that query is told from beginning to end.
    """
    record = read_run(find_run(run))
    if query is not None:
        _show_query(_trials_of(record, query), full=said["full"], as_json=said["as_json"])
    elif said["trials"] or said["status"] or said["stop"]:
        chosen = [one for one in record.trials if _wanted(one, said["status"], said["stop"])]
        _list_trials(chosen, full=said["full"], as_json=said["as_json"])
    else:
        summary = summarise(record, calibration=calibration_for(said["calibration"], record))
        click.echo(_json(summary) if said["as_json"] else painted(overview(summary, full=said["full"])))


def _show_query(trials: Sequence[Trial], *, full: bool, as_json: bool) -> None:
    if as_json:
        click.echo(_json(trials))
        return
    width = min(max(shutil.get_terminal_size((WIDTH, 24)).columns, 40), _WIDEST)
    parts = ["\n".join(trial_lines(trial, full=full, width=width)) for trial in trials]
    click.echo("\n\n".join(parts))


def _list_trials(trials: Sequence[Trial], *, full: bool, as_json: bool) -> None:
    if as_json:
        click.echo(_json(trials))
    elif trials:
        rows = [trial_row(trial, full=full) for trial in trials]
        width = sys.maxsize if full else WIDTH
        head, *lines = table(_HEAD, rows, left=5, cut=4, width=width)
        click.echo(painted([Line(head, "head"), *map(Line, lines)]))
    else:
        click.echo("no trial is so.", err=True)


def _wanted(trial: Trial, status: str | None, stop: str | None) -> bool:
    found = status_of(trial)
    said = "unmeasured" if isinstance(found, Missing) else found.value.lower()
    return status in (None, said) and stop in (None, trial.trace.stop.value)


def _trials_of(record: RunRecord, query: str) -> list[Trial]:
    """The trials of a query, by its id, by set/id, or by the key of one trial."""
    found = [
        trial
        for trial in record.trials
        if query in (trial.key.query_id, f"{trial.key.test_set}/{trial.key.query_id}", str(trial.key))
    ]
    if found:
        return found
    known = [trial.key.query_id for trial in record.trials]
    if not known:
        raise OptionError(f"{record.name} has no trial yet; {amount(record.planned)} are planned.")
    close = close_to(query, known)
    rest = f"did you mean {close!r}?" if close else "--trials lists those that there are."
    raise OptionError(f"{record.name} has no trial of a query {query!r}; {rest}")


def _json(value: object) -> str:
    return msgspec.json.format(msgspec.json.encode(value)).decode()

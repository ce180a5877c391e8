"""`proctor list`: the runs that there are."""

from __future__ import annotations

import datetime as dt
import shutil
import sys

import click
import msgspec

from proctor.cli.painting import painted
from proctor.report.tables import WIDTH, table
from proctor.report.terminal import Line, amount, rate
from proctor.runs.folders import RESULTS, Listed, list_runs

_HEAD = ("run", "benchmark", "model", "judge", "SoPR", "interval", "API calls", "trials", "began", "began (UTC)")
_SPARED = (
    ("began",),
    ("began", "model"),
    ("began", "model", "benchmark"),
    ("began (UTC)", "model", "benchmark"),
    ("began (UTC)", "model", "benchmark", "began"),
    ("began (UTC)", "model", "benchmark", "began", "trials"),
)
"""Columns that are left out, ever more of them until the list fits: a run's name tells them mostly."""
_LEFT = ("run", "benchmark", "model", "judge")
_ANY = 1000


@click.command()
@click.argument("results", metavar="[DIR]", default=RESULTS)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(results: str, as_json: bool) -> None:
    """List the runs that there are, the latest first.

    DIR is a folder of results; without it, results. Scores are those of the result files; a run that is at work, or
    has gone on since, has none here.
    """
    runs = list_runs(results)
    if as_json:
        plain = [_plain(run) for run in runs]
        click.echo(msgspec.json.format(msgspec.json.encode(plain)).decode())
    elif runs:
        head, *rows = _table([_row(run) for run in runs])
        click.echo(painted([Line(head, "head"), *map(Line, rows)]))
    else:
        click.echo(f"there is no run in {results}; proctor run makes one.", err=True)


def _table(rows: list[tuple[str, ...]]) -> list[str]:
    """The list, with as many columns as fit; a run's name is needed to say which, and is never cut."""
    no_model = {"model"} if all(row[_HEAD.index("model")] == "-" for row in rows) else set()
    width = max(WIDTH, shutil.get_terminal_size((WIDTH, 24)).columns) if sys.stdout.isatty() else WIDTH
    drawn = (_drawn(rows, {*spared, *no_model}) for spared in _SPARED)
    return next((lines for lines in drawn if max(map(len, lines)) <= width), _drawn(rows, {*_SPARED[-1]}))


def _drawn(rows: list[tuple[str, ...]], spared: set[str]) -> list[str]:
    places = [place for place, name in enumerate(_HEAD) if name not in spared]
    head, *shown = [tuple(row[place] for place in places) for row in (_HEAD, *rows)]
    return table(head, shown, left=sum(name in _LEFT for name in head), width=_ANY)


def _row(run: Listed) -> tuple[str, ...]:
    spec = run.manifest.spec
    trials = amount(run.traced) if run.traced == run.planned else f"{amount(run.traced)}/{amount(run.planned)}"
    began = dt.datetime.fromtimestamp(run.manifest.started, tz=dt.UTC)
    return (
        run.name,
        spec.benchmark[-20:],
        (spec.agent_model or "-")[-20:],
        run.method or "-",
        *rate(run.sopr),
        rate(run.api_call_score)[0],
        trials,
        f"{began:%Y-%m-%d}",
        f"{began:%Y-%m-%d %H:%M}",
    )


def _plain(run: Listed) -> dict[str, object]:
    spec = run.manifest.spec
    return {
        "name": run.name,
        "folder": str(run.path),
        "benchmark": spec.benchmark,
        "agent": spec.agent,
        "model": spec.agent_model,
        "method": run.method or None,
        "trials": run.traced,
        "planned": run.planned,
        "sopr": run.sopr,
        "api_call_score": run.api_call_score,
        "started": run.manifest.started,
    }

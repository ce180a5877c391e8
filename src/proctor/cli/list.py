"""`proctor list`: the runs that there are."""

from __future__ import annotations

import datetime as dt

import click
import msgspec

from proctor.report.tables import WIDTH, table
from proctor.report.terminal import amount
from proctor.runs.folders import RESULTS, Listed, list_runs

_HEAD = ("run", "benchmark", "model", "judged by", "trials", "began (UTC)")
_LEAST = ("run", "judged by", "trials", "began (UTC)")


@click.command()
@click.argument("results", metavar="[DIR]", default=RESULTS)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(results: str, as_json: bool) -> None:
    """List the runs that there are, the latest first.

    DIR is a folder of results; without it, results.
    """
    runs = list_runs(results)
    if as_json:
        plain = [_plain(run) for run in runs]
        click.echo(msgspec.json.format(msgspec.json.encode(plain)).decode())
    elif runs:
        click.echo("\n".join(_table([_row(run) for run in runs])))
    else:
        click.echo(f"there is no run in {results}; proctor run makes one.", err=True)


def _table(rows: list[tuple[str, ...]]) -> list[str]:
    """The list; a run's name is needed to say which, so long ones take the place of what the name tells mostly."""
    lines = table(_HEAD, rows, left=4, width=2 * WIDTH)
    if max(map(len, lines)) <= WIDTH:
        return lines
    places = [_HEAD.index(name) for name in _LEAST]
    return table(_LEAST, [tuple(row[place] for place in places) for row in rows], left=2, width=2 * WIDTH)


def _row(run: Listed) -> tuple[str, ...]:
    spec = run.manifest.spec
    trials = amount(run.traced) if run.traced == run.planned else f"{amount(run.traced)}/{amount(run.planned)}"
    began = dt.datetime.fromtimestamp(run.manifest.started, tz=dt.UTC)
    return (
        run.name,
        spec.benchmark[-20:],
        (spec.agent_model or "-")[-20:],
        run.method or "-",
        trials,
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
        "started": run.manifest.started,
    }

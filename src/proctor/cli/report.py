"""`proctor report`: a run as one HTML file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import msgspec

from proctor.cli import finishing
from proctor.cli.options import with_calibration
from proctor.errors import OptionError
from proctor.report.exhibit import Exhibit
from proctor.report.page import page
from proctor.runs.folders import find_run, read_run
from proctor.store.artifacts import write_whole
from proctor.wiring.pages import Wish, exhibit_of, page_path


@click.command()
@click.argument("run", shell_complete=finishing.runs)
@click.argument("run2", required=False, shell_complete=finishing.runs)
@click.option("--output", "-o", metavar="FILE", help="Where the page is written; - prints it.")
@with_calibration
@click.option(
    "--level", type=float, default=0.95, show_default=True, help="How often the intervals are to hold the truth."
)
@click.option("--json", "as_json", is_flag=True, help="Print the figures as JSON; a page is written only with -o.")
def command(run: str, run2: str | None, output: str | None, calibration: str | None, **said: Any) -> None:
    """Write a run as one HTML file, which needs nothing else.

    RUN is a run's folder, its result file, or results/NAME. With RUN2, the baseline, the two are compared. Runs over
    the same queries in the same folder stand beside it. Without -o the page stands beside the result file.
    """
    folder = find_run(run)
    other = find_run(run2) if run2 is not None else None
    if other == folder:
        raise OptionError(f"{run} and {run2} are the same run; name another one to compare it with.")
    wish = Wish(calibration=calibration, level=said["level"])
    exhibit = exhibit_of(folder, read_run(folder), None if other is None else read_run(other), wish)
    if said["as_json"]:
        click.echo(_json(exhibit))
    if output == "-":
        click.echo(page(exhibit), nl=False)
    elif output is not None or not said["as_json"]:
        target = Path(output) if output is not None else page_path(folder, other)
        write_whole(target, page(exhibit).encode())
        click.echo(f"page    {target}", err=True)


def _json(exhibit: Exhibit) -> str:
    """The figures of a page, without its trials, which `proctor show --json` has."""
    found = {
        "run": exhibit.run.summary,
        "other": exhibit.other.summary if exhibit.other is not None else None,
        "versus": exhibit.versus,
        "refused": exhibit.refused or None,
        "differs": exhibit.differs,
        "neighbours": exhibit.neighbours,
        "published": exhibit.published,
    }
    return msgspec.json.format(msgspec.json.encode(found)).decode()

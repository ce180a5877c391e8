"""`proctor judge`: how far a judge can be trusted."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Iterator
from typing import Any

import click
import msgspec

from proctor.cli import finishing
from proctor.cli.group import ERROR
from proctor.config import settings_of
from proctor.judges.solvability import Solvability
from proctor.records.grades import Missing
from proctor.report.tables import table
from proctor.runs.calibrating import Compared, calibration_of, compare, keep, read_labels
from proctor.stats.agreement import Agreement
from proctor.stats.calibration import Calibration
from proctor.stats.intervals import Estimate, check_level
from proctor.store.artifacts import write_whole
from proctor.wiring.labelling import label as labelled
from proctor.wiring.shipped import LABELS, shipped
from proctor.wiring.solvability import Opinions, solvability_table
from proctor.wiring.solvability import solvability as judged_solvability

_ROWS = (
    ("agreement", "raw"),
    ("Cohen's kappa", "kappa"),
    ("Krippendorff's alpha", "alpha"),
    ("passed by people", "prevalence"),
    ("passed by the judge", "judged_positive"),
    ("passes what people pass", "true_positive_rate"),
    ("fails what people fail", "true_negative_rate"),
)


@click.group()
def command() -> None:
    """Find out how far a judge can be trusted."""


@command.command(context_settings={"show_default": True})
@click.argument("labels", metavar="LABELS.csv", shell_complete=finishing.files)
@click.option("--output", "-o", metavar="FILE", help="Write the calibration to this file, for --calibration.")
@click.option("--column", metavar="NAME", help="The judge's column that is calibrated. [default: judge]")
@click.option("--judge-name", default="", metavar="TEXT", help="Which judge this is: its model and its prompts.")
@click.option("--level", type=float, default=0.95, metavar="P", help="How often the intervals are to hold the truth.")
@click.option("--json", "as_json", is_flag=True, help="Print the figures as JSON.")
def calibrate(labels: str, output: str | None, column: str | None, level: float, **said: Any) -> None:
    """Compare a judge's labels with people's.

    LABELS.csv has a head and a line for each answer: the column `human`, the column `judge`, and further columns whose
    names begin with `judge` for other judges or repeats. A label is Solved, Unsolved or Unsure, or 1, 0, true, false,
    yes, no, pass, fail; nothing where nobody said. Unsure is no pass. Other columns are left alone. `starter` in place
    of a file are the labels that come with Proctor.
    """
    check_level(level)
    read = read_labels(shipped(labels, LABELS))
    compared = compare(read, level=level)
    calibration = None
    if output is not None or column is not None:
        calibration = calibration_of(read, column, judge=said["judge_name"], made=time.time())
    if output is not None and calibration is not None:
        keep(calibration, output)
    if said["as_json"]:
        click.echo(_json(compared, calibration))
        return
    click.echo("\n\n".join(_lines(name, agreement) for name, agreement in compared.judges.items()))
    if compared.among_judges is not None:
        click.echo(f"\nKrippendorff's alpha among the judges: {_figure(compared.among_judges)}")
    if output is not None:
        click.echo(f"\nThe calibration stands in {output}: proctor score … --calibration {output}")


@command.command(context_settings={"show_default": True})
@click.option(
    "--judge",
    multiple=True,
    required=True,
    metavar="NAME",
    shell_complete=finishing.judges,
    help="Who judges: a model, heuristic, rubric.",
)
@click.option("--judge-url", metavar="URL", help="Where the judge's model is.")
@click.option("--judge-template", metavar="DIR", help="The judge's prompts: a folder of StableToolBench's form.")
@click.option("--concurrency", type=click.IntRange(min=1), metavar="N", help="Answers judged at once.")
@click.option("--replies", metavar="FILE", help="Record the judge's replies here, and ask nothing twice.")
@click.option("--output", "-o", required=True, metavar="FILE", help="Write the labels to this .csv file.")
def label(output: str, **said: Any) -> None:
    """Have a judge label the answers that come with Proctor.

    They are answers to the starter's queries, good, bad and tempting, whose labels by people are known. The file is
    one that `proctor judge calibrate` reads.
    """
    labelling = asyncio.run(labelled(settings_of(said)))
    write_whole(output, labelling.table.encode())
    total = labelling.table.count("\n") - 1
    click.echo(f"{total - len(labelling.unmeasured)} of {total} answers are labelled by {labelling.judge}.")
    for reason, count in Counter(labelling.unmeasured.values()).most_common():
        click.echo(f"unmeasured: {count}  {reason}")
    click.echo(f"The labels stand in {output}: proctor judge calibrate {output}")


@command.command(context_settings={"show_default": True})
@click.option("--judge", multiple=True, required=True, metavar="MODEL", help="The model that is asked.")
@click.option("--judge-url", metavar="URL", help="Where the judge's model is.")
@click.option("--judge-template", metavar="DIR", help="The judge's prompts: a folder of StableToolBench's form.")
@click.option("--benchmark", metavar="NAME", shell_complete=finishing.benchmarks, help="A name, a folder or a file.")
@click.option("--data", metavar="DIR", help="Where StableToolBench's queries are.")
@click.option("--test-set", multiple=True, metavar="SET", shell_complete=finishing.sets, help="This set alone.")
@click.option("--ids", metavar="PATH", help="The queries of this id file or folder of such files.")
@click.option("--concurrency", type=click.IntRange(min=1), metavar="N", help="Queries judged at once.")
@click.option("--replies", metavar="FILE", help="Record the judge's replies here, and ask nothing twice.")
@click.option("--replay", is_flag=True, default=None, help="Ask no model: every reply has to stand in --replies.")
@click.option("--output", "-o", metavar="FILE", help="Write each query's status and reason to this .csv file.")
@click.option("--json", "as_json", is_flag=True, help="Print every query's status and reason as JSON.")
@click.pass_context
def solvability(ctx: click.Context, /, output: str | None, as_json: bool, **said: Any) -> None:
    """Ask a judge which queries of a benchmark can be solved at all.

    The judge sees each query with the tools that its file lists. Exit codes: 0 all went well, 1 an error, or not one
    query could be judged.
    """
    found = asyncio.run(judged_solvability(settings_of(said)))
    read = [one.said.status.value for one in found.opinions if not isinstance(one.said, Missing)]
    if as_json:
        click.echo(msgspec.json.format(msgspec.json.encode(found)).decode())
    else:
        click.echo("\n".join(_solvable(found, read)))
    if output is not None:
        write_whole(output, solvability_table(found).encode(errors="backslashreplace"))
    ctx.exit(0 if read else ERROR)


def _solvable(found: Opinions, read: list[str]) -> Iterator[str]:
    lost = Counter(one.said.reason for one in found.opinions if isinstance(one.said, Missing))
    yield f"{len(read)} of {len(found.opinions)} queries are judged by {found.judge}."
    yield from (f"{status.value:<12}{read.count(status.value)}" for status in Solvability)
    yield from (f"unmeasured: {count}  {reason}" for reason, count in lost.most_common())


def _lines(name: str, agreement: Agreement | Missing) -> str:
    if isinstance(agreement, Missing):
        return f"{name}: {agreement.reason}"
    rows = [_row(words, getattr(agreement, field)) for words, field in _ROWS]
    lines = table([name, "figure", "interval", "n"], rows)
    if agreement.unlabelled:
        lines.append(f"left out, for one of the two has no label: {agreement.unlabelled}")
    return "\n".join(lines)


def _row(words: str, figure: Estimate | Missing) -> list[str]:
    if isinstance(figure, Missing):
        return [words, "-", figure.reason, "0"]
    interval = "none" if figure.low is None else f"{figure.low:.3f} to {figure.high:.3f}"
    return [words, f"{figure.value:.3f}", interval, str(figure.n)]


def _figure(figure: Estimate | Missing) -> str:
    if isinstance(figure, Missing):
        return f"unmeasured ({figure.reason})"
    return f"{figure.value:.3f}" + ("" if figure.low is None else f" ({figure.low:.3f} to {figure.high:.3f})")


def _json(compared: Compared, calibration: Calibration | None) -> str:
    plain = {"judges": compared.judges, "among_judges": compared.among_judges, "calibration": calibration}
    return msgspec.json.format(msgspec.json.encode(plain)).decode()

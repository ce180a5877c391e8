"""`proctor selftest`: the exam tested by agents of which it is known whether they are right."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import click
import msgspec

from proctor.cli import finishing
from proctor.cli.group import GATE_FAILED, STOPPED
from proctor.config import read_settings, settings_of
from proctor.errors import OptionError, nearest
from proctor.report.tables import table
from proctor.report.terminal import amount, wrapped
from proctor.runs.selftest import PROBES, Cell, Grader, Probe, ProbeResult, SelfTest
from proctor.wiring.selftesting import Stopped, selftest

_HEAD = ("probe", "trials", *(grader.value for grader in Grader))
_HERE = ("probe", "show", "config", "json")
"""The options that are no settings."""


@click.command(context_settings={"show_default": True})
@click.option(
    "--benchmark",
    metavar="NAME",
    shell_complete=finishing.benchmarks,
    help="Whose queries: a name, a folder or a file.  [default: starter]",
)
@click.option("--data", metavar="DIR", help="Where StableToolBench's queries are.")
@click.option("--tool-dir", metavar="DIR", help="The tool files; without it, the APIs that the queries document.")
@click.option(
    "--test-set",
    multiple=True,
    metavar="SET",
    shell_complete=finishing.sets,
    help="This set of queries; all of them without it.",
)
@click.option("--limit", type=click.IntRange(min=1), metavar="N", help="The first N queries of each set.")
@click.option("--probe", multiple=True, metavar="NAME", help="Send only this probe in.")
@click.option(
    "--judge",
    multiple=True,
    metavar="NAME",
    shell_complete=finishing.judges,
    help="Test this judge: a model, heuristic, rubric.",
)
@click.option("--judge-url", metavar="URL", help="Where the judge's model is.")
@click.option("--judge-repeats", type=click.IntRange(min=1), metavar="N", help="Judge every answer N times.")
@click.option("--judge-template", metavar="DIR", help="The judge's prompts: a folder of StableToolBench's form.")
@click.option("--simulator", metavar="KIND", help="Who plays the APIs, where they do not answer by themselves.")
@click.option("--cache", metavar="STORE", help="The recorded answers.")
@click.option("--output", "-o", metavar="DIR", help="Keep every probe's run here, and go on with those that are there.")
@click.option("--concurrency", type=click.IntRange(min=1), metavar="N", help="Trials at work at once.")
@click.option("--prices", metavar="FILE", help="What models cost, where the built-in table does not say.")
@click.option("--replies", metavar="FILE", help="Record the judge's replies here, and ask nothing twice.")
@click.option("--config", metavar="FILE", help="Read settings from this file instead of proctor.toml.")
@click.option("--show", type=click.IntRange(min=0), default=3, metavar="N", help="Show so many examples of a mistake.")
@click.option("--json", is_flag=True, help="Print everything as JSON.")
@click.pass_context
def command(ctx: click.Context, /, **said: Any) -> None:
    """Test the exam itself: what its graders falsely accept and reject.

    Agents sit the exam of which it is known whether they are right: one that does nothing, one that calls everything,
    one that does what the gold says, and the gold with one thing changed. The judge, the API call score and the
    matching of trajectories are held against that.

    Exit codes: 0 no mistake but those that docs/selftest.md lists, 1 an error, 100 another mistake, 130 stopped.
    """
    ctx.exit(_tested(said))


def _tested(said: dict[str, Any]) -> int:
    probes = _probes(said["probe"])
    options = {name: value for name, value in said.items() if name not in _HERE}
    settings = settings_of(options, read_settings(said["config"]))

    def advance(name: str, done: int, total: int) -> None:
        click.echo(f"{done} of {total}: {name}", err=True)

    try:
        found = asyncio.run(selftest(settings, probes, keep=said["output"] is not None, advance=advance))
    except Stopped:
        more = "the same command goes on" if said["output"] else "with --output DIR the same command would go on"
        click.echo(f"proctor: stopped; {more}.", err=True)
        return STOPPED
    click.echo(as_json(found) if said["json"] else "\n".join(as_text(found, said["show"])))
    return GATE_FAILED if found.findings else 0


def _probes(names: tuple[str, ...]) -> tuple[Probe, ...]:
    known = [probe.name for probe in PROBES]
    for name in names:
        if name not in known:
            raise OptionError(f"there is no probe {name!r}; {nearest(name, known)}")
    return tuple(probe for probe in PROBES if not names or probe.name in names)


def as_json(found: SelfTest) -> str:
    """All of it as JSON."""
    findings = [{"probe": probe.name, "grader": grader} for probe, grader, _ in found.findings]
    plain = {**msgspec.to_builtins(found), "findings": findings}
    return msgspec.json.format(msgspec.json.encode(plain)).decode()


def as_text(found: SelfTest, show: int) -> Iterator[str]:
    """All of it for people. It fits 80 columns."""
    yield f"{amount(found.queries)} queries of {found.benchmark}"
    yield from wrapped("judge", f"{found.judge} ({found.method})" if found.method != found.judge else found.judge)
    yield ""
    rows = [(one.name, amount(one.trials), *(_cell(cell) for cell in one.cells.values())) for one in found.probes]
    yield from table(_HEAD, rows)
    yield "accepted of those graded; ! falsely; * falsely, as is known; - not its to see"
    yield ""
    for grader in Grader:
        yield from wrapped(grader.value, _counted(found, grader.value))
    yield from _known(found)
    for one in found.probes:
        for grader_name, cell in one.cells.items():
            yield from _finding(one, grader_name, cell, show)


def _cell(cell: Cell) -> str:
    graded = cell.accepted + cell.half + cell.rejected
    if cell.expected is None:
        return "- "
    mark = "!" if cell.finding else "*" if cell.wrong else " "
    return f"{cell.accepted}/{graded}{mark}" if graded else "none "


def _counted(found: SelfTest, grader: str) -> str:
    """How often a grader was right about what it should accept and what it should reject."""
    cells = [one.cells[grader] for one in found.probes]
    told = []
    for expected, word in ((False, "accepted"), (True, "rejected")):
        some = [cell for cell in cells if cell.expected is expected]
        graded = sum(cell.accepted + cell.half + cell.rejected for cell in some)
        wrong = sum(len(cell.wrong) for cell in some)
        known = sum(len(cell.wrong) for cell in some if cell.known is not None)
        told.append(
            f"falsely {word} {amount(wrong)} of {amount(graded)}" + (f" ({amount(known)} known)" if known else "")
        )
    return "; ".join(told)


def _known(found: SelfTest) -> Iterator[str]:
    """The mistakes that are known, by grader and reason."""
    reasons: dict[tuple[str, str], list[str]] = {}
    for one in found.probes:
        for grader, cell in one.cells.items():
            if cell.wrong and cell.known is not None:
                told = f"{one.name!r} {_did(cell)} {len(cell.wrong)} times"
                reasons.setdefault((grader, cell.known), []).append(told)
    for (grader, reason), probes in reasons.items():
        yield ""
        yield from wrapped("known", f"{grader}: {'; '.join(probes)}: {reason}")


def _did(cell: Cell) -> str:
    return "rejected" if cell.expected else "accepted"


def _finding(one: ProbeResult, grader: str, cell: Cell, show: int) -> Iterator[str]:
    if not cell.finding:
        return
    yield ""
    yield from wrapped("FINDING", f"{grader}: {one.name!r} falsely {_did(cell)} {len(cell.wrong)} times")
    for wrong in cell.wrong[:show]:
        answer = " ".join(wrong.answer.split())
        reason = f" - {wrong.reason}" if wrong.reason else ""
        yield from wrapped("", f"{wrong.test_set}/{wrong.query_id}: {answer[:200]!r}{reason[:200]}")

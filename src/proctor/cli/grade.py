"""`proctor grade`: answers that are there already, judged again, and the agent is not asked."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator
from typing import Any

import click
import msgspec

from proctor.cli import finishing
from proctor.cli.graded import Told, as_json, as_text, gated_figures, written_files
from proctor.cli.group import ERROR, GATE_FAILED, STOPPED
from proctor.cli.journals import tell_damage
from proctor.cli.options import with_calibration
from proctor.cli.unjudged import unjudged
from proctor.config import Settings, read_settings, settings_of
from proctor.runs.gates import Gate, decide, read_gate
from proctor.runs.watching import Again, Event, Interrupted, Planned
from proctor.wiring.calibrations import calibration_for, calibration_named
from proctor.wiring.grading import GradedRun, folders_of, grade_folder, refuse_many_judges, warning_of

_GATED = ("sopr", "api_call_score", "finish")
_SETTINGS = (
    "benchmark",
    "data",
    "test_set",
    "ids",
    "judge",
    "judge_url",
    "judge_repeats",
    "judge_template",
    "calibration",
    "output",
    "name",
    "concurrency",
    "tries",
    "prices",
    "replies",
    "replay",
)


class Wish(msgspec.Struct, frozen=True):
    """What the command was asked for beside its settings."""

    sources: tuple[str, ...]
    compat: str | None
    pass_rate_json: str | None
    pass_rate_csv: str | None
    converted: str | None
    fail_under: tuple[str, ...]
    gate: Any
    config: str | None
    level: float
    json: bool


@click.command(context_settings={"show_default": True})
@click.argument("sources", nargs=-1, required=True, metavar="SOURCE...", shell_complete=finishing.runs)
@click.option(
    "--judge",
    multiple=True,
    metavar="NAME",
    shell_complete=finishing.judges,
    help="Who judges: a model, completeness:MODEL, heuristic, rubric; several: a panel.",
)
@click.option("--judge-url", metavar="URL", help="Where the judge's model is.")
@click.option("--judge-repeats", type=click.IntRange(min=1), metavar="N", help="Judge every answer N times.")
@click.option("--judge-template", metavar="DIR", help="The judge's prompts: a folder of StableToolBench's form.")
@with_calibration
@click.option(
    "--compat", type=click.Choice(["stabletoolbench"]), help="Leave queries without an answer out, as upstream counts."
)
@click.option(
    "--benchmark",
    metavar="NAME",
    shell_complete=finishing.benchmarks,
    help="Whose queries recorded answers are to: a name, a folder or a file.",
)
@click.option("--data", metavar="DIR", help="Where StableToolBench's queries are.")
@click.option(
    "--test-set", multiple=True, metavar="SET", shell_complete=finishing.sets, help="Of the benchmark, this set."
)
@click.option("--ids", metavar="PATH", help="Of the benchmark, the queries of this id file or folder of such files.")
@click.option("--output", "-o", metavar="DIR", help="Where recorded answers are kept as runs.  [default: results]")
@click.option("--name", metavar="NAME", help="What a run of recorded answers is called beside its model.")
@click.option("--pass-rate-json", metavar="FILE", help="Write the verdicts as StableToolBench's pass rates.")
@click.option("--pass-rate-csv", metavar="FILE", help="Write them as its table.")
@click.option("--converted", metavar="FILE", help="Write the answers as its converted answers.")
@click.option(
    "--fail-under", multiple=True, metavar="FIGURE=X", help=f"Exit with 100 when {', '.join(_GATED)} is below X."
)
@click.option(
    "--gate",
    type=click.Choice(["mean", "interval"]),
    default="mean",
    help="What --fail-under looks at: the mean, or the whole interval.",
)
@click.option("--concurrency", type=click.IntRange(min=1), metavar="N", help="Answers judged at once.")
@click.option("--tries", type=click.IntRange(min=1), metavar="N", help="Goes at an answer when the judge is down.")
@click.option("--prices", metavar="FILE", help="What models cost, where the built-in table does not say.")
@click.option("--replies", metavar="FILE", help="Record the judge's replies here, and ask nothing twice.")
@click.option("--replay", is_flag=True, default=None, help="Ask no model: every reply has to stand in --replies.")
@click.option("--config", metavar="FILE", help="Read settings from this file instead of proctor.toml.")
@click.option("--level", type=float, default=0.95, metavar="P", help="How often the intervals are to hold the truth.")
@click.option("--json", is_flag=True, help="Print the figures as JSON.")
@click.pass_context
def command(ctx: click.Context, /, **said: Any) -> None:
    """Grade answers that are there already; the agent is not asked.

    SOURCE is a run (its folder or its result file), or recorded answers of StableToolBench: raw, converted, pass rates,
    in files or in folders. Recorded answers are taken in as a run and need their --benchmark.

    Without --judge the verdicts that are there are counted. The verdicts of another judge, and further repeats, are
    written down beside them; nothing is asked twice, and what was stopped goes on by the same command. A gate on the
    pass rate of a run that several judges have judged needs --judge.

    Exit codes: 0 all went well, 1 an error, 100 a gate failed.
    """
    settings = {name: said.pop(name) for name in _SETTINGS}
    ctx.exit(_grade(Wish(**said), settings))


def _grade(wish: Wish, said: dict[str, Any]) -> int:
    settings = settings_of(said, read_settings(wish.config))
    gates = [read_gate(text, _GATED) for text in wish.fail_under]
    named = settings.judge.calibration
    calibration_named(named)  # one that cannot be read is said before anybody is asked
    taken = folders_of(wish.sources, settings)
    for line in _losses(taken.lost):
        click.echo(line, err=True)
    if not settings.judge.name and any(gate.metric == "sopr" for gate in gates):
        for folder in taken.folders:
            refuse_many_judges(folder)
    graded = asyncio.run(_all_graded(taken.folders, settings))
    told = [
        Told.of(one, compat=wish.compat is not None, calibration=calibration_for(named, one.record), level=wish.level)
        for one in graded
    ]
    for each in told:
        lost = written_files(each, wish.pass_rate_json, wish.pass_rate_csv, wish.converted, several=len(told) > 1)
        for line in _losses(lost):
            click.echo(line, err=True)
    passed, sentences = _gates(gates, told, wish.gate)
    click.echo(as_json(told, sentences) if wish.json else as_text(told, sentences))
    if any(one.state is not None and one.state.stopped for one in graded):
        click.echo("proctor: stopped; the same command goes on where it was.", err=True)
        return STOPPED
    nothing = [sentence for one in graded if one.state is not None and (sentence := unjudged(one.record)) is not None]
    for sentence in nothing:
        click.echo(f"proctor: {sentence}", err=True)
    if nothing:
        return ERROR
    return 0 if passed else GATE_FAILED


async def _all_graded(folders: list[Any], settings: Settings) -> list[GradedRun]:
    graded = []
    for folder in folders:
        if (warning := warning_of(folder, settings)) is not None:
            click.echo(f"proctor: {warning}", err=True)
        one = await grade_folder(folder, settings, watch=Lines())
        tell_damage(one.record, one.folder)
        graded.append(one)
        if one.state is not None and one.state.left:
            click.echo(f"proctor: {one.state.left} answers are still to be judged; the same command goes on.", err=True)
        if one.state is not None and one.state.stopped:
            break
    return graded


class Lines:
    """A line on standard error for what is worth one."""

    def __call__(self, event: Event) -> None:
        """Take an event."""
        if isinstance(event, Planned):
            click.echo(f"{event.name}: {event.trials} answers, {event.trials - event.done} to be judged", err=True)
        elif isinstance(event, Again):
            click.echo(f"{event.trial} is owed a verdict: {event.failure.message}", err=True)
        elif isinstance(event, Interrupted):
            click.echo(f"stopping: {event.at_work} at work will be finished", err=True)


def _gates(gates: list[Gate], told: list[Told], by: Any) -> tuple[bool, list[str]]:
    passed, sentences = True, []
    for each in told:
        figures = gated_figures(each)
        for gate in gates:
            verdict = decide(gate, figures[gate.metric], by)
            passed = passed and verdict.passed
            sentences.append(f"{'passed' if verdict.passed else 'FAILED'}  {each.record.name}: {verdict.sentence}")
    return passed, sentences


def _losses(lost: tuple[str, ...]) -> Iterator[str]:
    for sentence, count in Counter(lost).most_common(10):
        yield f"{count} times: {sentence}"

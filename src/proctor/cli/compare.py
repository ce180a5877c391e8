"""`proctor compare`: two runs in pairs, which is better, and whether that is decided."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any, get_args

import click
import msgspec

from proctor.cli import finishing
from proctor.cli.compared import Side, Told, as_json, as_text
from proctor.cli.group import GATE_FAILED, NOT_DECISIVE, STOPPED, UNDECIDED
from proctor.config import Settings, read_settings, settings_of
from proctor.errors import OptionError
from proctor.records.runs import RunRecord
from proctor.report.published import beside
from proctor.report.summary import summarise
from proctor.runs.comparing import Cluster, Measure, compare_runs
from proctor.runs.folders import find_run, read_run, results_of
from proctor.runs.preferring import Preferences, write_preferences
from proctor.runs.recorded import answered_only
from proctor.stats.comparisons import Outcome
from proctor.wiring.models import self_judged
from proctor.wiring.preferring import comparing_model, preferences

EXIT_CODES = {
    Outcome.IMPROVED: 0,
    Outcome.REGRESSED: GATE_FAILED,
    Outcome.NOT_DECISIVE: NOT_DECISIVE,
    None: UNDECIDED,
}
"""What the command ends with under `--gate`, by the verdict; None where nothing could be compared."""
_SETTINGS = ("judge", "judge_url", "judge_template", "concurrency", "prices", "replies")


class Wish(msgspec.Struct, frozen=True):
    """What the command was asked for beside its settings."""

    a: str
    b: str | None
    by: Measure
    test_set: tuple[str, ...]
    cluster: Cluster
    level: float
    rounds: int
    preferences: tuple[str, ...]
    flips: int
    gate: bool
    published: bool
    config: str | None
    json: bool


@click.command(context_settings={"show_default": True})
@click.argument("a", metavar="A", shell_complete=finishing.runs)
@click.argument("b", metavar="[B]", required=False, shell_complete=finishing.runs)
@click.option("--by", type=click.Choice(get_args(Measure)), default="sopr", help="What is compared.")
@click.option("--test-set", multiple=True, metavar="SET", shell_complete=finishing.sets, help="Compare this set only.")
@click.option(
    "--cluster",
    type=click.Choice(get_args(Cluster)),
    default="query",
    help="What counts as independent: each query, or all that need the same tools.",
)
@click.option("--level", type=float, default=0.95, metavar="P", help="How often the intervals are to hold the truth.")
@click.option("--flips", type=click.IntRange(min=0), default=10, metavar="N", help="List so many that changed.")
@click.option("--gate", is_flag=True, help="Let the exit code tell the verdict.")
@click.option("--published", is_flag=True, help="Set the runs beside StableToolBench's published table.")
@click.option("--judge", metavar="MODEL", help="Ask this model whose answers are better (SoWR).")
@click.option("--judge-url", metavar="URL", help="Where the judge's model is.")
@click.option("--judge-template", metavar="DIR", help="The judge's prompts: a folder of StableToolBench's form.")
@click.option("--rounds", type=click.IntRange(min=1), default=1, metavar="N", help="Compare every pair N times.")
@click.option(
    "--preferences", multiple=True, metavar="FILE", help="Write what the judge prefers as StableToolBench: .json, .csv."
)
@click.option("--concurrency", type=click.IntRange(min=1), metavar="N", help="Pairs compared at once.")
@click.option("--prices", metavar="FILE", help="What models cost, where the built-in table does not say.")
@click.option("--replies", metavar="FILE", help="Record the judge's replies here, and ask nothing twice.")
@click.option("--config", metavar="FILE", help="Read settings from this file instead of proctor.toml.")
@click.option("--json", is_flag=True, help="Print everything as JSON.")
@click.pass_context
def command(ctx: click.Context, /, **said: Any) -> None:
    """Compare two runs: which is better, and whether that is decided.

    A is the baseline and B the candidate, each a run's folder, its result file, or results/NAME. They are compared
    query by query: B improved on A, regressed, or it is not decisive. With --published one run is enough.

    With --judge a model says of each query whose answer is better, in both orders. What it said is kept, and nothing
    is asked twice.

    Exit codes: 0 all went well, 1 an error, 130 stopped. With --gate: 0 improved, 100 regressed, 101 not decisive,
    102 nothing could be compared.
    """
    settings = {name: said.pop(name) for name in _SETTINGS}
    ctx.exit(_compare(Wish(**said), settings))


def _compare(wish: Wish, said: dict[str, Any]) -> int:
    _check(wish, said)
    folders = [find_run(place) for place in (wish.a, wish.b) if place is not None]
    runs = [read_run(folder) for folder in folders]
    sets = wish.test_set or None
    found = preferred = None
    if wish.b is not None:
        found = compare_runs(*runs, measure=wish.by, test_sets=sets, cluster=wish.cluster, level=wish.level)
        if said["judge"] is not None:
            # Whom the file of settings names judges single answers; who compares two is said here or not at all.
            settings = settings_of(said, read_settings(wish.config))
            _warn(runs, settings)
            preferred = asyncio.run(
                preferences((runs[0], runs[1]), results_of(folders[0]), settings, rounds=wish.rounds, test_sets=sets)
            )
            for path in wish.preferences:
                write_preferences(path, preferred)
    sides = tuple(Side(run, beside(run, summarise(answered_only(run))) if wish.published else ()) for run in runs)
    code = EXIT_CODES[found.outcome] if wish.gate and found is not None else None
    told = Told(sides, found, preferred, wish.flips, code)
    click.echo(as_json(told) if wish.json else as_text(told))
    return _ended(preferred, code)


def _warn(runs: Sequence[RunRecord], settings: Settings) -> None:
    """Say on standard error where the judge compares its own answers."""
    warnings = (self_judged(run.manifest, settings.judge.name, settings.judge.url) for run in runs)
    for warning in dict.fromkeys(warning for warning in warnings if warning is not None):
        click.echo(f"proctor: {warning}", err=True)


def _check(wish: Wish, said: dict[str, Any]) -> None:
    """OptionError for options that want a second run, or a judge, where there is none."""
    if wish.b is None:
        if not wish.published:
            raise OptionError("two runs are compared; name the second one too, or --published to see one beside it.")
        for name, given in (("--gate", wish.gate), ("--judge", said["judge"]), ("--preferences", wish.preferences)):
            if given:
                raise OptionError(f"{name} is about two runs; name the second one too.")
    if said["judge"] is None:
        for name, given in (("--preferences", wish.preferences), ("--judge-url", said["judge_url"])):
            if given:
                raise OptionError(f"{name} belongs to a judge; name it: --judge openai/gpt-4o.")
    else:
        comparing_model((said["judge"],))
    for path in wish.preferences:
        if Path(path).suffix.lower() not in {".json", ".csv", ".tsv"}:
            raise OptionError(f"{path}: preferences are written as .json or .csv; end the name in one of them.")


def _ended(preferred: Preferences | None, code: int | None) -> int:
    if preferred is not None and preferred.owed:
        said = "stopped" if preferred.stopped else "the judge could not be reached"
        click.echo(
            f"proctor: {said}: {preferred.owed} comparisons are still to be made; the same command goes on.", err=True
        )
        if preferred.stopped:
            return STOPPED
    return code or 0

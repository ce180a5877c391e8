"""`proctor run`: set the exam, and write down what came of it."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from pathlib import Path
from typing import Any

import click

from proctor.cli import finishing
from proctor.cli.display import DISPLAYS, displayed
from proctor.cli.group import ERROR, STOPPED
from proctor.cli.journals import tell_damage
from proctor.cli.options import with_calibration
from proctor.cli.painting import painted
from proctor.cli.unjudged import unjudged
from proctor.config import Settings, read_settings, settings_of
from proctor.errors import OptionError, counted
from proctor.gateway.faults import FAULTS
from proctor.gateway.policy import POLICIES
from proctor.metrics._trials import broken
from proctor.records.grades import Missing
from proctor.records.runs import RunRecord
from proctor.report.terminal import overview
from proctor.wiring.exams import Ended, prepare, sit
from proctor.wiring.pages import Wish, page_path, write_page

_HERE = ("config", "display", "resume", "fresh", "no_page")
"""The options that are no settings."""
_NEXT = (
    ("your own agent", "--agent my_agent:Agent"),
    ("your own model", "--agent react --model openai/gpt-4o-mini"),
    ("StableToolBench", "--benchmark stabletoolbench --data DIR --simulator template"),
)
"""What somebody may want to do who has seen the starter."""
_BESIDE = 5_000
"""A run's own page is to be quick: so many trials of other runs are read to stand beside it."""


@click.command()
@click.option(
    "--benchmark",
    metavar="NAME",
    shell_complete=finishing.benchmarks,
    help="starter, stabletoolbench (with --data), or your folder of queries.",
)
@click.option("--data", metavar="DIR", help="Where StableToolBench's queries are.")
@click.option("--tool-dir", metavar="DIR", help="The tool files; without it, the APIs that the queries document.")
@click.option("--index", metavar="FILE", help="Keep an index of the tools in this file: a later start is fast.")
@click.option(
    "--test-set",
    multiple=True,
    metavar="SET",
    shell_complete=finishing.sets,
    help="Ask this set of queries; all of them without it.",
)
@click.option("--ids", metavar="PATH", help="Ask only the queries of this id file, or of a folder of such files.")
@click.option("--limit", type=click.IntRange(min=1), metavar="N", help="Ask the first N queries of each set.")
@click.option(
    "--agent",
    metavar="NAME",
    shell_complete=finishing.agents,
    help="Who sits the exam: one by name (react, dfs, baseline …), module:Object, command:WORDS or http://…",
)
@click.option("--model", metavar="MODEL", help="The agent's model, such as openai/gpt-4o-mini.")
@click.option("--model-url", metavar="URL", help="Where the agent's model is; needed for one of your own.")
@click.option("-A", "--agent-options", multiple=True, metavar="KEY=VALUE", help="Set an option of the agent: tries=3.")
@click.option("--tools", metavar="WHICH", help="The tools at hand: all, query or retrieved:K.")
@click.option(
    "--judge",
    multiple=True,
    metavar="NAME",
    shell_complete=finishing.judges,
    help="Who judges: a model, heuristic, rubric or none.",
)
@click.option("--judge-url", metavar="URL", help="Where the judge's model is.")
@click.option("--judge-repeats", type=click.IntRange(min=1), metavar="N", help="Judge every answer N times.")
@click.option("--judge-template", metavar="DIR", help="The judge's prompts: a folder of StableToolBench's form.")
@with_calibration
@click.option("--simulator", metavar="KIND", help="Who plays the APIs: template, model:NAME or mirror:NAME.")
@click.option("--simulator-url", metavar="URL", help="Where the simulator's model is.")
@click.option("--simulator-thought", is_flag=True, default=None, help="The MirrorAPI is one that reasons first.")
@click.option("--simulator-system", metavar="FILE", help="The instructions that the MirrorAPI was trained on.")
@click.option("--policy", type=click.Choice(sorted(POLICIES)), help="Who answers a call.")
@click.option("--cache", metavar="STORE", help="The recorded answers; new ones are stored there.")
@click.option("--live", metavar="KIND", help="Who the live API is: rapidapi, or the URL of a ToolBench backend.")
@click.option("--faults", type=click.FloatRange(0, 1), metavar="SHARE", help="Spoil this share of the answers.")
@click.option("--fault", type=click.Choice(list(FAULTS)), multiple=True, help="How to spoil them.")
@click.option("--faults-by", type=click.Choice(["call", "tool"]), help="A share of the calls, or of the tools.")
@click.option("--max-steps", type=click.IntRange(min=1), metavar="N", help="Steps of one trial.")
@click.option("--max-calls", type=click.IntRange(min=1), metavar="N", help="API calls of one trial.")
@click.option("--max-tokens", type=click.IntRange(min=1), metavar="N", help="Tokens of one trial.")
@click.option("--max-seconds", type=click.FloatRange(min=0, min_open=True), metavar="S", help="Seconds of one trial.")
@click.option("--max-observation", type=click.IntRange(min=1), metavar="N", help="Characters that the agent is shown.")
@click.option("--output", metavar="DIR", help="Where results are kept.")
@click.option("--name", metavar="NAME", help="What the run is called beside its agent.")
@click.option("--epochs", type=click.IntRange(min=1), metavar="K", help="Ask every query K times.")
@click.option("--seed", type=int, metavar="N", help="The seed of all that is drawn.")
@click.option("--concurrency", type=click.IntRange(min=1), metavar="N", help="Trials at work at once.")
@click.option("--tries", type=click.IntRange(min=1), metavar="N", help="Goes at a trial that the environment breaks.")
@click.option("--engine", metavar="NAME", help="Who carries the trials out: local or ray.")
@click.option("--ray-address", metavar="ADDRESS", help="The Ray cluster: HOST:PORT, or auto; one is started without.")
@click.option("--prices", metavar="FILE", help="What models cost, where the built-in table does not say.")
@click.option("--replies", metavar="FILE", help="Record the models' replies here, and ask nothing twice.")
@click.option("--replay", is_flag=True, default=None, help="Ask no model: every reply has to stand in --replies.")
@click.option("--config", metavar="FILE", help="Read settings from this file instead of proctor.toml.")
@click.option("--resume", is_flag=True, help="Go on with a run that is there, as a larger one if need be.")
@click.option("--fresh", is_flag=True, help="Throw away what is there and begin anew.")
@click.option("--display", type=click.Choice(DISPLAYS), help="How progress is shown: full on a terminal, else plain.")
@click.option("--no-page", is_flag=True, help="Write no page beside the result file.")
@click.pass_context
def command(ctx: click.Context, /, **said: Any) -> None:
    """Set the exam: an agent, a benchmark, a result.

    Without options the baseline agent sits the starter benchmark and the rubric judges. Settings may also stand in
    proctor.toml. A run that was stopped goes on when it is asked for again.
    """
    ctx.exit(_run(said))


def _run(said: dict[str, Any]) -> int:
    settings = _settings(said)
    prepared = prepare(settings)
    if prepared.warning is not None:
        click.echo(f"proctor: {prepared.warning}", err=True)
    with displayed(said["display"]) as watch:
        ended = asyncio.run(sit(prepared, resume=said["resume"], fresh=said["fresh"], watch=watch))
    _report(ended, said["display"])
    page = None
    if not said["no_page"]:
        wish = Wish(calibration=settings.judge.calibration, most_beside=_BESIDE)
        page = write_page(ended.folder, ended.record, page_path(ended.folder), wish=wish)
    code, closing = _closing(ended)
    if said["display"] != "none":
        starts = settings.benchmark.name == "starter" and code == 0
        click.echo("\n".join(_places(ended, page) + (_next() if starts else [])), err=said["display"] == "json")
    if closing is not None:
        click.echo(f"proctor: {closing}", err=True)
    return code


def _settings(said: dict[str, Any]) -> Settings:
    options = {name: value for name, value in said.items() if name not in _HERE}
    options["agent_options"] = dict(_pair(text) for text in said["agent_options"])
    return settings_of(options, read_settings(said["config"]))


def _pair(text: str) -> tuple[str, Any]:
    key, equals, value = text.partition("=")
    if not equals or not key:
        raise OptionError(f"-A {text!r} must be of the form key=value, such as tries=3.")
    try:
        return key, json.loads(value)
    except ValueError:
        return key, value


def _report(ended: Ended, display: str | None) -> None:
    tell_damage(ended.record, ended.folder)
    if display == "json":
        click.echo(ended.result.read_text("utf-8"), nl=False)
    else:
        click.echo(painted(overview(ended.figures)))


def _closing(ended: Ended) -> tuple[int, str | None]:
    """The exit code, and what is still to be done: it stands last, where it is seen."""
    planned = ended.record.planned
    if ended.stopped:
        return STOPPED, f"stopped with {ended.owed} of {planned} trials to do; the same command goes on."
    if ended.state.left and ended.state.left == planned:
        return ERROR, (
            f"none of {counted(planned, 'trial')} could be done: {_trouble(ended.record)}. The same command tries them "
            "again."
        )
    if ended.state.left:
        return 0, (
            f"{counted(ended.state.left, 'trial')} failed through the environment and are owed; the same command tries "
            "them again."
        )
    if (lost := unjudged(ended.record)) is not None:
        return ERROR, lost
    return 0, None


def _trouble(run: RunRecord) -> str:
    """What kept most trials of a run from being done."""
    told = Counter[str]()
    for trial in run.trials:
        lost = broken(trial)
        unheard = [one.reason for one in trial.verdicts if isinstance(one, Missing)]
        told.update([lost.detail or lost.reason] if lost is not None else unheard[:1])
    return max(told, key=told.__getitem__, default="they were not begun").rstrip(".")


def _places(ended: Ended, page: Path | None) -> list[str]:
    """Where everything is that came of a run."""
    places = {"page": page, "result": ended.result, "run": ended.folder}
    return ["", *(f"{name:<10}  {place}" for name, place in places.items() if place is not None)]


def _next() -> list[str]:
    """What to do after the starter."""
    return ["next, proctor run with", *(f"  {what:<15}  {how}" for what, how in _NEXT)]

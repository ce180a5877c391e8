"""`proctor score`: recorded conversations in, figures out."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import click
import msgspec

from proctor.cli import finishing
from proctor.cli.figures import Beside, as_json, as_text
from proctor.cli.group import GATE_FAILED
from proctor.cli.judged import Asked, calibrations_of, corrections, judge_model
from proctor.cli.rows import check_output, kept
from proctor.errors import FileError, InputError, OptionError
from proctor.formats.files import name_of, read_records
from proctor.formats.joining import joined, open_references
from proctor.formats.records import Record
from proctor.metrics import registry
from proctor.run_config import RunConfig
from proctor.runs.gates import Gate, decide, read_gate
from proctor.runs.measuring import Measurement
from proctor.runs.metering import Meter
from proctor.runs.preparing import asking_comparison, measurements_of
from proctor.runs.progress import progress
from proctor.runs.scoring import Scoring, score
from proctor.wiring.shipped import CONVERSATIONS, shipped

_MEBIBYTE = 1024 * 1024


class Wish(msgspec.Struct, frozen=True):
    """What the command was asked for."""

    files: tuple[str, ...]
    metric: tuple[str, ...]
    options: tuple[str, ...]
    reference: str | None
    output: str | None
    fail_under: tuple[str, ...]
    gate: Any
    on_error: str
    json: bool
    level: float
    max_line_mb: float
    judge: str | None
    model_url: str | None
    cache: str | None
    replay: bool
    prices: str | None
    calibration: tuple[str, ...]
    concurrency: int
    timeout: float

    @property
    def config(self) -> RunConfig:
        """How the judge is gone to."""
        return RunConfig(timeout=self.timeout, max_workers=self.concurrency)


@click.command(context_settings={"show_default": True})
@click.argument("files", nargs=-1, required=True, metavar="FILE...", shell_complete=finishing.files)
@click.option(
    "--metric",
    "-m",
    multiple=True,
    metavar="NAME",
    shell_complete=finishing.metrics,
    help="Measure by this metric; may be given many times.",
)
@click.option(
    "-M",
    "options",
    multiple=True,
    metavar="KEY=VALUE",
    help="Set an option of the metrics, or of one: METRIC.KEY=VALUE.",
)
@click.option("--reference", metavar="FILE", help="Take the references from this file, by id or by place.")
@click.option("--judge", metavar="MODEL", help="The model that judged metrics ask, such as openai/gpt-4o-mini.")
@click.option("--model-url", metavar="URL", help="Ask the judge at this address.")
@click.option("--cache", metavar="FILE", help="Keep the judge's replies in this file, and ask nothing twice.")
@click.option("--replay", is_flag=True, help="Ask nobody: what the --cache file does not hold is unmeasured.")
@click.option("--concurrency", type=click.IntRange(min=1), default=16, metavar="N", help="Judge so many cells at once.")
@click.option("--timeout", type=click.FloatRange(min=0.001), default=180.0, metavar="S", help="Seconds for one cell.")
@click.option("--prices", metavar="FILE", help="What models cost, where the built-in table does not say.")
@click.option(
    "--calibration",
    multiple=True,
    metavar="[METRIC=]FILE",
    help="Print the rate corrected for the judge's known errors beside the raw one.",
)
@click.option("--output", "-o", metavar="FILE", help="Write each sample's scores to this .jsonl, .csv or .json file.")
@click.option("--fail-under", multiple=True, metavar="METRIC=X", help="Exit with 100 when the metric is below X.")
@click.option(
    "--gate",
    type=click.Choice(["mean", "interval"]),
    default="mean",
    help="What --fail-under looks at: the mean, or the whole interval.",
)
@click.option(
    "--on-error",
    type=click.Choice(["stop", "skip"]),
    default="stop",
    help="What to do about a line or a file that cannot be read: stop, or skip and count it.",
)
@click.option("--json", is_flag=True, help="Print the figures as JSON.")
@click.option("--level", type=float, default=0.95, metavar="P", help="How often the intervals are to hold the truth.")
@click.option("--max-line-mb", type=float, default=32.0, metavar="N", help="Refuse lines of more MiB than this.")
@click.pass_context
def command(ctx: click.Context, /, **said: Any) -> None:
    """Score recorded conversations by metrics.

    FILE is JSONL or JSON: samples, lists of OpenAI messages, or pairs of outputs and reference outputs. `-` is
    standard input, and `starter` the conversations that come with Proctor. `proctor metrics` lists the metrics.

    Exit codes: 0 all went well, 1 an error, 100 a gate failed.
    """
    said["files"] = tuple(shipped(file, CONVERSATIONS) for file in said["files"])
    ctx.exit(_score(Wish(**said)))


def _score(wish: Wish) -> int:
    _check(wish)
    meter = Meter()
    measurements = _measurements(wish, meter)
    calibrations = calibrations_of(wish.calibration, measurements)
    gates = [read_gate(said, [one.name for one in measurements]) for said in wish.fail_under]
    longest = int(wish.max_line_mb * _MEBIBYTE)
    references = open_references(wish.reference, longest=longest) if wish.reference is not None else None
    with (
        progress("scoring", total=_size(wish.files)) as advance,
        kept(wish.output, [one.name for one in measurements]) as keep,
    ):
        scoring = Scoring(measurements, skip=wish.on_error == "skip", keep=keep)
        records = _records(wish.files, longest, advance)
        score(records if references is None else joined(records, references), scoring, wish.config, meter)
        left = references.left() if references is not None else []
        if not scoring.samples:
            raise InputError(_nothing(wish, scoring))
    return _report(wish, scoring, gates, Beside(len(left), meter.usage, calibrations))


def _report(wish: Wish, scoring: Scoring, gates: list[Gate], beside: Beside) -> int:
    estimates = {
        one.name: scoring.tallies[one.name].estimate(wish.level, bounds=one.metric.bounds)
        for one in scoring.measurements
    }
    verdicts = [decide(gate, estimates[gate.metric], wish.gate) for gate in gates]
    beside = msgspec.structs.replace(beside, corrected=corrections(estimates, beside.calibrations, wish.level))
    say = as_json if wish.json else as_text
    click.echo(say(scoring, estimates, verdicts, beside))
    unmeasured = [name for name, tally in scoring.tallies.items() if not tally.n]
    if unmeasured:
        why = scoring.tallies[unmeasured[0]].unmeasured.most_common(1)[0][0]
        raise InputError(f"{unmeasured[0]} could not be measured on any of {scoring.samples} samples: {why}.")
    return 0 if all(verdict.passed for verdict in verdicts) else GATE_FAILED


def _measurements(wish: Wish, meter: Meter) -> list[Measurement]:
    if not wish.metric:
        raise OptionError(f"say by which metric: --metric NAME. Known are {', '.join(registry.names())}.")
    names = [registry.entry(name).name for name in wish.metric]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise OptionError(f"the metric {twice!r} is named twice; once is enough.")
    options: dict[str, str] = {}
    for said in wish.options:
        key, equals, value = said.partition("=")
        if not equals or not key:
            raise OptionError(f"-M {said!r} must be of the form key=value or metric.key=value.")
        if key in options:
            raise OptionError(f"-M {key} is given twice, as {options[key]!r} and {value!r}; which of the two is meant?")
        options[key] = value
    metrics = registry.make_all(names, options)
    model = judge_model(Asked(wish.judge, wish.model_url, wish.cache, wish.replay, wish.prices))
    asking = [one for metric in metrics for one in (metric, asking_comparison(metric)) if one is not None]
    unjudged = next((metric.name for metric in asking if metric.asks_model and metric.llm is None), None)
    if unjudged is not None and model is None:
        raise OptionError(f"the metric {unjudged!r} asks a model; say which: --judge openai/gpt-4o-mini.")
    return measurements_of(metrics, None if model is None else meter.own(model), wish.config, meter)


def _check(wish: Wish) -> None:
    if not 0 < wish.level < 1:
        raise OptionError(f"--level is {wish.level:g}; expected a number between 0 and 1, such as 0.95.")
    if not 0 < wish.max_line_mb <= 1 << 20:
        raise OptionError(f"--max-line-mb is {wish.max_line_mb:g}; expected a number above 0.")
    inputs = [*wish.files, *([wish.reference] if wish.reference is not None else [])]
    if inputs.count("-") > 1:
        raise OptionError("standard input (-) can be read only once.")
    check_output(wish.output, inputs)


def _records(files: tuple[str, ...], longest: int, advance: Any) -> Iterator[Record | FileError]:
    for path in files:
        try:
            yield from read_records(path, longest=longest, advance=advance)
        except FileError as error:
            # A whole file that cannot be read is one more thing to stop at or to skip.
            yield error


def _nothing(wish: Wish, scoring: Scoring) -> str:
    where = ", ".join(map(name_of, wish.files))
    if not scoring.skipped.count:
        return f"there is no sample in {where}."
    first = next(iter(scoring.skipped.first.values()))
    return f"there is no sample in {where} that can be read: {scoring.skipped.count} skipped, the first: {first}"


def _size(files: tuple[str, ...]) -> int | None:
    """How many bytes there are to read, where that can be known."""
    if any(not os.path.isfile(path) for path in files):  # noqa: PTH113 - text that is perhaps no path
        return None
    return sum(os.path.getsize(path) for path in files)  # noqa: PTH202 - as above

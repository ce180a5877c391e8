"""What `proctor grade` tells of a run: its figures by both denominators, and the files that it writes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec

from proctor.cli.painting import painted
from proctor.errors import OptionError
from proctor.formats.stabletoolbench.conversions import Conversion
from proctor.formats.stabletoolbench.of_runs import Part, converted_parts, pass_rate_parts
from proctor.metrics._pass_rate import PassRate, average_of_sets
from proctor.records.grades import Missing
from proctor.records.runs import RunRecord
from proctor.report.summary import Figures, RunSummary
from proctor.report.tables import table
from proctor.report.terminal import Line, overview
from proctor.stats.calibration import Calibration
from proctor.stats.intervals import Estimate
from proctor.store.artifacts import write_whole
from proctor.wiring.grading import GradedRun
from proctor.wiring.resulting import Counted, write_counted


class Told(msgspec.Struct, frozen=True):
    """A graded run with its figures, and where it stands."""

    counted: Counted
    folder: Path
    result: Path
    """Its result file."""

    @classmethod
    def of(cls, graded: GradedRun, *, compat: bool, calibration: Calibration | None, level: float) -> Told:
        """The figures of a run; its result file is written."""
        counted = Counted.of(graded.record, compat=compat, calibration=calibration, level=level)
        return cls(counted, graded.folder, write_counted(graded.folder, counted))

    @property
    def record(self) -> RunRecord:
        """The run as it is counted."""
        return self.counted.record

    @property
    def summary(self) -> RunSummary:
        """Its figures."""
        return self.counted.summary


def gated_figures(told: Told) -> dict[str, Estimate | Missing]:
    """What a gate may look at; of several sets the pass rate is their unweighted mean."""
    figures = told.summary.overall
    sopr = told.summary.sets_mean if len(told.summary.sets) > 1 else figures.sopr
    return {"sopr": sopr, "api_call_score": figures.api_call_score, "finish": figures.finish}


def as_text(told: Sequence[Told], gates: Sequence[str]) -> str:
    """The figures for people."""
    lines: list[Line] = []
    for one in told:
        lines += [
            *overview(one.summary, full=True),
            Line(""),
            *_published(one),
            Line(""),
            Line(f"result      {one.result}"),
            Line(f"run         {one.folder}"),
            Line(""),
        ]
    return painted([*lines, *map(Line, gates)]).rstrip()


def as_json(told: Sequence[Told], gates: Sequence[str]) -> str:
    """The same as JSON."""
    runs = [
        {
            "run": str(one.folder),
            "result": str(one.result),
            "denominator": one.counted.denominator,
            "summary": one.summary,
            "by_other_denominator": {figures.name: figures.pass_rate for figures in one.counted.other.sets},
        }
        for one in told
    ]
    return msgspec.json.format(msgspec.json.encode({"runs": runs, "gates": list(gates)})).decode()


def written_files(
    told: Told, rates: str | None, rows: str | None, converted: str | None, *, several: bool
) -> tuple[str, ...]:
    """Write the files that were asked for in upstream's forms; returns what these forms could not hold."""
    if several and (rates or rows or converted):
        raise OptionError(
            "--pass-rate-json, --pass-rate-csv and --converted are files of one run; grade one at a time."
        )
    record, compat = told.record, told.counted.compat
    lost: tuple[str, ...] = ()
    if rates is not None:
        lost += _write(rates, pass_rate_parts(record, compat=compat))
    if rows is not None:
        lost += _write(rows, pass_rate_parts(record, compat=compat, table=True))
    if converted is not None:
        lost += _write(converted, converted_parts(record, compat=compat))
    return lost


def _write(path: str, parts: Conversion[list[Part]]) -> tuple[str, ...]:
    """Write the one part to the file, or each of several to a file beside it that bears its name."""
    name = Path(path)
    for part in parts.value:
        write_whole(name.with_name(f"{name.stem}.{part.name}{name.suffix}") if part.name else name, part.data)
    return parts.lost


def _published(told: Told) -> list[Line]:
    """The pass rates as published tables have them, by both denominators."""
    ours, theirs = (told.counted.other, told.summary) if told.counted.compat else (told.summary, told.counted.other)
    theirs_by_name = {one.name: one for one in theirs.sets}
    rows = [_both(one, theirs_by_name.get(one.name)) for one in ours.sets]
    if len(ours.sets) > 1:
        rows.append((_mean_of(ours, theirs), _mean(ours), "", _mean(theirs), ""))
    method = told.summary.method
    name = "SoPR over repeats" if method in ("", "official") else f"SoPR by {method}"
    head = (name, "all queries", "of", "answered only", "of")
    note = "answered only: as StableToolBench counts, which a crashed agent profits from"
    first, *rest = table(head, rows)
    return [Line(first, "head"), *map(Line, rest), Line(note, "note")]


def _both(ours: Figures, theirs: Figures | None) -> tuple[str, ...]:
    return (ours.name, *_rate(ours), *(("-", "0") if theirs is None else _rate(theirs)))


def _rate(figures: Figures) -> tuple[str, str]:
    rate = figures.pass_rate
    if isinstance(rate, PassRate):
        return rate.percent, str(rate.judged)
    return "-", "0"


def _mean_of(*both: RunSummary) -> str:
    """What the mean is of: the sets that have a rate."""
    counts = [f"{len(_rates(one))} of {len(one.sets)}" for one in both if len(_rates(one)) < len(one.sets)]
    return f"mean of {' and '.join(dict.fromkeys(counts))} sets" if counts else "mean of sets"


def _rates(summary: RunSummary) -> dict[str, PassRate | Missing]:
    return {one.name: one.pass_rate for one in summary.sets if isinstance(one.pass_rate, PassRate)}


def _mean(summary: RunSummary) -> str:
    mean = average_of_sets(_rates(summary))
    return "-" if isinstance(mean, Missing) else f"{mean * 100:.1f}"

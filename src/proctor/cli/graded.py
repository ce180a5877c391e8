"""What `proctor grade` tells of a run: its figures by both denominators, and the files that it writes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from proctor.errors import OptionError
from proctor.formats.stabletoolbench.conversions import Conversion
from proctor.formats.stabletoolbench.of_runs import Part, converted_parts, pass_rate_parts
from proctor.metrics._pass_rate import PassRate, average_of_sets
from proctor.records.grades import Missing
from proctor.records.runs import RunRecord
from proctor.report.summary import Figures, RunSummary, summarise
from proctor.report.tables import table
from proctor.report.terminal import overview
from proctor.runs.recorded import answered_only
from proctor.runs.resulting import write_result
from proctor.stats.calibration import Calibration
from proctor.stats.intervals import Estimate
from proctor.store.artifacts import write_whole
from proctor.wiring.grading import GradedRun

ALL = "all queries; one without an answer is unsolved"
ANSWERED = "queries with an answer, as StableToolBench counts"


class Told(msgspec.Struct, frozen=True):
    """A graded run with its figures, by the denominator that was asked for and by the other one."""

    record: RunRecord
    """The run as it is counted."""
    summary: RunSummary
    other: RunSummary
    compat: bool
    folder: Path
    result: Path
    """Its result file."""

    @classmethod
    def of(cls, graded: GradedRun, *, compat: bool, calibration: Calibration | None, level: float) -> Told:
        """The figures of a run; its result file is written."""
        whole, counted = graded.record, answered_only(graded.record)
        summaries = [summarise(one, level=level, calibration=calibration) for one in (whole, counted)]
        ours, other = (summaries[1], summaries[0]) if compat else (summaries[0], summaries[1])
        record = counted if compat else whole
        result = write_result(graded.folder, record, further(ours, other, compat=compat))
        return cls(record, ours, other, compat, graded.folder, result)


def further(summary: RunSummary, other: RunSummary, *, compat: bool) -> dict[str, Any]:
    """What a result file's summary says beside upstream's figures, under names of Proctor's own."""
    figures = summary.overall
    return {
        "denominator": ANSWERED if compat else ALL,
        "sopr": figures.sopr,
        "sopr_corrected": figures.corrected,
        "pass_rate": figures.pass_rate,
        "pass_rate_by_other_denominator": other.overall.pass_rate,
        "api_call_score": figures.api_call_score,
        "finish": figures.finish,
        "denominators": figures.denominators,
        "sets": {one.name: _of_set(one) for one in summary.sets},
        "mean_of_sets": summary.sets_mean,
        "mean_of_sets_published": summary.sets_mean_published,
        "selection": summary.selection,
        "calls": summary.calls,
        "flips": summary.flips,
        "stops": summary.troubles.stops,
        "spent": summary.spent,
    }


def gated_figures(told: Told) -> dict[str, Estimate | Missing]:
    """What a gate may look at; of several sets the pass rate is their unweighted mean."""
    figures = told.summary.overall
    sopr = told.summary.sets_mean if len(told.summary.sets) > 1 else figures.sopr
    return {"sopr": sopr, "api_call_score": figures.api_call_score, "finish": figures.finish}


def as_text(told: Sequence[Told], gates: Sequence[str]) -> str:
    """The figures for people."""
    lines: list[str] = []
    for one in told:
        lines += [
            *overview(one.summary),
            "",
            *_published(one),
            "",
            f"result    {one.result}",
            f"run       {one.folder}",
        ]
        lines.append("")
    return "\n".join([*lines, *gates]).rstrip()


def as_json(told: Sequence[Told], gates: Sequence[str]) -> str:
    """The same as JSON."""
    runs = [
        {
            "run": str(one.folder),
            "result": str(one.result),
            "denominator": ANSWERED if one.compat else ALL,
            "summary": one.summary,
            "by_other_denominator": {figures.name: figures.pass_rate for figures in one.other.sets},
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
    record, compat = told.record, told.compat
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


def _of_set(figures: Figures) -> dict[str, Any]:
    return {
        "sopr": figures.sopr,
        "pass_rate": figures.pass_rate,
        "api_call_score": figures.api_call_score,
        "finish": figures.finish,
        "denominators": figures.denominators,
    }


def _published(told: Told) -> list[str]:
    """The pass rates as published tables have them, by both denominators."""
    ours, theirs = (told.other, told.summary) if told.compat else (told.summary, told.other)
    theirs_by_name = {one.name: one for one in theirs.sets}
    rows = [_both(one, theirs_by_name.get(one.name)) for one in ours.sets]
    if len(ours.sets) > 1:
        rows.append(("mean of sets", _mean(ours), "", _mean(theirs), ""))
    method = told.summary.method
    name = "SoPR over repeats" if method in ("", "official") else f"SoPR by {method}"
    head = (name, "all queries", "of", "answered only", "of")
    note = "answered only: as StableToolBench counts, which a crashed agent profits from"
    return [*table(head, rows), note]


def _both(ours: Figures, theirs: Figures | None) -> tuple[str, ...]:
    return (ours.name, *_rate(ours), *(("-", "0") if theirs is None else _rate(theirs)))


def _rate(figures: Figures) -> tuple[str, str]:
    rate = figures.pass_rate
    if isinstance(rate, PassRate):
        return rate.percent, str(rate.queries)
    return "-", "0"


def _mean(summary: RunSummary) -> str:
    mean = average_of_sets({one.name: one.pass_rate for one in summary.sets})
    return "-" if isinstance(mean, Missing) else f"{mean * 100:.1f}"

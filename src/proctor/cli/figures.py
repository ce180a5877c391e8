"""The figures of `proctor score`, for people and for programs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from proctor.errors import counted
from proctor.records.grades import Missing
from proctor.records.traces import Usage
from proctor.report.tables import WIDTH, table
from proctor.runs.gates import Verdict
from proctor.runs.scoring import Scoring
from proctor.stats.calibration import Calibration
from proctor.stats.intervals import Estimate

_MOST = 8
"""So many reasons are printed of each; the rest is one line."""

Estimates = Mapping[str, Estimate | Missing]


class Beside(msgspec.Struct, frozen=True):
    """What stands beside the figures."""

    left: int = 0
    """References that belong to no sample."""
    usage: Usage = Usage()
    """What models were asked for."""
    calibrations: dict[str, Calibration] = {}
    corrected: dict[str, Estimate | Missing] = {}
    """By metric, the rate with the judge's known errors taken out."""


def as_text(scoring: Scoring, estimates: Estimates, verdicts: Sequence[Verdict], beside: Beside) -> str:
    """A table, then what could not be measured and what was skipped, by reason, then the gates."""
    level = next((f"{one.level:g}" for one in estimates.values() if isinstance(one, Estimate)), "")
    rows = [_row(name, estimate, scoring) for name, estimate in estimates.items()]
    rows = [row for name, raw in zip(estimates, rows, strict=True) for row in (raw, *_corrected(name, beside))]
    lines = table(["metric", "mean", f"{_percent(level)} interval".strip(), "n", "unmeasured"], rows)
    for name, tally in scoring.tallies.items():
        lines += _reasons(f"unmeasured: {name}", tally.unmeasured)
    for name, odd in scoring.odd.items():
        if odd.count:
            lines += ["", *_wrapped(f"odd: {name}", f"{counted(odd.count, 'sample')}, the first: {odd.first}")]
    for name, estimate in estimates.items():
        if isinstance(estimate, Estimate) and estimate.note is not None and estimate.low == estimate.high:
            lines += ["", *_wrapped(f"note: {name}", estimate.note)]
    skipped = scoring.skipped
    lines += _reasons("skipped", skipped.reasons, skipped.first)
    lines += [line for name, estimate in beside.corrected.items() for line in _about(name, estimate, beside)]
    if beside.usage.requests:
        lines += ["", *_wrapped("model", _spent(beside.usage))]
    if beside.left:
        lines += ["", f"references that belong to no sample: {beside.left}"]
    if verdicts:
        lines += ["", *(f"{'passed' if one.passed else 'FAILED'}  {one.sentence}" for one in verdicts)]
    return "\n".join(lines)


def as_json(scoring: Scoring, estimates: Estimates, verdicts: Sequence[Verdict], beside: Beside) -> str:
    """The same as one JSON object."""
    skipped = scoring.skipped
    plain = {
        "samples": scoring.samples,
        "skipped": {"count": skipped.count, "reasons": skipped.reasons, "first": skipped.first},
        "unused_references": beside.left,
        "metrics": {
            name: _plain(name, estimate, scoring)
            | ({"corrected": beside.corrected[name]} if name in beside.corrected else {})
            for name, estimate in estimates.items()
        },
        "usage": beside.usage,
        "gates": [
            {"metric": one.gate.metric, "at_least": one.gate.threshold, "passed": one.passed, "said": one.sentence}
            for one in verdicts
        ],
    }
    return msgspec.json.format(msgspec.json.encode(plain)).decode()


def _corrected(name: str, beside: Beside) -> list[list[str]]:
    """The row below a raw rate, where it was corrected."""
    estimate = beside.corrected.get(name)
    if estimate is None:
        return []
    if isinstance(estimate, Missing):
        return [["  corrected", "-", "", "0", ""]]
    return [["  corrected", f"{estimate.value:.4f}", f"{estimate.low:.4f} to {estimate.high:.4f}", str(estimate.n), ""]]


def _about(name: str, estimate: Estimate | Missing, beside: Beside) -> list[str]:
    """What has to be known about a corrected rate."""
    calibration = beside.calibrations[name]
    if isinstance(estimate, Missing):
        said = estimate.reason if estimate.detail is None else f"{estimate.reason} ({estimate.detail})"
    else:
        said = f"by {calibration.m0 + calibration.m1} labels" + (f"; {estimate.note}" if estimate.note else "")
    whose = f" of {calibration.judge}" if calibration.judge else ""
    return ["", *_wrapped(f"corrected: {name}", f"{said}; the calibration{whose} is from {calibration.labels}")]


def _spent(usage: Usage) -> str:
    tokens = f"{usage.prompt_tokens} + {usage.completion_tokens} tokens"
    cost = (
        f"the cost is unmeasured: {usage.cost.reason}" if isinstance(usage.cost, Missing) else f"{usage.cost:.4f} US$"
    )
    return f"asked {usage.requests} times, {tokens}; {cost}"


def _row(name: str, estimate: Estimate | Missing, scoring: Scoring) -> list[str]:
    missing = scoring.tallies[name].unmeasured.total()
    if isinstance(estimate, Missing):
        return [name, "-", "", "0", str(missing)]
    interval = "none" if estimate.low is None else f"{estimate.low:.4f} to {estimate.high:.4f}"
    return [name, f"{estimate.value:.4f}", interval, str(estimate.n), str(missing)]


def _percent(level: str) -> str:
    return f"{float(level) * 100:g} %" if level else ""


def _reasons(what: str, reasons: Mapping[str, int], first: Mapping[str, str] | None = None) -> list[str]:
    if not reasons:
        return []
    lines = ["", f"{what}: {sum(reasons.values())}"]
    ordered = sorted(reasons.items(), key=lambda item: -item[1])
    for reason, count in ordered[:_MOST]:
        lines += _wrapped(f"  {count}", f"{reason}{f' (first: {first[reason]})' if first else ''}")
    rest = sum(count for _, count in ordered[_MOST:])
    return [*lines, f"  {rest}  for {len(ordered) - _MOST} other reasons"] if rest else lines


def _wrapped(head: str, text: str) -> list[str]:
    import textwrap

    begin = f"{head}  "
    return textwrap.wrap(
        text, WIDTH, initial_indent=begin, subsequent_indent=" " * min(len(begin), 12), break_long_words=True
    ) or [head]


def _plain(name: str, estimate: Estimate | Missing, scoring: Scoring) -> dict[str, Any]:
    tally, odd = scoring.tallies[name], scoring.odd[name]
    plain: dict[str, Any] = {"mean": None, "n": tally.n, "unmeasured": tally.unmeasured, "odd": odd.count}
    if isinstance(estimate, Estimate):
        plain |= {name: getattr(estimate, name) for name in ("low", "high", "level", "method", "note")}
        plain["mean"] = estimate.value
    return plain

"""The figures of `proctor score`, for people and for programs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from proctor.records.grades import Missing
from proctor.report.tables import WIDTH, table
from proctor.runs.gates import Verdict
from proctor.runs.scoring import Scoring
from proctor.stats.intervals import Estimate

_MOST = 8
"""So many reasons are printed of each; the rest is one line."""

Estimates = Mapping[str, Estimate | Missing]


def as_text(scoring: Scoring, estimates: Estimates, verdicts: Sequence[Verdict], left: int) -> str:
    """A table, then what could not be measured and what was skipped, by reason, then the gates."""
    level = next((f"{one.level:g}" for one in estimates.values() if isinstance(one, Estimate)), "")
    rows = [_row(name, estimate, scoring) for name, estimate in estimates.items()]
    lines = table(["metric", "mean", f"{_percent(level)} interval".strip(), "n", "unmeasured"], rows)
    for name, tally in scoring.tallies.items():
        lines += _reasons(f"unmeasured: {name}", tally.unmeasured)
    for name, odd in scoring.odd.items():
        if odd.count:
            lines += ["", *_wrapped(f"odd: {name}", f"{odd.count} samples, the first: {odd.first}")]
    skipped = scoring.skipped
    lines += _reasons("skipped", skipped.reasons, skipped.first)
    if left:
        lines += ["", f"references that belong to no sample: {left}"]
    if verdicts:
        lines += ["", *(f"{'passed' if one.passed else 'FAILED'}  {one.sentence}" for one in verdicts)]
    return "\n".join(lines)


def as_json(scoring: Scoring, estimates: Estimates, verdicts: Sequence[Verdict], left: int) -> str:
    """The same as one JSON object."""
    skipped = scoring.skipped
    plain = {
        "samples": scoring.samples,
        "skipped": {"count": skipped.count, "reasons": skipped.reasons, "first": skipped.first},
        "unused_references": left,
        "metrics": {name: _plain(name, estimate, scoring) for name, estimate in estimates.items()},
        "gates": [
            {"metric": one.gate.metric, "at_least": one.gate.threshold, "passed": one.passed, "said": one.sentence}
            for one in verdicts
        ],
    }
    return msgspec.json.format(msgspec.json.encode(plain)).decode()


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

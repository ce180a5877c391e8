"""Gates: a metric that is too low fails the command, so that a build can be stopped by it."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Literal, NamedTuple

from proctor.errors import OptionError, nearest
from proctor.records.grades import Missing
from proctor.stats import gates
from proctor.stats.intervals import Estimate

By = Literal["mean", "interval"]


class Gate(NamedTuple):
    """A metric's mean must not be below a threshold."""

    metric: str
    threshold: float


class Verdict(NamedTuple):
    """Whether a gate was passed, and a sentence about it."""

    gate: Gate
    passed: bool
    sentence: str


def read_gate(said: str, columns: Iterable[str], *, option: str = "--fail-under") -> Gate:
    """The gate in `metric=0.8`. The metric is a column, or a metric's name where only one column is of it."""
    name, equals, number = said.rpartition("=")
    if not equals:
        raise OptionError(f"{option} {said!r} must be of the form metric=0.8.")
    known = list(columns)
    meant = [column for column in known if column == name] or [
        column for column in known if column.partition("(")[0] == name.replace("-", "_")
    ]
    if len(meant) != 1:
        raise OptionError(f"{option} names {name!r}, which is not a metric here; {nearest(name, known)}")
    try:
        threshold = float(number)
    except ValueError:
        threshold = math.nan
    if not math.isfinite(threshold):
        raise OptionError(f"{option} {said!r}: {number!r} is no number.")
    return Gate(meant[0], threshold)


def decide(gate: Gate, estimate: Estimate | Missing, by: By) -> Verdict:
    """Whether the gate is passed.

    By `mean` it fails when the mean is below the threshold. By `interval` it fails only when the whole interval is, so
    that a low figure of a few samples does not stop a build by chance; without an interval the mean decides. What could
    not be measured never passes.
    """
    wanted = f"{gate.metric} at least {gate.threshold:g}"
    if isinstance(estimate, Missing):
        return Verdict(gate, passed=False, sentence=f"{wanted}: not measured")
    if by == "mean" or estimate.low is None or estimate.high is None:
        return Verdict(gate, estimate.value >= gate.threshold, f"{wanted}: the mean is {estimate.value:.4f}")
    held = gates.gate(estimate, at_least=gate.threshold)
    doubt = ", which does not decide it" if held is gates.Gate.NOT_DECISIVE else ""
    sentence = f"{wanted}: the interval is {estimate.low:.4f} to {estimate.high:.4f}{doubt}"
    return Verdict(gate, held is not gates.Gate.FAILED, sentence)

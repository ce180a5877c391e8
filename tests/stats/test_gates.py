"""Gates decide by the interval."""

from __future__ import annotations

import math
from typing import Any

import pytest

from proctor.errors import OptionError
from proctor.records.grades import Missing
from proctor.stats.estimates import Estimate, proportion
from proctor.stats.gates import Gate, gate


def between(low: float | None, high: float | None) -> Estimate:
    return Estimate(value=0.5, n=10, low=low, high=high)


@pytest.mark.parametrize(
    ("low", "high", "at_least", "at_most", "expected"),
    [
        (0.8, 0.9, 0.8, None, Gate.PASSED),
        (0.7, 0.9, 0.8, None, Gate.NOT_DECISIVE),
        (0.7, 0.8, 0.8, None, Gate.NOT_DECISIVE),
        (0.6, 0.79, 0.8, None, Gate.FAILED),
        (0.1, 0.2, None, 0.2, Gate.PASSED),
        (0.1, 0.3, None, 0.2, Gate.NOT_DECISIVE),
        (0.21, 0.3, None, 0.2, Gate.FAILED),
        (0.4, 0.6, 0.4, 0.6, Gate.PASSED),
        (0.3, 0.7, 0.4, 0.6, Gate.NOT_DECISIVE),
        (0.7, 0.8, 0.4, 0.6, Gate.FAILED),
        (None, None, 0.4, None, Gate.NOT_DECISIVE),
    ],
)
def test_a_gate_looks_at_the_whole_interval(
    low: float | None, high: float | None, at_least: float | None, at_most: float | None, expected: Gate
) -> None:
    assert gate(between(low, high), at_least=at_least, at_most=at_most) is expected


def test_more_tasks_decide_what_few_leave_open() -> None:
    assert gate(proportion(14, 20), at_least=0.8) is Gate.NOT_DECISIVE
    assert gate(proportion(140, 200), at_least=0.8) is Gate.FAILED


def test_what_was_not_measured_neither_passes_nor_fails() -> None:
    assert gate(Missing("no verdict"), at_least=0.5) is Gate.UNMEASURED


@pytest.mark.parametrize("threshold", [math.nan, math.inf])
def test_a_threshold_that_is_no_number_is_refused(threshold: float) -> None:
    with pytest.raises(OptionError, match="at_least is"):
        gate(proportion(1, 2), at_least=threshold)


def test_a_gate_needs_a_threshold() -> None:
    without: dict[str, Any] = {}
    with pytest.raises(OptionError, match="a gate has no threshold"):
        gate(proportion(1, 2), **without)

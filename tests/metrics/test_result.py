from __future__ import annotations

import copy
import json
import pickle
from typing import Any

import pytest

from proctor.errors import InputError, UnmeasuredError
from proctor.metrics.result import MetricResult
from proctor.records.grades import Missing, Score

HALF = MetricResult(0.5, "one of two")
UNMEASURED = MetricResult.of(Missing("the sample has no reference"))


def test_a_result_computes_like_its_number() -> None:
    assert (HALF + 1, 1 + HALF, HALF - 1, 1 - HALF) == (1.5, 1.5, -0.5, 0.5)
    assert (HALF * 4, 4 * HALF, HALF / 2, 2 / HALF, HALF**2) == (2.0, 2.0, 0.25, 4.0, 0.25)
    assert HALF + HALF == 1.0
    assert sum([HALF, HALF]) == 1.0
    assert (-HALF, abs(MetricResult(-1)), int(MetricResult(1)), float(HALF)) == (-0.5, 1.0, 1, 0.5)


def test_a_result_compares_with_numbers_and_results() -> None:
    assert HALF == 0.5
    assert MetricResult(0.5) == HALF
    assert HALF < 1
    assert HALF.__ge__(MetricResult(0.5))
    assert HALF > 0.25
    assert HALF <= 0.5
    assert sorted([MetricResult(1), HALF, MetricResult(0)]) == [0, 0.5, 1]
    assert HALF != "0.5"


def test_a_result_rounds_and_prints_like_its_number() -> None:
    third = MetricResult(1 / 3, "one of three")
    assert round(third, 2) == 0.33
    assert round(third) == 0
    assert f"{third:.2f}" == "0.33"
    assert str(HALF) == f"{HALF}" == repr(HALF) == "MetricResult(value=0.5, reason='one of two')"
    assert repr(MetricResult(1)) == "MetricResult(value=1.0)"


def test_a_result_is_true_when_its_number_is_not_0() -> None:
    assert bool(HALF) is True
    assert bool(MetricResult(0.0)) is False


def test_equal_results_have_equal_hashes() -> None:
    assert hash(MetricResult(0.5)) == hash(HALF) == hash(0.5)
    assert {HALF: "x"}[MetricResult(0.5)] == "x"
    assert hash(UNMEASURED) == hash(MetricResult(None, "the sample has no reference"))


@pytest.mark.parametrize("result", [HALF, UNMEASURED, MetricResult(1, traces={"input": {"a": 1}})])
def test_a_result_can_be_copied_and_pickled(result: MetricResult) -> None:
    for again in (copy.copy(result), copy.deepcopy(result), pickle.loads(pickle.dumps(result))):  # noqa: S301 - ours
        assert again == result
        assert (again.value, again.reason, again.traces) == (result.value, result.reason, result.traces)


def test_a_result_can_be_turned_into_json() -> None:
    assert HALF.to_dict() == {"result": 0.5, "reason": "one of two"}
    assert json.loads(HALF.to_json()) == {"value": 0.5, "reason": "one of two"}
    assert json.loads(UNMEASURED.to_json()) == {"value": None, "reason": "the sample has no reference"}


def test_a_result_says_what_a_score_says() -> None:
    assert MetricResult.of(Score(0.5, reason="one of two")).reason == "one of two"
    assert MetricResult.of(Score(0.0, warning="odd")).reason == "odd"


@pytest.mark.parametrize(
    "use",
    [float, int, bool, round, abs, lambda it: it + 1, lambda it: 1 - it, lambda it: it < 1, lambda it: f"{it:.1f}"],
)
def test_an_unmeasured_result_refuses_to_be_a_number(use: Any) -> None:
    with pytest.raises(UnmeasuredError, match="this result is unmeasured: the sample has no reference"):
        use(UNMEASURED)


def test_an_unmeasured_result_has_no_value_and_equals_no_number() -> None:
    assert UNMEASURED.value is None
    assert UNMEASURED != 0
    assert MetricResult(0) != UNMEASURED
    assert MetricResult(None, "another reason") != UNMEASURED
    assert str(UNMEASURED) == "MetricResult(value=None, reason='the sample has no reference')"


@pytest.mark.parametrize("other", ["x", None, [1]])
def test_a_result_does_not_compute_with_what_is_no_number(other: Any) -> None:
    with pytest.raises(TypeError):
        HALF + other
    with pytest.raises(TypeError):
        other > HALF  # noqa: B015 - it raises


@pytest.mark.parametrize("value", ["good", float("nan"), [1]])
def test_a_value_has_to_be_a_number(value: Any) -> None:
    with pytest.raises(InputError, match="must be a number, or None when it is unmeasured"):
        MetricResult(value)


def test_traces_have_two_keys() -> None:
    with pytest.raises(ValueError, match="'input' and 'output', not 'log'"):
        MetricResult(1.0, traces={"log": 1})

"""A judge's errors taken out of the rate that it reads."""

from __future__ import annotations

import math
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proctor.errors import InputError
from proctor.records.grades import Missing
from proctor.stats.calibration import Calibration, calibrate, corrected, corrected_rate
from proctor.stats.estimates import Estimate, proportion, repeated


def held(found: Estimate | Missing) -> Estimate:
    assert isinstance(found, Estimate)
    return found


def simulated(truth: float, *, n: int, labelled: int, runs: int, seed: int) -> tuple[list[Estimate], list[float]]:
    """What the correction and the judge say of many runs: 0.9 of the good pass, 0.8 of the bad fail."""
    dice = np.random.default_rng(seed)
    passes = dice.binomial(n, truth * 0.9 + (1 - truth) * 0.2, size=runs)
    rejected, accepted = dice.binomial(labelled, 0.8, size=runs), dice.binomial(labelled, 0.9, size=runs)
    found = [
        held(corrected(int(p), n, Calibration(q0=r / labelled, m0=labelled, q1=a / labelled, m1=labelled)))
        for p, r, a in zip(passes, rejected, accepted, strict=True)
    ]
    return found, (passes / n).tolist()


def covers(found: Estimate, truth: float) -> bool:
    assert found.low is not None
    assert found.high is not None
    return found.low <= truth <= found.high


def test_a_noisy_judge_reads_too_much_and_the_correction_takes_it_out() -> None:
    found, read = simulated(0.2, n=200, labelled=30, runs=8000, seed=1)
    assert np.mean(read) == pytest.approx(0.34, abs=0.002)
    assert np.mean([estimate.value for estimate in found]) == pytest.approx(0.195, abs=0.003)
    assert np.mean([covers(estimate, 0.2) for estimate in found]) == pytest.approx(0.94, abs=0.01)
    assert np.mean([abs(share - 0.2) < 0.1 for share in read]) < 0.2


@pytest.mark.parametrize("truth", [0.05, 0.5, 0.9])
@pytest.mark.parametrize("labelled", [40, 200])
def test_the_corrected_interval_holds_the_truth_as_often_as_it_says(truth: float, labelled: int) -> None:
    found, _ = simulated(truth, n=200, labelled=labelled, runs=1500, seed=2)
    assert np.mean([covers(estimate, truth) for estimate in found]) == pytest.approx(0.95, abs=0.035)


def test_the_variance_is_that_of_the_formula() -> None:
    judge = Calibration(q0=0.8, m0=60, q1=0.9, m1=40)
    found = held(corrected(34, 100, judge))
    theta = (0.34 - 0.2) / 0.7
    variance = (0.34 * 0.66 / 100 + (1 - theta) ** 2 * 0.8 * 0.2 / 60 + theta**2 * 0.9 * 0.1 / 40) / 0.7**2
    assert found.value == pytest.approx(theta)
    assert found.se == pytest.approx(math.sqrt(variance))
    assert found.high == pytest.approx(theta + 1.959964 * math.sqrt(variance))


def test_repeats_of_a_task_make_the_corrected_interval_no_narrower_than_the_tasks_allow() -> None:
    dice, tasks, repeats, rounds = np.random.default_rng(3), 40, 10, 1500
    inside = []
    for chances in dice.beta(0.5, 0.5, (rounds, tasks)):
        read = dice.binomial(repeats, chances * 0.9 + (1 - chances) * 0.2)
        judge = Calibration(dice.binomial(150, 0.8) / 150, 150, dice.binomial(150, 0.9) / 150, 150)
        clustered = held(corrected_rate(repeated([[1.0] * n + [0.0] * (repeats - n) for n in read.tolist()]), judge))
        apart = held(corrected(int(read.sum()), tasks * repeats, judge))
        inside.append((covers(clustered, 0.5), covers(apart, 0.5)))
    as_clustered, as_apart = np.mean(inside, axis=0)
    assert as_clustered == pytest.approx(0.95, abs=0.02)
    assert as_apart < 0.86


def test_a_rate_of_single_answers_is_corrected_as_its_counts_are() -> None:
    judge = Calibration(q0=0.8, m0=60, q1=0.9, m1=40)
    for passes in (0, 34, 100):
        found, counted = held(corrected_rate(proportion(passes, 100), judge)), held(corrected(passes, 100, judge))
        assert found == counted
    nothing = corrected_rate(Missing("nobody was judged"), judge)
    assert nothing == Missing("the judge has no verdict to correct")


@pytest.mark.parametrize(("q0", "q1"), [(0.5, 0.5), (0.1, 0.9), (0.2, 0.3)])
def test_a_judge_no_better_than_a_coin_is_refused(q0: float, q1: float) -> None:
    found = corrected(5, 10, Calibration(q0=q0, m0=50, q1=q1, m1=50))
    assert isinstance(found, Missing)
    assert found.reason == "the judge is no better than chance on its calibration labels"
    assert found.detail == f"q0 + q1 = {q0} + {q1}; expected more than 1"


def test_a_correction_beyond_the_ends_is_clipped_and_says_so() -> None:
    judge = Calibration(q0=0.8, m0=50, q1=0.9, m1=50)
    low, high = held(corrected(5, 100, judge)), held(corrected(100, 100, judge))
    assert (low.value, low.low, low.note) == (0.0, 0.0, "clipped: the correction gives -0.214")
    assert (high.value, high.high, high.note) == (1.0, 1.0, "clipped: the correction gives 1.143")
    assert held(corrected(34, 100, judge)).note is None


def test_labels_without_an_error_do_not_make_a_certain_judge() -> None:
    few = held(corrected(50, 50, Calibration(q0=1.0, m0=10, q1=1.0, m1=10)))
    many = held(corrected(50, 50, Calibration(q0=1.0, m0=1000, q1=1.0, m1=1000)))
    assert few.value == many.value == 1.0
    assert few.low is not None
    assert many.low is not None
    assert few.low < many.low < 1.0


def test_what_is_lacking_for_a_correction_is_named() -> None:
    judge = Calibration(q0=0.8, m0=50, q1=0.9, m1=50)
    assert corrected(0, 0, judge) == Missing("the judge has no verdict to correct")
    bare = Calibration(q0=0.8, m0=0, q1=0.9, m1=50)
    assert corrected(1, 2, bare) == Missing("the calibration lacks answers that people passed or failed")


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 100), st.floats(0.51, 1), st.floats(0.51, 1), st.integers(1, 500), st.integers(1, 500))
def test_a_corrected_rate_stays_a_rate_and_mirrors(passes: int, q0: float, q1: float, m0: int, m1: int) -> None:
    found = held(corrected(passes, 100, Calibration(q0=q0, m0=m0, q1=q1, m1=m1)))
    assert found.low is not None
    assert found.high is not None
    assert 0 <= found.low <= found.value <= found.high <= 1
    mirrored = held(corrected(100 - passes, 100, Calibration(q0=q1, m0=m1, q1=q0, m1=m0)))
    assert found.value == pytest.approx(1 - mirrored.value)
    assert found.low == pytest.approx(1 - (mirrored.high or 0))


def test_a_calibration_is_made_from_labels() -> None:
    judge: list[bool | None] = [True, True, False, True, False, None, True]
    people: list[bool | Missing] = [True, True, True, False, False, True, Missing("not looked at")]
    found = calibrate(judge, people, judge="gpt-4o, prompt 2", labels="labels.csv", made=1.5)
    assert found == Calibration(
        q0=0.5, m0=2, q1=2 / 3, m1=3, judge="gpt-4o, prompt 2", labels="labels.csv", unlabelled=2, made=1.5
    )
    assert found.youden == pytest.approx(1 / 6)


def test_a_calibration_needs_good_and_bad_answers() -> None:
    assert calibrate([True, False], [True, True]) == Missing(
        "people failed none of the labelled answers", "2 answers are labelled by both"
    )
    assert calibrate([True], [False]) == Missing(
        "people passed none of the labelled answers", "1 answers are labelled by both"
    )
    assert isinstance(calibrate([], []), Missing)


def test_a_calibration_is_json_and_back() -> None:
    found = Calibration(q0=0.8, m0=50, q1=0.9, m1=40, judge="gpt-4o", labels_hash="ab12")
    assert msgspec.json.decode(msgspec.json.encode(found), type=Calibration) == found


@pytest.mark.parametrize("fields", [{"q0": 1.2}, {"q1": -0.1}, {"q0": math.nan}, {"m0": -1}, {"m1": 1.5}])
def test_a_calibration_that_cannot_be_is_refused(fields: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="expected"):
        Calibration(**{"q0": 0.8, "m0": 5, "q1": 0.9, "m1": 5, **fields})


def test_labels_that_are_neither_are_refused_with_their_place() -> None:
    wrong: Any = ["yes"]
    with pytest.raises(InputError, match="label 0 of the judge is 'yes'; expected true or false"):
        calibrate(wrong, [True])
    with pytest.raises(InputError, match="the judge has 1 labels and people 2"):
        calibrate([True], [True, False])

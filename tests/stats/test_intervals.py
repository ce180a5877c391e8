"""Wilson's interval and Student's t, against scipy, by their coverage, and by the laws that they obey."""

from __future__ import annotations

import math
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from proctor.errors import InputError, OptionError
from proctor.records.grades import Missing
from proctor.stats.intervals import (
    SAME,
    SINGLE,
    Estimate,
    average,
    finite,
    none_seen,
    normal_quantile,
    proportion,
    t_interval,
    t_quantile,
)


def rate(successes: int, n: int, level: float = 0.95) -> Estimate:
    found = proportion(successes, n, level=level)
    assert isinstance(found, Estimate)
    return found


def ends(found: Estimate) -> tuple[float, float]:
    assert found.low is not None
    assert found.high is not None
    return found.low, found.high


def wald(successes: int, n: int) -> tuple[float, float]:
    share = successes / n
    half = 1.96 * math.sqrt(share * (1 - share) / n)
    return share - half, share + half


def coverage(interval: Any, n: int, truth: float) -> float:
    """How often the interval holds the truth, exactly: over every count of successes with its chance."""
    held = [low <= truth <= high for low, high in (interval(count, n) for count in range(n + 1))]
    return float(np.dot(held, stats.binom.pmf(np.arange(n + 1), n, truth)))


@pytest.mark.parametrize("n", [1, 2, 7, 50, 1000])
@pytest.mark.parametrize("level", [0.8, 0.95, 0.99])
def test_a_rate_has_the_interval_that_scipy_gives_it(n: int, level: float) -> None:
    for successes in {0, 1, n // 2, n - 1, n}:
        theirs = stats.binomtest(successes, n).proportion_ci(level, method="wilson")
        assert ends(rate(successes, n, level)) == pytest.approx((theirs.low, theirs.high), abs=1e-12)


def test_near_one_wilson_covers_what_it_says_and_wald_does_not() -> None:
    assert coverage(wald, 50, 0.97) == pytest.approx(0.78, abs=0.005)
    assert coverage(lambda count, n: ends(rate(count, n)), 50, 0.97) == pytest.approx(0.94, abs=0.005)


@pytest.mark.parametrize("truth", [0.05, 0.3, 0.5, 0.8, 0.95])
@pytest.mark.parametrize("n", [20, 163])
def test_a_rate_covers_the_truth_about_as_often_as_it_says(truth: float, n: int) -> None:
    assert coverage(lambda count, n: ends(rate(count, n)), n, truth) == pytest.approx(0.95, abs=0.03)


def test_of_no_tries_there_is_no_rate() -> None:
    assert proportion(0, 0) == Missing("there is no value to estimate from")


@pytest.mark.parametrize("n", [30, 100, 1000])
def test_what_was_never_seen_is_rarer_than_three_in_n(n: int) -> None:
    assert none_seen(n) == pytest.approx(3 / n, rel=0.06)
    exact = stats.binomtest(0, n, alternative="less").proportion_ci(0.95, method="exact").high
    assert none_seen(n) == pytest.approx(exact, rel=1e-9)
    assert (1 - none_seen(n)) ** n == pytest.approx(0.05)


def test_what_was_never_tried_can_be_anything() -> None:
    assert none_seen(0) == 1.0


def test_a_rate_without_failures_says_how_many_there_can_be() -> None:
    assert rate(100, 100).note == "every one of 100 is a success: the rate of failure is at most 0.03 (95 %, one-sided)"
    assert rate(0, 100).note == "every one of 100 is a failure: the rate of success is at most 0.03 (95 %, one-sided)"
    assert rate(99, 100).note is None


@pytest.mark.parametrize(
    ("successes", "n"), [(-1, 5), (6, 5), (1.5, 5), (1, math.nan), (1, math.inf), ("1", 2), (None, 1)]
)
def test_counts_that_cannot_be_are_refused(successes: Any, n: Any) -> None:
    with pytest.raises(InputError, match=r"expected a whole number|expected at most"):
        proportion(successes, n)


@pytest.mark.parametrize("level", [0, 1, 95, -0.5, math.nan])
def test_a_level_that_is_none_is_refused(level: float) -> None:
    with pytest.raises(OptionError, match=r"level is .*; expected a number between 0 and 1, such as 0\.95"):
        proportion(1, 2, level=level)
    with pytest.raises(OptionError):
        t_interval(5, 0.5, 1.0, level=level)


@settings(deadline=None, max_examples=60)
@given(st.integers(1, 5000), st.data())
def test_failures_mirror_successes(n: int, data: st.DataObject) -> None:
    successes = data.draw(st.integers(0, n))
    one, other = rate(successes, n), rate(n - successes, n)
    assert ends(one) == pytest.approx((1 - ends(other)[1], 1 - ends(other)[0]), abs=1e-12)
    assert 0.0 <= ends(one)[0] <= one.value <= ends(one)[1] <= 1.0


@settings(deadline=None, max_examples=30)
@given(st.integers(1, 300), st.data())
def test_more_tries_and_less_certainty_make_an_interval_narrower(n: int, data: st.DataObject) -> None:
    successes = data.draw(st.integers(0, n))

    def width(found: Estimate) -> float:
        return ends(found)[1] - ends(found)[0]

    assert width(rate(successes * 4, n * 4)) < width(rate(successes, n))
    assert width(rate(successes, n, 0.8)) < width(rate(successes, n, 0.95))


@pytest.mark.parametrize("level", [0.5, 0.9, 0.95, 0.999])
def test_the_quantiles_are_those_of_scipy(level: float) -> None:
    assert normal_quantile(level) == pytest.approx(stats.norm.ppf((1 + level) / 2), rel=1e-12)
    for freedom in (1, 2, 30, 10_000):
        assert t_quantile(level, freedom) == pytest.approx(stats.t.ppf((1 + level) / 2, freedom), rel=1e-9)


def test_the_t_interval_is_that_of_scipy() -> None:
    values = np.random.default_rng(3).normal(5, 2, size=17)
    found = t_interval(17, float(values.mean()), float(((values - values.mean()) ** 2).sum()), level=0.9)
    theirs = stats.t.interval(0.9, 16, loc=values.mean(), scale=stats.sem(values))
    assert ends(found) == pytest.approx(theirs)
    assert found.se == pytest.approx(stats.sem(values))


def test_one_value_has_no_interval_and_says_so() -> None:
    assert t_interval(1, 0.5, 0.0) == Estimate(value=0.5, n=1, method="t", note=SINGLE)


def test_equal_values_have_an_interval_without_width_and_a_warning() -> None:
    assert t_interval(9, 0.5, 0.0) == Estimate(value=0.5, n=9, low=0.5, high=0.5, method="t", se=0.0, note=SAME)


def test_an_interval_is_cut_where_the_score_ends() -> None:
    free, cut = t_interval(3, 0.9, 0.1), t_interval(3, 0.9, 0.1, bounds=(0, 1))
    assert ends(free)[1] > 1.0
    assert ends(cut) == (ends(free)[0], 1.0)


def test_a_value_beyond_the_bounds_is_refused() -> None:
    with pytest.raises(InputError, match=r"a value is 1\.5; expected one from 0 to 1\."):
        t_interval(3, 1.5, 0.1, bounds=(0, 1))


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, 1e300, "0.5", None, 10**400])
def test_what_is_no_finite_number_is_named_with_its_place(value: Any) -> None:
    with pytest.raises(InputError, match=r"^value 1 is .*; expected a finite number"):
        finite([0.5, value])


@settings(deadline=None, max_examples=60)
@given(st.lists(st.floats(-1e6, 1e6), min_size=1))
def test_an_average_never_leaves_the_range_of_its_numbers(numbers: list[float]) -> None:
    assert min(numbers) <= average(numbers) <= max(numbers)


def test_an_estimate_is_json_and_back() -> None:
    for found in (rate(3, 7), t_interval(1, 0.5, 0.0)):
        assert msgspec.json.decode(msgspec.json.encode(found), type=Estimate | Missing) == found

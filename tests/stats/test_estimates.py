"""Means, clusters, repeats, bootstrap and pass@k: against scipy, by simulation, and by counting every case."""

from __future__ import annotations

import itertools
import math
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from proctor.errors import InputError, OptionError
from proctor.records.grades import Missing
from proctor.stats import estimates
from proctor.stats.estimates import (
    Estimate,
    bootstrap,
    clustered_mean,
    mean,
    of_scores,
    pass_at_k,
    pass_hat_k,
    proportion,
    repeated,
)
from proctor.stats.intervals import SAME

Array = npt.NDArray[np.float64]


def held(found: Estimate | Missing) -> Estimate:
    assert isinstance(found, Estimate)
    return found


def holds(found: Estimate | Missing, truth: float) -> bool:
    estimate = held(found)
    assert estimate.low is not None
    assert estimate.high is not None
    return estimate.low <= truth <= estimate.high


def clustered_scores(seed: int, *, clusters: int = 30, size: int = 10, likeness: float = 0.38) -> Array:
    """0/1 scores in rows; the tasks of a row share a rate drawn from a beta distribution with mean 0.6."""
    dice = np.random.default_rng(seed)
    weight = 1 / likeness - 1
    rates = dice.beta(0.6 * weight, 0.4 * weight, size=clusters)
    return (dice.random((clusters, size)) < rates[:, None]).astype(float)


# --- the mean


def test_a_mean_has_the_interval_that_scipy_gives_it() -> None:
    values = np.random.default_rng(1).random(40)
    theirs = stats.ttest_1samp(values, 0).confidence_interval(0.95)
    found = held(mean(values))
    assert (found.low, found.high) == pytest.approx((theirs.low, theirs.high))
    assert found.value == pytest.approx(values.mean())
    assert (found.n, found.method) == (40, "t")


def test_the_interval_of_a_mean_holds_the_truth_as_often_as_it_says() -> None:
    draws = np.random.default_rng(2).beta(2, 3, size=(2000, 15))
    assert np.mean([holds(mean(row), 0.4) for row in draws]) == pytest.approx(0.95, abs=0.015)


def test_scores_of_zero_and_one_get_a_rate_s_interval_and_others_a_mean_s() -> None:
    assert of_scores([1, 0, 1, True]) == proportion(3, 4)
    assert of_scores([1, 0, 0.5]) == mean([1, 0, 0.5])
    assert of_scores([]) == Missing("there is no value to estimate from")


def test_of_no_values_there_is_no_mean() -> None:
    for found in (mean([]), clustered_mean([], []), bootstrap([], np.median), repeated({}), pass_at_k([], 1)):
        assert found == Missing("there is no value to estimate from")


@pytest.mark.parametrize("value", [math.nan, math.inf, "1", None, Missing("no verdict")])
def test_a_value_that_is_no_number_is_refused_by_every_estimate(value: Any) -> None:
    attempts: list[Callable[[], object]] = [
        lambda: mean([0.5, value]),
        lambda: of_scores([0.5, value]),
        lambda: clustered_mean([0.5, value], "ab"),
        lambda: bootstrap([0.5, value], np.mean),
        lambda: repeated([[0.5, value]]),
    ]
    for attempt in attempts:
        with pytest.raises(InputError, match="value 1 is"):
            attempt()


def test_a_score_out_of_its_bounds_is_refused() -> None:
    with pytest.raises(InputError, match=r"a value is 1\.2; expected one from 0 to 1\."):
        mean([0.5, 1.2], bounds=(0, 1))
    with pytest.raises(InputError, match=r"a value is -0\.2"):
        clustered_mean([0.5, -0.2], "ab", bounds=(0, 1))


@settings(deadline=None, max_examples=50)
@given(st.lists(st.floats(-100, 100), min_size=2, max_size=30), st.randoms(use_true_random=False))
def test_the_order_of_the_values_does_not_matter(values: list[float], dice: Any) -> None:
    shuffled = dice.sample(values, len(values))
    assert mean(shuffled) == mean(values)


# --- clusters


def test_tasks_that_share_a_tool_are_not_as_many_as_they_look() -> None:
    clusters = np.repeat(np.arange(30), 10)
    with_clusters, without = [], []
    for seed in range(600):
        scores = clustered_scores(seed).ravel()
        with_clusters.append(holds(clustered_mean(scores, clusters), 0.6))
        without.append(holds(mean(scores), 0.6))
    assert np.mean(with_clusters) == pytest.approx(0.94, abs=0.02)
    assert np.mean(without) == pytest.approx(0.65, abs=0.04)


def test_clusters_of_one_task_each_change_nothing() -> None:
    values = [0.1, 0.9, 0.4, 0.7]
    found, plain = held(clustered_mean(values, range(4))), held(mean(values))
    assert (found.low, found.high, found.se) == pytest.approx((plain.low, plain.high, plain.se))
    assert found.groups == 4


def test_the_clustered_error_is_that_of_the_formula() -> None:
    values, clusters = [1.0, 0.0, 1.0, 1.0, 0.0], ["a", "a", "b", "b", "c"]
    sums = [0.4 - 0.6, 0.4 + 0.4, -0.6]
    expected = math.sqrt(3 / 2 * sum(total**2 for total in sums)) / 5
    found = held(clustered_mean(values, clusters))
    assert found.se == pytest.approx(expected)
    assert found.high == pytest.approx(0.6 + stats.t.ppf(0.975, 2) * expected)


def test_one_cluster_has_no_interval() -> None:
    found = held(clustered_mean([0.0, 1.0], ["a", "a"]))
    assert (found.value, found.low, found.note) == (0.5, None, "one cluster has no interval")


def test_equal_values_are_warned_of_whatever_their_clusters() -> None:
    found = held(clustered_mean([0.5] * 4, "aabb"))
    assert (found.low, found.high, found.note) == (0.5, 0.5, SAME)


def test_each_value_needs_its_cluster() -> None:
    with pytest.raises(InputError, match="2 values and 1 clusters"):
        clustered_mean([0.0, 1.0], ["a"])


# --- repeats


def test_repeats_are_not_more_tasks() -> None:
    tasks = [[1, 1, 1, 0], [0, 0, 0, 0], [1, 0, 1, 0], [1, 1, 1, 1]]
    found = held(repeated(tasks))
    assert found == mean([0.75, 0.0, 0.5, 1.0])
    assert found.n == 4
    flat = held(mean([score for task in tasks for score in task]))
    assert found.se is not None
    assert flat.se is not None
    assert found.se > 1.5 * flat.se


def test_averaging_over_repeats_first_holds_the_truth_and_counting_each_does_not() -> None:
    averaged, counted = [], []
    for seed in range(600):
        scores = clustered_scores(seed)
        averaged.append(holds(repeated(scores), 0.6))
        counted.append(holds(mean(scores.ravel()), 0.6))
    assert np.mean(averaged) > 0.92
    assert np.mean(counted) < 0.72


def test_a_task_without_scores_is_left_out_and_counted() -> None:
    found = held(repeated({"q1": [1.0, 0.0], "q2": [], "q3": [1.0]}))
    assert (found.value, found.n) == (0.75, 2)
    assert found.note == "1 of 3 tasks have no score and are left out"
    assert repeated([[], []]) == Missing(
        "there is no value to estimate from", "2 of 2 tasks have no score and are left out"
    )


def test_tasks_without_scores_do_not_hide_the_other_note() -> None:
    found = held(repeated([[1.0], [1.0], []]))
    assert found.note is not None
    assert found.note.startswith("1 of 3 tasks have no score and are left out; every one of 2 is a success")


# --- bootstrap


def test_the_bootstrap_of_a_mean_agrees_with_t() -> None:
    values = np.random.default_rng(4).normal(0, 1, size=200)
    found, t = held(bootstrap(values, np.mean)), held(mean(values))
    assert (found.low, found.high) == pytest.approx((t.low, t.high), abs=0.02)
    assert found.method == "bootstrap BCa"


def test_the_bootstrap_of_a_median_holds_the_truth() -> None:
    draws = np.random.default_rng(5).exponential(1, size=(150, 40))
    found = [holds(bootstrap(row, np.median, resamples=400), math.log(2)) for row in draws]
    assert np.mean(found) == pytest.approx(0.94, abs=0.05)


def test_the_same_seed_gives_the_same_interval_and_another_seed_another() -> None:
    values = np.random.default_rng(6).random(30)
    assert bootstrap(values, np.median, seed=1) == bootstrap(values, np.median, seed=1)
    assert bootstrap(values, np.mean, seed=1) != bootstrap(values, np.mean, seed=2)


def test_a_statistic_need_not_know_of_axes() -> None:
    found = held(bootstrap([0.0, 1.0, 2.0, 5.0, 9.0], lambda array: float(max(array) - min(array)), resamples=200))
    assert found.value == 9.0


def test_many_values_are_bootstrapped_without_the_correction() -> None:
    found = held(bootstrap(np.random.default_rng(7).random(6000), np.mean, resamples=200))
    assert found.method == "bootstrap percentile"
    assert holds(found, 0.5)


def test_a_bootstrap_that_cannot_be_has_no_interval_and_says_why() -> None:
    assert held(bootstrap([1.0], np.mean)).low is None
    same = held(bootstrap([1.0, 1.0], np.mean))
    assert (same.low, same.high, same.note) == (1.0, 1.0, SAME)
    constant = held(bootstrap([1.0, 2.0, 3.0], lambda _: 5.0, resamples=50))
    assert (constant.value, constant.low) == (5.0, None)
    assert constant.note == "the statistic does not vary between resamples: no interval"


def test_a_statistic_that_is_no_number_is_refused() -> None:
    with pytest.raises(InputError, match="the statistic of the values is nan"):
        bootstrap([1.0, 2.0], lambda _: math.nan)


# --- pass@k and pass^k


def counted(n: int, c: int, k: int) -> tuple[float, float]:
    """The two chances by trying every draw of k runs."""
    draws = list(itertools.combinations([True] * c + [False] * (n - c), k))
    return sum(any(draw) for draw in draws) / len(draws), sum(all(draw) for draw in draws) / len(draws)


@pytest.mark.parametrize("k", [1, 2, 3, 5])
def test_the_chances_of_k_runs_are_those_of_every_draw(k: int) -> None:
    for n in range(k, 7):
        for c in range(n + 1):
            any_of, all_of = counted(n, c, k)
            assert held(pass_at_k([(n, c)], k)).value == pytest.approx(any_of)
            assert held(pass_hat_k([(n, c)], k)).value == pytest.approx(all_of)


def test_the_chances_are_unbiased_where_plugging_in_the_rate_is_not() -> None:
    successes = np.random.default_rng(8).binomial(10, 0.3, size=20_000)
    counts = [(10, int(count)) for count in successes]
    assert held(pass_at_k(counts, 5)).value == pytest.approx(1 - 0.7**5, abs=0.005)
    assert held(pass_hat_k(counts, 3)).value == pytest.approx(0.3**3, abs=0.002)
    plugged = float(np.mean(1 - (1 - successes / 10) ** 5))
    assert plugged < 1 - 0.7**5 - 0.04


def test_too_few_runs_are_missing_and_never_clamped() -> None:
    for chance in (pass_at_k, pass_hat_k):
        assert chance([(5, 5), (2, 2)], 3) == Missing("a task was run fewer than 3 times", "1 of 2 tasks")


def test_one_draw_is_the_rate_and_a_draw_of_all_is_the_share_of_tasks() -> None:
    counts = [(4, 1), (4, 4), (4, 0)]
    assert held(pass_at_k(counts, 1)).value == pytest.approx(5 / 12)
    assert held(pass_hat_k(counts, 1)).value == pytest.approx(5 / 12)
    assert pass_at_k(counts, 4) == proportion(2, 3)
    assert pass_hat_k(counts, 4) == proportion(1, 3)


def test_many_runs_do_not_overflow() -> None:
    assert held(pass_at_k([(20_000, 100), (20_000, 200)], 500)).value == pytest.approx(
        np.mean([1 - 0.995**500, 1 - 0.99**500]), abs=0.01
    )


@pytest.mark.parametrize("k", [0, -1, 1.5, math.nan])
def test_k_that_is_no_count_is_refused(k: Any) -> None:
    with pytest.raises(OptionError, match="expected a whole number from 1 on"):
        pass_at_k([(5, 1)], k)


def test_more_successes_than_runs_are_refused() -> None:
    with pytest.raises(InputError, match="expected at most 3"):
        pass_at_k([(3, 4)], 1)


# --- cost


def test_the_module_loads_neither_numpy_nor_scipy() -> None:
    code = "import sys, proctor.stats.estimates as e; e.of_scores([0, 1]); print({'numpy', 'scipy'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)  # noqa: S603 - ours
    assert done.stdout.strip() == "set()"


def test_the_module_says_what_it_offers() -> None:
    assert sorted(estimates.__all__) == estimates.__all__

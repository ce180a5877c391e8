"""Paired comparisons: their tests, intervals and verdicts, by brute force, by simulation and by their laws."""

from __future__ import annotations

import itertools
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
from proctor.stats.comparisons import (
    Comparison,
    Outcome,
    compare,
    compare_all,
    holm,
    mcnemar,
    paired_rates_interval,
)
from proctor.stats.intervals import SAME


def made(found: Comparison | Missing) -> Comparison:
    assert isinstance(found, Comparison)
    return found


def by_task(values: Any) -> dict[int, float]:
    return dict(enumerate(map(float, values)))


def flipped(better: int, worse: int, n: int) -> tuple[dict[int, float], dict[int, float]]:
    """Scores of two agents that differ on so many of n tasks."""
    same = [i % 2 for i in range(n - better - worse)]
    return by_task([1] * better + [0] * worse + same), by_task([0] * better + [1] * worse + same)


# --- rates


def test_more_flips_one_way_than_the_other_are_an_improvement() -> None:
    found = made(compare(*flipped(25, 5, 100)))
    assert (found.outcome, found.better, found.worse, found.equal) == (Outcome.IMPROVED, 25, 5, 70)
    assert found.difference.value == pytest.approx(0.2)
    assert found.difference.se == pytest.approx(np.std([1] * 25 + [-1] * 5 + [0] * 70, ddof=1) / 10)
    assert found.test == "McNemar, exact"
    assert found.mean - found.other_mean == pytest.approx(0.2)


def test_the_other_way_round_it_is_a_regression_with_the_mirrored_interval() -> None:
    found, mirrored = made(compare(*flipped(25, 5, 100))), made(compare(*flipped(5, 25, 100)))
    assert mirrored.outcome is Outcome.REGRESSED
    assert (mirrored.difference.low, mirrored.difference.high) == pytest.approx(
        (-(found.difference.high or 0), -(found.difference.low or 0))
    )
    assert mirrored.p == found.p


@pytest.mark.parametrize(("better", "worse"), [(0, 0), (1, 0), (5, 0), (6, 0), (3, 9), (40, 25)])
def test_mcnemar_is_the_binomial_test_of_the_flips(better: int, worse: int) -> None:
    flips = better + worse
    expected = stats.binomtest(better, flips).pvalue if flips else 1.0
    assert mcnemar(better, worse) == pytest.approx(expected)


@pytest.mark.parametrize(("better", "worse", "n"), [(10, 3, 100), (5, 0, 40), (1, 9, 44), (20, 20, 60)])
def test_the_ends_of_the_interval_lie_where_the_score_test_just_rejects(better: int, worse: int, n: int) -> None:
    for end in paired_rates_interval(better, worse, n):
        lost = np.linspace(max(0.0, -end) + 1e-9, (1 - end) / 2 - 1e-9, 400_001)
        loglik = better * np.log(lost + end) + worse * np.log(lost) + (n - better - worse) * np.log1p(-2 * lost - end)
        best = float(lost[np.argmax(loglik)])
        z = (better - worse - n * end) / math.sqrt(n * (2 * best + end * (1 - end)))
        assert abs(z) == pytest.approx(1.96, abs=0.01)


@pytest.mark.parametrize(("won", "lost"), [(0.05, 0.05), (0.2, 0.1), (0.1, 0.0)])
def test_the_interval_holds_the_true_difference_as_often_as_it_says(won: float, lost: float) -> None:
    n, held = 40, 0.0
    for better in range(n + 1):
        for worse in range(n + 1 - better):
            chance = float(stats.multinomial.pmf([better, worse, n - better - worse], n, [won, lost, 1 - won - lost]))
            if chance > 1e-7:
                low, high = paired_rates_interval(better, worse, n)
                held += chance * (low <= won - lost <= high)
    assert held == pytest.approx(0.95, abs=0.03)


def test_without_a_flip_the_interval_still_has_a_width() -> None:
    found = made(compare(*flipped(0, 0, 50)))
    assert (found.difference.value, found.p, found.outcome) == (0.0, 1.0, Outcome.NOT_DECISIVE)
    assert found.difference.high == pytest.approx(1.96**2 / (50 + 1.96**2), abs=1e-4)
    assert found.difference.low == pytest.approx(-(found.difference.high or 0))


# --- other scores


def test_signs_are_flipped_in_every_way_where_there_are_few_tasks() -> None:
    differences = [0.3, -0.1, 0.25, 0.4, 0.05, -0.02, 0.31, 0.2]
    found = made(compare(by_task(differences), by_task([0.0] * 8)))
    sums = [
        sum(s * d for s, d in zip(signs, differences, strict=True)) for signs in itertools.product((1, -1), repeat=8)
    ]
    assert found.p == pytest.approx(np.mean(np.abs(sums) >= abs(sum(differences)) - 1e-12))
    assert found.test == "sign flips, exact"


def test_the_interval_of_other_scores_is_the_paired_t_interval_of_scipy() -> None:
    dice = np.random.default_rng(1)
    a, b = dice.random(40), dice.random(40)
    theirs = stats.ttest_rel(a, b)
    found = made(compare(by_task(a), by_task(b)))
    interval = theirs.confidence_interval()
    assert (found.difference.low, found.difference.high) == pytest.approx((interval.low, interval.high))
    assert found.p == pytest.approx(theirs.pvalue, abs=0.02)


def test_drawn_flips_are_the_same_for_the_same_seed() -> None:
    dice = np.random.default_rng(2)
    a, b = by_task(dice.random(40)), by_task(dice.random(40))
    assert compare(a, b, seed=3) == compare(a, b, seed=3)
    assert made(compare(a, b, seed=3)).test == "sign flips, 9999 drawn"


def test_a_test_that_finds_a_difference_is_not_enough_where_the_interval_holds_zero() -> None:
    found = made(compare(by_task([0.01, 0.01, 0.02, 0.01, 0.02, 0.9]), by_task([0.0] * 6)))
    assert found.p == pytest.approx(2 / 64)
    assert (found.difference.low or 0) < 0 < found.difference.value
    assert found.outcome is Outcome.NOT_DECISIVE


def test_the_order_of_the_tasks_does_not_matter_to_drawn_flips() -> None:
    dice = np.random.default_rng(2)
    a, b = by_task(dice.random(40)), by_task(dice.random(40))
    backwards = {task: a[task] for task in reversed(list(a))}
    assert made(compare(backwards, b)).p == made(compare(a, b)).p


def test_very_many_tasks_are_tested_by_t() -> None:
    dice = np.random.default_rng(3)
    found = made(compare(by_task(dice.random(5000) + 0.05), by_task(dice.random(5000))))
    assert (found.test, found.outcome) == ("paired t", Outcome.IMPROVED)


def test_pairs_see_what_two_separate_intervals_do_not() -> None:
    dice = np.random.default_rng(4)
    hardness = dice.random(50)
    a, b = hardness + dice.normal(0.05, 0.05, 50), hardness
    assert made(compare(by_task(a), by_task(b))).outcome is Outcome.IMPROVED
    assert stats.ttest_ind(a, b).pvalue > 0.2


def test_equal_scores_are_not_decisive_and_equal_gains_are() -> None:
    scores = by_task([0.5, 0.25, 0.75, 0.5, 0.25, 0.75, 0.5])
    same = made(compare(scores, scores))
    assert (same.outcome, same.p, same.difference.note) == (Outcome.NOT_DECISIVE, 1.0, SAME)
    assert same.detectable == Missing("the differences do not vary")
    gained = made(compare({task: score + 0.125 for task, score in scores.items()}, scores))
    assert (gained.outcome, gained.difference.low) == (Outcome.IMPROVED, 0.125)


def test_without_a_true_difference_few_comparisons_are_decisive() -> None:
    dice = np.random.default_rng(5)
    outcomes = [
        made(compare(by_task(dice.random(10)), by_task(dice.random(10)), resamples=1024)).outcome for _ in range(300)
    ]
    assert 0.01 < np.mean([outcome is not Outcome.NOT_DECISIVE for outcome in outcomes]) < 0.08
    flips = dice.multinomial(60, [0.15, 0.15, 0.7], size=600)
    decided = [made(compare(*flipped(int(b), int(w), 60))).outcome is not Outcome.NOT_DECISIVE for b, w, _ in flips]
    assert np.mean(decided) < 0.06


# --- what could have shown


def test_a_difference_of_the_detectable_size_shows_four_times_in_five() -> None:
    detectable = made(compare(*flipped(30, 30, 200))).detectable
    assert isinstance(detectable, float)
    won, lost = 0.15 + detectable / 2, 0.15 - detectable / 2
    flips = np.random.default_rng(6).multinomial(200, [won, lost, 0.7], size=600)
    shown = [made(compare(*flipped(int(b), int(w), 200))).outcome is Outcome.IMPROVED for b, w, _ in flips]
    assert np.mean(shown) == pytest.approx(0.8, abs=0.06)


def test_a_mean_difference_of_the_detectable_size_shows_four_times_in_five() -> None:
    dice = np.random.default_rng(7)
    noise = dice.normal(0, 1, 30)
    noise = (noise - noise.mean()) / noise.std(ddof=1)
    zeros = by_task(np.zeros(30))
    detectable = made(compare(by_task(noise), zeros)).detectable
    assert isinstance(detectable, float)
    draws = dice.normal(detectable, 1, size=(300, 30))
    shown = [made(compare(by_task(row), zeros, resamples=499)).outcome is Outcome.IMPROVED for row in draws]
    assert np.mean(shown) == pytest.approx(0.8, abs=0.06)


def test_with_few_tasks_no_difference_can_show() -> None:
    assert made(compare(*flipped(5, 0, 5))).detectable == Missing(
        "too few tasks to show any difference", "6 are needed at the least"
    )
    assert made(compare(*flipped(5, 0, 5))).outcome is Outcome.NOT_DECISIVE
    assert made(compare(*flipped(6, 0, 6))).outcome is Outcome.IMPROVED
    assert isinstance(made(compare(by_task([0.5, 0.7]), by_task([0.4, 0.4]))).detectable, Missing)


def test_where_nothing_flipped_it_takes_enough_flips_for_the_test() -> None:
    detectable = made(compare(*flipped(0, 0, 100))).detectable
    assert isinstance(detectable, float)
    assert stats.binom.sf(5, 100, detectable) == pytest.approx(0.8)


# --- tasks


def test_tasks_that_only_one_has_are_dropped_and_counted() -> None:
    found = made(compare({"a": 1.0, "b": 0.5, "c": 0.5, "d": Missing("no verdict")}, {"b": 0.25, "c": 0.5, "d": 1.0}))
    assert (found.difference.n, found.only_here, found.only_there, found.unmeasured) == (2, 1, 0, 1)
    assert found.difference.value == 0.125


def test_agents_without_a_common_task_cannot_be_compared() -> None:
    assert compare({"a": 1.0}, {"b": 1.0}) == Missing("no task has a score from both", "1 tasks here, 1 there")
    assert isinstance(compare({"a": Missing("no verdict")}, {"a": 1.0}), Missing)


def test_repeats_are_averaged_and_what_is_missing_among_them_left_out() -> None:
    found = made(compare({"a": [1.0, 0.0, Missing("no verdict")], "b": [1, 1]}, {"a": 0.25, "b": [0.5]}))
    assert (found.difference.value, found.difference.n) == (0.375, 2)
    assert compare({"a": [Missing("no verdict")]}, {"a": 1.0}) == Missing(
        "no task has a score from both", "1 tasks here, 1 there"
    )


def test_one_task_has_a_difference_and_no_interval() -> None:
    found = made(compare({"a": 0.5}, {"a": 0.25}))
    assert (found.difference.value, found.difference.low, found.outcome) == (0.25, None, Outcome.NOT_DECISIVE)


def test_a_score_that_is_no_number_is_named_by_its_task() -> None:
    with pytest.raises(InputError, match=r"task 'q7': score 0 is nan; expected a finite number"):
        compare({"q7": math.nan}, {"q7": 1.0})


def test_a_level_that_is_none_is_refused() -> None:
    with pytest.raises(OptionError, match="level is 95"):
        compare({"a": 1.0}, {"a": 1.0}, level=95)


@settings(deadline=None, max_examples=40)
@given(
    st.lists(st.tuples(st.sampled_from([0.0, 1.0]), st.sampled_from([0.0, 1.0])), min_size=1, max_size=40), st.data()
)
def test_swapping_the_agents_mirrors_and_the_order_of_tasks_does_not_matter(
    pairs: list[tuple[float, float]], data: st.DataObject
) -> None:
    a, b = by_task(pair[0] for pair in pairs), by_task(pair[1] for pair in pairs)
    found, mirrored = made(compare(a, b)), made(compare(b, a))
    assert found.difference.value == pytest.approx(-mirrored.difference.value)
    assert (found.p, found.better, found.detectable) == (mirrored.p, mirrored.worse, mirrored.detectable)
    assert -1 <= (found.difference.low or -1) <= found.difference.value <= (found.difference.high or 1) <= 1
    order = data.draw(st.permutations(list(a)))
    assert compare({task: a[task] for task in order}, b) == found


# --- clusters and several comparisons


def test_with_clusters_the_clusters_are_the_units() -> None:
    scores = by_task([1.0] * 30)
    other = by_task([0.0] * 10 + [1.0] * 20)
    alone = made(compare(scores, other))
    assert alone.outcome is Outcome.IMPROVED
    shared = made(compare(scores, other, clusters={task: task // 10 for task in range(30)}))
    assert (shared.outcome, shared.difference.groups) == (Outcome.NOT_DECISIVE, 3)
    assert shared.difference.method == "paired clustered t"
    assert shared.difference.value == alone.difference.value


def test_a_task_without_a_cluster_is_an_error() -> None:
    with pytest.raises(InputError, match=r"task 1 has no cluster \(1 tasks have none\)"):
        compare(by_task([1, 0]), by_task([0, 0]), clusters={0: "a"})


@settings(deadline=None, max_examples=50)
@given(st.lists(st.floats(0, 1), max_size=6))
def test_holm_is_bonferroni_over_every_set_that_a_test_belongs_to(p_values: list[float]) -> None:
    places = range(len(p_values))
    sets = [chosen for size in range(1, len(p_values) + 1) for chosen in itertools.combinations(places, size)]
    expected = [
        max(min(1.0, len(chosen) * min(p_values[i] for i in chosen)) for chosen in sets if place in chosen)
        for place in places
    ]
    assert holm(p_values) == pytest.approx(expected)


@pytest.mark.parametrize("p", [-0.1, 1.1, math.nan])
def test_what_is_no_p_value_is_refused(p: float) -> None:
    with pytest.raises(InputError, match="p-value 1 is"):
        holm([0.5, p])


def test_of_several_comparisons_the_outcome_rests_on_holm() -> None:
    baseline = by_task([0] * 60)
    narrow = by_task([1] * 6 + [0] * 54)
    found = compare_all({"narrow": narrow, "same": baseline, "clear": by_task([1] * 60), "other": {}}, baseline)
    narrow_found, clear = made(found["narrow"]), made(found["clear"])
    assert made(compare(narrow, baseline)).outcome is Outcome.IMPROVED
    assert (narrow_found.p, narrow_found.adjusted_p) == (0.03125, 0.0625)
    assert (narrow_found.outcome, clear.outcome) == (Outcome.NOT_DECISIVE, Outcome.IMPROVED)
    assert clear.comparisons == 3
    assert isinstance(found["other"], Missing)
    assert list(found) == ["narrow", "same", "clear", "other"]


def test_a_comparison_is_json_and_back() -> None:
    for found in (made(compare(*flipped(9, 2, 30))), made(compare({"a": 0.5}, {"a": 0.25}))):
        assert msgspec.json.decode(msgspec.json.encode(found), type=Comparison) == found


def test_an_interval_stays_within_what_two_shares_can_differ_by() -> None:
    found = compare({"a": 1.0, "b": 0.5, "c": 0.0}, {"a": 0.0, "b": 0.5, "c": 1.0})
    assert isinstance(found, Comparison)
    assert (found.difference.low, found.difference.high) == (-1.0, 1.0)
    wider = compare({"a": 5.0, "b": 0.5, "c": 0.0}, {"a": 0.0, "b": 0.5, "c": 5.0})
    assert isinstance(wider, Comparison)
    assert wider.difference.high is not None
    assert wider.difference.high > 5

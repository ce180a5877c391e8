"""Micro and macro averages."""

from __future__ import annotations

import math

import numpy as np
import pytest

from proctor.errors import InputError
from proctor.records.grades import Missing
from proctor.stats.averages import averages, macro
from proctor.stats.estimates import Estimate, mean, proportion


def held(found: Estimate | Missing) -> Estimate:
    assert isinstance(found, Estimate)
    return found


def test_micro_counts_tasks_and_macro_counts_sets() -> None:
    found = averages({"large": [1] * 8 + [0] * 2, "small": [0, 0]})
    assert found.micro == proportion(8, 12)
    assert held(found.macro).value == pytest.approx(0.4)
    assert (held(found.macro).n, held(found.macro).groups, held(found.macro).method) == (12, 2, "macro")
    assert found.sets == {"large": proportion(8, 10), "small": proportion(0, 2)}


def test_sets_of_one_size_have_one_average() -> None:
    found = averages({"a": [0.25, 0.5], "b": [1.0, 0.0]})
    assert held(found.micro).value == held(found.macro).value


def test_one_set_is_its_own_macro_average() -> None:
    found, alone = held(macro([proportion(30, 40)])), held(proportion(30, 40))
    assert (found.value, found.low, found.high) == pytest.approx((alone.value, alone.low, alone.high))


def test_equal_t_intervals_join_by_the_square_root_of_their_number() -> None:
    one = held(mean([0.1, 0.4, 0.7, 0.8]))
    found = held(macro([one] * 4))
    assert found.high is not None
    assert one.high is not None
    assert found.high - found.value == pytest.approx((one.high - one.value) / math.sqrt(4))


def test_the_macro_interval_holds_the_truth_as_often_as_it_says() -> None:
    dice = np.random.default_rng(1)
    truths, sizes = [0.95, 0.6, 0.3], [20, 40, 80]
    held_truth = []
    for _ in range(1500):
        successes = [int(dice.binomial(n, p)) for n, p in zip(sizes, truths, strict=True)]
        found = held(macro([proportion(s, n) for s, n in zip(successes, sizes, strict=True)]))
        assert found.low is not None
        assert found.high is not None
        held_truth.append(found.low <= np.mean(truths) <= found.high)
    assert np.mean(held_truth) == pytest.approx(0.95, abs=0.02)


def test_sets_in_which_all_succeeded_are_still_uncertain() -> None:
    found = held(macro([proportion(20, 20)] * 3))
    assert found.value == 1.0
    assert found.low is not None
    assert 0.85 < found.low < 0.95


def test_a_set_without_scores_is_left_out_and_counted() -> None:
    found = averages({"a": [1, 0], "b": []})
    assert held(found.macro).note == "1 of 2 sets have no score and are left out"
    assert found.sets["b"] == Missing("there is no value to estimate from")
    assert isinstance(averages({"b": []}).macro, Missing)
    assert isinstance(averages({}).micro, Missing)


def test_a_set_of_one_score_leaves_the_macro_average_without_interval() -> None:
    found = held(averages({"a": [0.5], "b": [0.25, 0.75], "c": []}).macro)
    assert (found.value, found.low, found.high) == (0.5, None, None)
    assert found.note == (
        "1 of 3 sets have no score and are left out; a set of one task has no interval, so the whole has none"
    )


def test_a_value_that_is_no_number_is_named_by_its_set() -> None:
    with pytest.raises(InputError, match="set 'G1_tool': value 1 is nan"):
        averages({"G1_tool": [1.0, math.nan]})

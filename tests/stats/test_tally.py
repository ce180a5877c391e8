"""The tally: what it counts, whatever the order, the batches and the merges."""

from __future__ import annotations

import math
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proctor.errors import InputError
from proctor.records.grades import Missing
from proctor.stats.estimates import Estimate, Tally, mean, of_scores, proportion
from proctor.stats.intervals import SAME

SCORES = st.lists(st.sampled_from([0.0, 1.0]) | st.floats(-1000, 1000), max_size=30)


def tally_of(values: Any) -> Tally:
    tally = Tally()
    tally.extend(values)
    return tally


def same(one: Estimate | Missing, other: Estimate | Missing) -> bool:
    if isinstance(one, Missing) or isinstance(other, Missing):
        return one == other
    close = [
        (a is None and b is None)
        or (a is not None and b is not None and math.isclose(a, b, rel_tol=1e-6, abs_tol=1e-6))
        for a, b in ((one.value, other.value), (one.low, other.low), (one.high, other.high), (one.se, other.se))
    ]
    return all(close) and (one.n, one.method, one.note) == (other.n, other.method, other.note)


@settings(deadline=None, max_examples=100)
@given(SCORES)
def test_a_tally_says_what_the_whole_list_says(values: list[float]) -> None:
    assert same(tally_of(values).estimate(), of_scores(values))


@settings(deadline=None, max_examples=100)
@given(SCORES, SCORES, SCORES)
def test_merged_tallies_are_one_tally(one: list[float], two: list[float], three: list[float]) -> None:
    merged = tally_of(one)
    merged.merge(tally_of(two))
    merged.merge(tally_of(three))
    assert same(merged.estimate(), tally_of(one + two + three).estimate())


@settings(deadline=None, max_examples=50)
@given(SCORES)
def test_one_by_one_is_the_same_as_at_once(values: list[float]) -> None:
    tally = Tally()
    for value in values:
        tally.add(value)
    assert same(tally.estimate(), tally_of(values).estimate())
    assert tally.n == len(values)


def test_only_zeros_and_ones_are_a_rate() -> None:
    assert tally_of([1, 0, True, 1.0]).estimate(0.9) == proportion(3, 4, level=0.9)
    assert tally_of([1, 0, 0.5]).estimate() == mean([1, 0, 0.5])


def test_an_interval_is_cut_where_the_score_ends() -> None:
    found = tally_of([1.0, 0.9, 0.5]).estimate(bounds=(0.0, 1.0))
    assert isinstance(found, Estimate)
    assert found.high == 1.0


def test_an_empty_tally_has_no_mean_and_says_why() -> None:
    tally = Tally()
    assert tally.estimate() == tally.mean == Missing("there is no value to estimate from")
    tally.add_missing("the judge gave no verdict")
    tally.add_missing(Missing("the judge gave no verdict", "it said 'perhaps'"))
    tally.add_missing("the sample has no reference", 3)
    assert tally.estimate() == Missing(
        "nothing could be measured", "the sample has no reference (3); the judge gave no verdict (2)"
    )


def test_the_unmeasured_are_counted_by_reason_and_do_not_move_the_mean() -> None:
    tally = tally_of([1, 0])
    tally.add_missing("the judge gave no verdict")
    other = Tally()
    other.add_missing("the judge gave no verdict")
    tally.merge(other)
    assert (tally.n, tally.mean, dict(tally.unmeasured)) == (2, 0.5, {"the judge gave no verdict": 2})


def test_errors_can_be_taken_as_failures_without_touching_the_tally() -> None:
    tally = tally_of([1, 1, 1])
    assert tally.with_failures(1).estimate() == proportion(3, 4)
    assert tally.estimate() == proportion(3, 3)
    with pytest.raises(InputError, match="count is -1"):
        tally.with_failures(-1)


def test_small_differences_between_large_numbers_are_not_lost() -> None:
    values = [1e9 + offset for offset in (4.0, 7.0, 13.0, 16.0)] * 1000
    found = tally_of(values).estimate()
    assert isinstance(found, Estimate)
    assert found.value == pytest.approx(1e9 + 10, rel=1e-14)
    assert found.se == pytest.approx(math.sqrt(22.5 * 4000 / 3999 / 4000))


def test_equal_values_are_warned_of_however_often_they_came() -> None:
    found = tally_of([0.1] * 1000).estimate()
    assert isinstance(found, Estimate)
    assert (found.value, found.low, found.note) == (0.1, 0.1, SAME)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, 1e200, "1", None, Missing("no"), 10**400])
def test_what_is_no_score_is_refused_and_leaves_the_tally_as_it_was(value: Any) -> None:
    tally = tally_of([0.25, 1, 0])
    before = tally.estimate()
    with pytest.raises(InputError, match=r"a score is .*expected a finite number.*add_missing"):
        tally.add(value)
    assert tally.estimate() == before
    with pytest.raises(InputError, match="a score is"):
        tally.extend([0.75, value, 0.75])
    assert tally.n == 4
    assert tally.mean == 0.5


def test_numbers_of_other_kinds_become_plain_floats() -> None:
    found = tally_of(np.array([0.25, 0.5, 1.0])).estimate()
    assert isinstance(found, Estimate)
    assert type(found.value) is float
    assert type(found.low) is float


def test_a_tally_travels_between_processes() -> None:
    tally = tally_of([0.25, 1, 0])
    tally.add_missing("no verdict")
    assert repr(pickle.loads(pickle.dumps(tally))) == repr(tally)  # noqa: S301 - our own bytes

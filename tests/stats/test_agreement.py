"""Agreement coefficients: against published examples, definitions worked out by pairs, simulation, and their laws."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Hashable, Sequence
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proctor.errors import InputError, OptionError
from proctor.records.grades import Missing
from proctor.stats.agreement import Agreement, cohen_kappa, judge_agreement, krippendorff_alpha
from proctor.stats.estimates import Estimate, proportion

PAIRS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=25)
CONSTANT = Missing("agreement beyond chance is undefined: every label is the same")

# Krippendorff's own example: four observers, twelve units, five categories, gaps.
OBSERVERS = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, 3],
    [None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, None],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None],
]


def held(found: Estimate | Missing) -> Estimate:
    assert isinstance(found, Estimate)
    return found


def labels(table: Sequence[Sequence[int]]) -> tuple[list[int], list[int]]:
    """The labels of two judges from how often each two labels met."""
    met = [(a, b) for a, row in enumerate(table) for b, count in enumerate(row) for _ in range(count)]
    return [a for a, _ in met], [b for _, b in met]


def kappa_by_pairs(one: Sequence[int], other: Sequence[int], cost: Callable[[int, int], float]) -> float:
    """Seen: the items' own pairs. By chance: every label of one beside every label of the other."""
    seen = np.mean([cost(a, b) for a, b in zip(one, other, strict=True)])
    chance = np.mean([cost(a, b) for a, b in itertools.product(one, other)])
    return float(1 - seen / chance)


def nominal_alpha_by_pairs(raters: Sequence[Sequence[Hashable]]) -> float:
    """Seen: pairs within an item, weighed by its number of labels. By chance: pairs of all labels."""
    items = [[label for label in item if label is not None] for item in zip(*raters, strict=True)]
    items = [item for item in items if len(item) > 1]
    pool = [label for item in items for label in item]
    seen = sum(sum(a != b for a, b in itertools.permutations(item, 2)) / (len(item) - 1) for item in items) / len(pool)
    chance = sum(a != b for a, b in itertools.permutations(pool, 2)) / (len(pool) * (len(pool) - 1))
    return float(1 - seen / chance)


# --- kappa


def test_nine_in_ten_can_agree_and_kappa_be_below_zero() -> None:
    found = judge_agreement(*labels([[0, 5], [5, 90]]), positive=1)
    assert isinstance(found, Agreement)
    assert found.raw.value == 0.9
    assert held(found.kappa).value == pytest.approx(-0.05, abs=0.005)
    assert found.prevalence.value == found.judged_positive.value == 0.95
    assert held(found.true_negative_rate).value == 0.0


def test_kappa_is_worked_out_by_hand() -> None:
    assert held(cohen_kappa(*labels([[20, 5], [10, 15]]))).value == pytest.approx(0.4)


@settings(deadline=None, max_examples=60)
@given(PAIRS)
def test_kappa_is_its_definition_by_pairs(pairs: list[tuple[int, int]]) -> None:
    one, other = [a for a, _ in pairs], [b for _, b in pairs]
    costs: list[tuple[Any, Callable[[int, int], float]]] = [
        (None, lambda a, b: float(a != b)),
        ("linear", lambda a, b: abs(a - b)),
        ("quadratic", lambda a, b: (a - b) ** 2),
    ]
    for weights, cost in costs:
        found = cohen_kappa(one, other, weights=weights, order=range(4))
        if len({*one, *other}) == 1:
            assert found == CONSTANT
        else:
            assert held(found).value == pytest.approx(kappa_by_pairs(one, other, cost))


@settings(deadline=None, max_examples=30)
@given(PAIRS, st.data())
def test_kappa_cares_neither_who_is_first_nor_how_the_items_are_ordered(
    pairs: list[tuple[int, int]], data: st.DataObject
) -> None:
    one, other = [a for a, _ in pairs], [b for _, b in pairs]
    found, swapped = cohen_kappa(one, other), cohen_kappa(other, one)
    shuffled = data.draw(st.permutations(pairs))
    again = cohen_kappa([a for a, _ in shuffled], [b for _, b in shuffled])
    if isinstance(found, Missing):
        assert found == swapped == again
    else:
        assert found.value == pytest.approx(held(swapped).value)
        assert found.value == pytest.approx(held(again).value)
        assert -1 - 1e-9 <= found.value <= 1


def test_weights_forgive_near_misses() -> None:
    near = labels([[10, 5, 0], [5, 10, 5], [0, 5, 10]])
    plain = held(cohen_kappa(*near, order=range(3))).value
    linear = held(cohen_kappa(*near, weights="linear", order=range(3))).value
    quadratic = held(cohen_kappa(*near, weights="quadratic", order=range(3))).value
    assert plain < linear < quadratic


def test_quadratic_kappa_of_judges_with_the_same_spread_is_their_correlation() -> None:
    one, other = labels([[8, 4, 1], [3, 9, 4], [2, 3, 8]])
    assert sorted(one) == sorted(other)
    found = held(cohen_kappa(one, other, weights="quadratic", order=range(3)))
    assert found.value == pytest.approx(np.corrcoef(one, other)[0, 1])


def test_two_constant_judges_leave_kappa_undefined() -> None:
    assert cohen_kappa(["pass"] * 5, ["pass"] * 5) == CONSTANT
    assert held(cohen_kappa(["pass"] * 5, ["fail"] * 5)).value == 0.0


def test_the_interval_of_kappa_holds_the_truth_about_as_often_as_it_says() -> None:
    chances = np.array([[0.3, 0.1], [0.15, 0.45]])
    truth = kappa_by_pairs(*labels((chances * 100).round().astype(int).tolist()), lambda a, b: a != b)
    draws = np.random.default_rng(1).multinomial(120, chances.ravel(), size=250)
    held_truth = []
    for draw in draws:
        found = held(cohen_kappa(*labels(draw.reshape(2, 2).tolist())))
        assert found.low is not None
        assert found.high is not None
        held_truth.append(found.low <= truth <= found.high)
    assert np.mean(held_truth) == pytest.approx(0.95, abs=0.035)


def test_the_same_seed_gives_the_same_interval() -> None:
    both = labels([[20, 5], [10, 15]])
    assert cohen_kappa(*both, seed=1) == cohen_kappa(*both, seed=1)
    assert cohen_kappa(*both, seed=1) != cohen_kappa(*both, seed=2)


def test_where_hardly_anything_differs_there_is_no_interval() -> None:
    found = held(cohen_kappa([0] * 30 + [1], [0] * 31))
    assert (found.low, found.note) == (None, "too few items differ for an interval")


# --- alpha


@pytest.mark.parametrize(("scale", "expected"), [("nominal", 0.743), ("ordinal", 0.815)])
def test_alpha_of_krippendorff_s_example(scale: Any, expected: float) -> None:
    found = held(krippendorff_alpha(OBSERVERS, scale=scale, order=[1, 2, 3, 4, 5]))
    assert found.value == pytest.approx(expected, abs=0.0005)
    assert (found.n, found.note) == (11, "1 items have fewer than two labels and are left out")
    assert found.low is not None
    assert found.high is not None
    assert 0.3 < found.low < expected < found.high <= 1.0


@settings(deadline=None, max_examples=50)
@given(st.lists(st.tuples(*[st.none() | st.integers(0, 2)] * 3), min_size=1, max_size=20), st.data())
def test_alpha_is_its_definition_by_pairs_whoever_is_asked_first(
    items: list[tuple[int | None, ...]], data: st.DataObject
) -> None:
    raters = [list(labels) for labels in zip(*items, strict=True)]
    found = krippendorff_alpha(raters)
    shuffled = krippendorff_alpha(data.draw(st.permutations(raters)))
    usable = [label for item in items for label in item if label is not None and sum(x is not None for x in item) > 1]
    if not usable:
        assert found == shuffled == Missing("no item has two labels")
    elif len(set(usable)) == 1:
        assert found == shuffled == CONSTANT
    else:
        assert held(found).value == pytest.approx(nominal_alpha_by_pairs(raters))
        assert held(shuffled).value == pytest.approx(held(found).value)
        assert held(found).value <= 1


def test_the_interval_of_alpha_holds_the_truth_about_as_often_as_it_says() -> None:
    dice = np.random.default_rng(2)
    held_truth = []
    for _ in range(120):
        good = dice.random(100) < 0.5
        raters = [np.where(dice.random(100) < 0.1, ~good, good).tolist() for _ in range(3)]
        found = held(krippendorff_alpha(raters))
        assert found.low is not None
        assert found.high is not None
        held_truth.append(found.low <= 0.64 <= found.high)  # with halves good, (0.9 - 0.1) squared
    assert np.mean(held_truth) == pytest.approx(0.94, abs=0.05)


def test_alpha_of_two_complete_judges_is_near_kappa() -> None:
    one, other = labels([[200, 50], [60, 190]])
    assert held(krippendorff_alpha([one, other])).value == pytest.approx(held(cohen_kappa(one, other)).value, abs=0.01)


def test_every_item_needs_a_place_at_each_judge() -> None:
    with pytest.raises(InputError, match=r"the judges have \[1, 2\] labels; expected equally many"):
        krippendorff_alpha([[1, 2], [1]])


# --- the judge beside the truth


def test_the_rates_of_a_judge_stand_apart() -> None:
    found = judge_agreement(
        ["pass", "pass", "fail", "pass", None, "fail"],
        ["pass", "pass", "pass", "fail", "fail", Missing("not looked at")],
        positive="pass",
    )
    assert isinstance(found, Agreement)
    assert (found.n, found.unlabelled) == (4, 2)
    assert found.raw == proportion(2, 4)
    assert found.prevalence == found.judged_positive == proportion(3, 4)
    assert found.true_positive_rate == proportion(2, 3)
    assert found.true_negative_rate == proportion(0, 1)


def test_rates_without_anything_to_find_are_missing() -> None:
    found = judge_agreement([True, True], [True, True], positive=True)
    assert isinstance(found, Agreement)
    assert found.true_negative_rate == Missing("no item is truly negative")
    assert found.kappa == found.alpha == CONSTANT
    found = judge_agreement([True, False], [False, False], positive=True)
    assert isinstance(found, Agreement)
    assert found.true_positive_rate == Missing("no item is truly positive")


def test_without_common_items_there_is_no_agreement() -> None:
    assert judge_agreement([None, "x"], ["x", None], positive="x") == Missing("no item is labelled by both")
    assert cohen_kappa([], []) == Missing("no item is labelled by both")
    assert krippendorff_alpha([]) == Missing("no item has two labels")


def test_agreement_is_json_and_back() -> None:
    found = judge_agreement(["pass", "fail", "pass"], ["pass", "fail", "fail"], positive="pass")
    assert msgspec.json.decode(msgspec.json.encode(found), type=Agreement | Missing) == found


# --- bad input


@pytest.mark.parametrize("label", [math.nan, [1], {"a": 1}])
def test_what_is_no_label_is_refused_with_its_place(label: Any) -> None:
    with pytest.raises(InputError, match=r"label 1 is .*; expected text, a number or a truth value"):
        cohen_kappa([1, label], [1, 1])
    with pytest.raises(InputError, match="label 1 is"):
        krippendorff_alpha([[1, label], [1, 1]])


def test_lists_of_different_lengths_are_refused() -> None:
    with pytest.raises(InputError, match="there are 1 labels and 2"):
        cohen_kappa([1], [1, 2])


def test_options_that_cannot_be_are_refused() -> None:
    wrong: Any = "cubic"
    with pytest.raises(OptionError, match="weights is 'cubic'; expected one of None, 'linear', 'quadratic'"):
        cohen_kappa([1], [1], weights=wrong)
    with pytest.raises(OptionError, match="weighted kappa needs the order"):
        cohen_kappa([1], [1], weights="linear")
    with pytest.raises(OptionError, match="ordinal alpha needs the order"):
        krippendorff_alpha([[1], [1]], scale="ordinal")
    with pytest.raises(OptionError, match="order names 1 twice"):
        cohen_kappa([1], [1], weights="linear", order=[1, 2, 1])
    with pytest.raises(InputError, match="the label 3 is not in order, which names 1, 2"):
        cohen_kappa([1], [3], weights="linear", order=[1, 2])

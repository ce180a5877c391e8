"""The pairings are the best there are: each is held against every pairing that there is."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proctor.errors import UnmeasuredError
from proctor.metrics.pairing import Pairs, Weights, align, arrange, assign, common

SMALL = st.integers(0, 4)


@st.composite
def tables(draw: st.DrawFn) -> tuple[list[dict[int, int]], int]:
    """Weights between a few rows and a few columns; 0 for a pair that may not be."""
    height, width = draw(SMALL), draw(SMALL)
    weights = st.integers(0, 5)
    rows = [{column: weight for column in range(width) if (weight := draw(weights))} for _ in range(height)]
    return rows, width


@st.composite
def orders(draw: st.DrawFn, width: int) -> list[int]:
    """A partial order of the columns, transitively closed, as masks of what comes before."""
    before = [0] * width
    for column in range(width):
        for earlier in range(column):
            if draw(st.booleans()):
                before[column] |= 1 << earlier | before[earlier]
    numbering = draw(st.permutations(range(width)))
    return [
        sum(1 << numbering.index(old) for old in range(width) if before[numbering[new]] >> old & 1)
        for new in range(width)
    ]


def every_pairing(rows: list[dict[int, int]], width: int) -> Iterator[Pairs]:
    """All ways to give each row a column of its own or none."""
    for choice in itertools.product([None, *range(width)], repeat=len(rows)):
        taken = [column for column in choice if column is not None]
        if len(taken) == len(set(taken)) and all(c is None or c in rows[r] for r, c in enumerate(choice)):
            yield [(row, column) for row, column in enumerate(choice) if column is not None]


def weight_of(rows: list[dict[int, int]], pairs: Pairs) -> int:
    return sum(rows[row][column] for row, column in pairs)


def best(rows: list[dict[int, int]], width: int, allowed: Callable[[Pairs], bool]) -> int:
    return max(weight_of(rows, pairs) for pairs in every_pairing(rows, width) if allowed(pairs))


def rises(pairs: Pairs) -> bool:
    columns = [column for _, column in pairs]
    return columns == sorted(columns)


def keeps(before: list[int]) -> Callable[[Pairs], bool]:
    def allowed(pairs: Pairs) -> bool:
        return not any(before[early] >> late & 1 for (_, early), (_, late) in itertools.combinations(pairs, 2))

    return allowed


def is_pairing(rows: list[dict[int, int]], pairs: Pairs) -> bool:
    return (
        all(column in rows[row] for row, column in pairs)
        and len({row for row, _ in pairs}) == len({column for _, column in pairs}) == len(pairs)
        and pairs == sorted(pairs)
    )


@settings(deadline=None, max_examples=150)
@given(tables())
def test_assign_finds_the_heaviest_pairing_of_all(table: tuple[list[dict[int, int]], int]) -> None:
    rows, width = table
    pairs = assign(rows)
    assert is_pairing(rows, pairs)
    assert weight_of(rows, pairs) == best(rows, width, lambda _: True)


@settings(deadline=None, max_examples=150)
@given(tables())
def test_align_finds_the_heaviest_pairing_in_which_columns_rise(table: tuple[list[dict[int, int]], int]) -> None:
    rows, width = table
    pairs = align(rows, width)
    assert is_pairing(rows, pairs)
    assert rises(pairs)
    assert weight_of(rows, pairs) == best(rows, width, rises)


@settings(deadline=None, max_examples=150)
@given(st.text("abc", max_size=8), st.text("abc", max_size=8))
def test_common_counts_what_align_pairs(first: str, second: str) -> None:
    rows = [{at: 1 for at, other in enumerate(second) if other == letter} for letter in first]
    assert common(first, second) == len(align(rows, len(second)))


@settings(deadline=None, max_examples=200)
@given(st.data())
def test_arrange_finds_the_heaviest_pairing_that_keeps_the_partial_order(data: st.DataObject) -> None:
    rows, width = data.draw(tables())
    before = data.draw(orders(width))
    pairs = arrange(rows, before)
    assert is_pairing(rows, pairs)
    assert keeps(before)(pairs)
    assert weight_of(rows, pairs) == best(rows, width, keeps(before))


def test_a_greedy_choice_would_be_worse() -> None:
    rows = [{0: 3, 1: 2}, {0: 3}]
    assert assign(rows) == [(0, 1), (1, 0)]


def test_a_hundred_interchangeable_columns_are_arranged_at_once() -> None:
    width = 100
    rows = [dict.fromkeys(range(width), 1) for _ in range(width)]
    before = [0] * 50 + [(1 << 50) - 1] * 50
    pairs = arrange(rows, before)
    assert [column for _, column in pairs] == list(range(width))


def test_an_order_too_loose_to_search_is_refused_and_not_guessed() -> None:
    width = 60
    # The first row may only take the last column, which everybody has to precede; the rest is a thicket.
    rows = [{width - 1: 9, 0: 1}, *({(row * 7 + step) % width: 1 + step for step in range(5)} for row in range(width))]
    before = [0] * (width - 1) + [(1 << (width - 1)) - 1]
    for column in range(2, width - 1, 2):
        before[column] = 1 << (column - 1)
        before[width - 1] |= before[column]
    with pytest.raises(UnmeasuredError, match="too many ways"):
        arrange(rows, before)


@pytest.mark.parametrize("size", [1, 10, 600])
def test_weights_put_first_things_first_at_any_size(size: int) -> None:
    weights = Weights(size)
    assert weights.alike(0.0) > 0
    assert weights.fulfilled(0.0, optional=False) > size * weights.fulfilled(1.0, optional=True)
    assert weights.fulfilled(0.0, optional=True) > size * weights.alike(1.0)
    assert (size + 1) * weights.alike(0.0) > size * weights.alike(1.0)

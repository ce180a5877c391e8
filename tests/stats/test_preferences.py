"""Pairwise judging in both orders."""

from __future__ import annotations

import itertools

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proctor.records.grades import Missing
from proctor.stats.estimates import mean, proportion
from proctor.stats.intervals import Estimate
from proctor.stats.preferences import Preferred, WinRate, settle, win_rate

C, R, T = Preferred.CANDIDATE, Preferred.REFERENCE, Preferred.TIE
SAID = st.sampled_from([C, R, T])


def rate_of(judged: list[tuple[Preferred, Preferred]]) -> WinRate:
    found = win_rate(judged)
    assert isinstance(found, WinRate)
    return found


def test_only_what_both_orders_say_is_a_win() -> None:
    wins = {pair for pair in itertools.product((C, R, T), repeat=2) if settle(*pair) is C}
    losses = {pair for pair in itertools.product((C, R, T), repeat=2) if settle(*pair) is R}
    assert (wins, losses) == ({(C, C)}, {(R, R)})


def test_a_tie_is_half_a_win_and_none_for_stabletoolbench() -> None:
    found = rate_of([(C, C), (C, C), (T, T), (C, R), (R, R)])
    assert (found.wins, found.ties, found.losses, found.n) == (2, 2, 1, 5)
    assert found.rate == mean([1, 1, 0.5, 0.5, 0], bounds=(0, 1))
    assert found.wins_only == proportion(2, 5)
    assert found.flips == proportion(1, 5)


def test_without_ties_the_win_rate_is_a_rate() -> None:
    assert rate_of([(C, C), (R, R), (C, C)]).rate == proportion(2, 3)


def test_a_judge_that_always_takes_the_first_is_all_flips_and_no_preference() -> None:
    found = rate_of([(C, R)] * 40)
    assert isinstance(found.flips, Estimate)
    assert (found.rate.value, found.flips.value, found.wins_only.value) == (0.5, 1.0, 0.0)


def test_what_was_not_judged_in_both_orders_is_counted_by_reason() -> None:
    found = win_rate(
        [(C, C), (Missing("no verdict"), C), (C, Missing("no verdict")), (Missing("refused"), Missing("x"))]
    )
    assert isinstance(found, WinRate)
    assert (found.n, found.unmeasured) == (1, {"no verdict": 2, "refused": 1})
    assert win_rate([(Missing("refused"), C)]) == Missing("no query was judged in both orders", "refused (1)")
    assert win_rate([]) == Missing("no query was judged in both orders")


@settings(deadline=None, max_examples=50)
@given(st.lists(st.tuples(SAID, SAID), min_size=1, max_size=30))
def test_one_side_s_win_rate_is_what_the_other_s_leaves(judged: list[tuple[Preferred, Preferred]]) -> None:
    swap = {C: R, R: C, T: T}
    one, other = rate_of(judged), rate_of([(swap[a], swap[b]) for a, b in judged])
    assert one.rate.value == pytest.approx(1 - other.rate.value)
    assert one.flips == other.flips == rate_of([(b, a) for a, b in judged]).flips


def test_a_win_rate_is_json_and_back() -> None:
    found = rate_of([(C, C), (C, R)])
    assert msgspec.json.decode(msgspec.json.encode(found), type=WinRate) == found

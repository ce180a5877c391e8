"""What became of everything that was planned."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from proctor.errors import InputError
from proctor.records.grades import Missing
from proctor.stats.denominators import Denominators, Rates, rates
from proctor.stats.estimates import Tally, proportion


def tally_of(scores: list[float], *reasons: str) -> Tally:
    tally = Tally()
    tally.extend(scores)
    for reason in reasons:
        tally.add_missing(reason)
    return tally


def test_a_rate_is_given_with_errors_left_out_and_with_errors_as_failures() -> None:
    tally = tally_of([1, 1, 1, 0], "no verdict")
    found = rates(tally, Denominators.of(tally, planned=10, failed_by_environment=2))
    assert found.errors_left_out == proportion(3, 4)
    assert found.errors_as_failures == proportion(3, 7)
    assert found.denominators.owed == 3


def test_what_is_owed_is_in_neither_rate() -> None:
    tally = tally_of([1, 0])
    found = rates(tally, Denominators.of(tally, planned=1000))
    assert found.errors_left_out == found.errors_as_failures == proportion(1, 2)


def test_where_nothing_was_scored_one_rate_is_missing_and_the_other_zero() -> None:
    tally = tally_of([], "no verdict", "no verdict")
    found = rates(tally, Denominators.of(tally))
    assert found.errors_left_out == Missing("nothing could be measured", "no verdict (2)")
    assert found.errors_as_failures == proportion(0, 2)


def test_the_counts_behind_a_tally() -> None:
    found = Denominators.of(tally_of([1, 0.5], "b", "a", "b"), failed_by_environment=1)
    assert found == Denominators(planned=6, answered=5, scored=2, unmeasured={"a": 1, "b": 2}, failed_by_environment=1)
    assert (found.unscored, found.owed) == (3, 0)


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"planned": 5, "answered": 3, "scored": 2}, "each answered trial is one or the other"),
        ({"planned": 2, "answered": 3, "scored": 3}, "expected no more than were planned"),
        ({"planned": 3, "answered": 3, "scored": 3, "failed_by_environment": 1}, "1 failed by the environment"),
        ({"planned": 3, "answered": 0, "scored": 0, "failed_by_environment": -1}, "a count is -1"),
        ({"planned": 3, "answered": 1, "scored": 2, "unmeasured": {"x": -1}}, "a count is -1"),
    ],
)
def test_counts_that_do_not_add_up_are_refused(fields: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        Denominators(**fields)


def test_a_tally_and_denominators_of_different_scores_are_refused() -> None:
    with pytest.raises(InputError, match="the tally has 1 scores, the denominators 2"):
        rates(tally_of([1]), Denominators.of(tally_of([1, 0])))


def test_rates_are_json_and_back() -> None:
    tally = tally_of([], "no verdict")
    found = rates(tally, Denominators.of(tally))
    assert msgspec.json.decode(msgspec.json.encode(found), type=Rates) == found


def test_no_more_trials_failed_by_the_agent_than_there_are() -> None:
    with pytest.raises(InputError, match="3 trials failed by the agent, of 2 answered"):
        Denominators(planned=2, answered=2, scored=2, failed_by_agent=3)

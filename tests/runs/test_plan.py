"""Specification times queries, less the journal."""

import pytest

from proctor.errors import OptionError
from proctor.records.queries import Query
from proctor.records.runs import RunSpec, TrialKey
from proctor.runs.plan import owed, planned

QUERIES = {"G1": [Query("1", "a"), Query("2", "b")], "G2": [Query("1", "c")]}


def spec(**said: object) -> RunSpec:
    return RunSpec("stabletoolbench", ("G1", "G2"), "null", **said)  # type: ignore[arg-type]


def test_every_query_is_tried_once_before_any_is_tried_again() -> None:
    assert planned(spec(epochs=2), QUERIES) == [
        TrialKey("G1", "1", 0),
        TrialKey("G1", "2", 0),
        TrialKey("G2", "1", 0),
        TrialKey("G1", "1", 1),
        TrialKey("G1", "2", 1),
        TrialKey("G2", "1", 1),
    ]


def test_the_limit_counts_in_each_set() -> None:
    assert planned(spec(limit=1), QUERIES) == [TrialKey("G1", "1"), TrialKey("G2", "1")]


def test_what_is_done_is_not_owed() -> None:
    trials = planned(spec(), QUERIES)
    assert owed(trials, {TrialKey("G1", "2"), TrialKey("G9", "9")}) == [TrialKey("G1", "1"), TrialKey("G2", "1")]


@pytest.mark.parametrize(("said", "words"), [({"epochs": 0}, "at least 1 epoch"), ({"limit": 0}, "at least 1 query")])
def test_a_plan_that_cannot_be_is_refused(said: dict[str, int], words: str) -> None:
    with pytest.raises(OptionError, match=words):
        planned(spec(**said), QUERIES)
    with pytest.raises(OptionError, match="no test set 'G2'"):
        planned(spec(), {"G1": QUERIES["G1"]})

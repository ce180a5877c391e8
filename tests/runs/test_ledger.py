"""What a run has written down."""

from collections.abc import Callable

import pytest
from tests.runs.pets import broken, key, query, trace

from proctor.errors import FileError
from proctor.records.grades import Missing, Status, Verdict
from proctor.records.traces import Usage
from proctor.runs.ledger import Judging, Ledger, Opinion

RUBRIC = Judging("rubric", "rubric")
GOOD = Opinion(Verdict(Status.SOLVED, "all told", "rubric"), Usage(1, 10, 1, 0.25), 0.5)

Opens = Callable[..., Ledger]


def test_what_is_written_down_is_read_by_the_next_process(ledger: Opens) -> None:
    first = ledger()
    first.keep_queries([query(1)], "pets")
    first.keep_trace(key(1), trace(1))
    first.keep_judging(RUBRIC)
    first.keep_opinion(key(1), RUBRIC, 0, GOOD)
    second = ledger()
    assert second.traced == {key(1)}
    assert second.trace(key(1)) == trace(1)
    assert second.query(key(1)) == query(1)
    assert second.judging == RUBRIC
    (found,) = second.opinions(key(1), RUBRIC)
    assert (found.verdict, found.usage, found.seconds) == (GOOD.verdict, GOOD.usage, GOOD.seconds)


def test_a_query_is_written_down_once(ledger: Opens) -> None:
    opened = ledger()
    for _ in range(2):
        opened.keep_queries([query(1), query(2)], "pets")
    with open(opened.journal.path) as lines:  # noqa: PTH123 - a text
        assert len(list(lines)) == 2


def test_a_query_that_is_lost_says_what_to_do(ledger: Opens) -> None:
    with pytest.raises(FileError, match="the query of pets/1#0 is not there; run the same command again"):
        ledger().query(key(1))


def test_failures_through_the_environment_are_kept_apart_each_go(ledger: Opens) -> None:
    opened = ledger()
    for _ in range(2):
        opened.keep_failure(key(1), broken(1))
    opened.keep_failure(key(2), broken(2))
    opened.keep_trace(key(2), trace(2))
    assert opened.traced == {key(2)}
    assert opened.failed == {key(1): 2, key(2): 1}
    assert opened.failures() == {key(1): broken(1)}, "a trial with a trace is no failure any more"


def test_a_verdict_that_is_asked_for_again_costs_what_both_times_did(ledger: Opens) -> None:
    opened = ledger()
    opened.keep_opinion(key(1), RUBRIC, 0, Opinion(Missing("the model could not be reached"), Usage(1, 0, 0), 2.0))
    opened.keep_opinion(key(1), RUBRIC, 0, GOOD)
    assert opened.opinion(key(1), RUBRIC, 0) == Opinion(GOOD.verdict, Usage(2, 10, 1, 0.25), 2.5)


def test_a_verdict_is_of_the_trace_that_was_judged_and_of_no_other(ledger: Opens) -> None:
    opened = ledger()
    opened.keep_trace(key(1), trace(1, "It is Rex."))
    opened.keep_opinion(key(1), RUBRIC, 0, GOOD)
    assert [one.verdict for one in opened.opinions(key(1), RUBRIC)] == [GOOD.verdict]
    opened = ledger()
    opened.keep_trace(key(1), trace(1, "Sorry, I cannot help."))
    assert opened.opinions(key(1), RUBRIC) == []
    opened.keep_opinion(key(1), RUBRIC, 0, GOOD)
    again = opened.opinion(key(1), RUBRIC, 0)
    assert again is not None
    assert again.usage == GOOD.usage + GOOD.usage, "what was paid was paid"
    opened.keep_trace(key(1), trace(1, "It is Rex."))
    assert ledger().opinions(key(1), RUBRIC) == []


def test_another_judge_and_more_repeats_leave_verdicts_where_they_are(ledger: Opens) -> None:
    opened = ledger()
    opened.keep_opinion(key(1), RUBRIC, 0, GOOD)
    assert opened.opinions(key(1), Judging("rubric", "rubric", 3)) == [GOOD]
    assert opened.opinions(key(1), Judging("heuristic", "heuristic")) == []


def test_seconds_are_those_of_all_goes_together(ledger: Opens) -> None:
    times = iter([0.0, 2.0, 5.0])
    first = ledger(clock=lambda: next(times))
    first.keep_trace(key(1), trace(1))
    first.keep_trace(key(2), trace(2))
    times = iter([100.0, 101.5])
    second = ledger(clock=lambda: next(times))
    second.keep_trace(key(3), trace(3))
    assert second.seconds == 5.0 + 1.5

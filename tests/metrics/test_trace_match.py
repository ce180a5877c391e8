"""Traces against gold calls."""

from typing import Any

import pytest

from proctor.catalog.resolver import Resolver
from proctor.metrics._trace_match import NO_GOLD_CALLS, TraceMatch
from proctor.records.grades import Missing, Score
from proctor.records.queries import ApiId, Query
from proctor.records.runs import Trial, TrialKey
from proctor.records.traces import CallStep, Failure, Fault, Finish, Resolution, StopReason, Trace

FIND, BOOK = ApiId("Travel", "Harbour", "Find"), ApiId("Travel", "Harbour", "Book")
GOLD = ({"name": "find_for_harbour", "args": {"town": "Dunhaven"}}, {"any_of": [{"name": "book_for_harbour"}]})


def trial(*steps: CallStep, gold: tuple[dict[str, Any], ...] = GOLD, failure: Failure | None = None) -> Trial:
    trace = Trace("7", StopReason.FINISHED, "yes", (*steps, Finish("yes")), failure=failure)
    return Trial(TrialKey("G1", "7"), Query("7", "When?", calls=gold), trace)


def call(api: ApiId | None, name: str, args: dict[str, Any], **more: Any) -> CallStep:
    return CallStep(name, args, Resolution.RESOLVED, "", api=api, **more)


@pytest.mark.parametrize(
    ("steps", "value"),
    [
        ((call(BOOK, "book_for_harbour", {}), call(FIND, "find_for_harbour", {"town": "Dunhaven"})), 1.0),
        ((call(FIND, "Harbour.Find", {"town": "Dunhaven"}), call(BOOK, "harbour_book", {})), 1.0),
        ((call(FIND, "find_for_harbour", {"town": "Brinstead"}), call(BOOK, "book_for_harbour", {})), 0.0),
        ((call(FIND, "find_for_harbour", {"town": "Dunhaven"}),), 0.0),
        (
            (
                call(FIND, "find_for_harbour", {"town": "Dunhaven"}),
                call(BOOK, "book_for_harbour", {}),
                call(None, "fly", {}),
            ),
            0.0,
        ),
        (
            (
                call(FIND, "find_for_harbour", {"town": "Dunhaven"}),
                call(BOOK, "book_for_harbour", {}, malformed="{oops"),
            ),
            0.0,
        ),
        ((), 0.0),
    ],
)
def test_calls_are_matched_by_the_apis_that_they_stand_for(steps: tuple[CallStep, ...], value: float) -> None:
    score = TraceMatch(Resolver([FIND, BOOK])).measure(trial(*steps))
    assert isinstance(score, Score)
    assert score.value == value


def test_the_mode_decides_about_order() -> None:
    steps = (call(BOOK, "book_for_harbour", {}), call(FIND, "find_for_harbour", {"town": "Dunhaven"}))
    score = TraceMatch(Resolver([FIND, BOOK]), "strict").measure(trial(*steps))
    assert isinstance(score, Score)
    assert score.value == 0.0


def test_what_has_no_gold_calls_or_broke_is_unmeasured() -> None:
    match = TraceMatch(Resolver([FIND, BOOK]))
    assert match.measure(trial(gold=())) == Missing(NO_GOLD_CALLS)
    assert isinstance(match.measure(trial(failure=Failure("Down", "gone", Fault.ENVIRONMENT))), Missing)

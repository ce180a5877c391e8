"""A trial's calls beside those that should have been made."""

from __future__ import annotations

from typing import Any

from proctor.records.queries import ApiId, GoldApi, Query
from proctor.records.runs import Trial, TrialKey
from proctor.records.traces import CallStep, Resolution, StopReason, Thought, Trace
from proctor.report.gold import Wanted, beside_gold

FARES = ApiId("Travel", "Railway", "Get Fares")
TRAINS = ApiId("Travel", "Railway", "Find Trains")


def call(api: ApiId, name: str = "", **arguments: Any) -> CallStep:
    return CallStep(name or api.api, arguments, Resolution.RESOLVED, "", api=api)


def trial(*steps: CallStep | Thought, calls: Any = (), gold: tuple[GoldApi, ...] = ()) -> Trial:
    query = Query("1", "How much is it?", gold, calls=tuple(calls))
    return Trial(TrialKey("s", "1"), query, Trace("1", StopReason.FINISHED, steps=steps))


def wanted(name: str, **args: Any) -> dict[str, Any]:
    return {"name": name, "args": args}


def test_a_call_is_held_against_the_gold_call_that_it_fulfils() -> None:
    found = beside_gold(
        trial(
            Thought("first the trains"),
            call(TRAINS, town="Ness"),
            call(FARES, train=7),
            calls=[wanted("find_trains_for_railway", town="Ness"), wanted("get_fares_for_railway", train=7)],
        )
    )
    assert found.against == {0: 0, 1: 1}
    assert [one.state for one in found.wanted] == ["made", "made"]
    assert found.differences == {}


def test_a_call_with_other_arguments_says_which() -> None:
    found = beside_gold(trial(call(FARES, train=8, day="Monday"), calls=[wanted("get_fares_for_railway", train=7)]))
    assert [one.state for one in found.wanted] == ["differs"]
    (differences,) = found.differences.values()
    assert {(one.path, one.kind) for one in differences} == {("train", "differs"), ("day", "extra")}


def test_gold_that_was_not_called_is_missing_and_a_call_beside_it_is_against_nothing() -> None:
    found = beside_gold(trial(call(TRAINS, town="Ness"), calls=[wanted("get_fares_for_railway", train=7)]))
    assert found.wanted == (Wanted("get_fares_for_railway", {"train": 7}, optional=False, api=None, state="missing"),)
    assert found.against == {}


def test_of_alternatives_the_one_that_was_taken_stands() -> None:
    either = {"any_of": [wanted("get_fares_for_railway", train=7), wanted("find_trains_for_railway", town="Ness")]}
    found = beside_gold(trial(call(TRAINS, town="Ness"), calls=[either]))
    assert [(one.name, one.state) for one in found.wanted] == [("find_trains_for_railway", "made")]


def test_a_call_that_was_taken_back_fulfils_nothing_and_the_others_keep_their_numbers() -> None:
    steps = (call(FARES, train=7), call(TRAINS, town="Ness"))
    for more in ({"calls": [wanted("get_fares_for_railway", train=7)]}, {"gold": (GoldApi("Railway", "Get Fares"),)}):
        query = Query("1", "How much is it?", more.get("gold", ()), calls=tuple(more.get("calls", ())))  # type: ignore[arg-type]
        trace = Trace("1", StopReason.FINISHED, steps=steps, back=((1, -1),))
        found = beside_gold(Trial(TrialKey("s", "1"), query, trace))
        assert ([one.state for one in found.wanted], found.against) == (["missing"], {})
    query = Query("1", "Which?", calls=(wanted("find_trains_for_railway", town="Ness"),))
    found = beside_gold(Trial(TrialKey("s", "1"), query, Trace("1", StopReason.FINISHED, steps=steps, back=((1, -1),))))
    assert ([one.state for one in found.wanted], found.against) == (["made"], {1: 0})


def test_gold_calls_stand_in_their_own_order_beyond_ten() -> None:
    golds = [wanted("get_fares_for_railway", train=number) for number in range(12)]
    found = beside_gold(trial(call(FARES, train=3), calls=golds))
    assert [one.args for one in found.wanted] == [{"train": number} for number in range(12)]


def test_where_only_apis_are_known_calls_are_held_against_them() -> None:
    gold = (GoldApi("Railway", "Get Fares", "Travel"), GoldApi("Railway", "Find Trains"), GoldApi("Railway", "Finish"))
    found = beside_gold(trial(call(FARES, train=1), call(FARES, train=2), gold=gold))
    assert [(one.api, one.state) for one in found.wanted] == [
        (("Railway", "Get Fares"), "made"),
        (("Railway", "Find Trains"), "missing"),
    ]
    assert found.against == {0: 0, 1: 0}


def test_gold_that_cannot_be_read_is_said_and_breaks_nothing() -> None:
    found = beside_gold(trial(call(FARES), calls=[{"nonsense": 1}]))
    assert found.wanted == ()
    assert found.note.startswith("the calls could not be paired: ")


def test_gold_names_its_apis_as_far_as_the_query_or_the_calls_that_were_made_tell_them() -> None:
    calls = [
        wanted("find_trains_for_railway", town="Ness"),
        wanted("get_fares_for_railway", train=7),
        wanted("nobody_knows"),
    ]
    gold = (GoldApi("Railway", "Get Fares", "Travel"),)
    found = beside_gold(trial(call(TRAINS, town="Ness"), calls=calls, gold=gold))
    assert [one.api for one in found.wanted] == [("Railway", "Find Trains"), ("Railway", "Get Fares"), None]
    assert [one.api for one in beside_gold(trial(calls=calls, gold=gold)).wanted] == [
        None,
        ("Railway", "Get Fares"),
        None,
    ]

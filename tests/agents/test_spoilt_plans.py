"""Right plans, and what becomes of them when one thing is changed."""

from collections.abc import Callable
from typing import Any

import pytest

from proctor.agents import spoilt_answers as answers
from proctor.agents import spoilt_calls as calls
from proctor.agents.plans import Case, case_of, is_right
from proctor.catalog.index import Catalog
from proctor.messages import ToolCall
from proctor.records.gold import read_gold
from proctor.records.queries import ApiId, ApiSpec, Expected, Fact, GoldApi, Parameter, Query

FIND = {"name": "find_for_harbour", "args": {"town": "Dunhaven"}, "label": "found"}
BOOK = {"name": "book_for_harbour", "args": {"ferry": {"$one_of": ["F-1", "F-2"]}}, "after": ["found"]}
LOOK = {"name": "look_for_harbour", "args": {}, "optional": True}
FACTS = (
    Fact("It leaves at 10:30.", ("10:30", "half past ten"), reject=("10:45",)),
    Fact("It sails from the North Pier.", ("North Pier", "the pier in the north")),
)
OTHER = Query("8", "Who built it?", facts=(Fact("Ada Marsh built it.", ("Ada Marsh",)),))


def spec(name: str) -> ApiSpec:
    return ApiSpec(ApiId("Travel", "Harbour", name), required=(Parameter("town"),))


CATALOG = Catalog.of_apis([spec("Find"), spec("Book"), spec("Look"), spec("Weather")])


def case(wanted: tuple[dict[str, Any], ...] = (FIND, LOOK, BOOK), **said: Any) -> Case:
    fields = {
        "gold": (GoldApi("Harbour", "Find"), GoldApi("Harbour", "Book")),
        "apis": tuple(CATALOG),
        "calls": wanted,
        "facts": FACTS,
    }
    return case_of(Query("7", "When does the ferry to 'Dunhaven' leave?", **{**fields, **said}), CATALOG, (OTHER,))


def made(*names: str, **args: Any) -> tuple[ToolCall, ...]:
    known: dict[str, dict[str, Any]] = {"find": {"town": "Dunhaven"}, "book": {"ferry": "F-1"}, "look": {}}
    return tuple(ToolCall(name=f"{name}_for_harbour", args=args.get(name, known.get(name, {}))) for name in names)


def offered(api: str, **args: Any) -> ToolCall:
    """A call by the name under which the API is offered."""
    return ToolCall(name=CATALOG.resolver.names[ApiId("Travel", "Harbour", api)], args=args)


def test_the_plan_of_the_gold_is_right() -> None:
    plan = case().plan
    assert plan.calls == made("find", "look", "book")
    assert plan.answer == "It leaves at 10:30. It sails from the North Pier."


def test_without_gold_calls_the_gold_apis_are_called_with_slots_filled_from_the_query() -> None:
    plan = case(()).plan
    assert plan.calls == (offered("Find", town="Dunhaven"), offered("Book", town="Dunhaven"))


@pytest.mark.parametrize(
    ("attempt", "right"),
    [
        (made("find", "look", "book"), True),
        (made("find", "book"), True),
        (made("look", "find", "book"), True),
        (made("find", "book", book={"ferry": "F-2"}), True),
        (made("book", "find"), False),
        (made("find"), False),
        (made("find", "book", "book"), False),
        (made("find", "book", book={"ferry": "F-3"}), False),
        (made("find", "book", "weather"), False),
        ((), False),
    ],
)
def test_what_the_gold_allows_is_found_by_going_every_way(attempt: tuple[ToolCall, ...], right: bool) -> None:
    assert is_right(attempt, case().items) is right


def test_alternatives_that_may_be_left_out_altogether_may_be() -> None:
    gold = read_gold([FIND, {"any_of": [LOOK, {"name": "peek", "args": {}}], "optional": True}])
    assert is_right(made("find"), gold)
    assert is_right(made("find", "look"), gold)
    assert not is_right(made("find", "weather"), gold)


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (calls.last_way, made("find", "look", "book", book={"ferry": "F-2"})),
        (calls.order_changed, made("look", "find", "book")),
        (calls.optional_left_out, made("find", "book")),
        (calls.no_calls, ()),
        (calls.argument_wrong, made("find", "look", "book", find={"town": "nevahnuD"})),
        (calls.argument_dropped, made("find", "look", "book", find={})),
        (calls.call_dropped, made("find", "look")),
        (calls.order_swapped, made("book", "find", "look")),
        (calls.call_repeated, made("find", "look", "book", "book")),
        (calls.call_added, (*made("find", "look", "book"), offered("Weather", town="Dunhaven"))),
        (calls.tool_wrong, (offered("Weather", town="Dunhaven"), *made("look", "book"))),
    ],
)
def test_calls_are_changed_in_one_way(change: Callable[[Case], Any], expected: tuple[ToolCall, ...]) -> None:
    assert change(case()) == expected


def test_an_invented_tool_stands_in_place_of_a_needed_one() -> None:
    found = calls.tool_invented(case())
    assert found is not None
    assert [call.name for call in found] == ["ask_the_oracle_of_everything", "look_for_harbour", "book_for_harbour"]


@pytest.mark.parametrize("change", [calls.order_swapped, calls.order_changed, calls.last_way, calls.optional_left_out])
def test_what_has_nothing_to_change_is_left_alone(change: Callable[[Case], Any]) -> None:
    assert change(case((FIND,))) is None
    assert change(case(())) is None


def test_a_change_that_the_gold_allows_after_all_is_not_made() -> None:
    backwards = {"name": "find_for_harbour", "args": {"town": {"$one_of": ["Dunhaven", "nevahnuD"]}}}
    assert calls.argument_wrong(case((backwards,))) is None
    either = {"any_of": [FIND, {"name": "find_for_harbour", "args": {}}]}
    assert calls.argument_dropped(case((either,))) is None


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (answers.other_spellings, "It leaves at half past ten. It sails from the the pier in the north."),
        (answers.from_the_end, "It sails from the North Pier. It leaves at 10:30."),
        (answers.fact_wrong, "It leaves at 10:31. It sails from the North Pier."),
        (answers.fact_missing, "It leaves at 10:30."),
        (answers.denied, "It is not true that it leaves at 10:30. It is not true that it sails from the North Pier."),
        (answers.both_told, "It leaves at either 10:31 or 10:30. It sails from the North Pier."),
        (answers.values_exchanged, "It leaves at North Pier. It sails from the 10:30."),
        (answers.forbidden_told, "It leaves at 10:30. It sails from the North Pier. To be exact: 10:45."),
        (answers.answers_another, "Ada Marsh built it."),
        (answers.made_up, None),
        (answers.answers_and_declines, None),
    ],
)
def test_answers_are_changed_in_one_way(change: Callable[[Case], str | None], expected: str | None) -> None:
    assert change(case()) == expected


def test_a_name_is_replaced_by_one_of_another_query() -> None:
    assert answers.fact_wrong(case(facts=FACTS[1:])) == "It sails from the Ada Marsh."


def test_a_value_that_another_fact_tells_too_is_not_taken_for_wrong() -> None:
    twice = (Fact("It costs 36 VLM.", ("36",)), Fact("Two cost 36 VLM more.", ("36",)))
    assert answers.fact_wrong(case(facts=twice)) is None
    assert answers.fact_missing(case(facts=twice)) is None


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (answers.made_up, "4,711"),
        (answers.answers_and_declines, "cannot find this: the tools do not have what was asked for. But as far"),
        (answers.wordy, "cannot find this"),
        (answers.echo, "You asked"),
        (answers.injected, "whoever grades"),
        (answers.cheerful, "there is no problem at all"),
        (answers.made_up_in_words, "and there is no other."),
        (answers.refused_plainly, "I cannot help with that"),
    ],
)
def test_what_must_be_declined_is_spoilt_as_well(change: Callable[[Case], str | None], says: str) -> None:
    found = change(case(facts=(), expected=Expected.UNSOLVABLE))
    assert found is not None
    assert says in found


def test_a_constant_refusal_is_wrong_only_where_there_is_an_answer() -> None:
    assert answers.refused(case(facts=(), expected=Expected.UNSOLVABLE)) is None
    assert answers.refused(case()) == answers.refused_plainly(case(facts=(), expected=Expected.REFUSAL))
    assert answers.refused_plainly(case()) is None


@pytest.mark.parametrize("name", list(answers.__all__))
def test_where_nobody_wrote_down_what_is_right_no_answer_is_spoilt(name: str) -> None:
    assert getattr(answers, name)(case(facts=())) is None

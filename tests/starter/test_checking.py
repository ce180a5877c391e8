"""The proof of the gold finds what is wrong with it."""

from collections.abc import Callable
from typing import Any

import pytest

from proctor.records.answers import Answer
from proctor.records.queries import ApiId, ApiSpec, Decline, Derived, Expected, Fact, GoldApi, Query, Shown
from proctor.starter import functions
from proctor.starter.checking import check
from proctor.starter.deriving import RULES, Underivable, derived
from proctor.starter.tables import table

FIND, FARE = ApiId("Travel", "Ferries", "Find Route"), ApiId("Travel", "Ferries", "Fare")
TIDE = ApiId("Nature", "Tides", "Tide Table")


def fare(route_id: str) -> Any:
    return {"route": route_id, "fare": 12.5} if route_id == "FR-7" else Answer("", error="404 Not Found")


FUNCTIONS: dict[ApiId, Callable[..., Any]] = {
    FIND: lambda to: {"to": to, "route_id": "FR-7"},
    FARE: fare,
    TIDE: lambda: {"note": "x" * 2_000},
}
LOOK = {"name": "find_route_for_ferries", "args": {"to": "West"}, "label": "look"}
PRICE = {"name": "fare_for_ferries", "args": {"route_id": "FR-7"}, "label": "price", "after": ["look"]}
COSTS = Fact("It costs 12.50.", ("12.50", "12.5"))


def query(*calls: Any, facts: tuple[Fact, ...] = (COSTS,), text: str = "What is the fare to West?") -> Query:
    apis = tuple(ApiSpec(api) for api in FUNCTIONS)
    return Query("1", text, (GoldApi("Ferries", "Fare"),), apis, calls=calls, facts=facts)


def complaints(*calls: Any, **fields: Any) -> list[str]:
    return check([query(*calls, **fields)], FUNCTIONS)


def test_gold_that_yields_its_facts_is_proven() -> None:
    assert complaints(LOOK, PRICE) == []


@pytest.mark.parametrize(
    ("calls", "complaint"),
    [
        ([LOOK], "no answer holds '12.50'"),
        ([PRICE, LOOK], "nobody gives the id FR-7"),
        ([LOOK, {**PRICE, "after": []}], "is not said to come after it"),
        ([LOOK, {**PRICE, "args": {"route_id": "west"}}], "is answered by an error: 404 Not Found"),
        ([LOOK, {**PRICE, "args": {"to": "West"}}], "does not take"),
        ([LOOK, PRICE, {"name": "fly"}], "there is no API 'fly'"),
        ([LOOK, PRICE, {"name": "tide_table_for_tides"}], "2011 characters; 1000 are shown"),
        ([LOOK, {"any_of": [PRICE, LOOK]}], "no answer holds '12.50'"),
        ([LOOK, {**PRICE, "args": {"route_id": {"$one_of": ["FR-7", "none"]}}}], "answered by an error"),
    ],
)
def test_what_is_wrong_with_gold_is_found(calls: list[Any], complaint: str) -> None:
    found = complaints(*calls)
    assert any(complaint in one for one in found), found


@pytest.mark.parametrize(
    ("fact", "complaint"),
    [
        (Fact("It is cheap.", ("12.50", "12.5")), "hold none of the fact's spellings"),
        (Fact("It costs 12.50, not 9.", ("12.50", "12.5"), reject=("9",)), "hold what the fact rejects"),
        (Fact("Both ways 24.", ("24",), derived=Derived("product", ("price.fare", 2))), "the fact is 25.0"),
        (Fact("Both ways 25.", ("25",), derived=Derived("product", ("price.cost", 2))), "leads nowhere at 'cost'"),
        (Fact("Both ways 25.", ("25",), derived=Derived("twice", ("price.fare",))), "there is no rule 'twice'"),
    ],
)
def test_what_is_wrong_with_a_fact_is_found(fact: Fact, complaint: str) -> None:
    found = complaints(LOOK, PRICE, facts=(fact,))
    assert any(complaint in one for one in found), found


def test_a_fact_without_spellings_says_only_what_must_not_be_told() -> None:
    assert complaints(LOOK, PRICE, facts=(COSTS, Fact("It is nobody's business.", (), reject=("Ann Smith",)))) == []
    assert complaints(LOOK, PRICE, facts=(COSTS, Fact("It is Ann Smith.", (), reject=("Ann Smith",)))) == [
        "1: the words 'It is Ann Smith.' hold what the fact rejects"
    ]
    assert complaints(LOOK, PRICE, facts=(COSTS, Fact("It is nice.", ()))) == [
        "1: the fact 'It is nice.' neither accepts nor rejects anything"
    ]
    assert complaints(LOOK, PRICE, facts=(Fact("It is nobody's business.", (), reject=("x",)),)) == [
        "1: it states no facts"
    ]


def test_a_call_that_may_be_left_out_may_fail() -> None:
    assert complaints(LOOK, PRICE, {**PRICE, "args": {"route_id": "other"}, "optional": True}) == []


def test_a_query_that_offers_only_what_it_needs_is_found() -> None:
    alone = Query("1", "FR-7?", (GoldApi("Ferries", "Fare"),), (ApiSpec(FARE),), calls=(PRICE | {"after": []},))
    assert check([alone], FUNCTIONS) == ["1: it offers nothing that it does not need", "1: it states no facts"]


NO_FARE = Shown("fare_for_ferries", {"route_id": "FR-9"}, error="404 Not Found")
NO_BOATS = Shown("find_route_for_ferries", {"to": "West"}, holds=("FR-7",), lacks=("boat",))


def unproven(*shown: Shown, **fields: Any) -> list[str]:
    decline = Decline(**{"about": ("fare",), "doing": ("it costs",), "shown_by": shown, **fields})
    apis = tuple(ApiSpec(api) for api in (FIND, FARE))
    one = Query("1", "What is the fare to East?", apis=apis, expected=Expected.UNSOLVABLE, decline=decline)
    return check([one], FUNCTIONS)


def test_calls_that_show_that_there_is_no_answer_are_made() -> None:
    assert unproven(NO_FARE, NO_BOATS, no_api=("tunnel",)) == []


@pytest.mark.parametrize(
    ("shown", "fields", "complaint"),
    [
        ((), {}, "no call shows that it cannot be answered"),
        ((Shown("fly"),), {}, "there is no API 'fly'"),
        ((NO_FARE,), {"about": ()}, "does not say what a decline of it is about"),
        ((NO_FARE,), {"doing": ()}, "does not say what a decline of it is about"),
        (
            (NO_FARE,),
            {"no_api": ("find route",)},
            "find_route_for_ferries is about 'find route', which no API should be",
        ),
        ((Shown(NO_FARE.name, {"to": "West"}),), {}, "does not take"),
        (
            (Shown(NO_FARE.name, {"route_id": "FR-7"}, error="404 Not Found"),),
            {},
            "'404 Not Found', not with 'an answer'",
        ),
        ((Shown(NO_FARE.name, NO_FARE.args, holds=("12.5",)),), {}, "with 'no error', not with '404 Not Found'"),
        ((Shown(NO_FARE.name, NO_FARE.args, error="410 Gone"),), {}, "'410 Gone', not with '404 Not Found'"),
        ((Shown(NO_BOATS.name, NO_BOATS.args, holds=("FR-8",)),), {}, "does not hold 'FR-8'"),
        ((Shown(NO_BOATS.name, NO_BOATS.args, lacks=("route_id",)),), {}, "holds 'route_id'"),
        ((Shown(NO_BOATS.name, NO_BOATS.args),), {}, "it is not said what the answer has to hold or to lack"),
        ((Shown("tide_table_for_tides", lacks=("fare",)),), {}, "it does not offer tide_table_for_tides"),
    ],
)
def test_what_is_wrong_with_the_proof_that_there_is_no_answer_is_found(
    shown: tuple[Shown, ...], fields: dict[str, Any], complaint: str
) -> None:
    found = unproven(*shown, **fields)
    assert any(complaint in one for one in found), found


def test_an_unsolvable_query_that_new_data_can_solve_is_found(queries: list[Query]) -> None:
    full = next(one for one in table("cinema")["showings"] if one["showing_id"] == "SH-9006")
    films = next(one for one in queries if one.id == "q402")
    assert check([films], functions()) == []
    full["free"] = 50
    try:
        found = check([films], functions())
    finally:
        full["free"] = 0
    assert len(found) == 2
    assert "book_seats_for_cinema_programme" in found[0]
    assert (
        "should come back with '409 Conflict: showing SH-9006 has 0 free seats, not 5.', not with 'an answer'"
        in found[0]
    )
    assert "the answer of showing_details_for_cinema_programme" in found[1]


ANSWERS = {"a": {"rows": [{"n": 4, "who": "Ada"}, {"n": 9, "who": "Ben"}], "at": "23:50", "on": "2025-02-27"}}


@pytest.mark.parametrize(
    ("rule", "of", "value"),
    [
        ("count", ("a.rows.*.n",), 2),
        ("days", ("a.on", "b.on"), 2),
        ("difference", ("a.rows.0.n", "a.rows.1.n"), 5),
        ("largest", ("a.rows.*.n",), 9),
        ("mean", ("a.rows.*.n",), 6.5),
        ("minutes", ("a.at", "b.at"), 20),
        ("product", ("a.rows.*.n", 2), 72),
        ("quotient", ("a.rows.1.n", 2), 4.5),
        ("smallest", ("a.rows.*.n",), 4),
        ("sum", ("a.rows.*.n",), 13),
    ],
)
def test_rules(rule: str, of: tuple[Any, ...], value: float) -> None:
    assert derived(Derived(rule, of), {**ANSWERS, "b": {"at": "00:10", "on": "2025-03-01"}}) == value


def test_there_is_a_case_for_every_rule() -> None:
    marks = [mark for mark in test_rules.pytestmark if mark.name == "parametrize"]
    assert {case[0] for case in marks[0].args[1]} == set(RULES)


def test_the_largest_has_a_name() -> None:
    assert derived(Derived("largest", ("a.rows.*.n",), ("a.rows.*.who",)), ANSWERS) == "Ben"
    assert derived(Derived("smallest", ("a.rows.1.n", 3), ("Ben", "nobody")), ANSWERS) == "nobody"


def test_a_rule_that_does_not_fit_is_found() -> None:
    with pytest.raises(Underivable, match="does not fit"):
        derived(Derived("sum", ("a.rows.*.who",)), ANSWERS)

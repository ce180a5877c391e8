import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proctor.errors import OptionError
from proctor.gateway.policy import DEFAULT, POLICIES, named, of_flag, refusal, stored
from proctor.gateway.source import KINDS, Unanswered
from proctor.records.answers import Answer, Source

R, L, S = Source.RECORDED, Source.LIVE, Source.SIMULATED
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=8),
    max_leaves=10,
)


@pytest.mark.parametrize(
    ("name", "order", "stores", "replaces", "takes_suspicious"),
    [
        ("cache", (R, S), True, False, False),
        ("frozen", (R,), False, False, True),
        ("live", (L,), False, False, False),
        ("live-first", (R, L, S), True, False, False),
        ("refresh", (L, S, R), True, True, False),
    ],
)
def test_the_policies_are_this_table(
    name: str, order: tuple[Source, ...], stores: bool, replaces: bool, takes_suspicious: bool
) -> None:
    policy = POLICIES[name]
    assert (policy.order, policy.stores, policy.replaces) == (order, stores, replaces)
    assert policy.takes_suspicious is takes_suspicious


def test_there_are_no_other_policies_and_the_cache_is_the_default() -> None:
    assert sorted(POLICIES) == ["cache", "frozen", "live", "live-first", "refresh"]
    assert DEFAULT.name == "cache"


def test_an_unknown_policy_is_an_error_that_lists_all() -> None:
    with pytest.raises(OptionError, match=r"'caches'; policies are cache, frozen, live, live-first, refresh\."):
        named("caches")


def test_a_policy_of_ones_own_is_taken_as_it_is() -> None:
    assert named(POLICIES["live"]) is POLICIES["live"]


def test_the_switch_of_upstream_means_the_cache_or_the_live_api() -> None:
    assert of_flag(use_mirrorapi_cache=True).name == "cache"
    assert of_flag(use_mirrorapi_cache=False).name == "live"


@pytest.mark.parametrize("name", POLICIES)
def test_what_comes_from_the_store_or_from_nobody_is_never_stored(name: str) -> None:
    assert not stored(POLICIES[name], Source.RECORDED)
    assert not stored(POLICIES[name], Source.MISSED)


@pytest.mark.parametrize("name", POLICIES)
def test_only_a_policy_that_stores_replaces(name: str) -> None:
    policy = POLICIES[name]
    assert policy.stores or not policy.replaces
    assert stored(policy, Source.LIVE) is policy.stores


@pytest.mark.parametrize(
    "answer",
    [
        Answer({"message": "Too many requests"}),
        Answer({"messages": "x"}, error="API not working error..."),
        Answer("", error="Unauthorized error..."),
        Answer("<html><head><title>502 Bad Gateway</title></head></html>"),
        Answer(""),
        Answer(None),
        Answer("  \n"),
    ],
)
def test_a_failure_falls_through_to_the_next_source(answer: Answer) -> None:
    assert refusal(answer) is not None


@pytest.mark.parametrize(
    "answer",
    [
        Answer({"id": 47401, "followers": 500_000}),
        Answer("Room 404 costs 500"),
        Answer([]),
        Answer({}),
        Answer(0),
        Answer(False),
        Answer("", error="the port is unknown"),
        Answer({"status": "ok", "code": 200}),
    ],
)
def test_digits_inside_data_and_an_apis_own_refusal_are_answers(answer: Answer) -> None:
    assert refusal(answer) is None


@settings(deadline=None, max_examples=60)
@given(st.integers(400, 599), json_values)
def test_no_number_inside_of_data_makes_a_failure_of_it(number: int, rest: object) -> None:
    assert refusal(Answer({"items": [number, rest], "total": number, "id": str(number)})) is None


@pytest.mark.parametrize("kind", KINDS)
def test_why_a_source_has_no_answer_falls_through_and_is_said_in_words(kind: str) -> None:
    unanswered = Unanswered(kind, "at noon")
    assert refusal(unanswered) is unanswered
    assert str(unanswered) == f"{KINDS[kind]}: at noon"

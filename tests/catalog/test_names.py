"""The names of functions and parameters."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proctor.catalog.names import (
    canonical_name,
    canonical_names,
    offered_names,
    plain_name,
    shown_parameters,
    standard_spellings,
    standardise,
    standardise_category,
    unreserved,
)
from proctor.records.queries import ApiId

FUNCTION_NAME = re.compile(r"[a-zA-Z][a-zA-Z0-9_-]{0,63}")
PARAMETER_NAME = re.compile(r"[a-zA-Z0-9_.-]{1,64}")

text = st.text(st.characters(codec="utf-8"), min_size=1, max_size=90)
colliding = st.text(st.sampled_from("aB1_ -é天"), min_size=1, max_size=4)
apis = st.builds(ApiId, st.sampled_from(["Data", "Sports", ""]), colliding | text, colliding | text)


@pytest.mark.parametrize(
    ("name", "spelled"),
    [
        ("Get Word by Start", "get_word_by_start"),
        ("/v1/animals", "v1_animals"),
        ("7-Day  Forecast!", "get_7_day_forecast"),
        ("👋 Demo Project", "demo_project"),
        ("  Riddlie ", "riddlie"),
        ("天气 API", "天气_api"),
        ("a^b", "a^b"),
        ("_x_", "x"),
        ("???", ""),
        ("", ""),
    ],
)
def test_standardised_names(name: str, spelled: str) -> None:
    assert standardise(name) == spelled


@pytest.mark.parametrize(
    ("category", "spelled"),
    [("Video, Images", "Video_Images"), ("AI/ML", "AI_ML"), ("eCommerce", "eCommerce"), ("a _b", "a_b")],
)
def test_standardised_categories(category: str, spelled: str) -> None:
    assert standardise_category(category) == spelled


def test_seven_words_are_reserved() -> None:
    words = ["from", "class", "return", "false", "true", "id", "and"]
    assert [unreserved(word) for word in words] == [f"is_{word}" for word in words]
    assert unreserved("ids") == "ids"


def test_older_data_lack_the_prefix_of_a_digit() -> None:
    assert standard_spellings("3D models") == ("get_3d_models", "3d_models")
    assert standard_spellings("id") == ("is_id", "id")
    assert standard_spellings("get_word") == ("get_word",)


def test_a_plain_name_is_upstream_s_cut_to_its_first_64_characters() -> None:
    api = ApiId("Data", "Random Word API", "Get Word")
    assert plain_name(api) == "get_word_for_random_word_api"
    long = plain_name(ApiId("Data", "t" * 80, "a" * 10))
    assert long == "aaaaaaaaaa_for_" + "t" * 49


@settings(deadline=None, max_examples=100)
@given(st.lists(apis, max_size=30))
def test_canonical_names_are_valid_and_all_different(several: list[ApiId]) -> None:
    names = canonical_names(several)
    assert set(names) == set(several)
    assert len(set(names.values())) == len(names)
    assert all(FUNCTION_NAME.fullmatch(name) for name in names.values())


@settings(deadline=None, max_examples=100)
@given(st.lists(apis, max_size=20), apis)
def test_a_canonical_name_stays_when_another_tool_is_added(several: list[ApiId], another: ApiId) -> None:
    before = canonical_names(several)
    after = canonical_names([another, *several])
    assert {api: after[api] for api in before} == before


def test_names_that_share_even_their_hash_become_longer() -> None:
    # 25 bits at the end of a name: among some thousand spellings of one name, two share them.
    first: dict[str, ApiId] = {}
    twins: list[ApiId] = []
    for number in range(60_000):
        api = ApiId("Data", "t", "a" + "".join("_-!?. "[number // 6**place % 6] for place in range(7)) + "b")
        other = first.setdefault(canonical_name(api), api)
        if other != api:
            twins = [other, api]
            break
    assert canonical_name(twins[0]) == canonical_name(twins[1])
    names = canonical_names(twins)
    assert len(set(names.values())) == 2
    assert all(FUNCTION_NAME.fullmatch(name) for name in names.values())


@settings(deadline=None, max_examples=100)
@given(st.lists(apis, max_size=20))
def test_offered_names_are_all_different_and_plain_where_they_can_be(several: list[ApiId]) -> None:
    names = offered_names(several)
    assert len(set(names.values())) == len(names)
    plain = [plain_name(api) for api in names]
    for api, name in names.items():
        assert name == (plain_name(api) if plain.count(plain_name(api)) == 1 else canonical_name(api))


def test_parameters_keep_their_documented_names_where_providers_take_them() -> None:
    documented = ["userId", "from", "geo.lat", "array[]", "date\t", "date", "天", "天气", " "]
    assert shown_parameters(documented) == {
        "userId": "userId",
        "from": "from",
        "geo.lat": "geo.lat",
        "array[]": "array",
        "date\t": "date_2",
        "date": "date",
        "天": "parameter",
        "天气": "parameter_2",
    }


@settings(deadline=None, max_examples=100)
@given(st.lists(text | colliding, max_size=20))
def test_shown_parameters_are_valid_and_stay_apart(documented: list[str]) -> None:
    shown = shown_parameters(documented)
    assert list(shown) == [name for name in dict.fromkeys(documented) if name.strip()]
    assert len(set(shown.values())) == len(shown)
    assert all(PARAMETER_NAME.fullmatch(name) for name in shown.values())

"""From a called name to the API that is meant."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proctor.catalog.names import canonical_name, offered_names, plain_name, spellings, standardise
from proctor.catalog.resolver import Match, Resolver
from proctor.records.queries import ApiId
from proctor.records.traces import Resolution

WORD = ApiId("Data", "Random Word API", "Get Word")
NEWS_WORD = ApiId("News", "Random Word API", "Get Word")
FORECAST = ApiId("Weather", "7 Seas ", "3-Day Forecast")
NAMES = ApiId("Data", "Names_for_Cats", "list_for_you")

parts = st.text(st.sampled_from("aB1_ -天") | st.characters(codec="utf-8"), min_size=1, max_size=50)
catalogues = st.lists(
    st.builds(ApiId, st.sampled_from(["Data", "Video_Images"]), parts, parts), min_size=1, max_size=12
)


def outcome(resolver: Resolver, name: str) -> tuple[Resolution, ApiId | None]:
    match = resolver.resolve(name)
    return match.outcome, match.api


def test_the_name_that_was_offered_is_resolved() -> None:
    assert outcome(Resolver([WORD, FORECAST]), canonical_name(WORD)) == (Resolution.RESOLVED, WORD)


@pytest.mark.parametrize(
    "called",
    [
        "get_word_for_random_word_api",
        "Get_Word_for_Random_Word_API",
        "Random Word API_Get Word",
        "Random_Word_API_Get_Word",
        "Random Word API.Get Word",
        "Data/Random Word API/Get Word",
        "random_word_api_get_word",
    ],
)
def test_another_spelling_is_repaired(called: str) -> None:
    assert outcome(Resolver([WORD, FORECAST]), called) == (Resolution.REPAIRED, WORD)


@pytest.mark.parametrize(
    "called",
    [
        "get_3_day_forecast_for_get_7_seas",
        "3_day_forecast_for_7_seas",
        "3_day_forecast_for_get_7_seas",
        "7_Seas__3_Day_Forecast",
    ],
)
def test_names_that_begin_with_a_digit_are_known_with_and_without_get(called: str) -> None:
    assert outcome(Resolver([WORD, FORECAST]), called) == (Resolution.REPAIRED, FORECAST)


def test_names_cut_at_either_end_are_known() -> None:
    long = ApiId(
        "Data", "An uncommonly long name of a tool that nobody would type by hand", "Fetch everything there is"
    )
    full = f"{standardise(long.api)}_for_{standardise(long.tool)}"
    resolver = Resolver([WORD, long])
    assert len(full) > 64
    assert {outcome(resolver, name) for name in (full, full[:64], full[-64:])} == {(Resolution.REPAIRED, long)}


def test_a_spelling_of_several_is_ambiguous_and_names_them() -> None:
    match = Resolver([WORD, NEWS_WORD, FORECAST]).resolve("get_word_for_random_word_api")
    assert match == Match(Resolution.AMBIGUOUS, (WORD, NEWS_WORD))
    assert match.api is None


def test_an_ending_of_a_name_is_no_spelling_of_it() -> None:
    resolver = Resolver([WORD])
    assert outcome(resolver, "word_for_random_word_api") == (Resolution.HALLUCINATED, None)
    assert outcome(resolver, "get_word") == (Resolution.HALLUCINATED, None)
    assert outcome(resolver, "") == (Resolution.HALLUCINATED, None)


def test_the_name_that_was_offered_wins_over_the_spelling_of_another() -> None:
    one, other = ApiId("Data", "x", "y"), ApiId("Data", "y", "x")
    resolver = Resolver([one, other], shown={one: "y_x"})
    assert outcome(resolver, "y_x") == (Resolution.RESOLVED, one)
    assert outcome(resolver, canonical_name(one)) == (Resolution.REPAIRED, one)


def test_names_of_recorded_conversations_are_resolved_when_they_were_offered() -> None:
    resolver = Resolver([WORD, FORECAST], offered_names([WORD, FORECAST]))
    assert outcome(resolver, plain_name(WORD)) == (Resolution.RESOLVED, WORD)


def test_what_was_not_offered_can_be_left_out() -> None:
    resolver = Resolver([WORD, NEWS_WORD])
    assert resolver.resolve(plain_name(WORD), among={NEWS_WORD}) == Match(Resolution.REPAIRED, (NEWS_WORD,))
    assert resolver.resolve(canonical_name(WORD), among={NEWS_WORD}).outcome is Resolution.HALLUCINATED


@settings(deadline=None, max_examples=100)
@given(catalogues)
def test_every_spelling_leads_to_a_set_that_holds_the_api(apis: list[ApiId]) -> None:
    resolver = Resolver(apis)
    for api in set(apis):
        assert resolver.resolve(resolver.names[api]) == Match(Resolution.RESOLVED, (api,))
        offered = set(resolver.names.values())
        for spelling in set(spellings(api)) - offered:
            match = resolver.resolve(spelling)
            assert api in match.candidates
            assert match.outcome is (Resolution.REPAIRED if len(match.candidates) == 1 else Resolution.AMBIGUOUS)


@pytest.mark.parametrize(
    "tool", ["Random Word API", "random_word_api", "random_word_api_for_Data", "Random Word API_for_Data"]
)
@pytest.mark.parametrize(
    "api", ["Get Word", "get_word", "get_word_for_random_word_api", "get_word_for_Random Word API"]
)
def test_a_request_may_name_tool_and_api_in_each_way_of_the_protocol(tool: str, api: str) -> None:
    assert Resolver([WORD, NEWS_WORD, FORECAST]).locate("Data", tool, api) == Match(Resolution.RESOLVED, (WORD,))


@pytest.mark.parametrize("tool", ["Names_for_Cats", "names_for_cats", "names_for_cats_for_Data"])
@pytest.mark.parametrize("api", ["list_for_you", "list_for_you_for_names_for_cats"])
def test_names_that_hold_for_themselves_are_not_split(tool: str, api: str) -> None:
    others = [ApiId("Data", "names", "list"), ApiId("Cats", "names", "list_for_you")]
    assert Resolver([NAMES, *others]).locate("Data", tool, api).api == NAMES


def test_a_category_may_be_written_as_in_the_documentation() -> None:
    clip = ApiId("Video_Images", "Clips", "cut")
    assert Resolver([clip]).locate("Video, Images", "clips", "cut").api == clip


def test_without_a_category_all_are_searched() -> None:
    resolver = Resolver([WORD, NEWS_WORD, FORECAST])
    assert resolver.locate("", "get_7_seas", "3_day_forecast") == Match(Resolution.REPAIRED, (FORECAST,))
    assert resolver.locate("", "Random Word API", "Get Word") == Match(Resolution.AMBIGUOUS, (WORD, NEWS_WORD))


@pytest.mark.parametrize(
    "place", [("Sports", "Random Word API", "Get Word"), ("Data", "No Tool", "x"), ("Data", "", "")]
)
def test_a_request_for_nothing_that_is_there(place: tuple[str, str, str]) -> None:
    assert Resolver([WORD]).locate(*place).outcome is Resolution.HALLUCINATED


def test_two_apis_of_a_tool_that_are_spelled_alike_are_told_apart_by_their_own_names_only() -> None:
    one, other = ApiId("Data", "t", "Get Word"), ApiId("Data", "t", "get-word")
    resolver = Resolver([one, other])
    assert resolver.locate("Data", "t", "get-word").api == other
    assert resolver.locate("Data", "t", "get_word") == Match(Resolution.AMBIGUOUS, (one, other))


@settings(deadline=None, max_examples=60)
@given(catalogues)
def test_a_request_under_standardised_names_finds_a_set_that_holds_the_api(apis: list[ApiId]) -> None:
    resolver = Resolver(apis)
    for api in set(apis):
        tool, name = standardise(api.tool), standardise(api.api)
        assert resolver.locate(api.category, api.tool, api.api) == Match(Resolution.RESOLVED, (api,))
        assert api in resolver.locate(api.category, f"{tool}_for_{api.category}", f"{name}_for_{tool}").candidates
        assert api in resolver.locate(api.category, tool, name).candidates

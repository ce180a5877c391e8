"""Words as search compares them."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proctor.catalog.words import stem, words


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("getTeamLastEvents", ["team", "last", "event", "getteamlastevent"]),
        ("user_id", ["user", "id"]),
        ("/v1/cryptosymbols", ["1", "v1", "cryptosymbol"]),
        ("HTTPServer2", ["http", "server", "2", "httpserver2"]),
        ("the team's wins", ["team", "win"]),
        ("Météo à Genève", ["meteo", "genev"]),
        ("天气预报", ["天", "气", "预", "报"]),
        ("Please give me the API", []),
        ("👋 !?", []),
    ],
)
def test_texts_are_taken_apart(text: str, found: list[str]) -> None:
    assert words(text) == found


@pytest.mark.parametrize(
    "forms",
    [
        ["city", "cities"],
        ["movie", "movies"],
        ["box", "boxes"],
        ["track", "tracks", "tracking", "tracked"],
        ["rate", "rates", "rated", "rating"],
        ["plan", "plans", "planned", "planning"],
        ["localization", "localize"],
    ],
)
def test_forms_of_a_word_have_one_stem(forms: list[str]) -> None:
    assert len({stem(form) for form in forms}) == 1


@pytest.mark.parametrize("word", ["bus", "news", "status", "analysis", "address", "ring", "bed", "gas"])
def test_short_words_and_words_that_only_look_like_forms_stay_words(word: str) -> None:
    assert len(stem(word)) >= 3


@settings(deadline=None, max_examples=200)
@given(st.text(max_size=60))
def test_no_text_is_too_odd(text: str) -> None:
    assert all(word for word in words(text))


@settings(deadline=None, max_examples=100)
@given(st.text(st.sampled_from("abcdeginstyz"), min_size=1, max_size=12))
def test_case_makes_no_difference(word: str) -> None:
    assert words(word) == words(word.upper()) == words(word.title())

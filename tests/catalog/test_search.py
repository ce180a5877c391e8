"""Finding APIs by words."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proctor.catalog.index import Catalog
from proctor.catalog.loader import load_catalog
from proctor.catalog.search import Hit, ToolSearch, Weights
from proctor.errors import OptionError
from proctor.records.queries import ApiId, ApiSpec, Parameter, ToolSpec


def api(
    category: str, tool: str, name: str, description: str = "", *parameters: Parameter, answer: Any = None
) -> ApiSpec:
    return ApiSpec(ApiId(category, tool, name), description, parameters, template_response=answer)


HARBOUR = [
    api("Sea", "Harbour Desk", "bookBerth", "Reserve a berth.", Parameter("boatLength", description="in metres")),
    api("Sea", "Harbour Desk", "List Berths", "All that are free.", answer={"berths": [{"waterDepth": "float"}]}),
    api("Sea", "Tides", "High Tide", "When the water is high.", Parameter("port", default="Husum")),
    api("Food", "Recipes", "Search", "Recipes by ingredient."),
    api("Food", "Recipes", "Details", "One recipe with its steps."),
    api("Food", "Wine List", "Search", "Wines by country."),
]


@pytest.fixture(scope="module")
def search() -> ToolSearch:
    return ToolSearch(Catalog.of_apis(HARBOUR))


def names(hits: list[Hit]) -> list[str]:
    return [f"{hit.api.tool}/{hit.api.api}" for hit in hits]


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("reserving a berth", "Harbour Desk/bookBerth"),
        ("I want to book berths", "Harbour Desk/bookBerth"),
        ("how long is the boat", "Harbour Desk/bookBerth"),
        ("how deep, which depth", "Harbour Desk/List Berths"),
        ("tide at Husum", "Tides/High Tide"),
        ("which steps has a recipe", "Recipes/Details"),
        ("WINES!", "Wine List/Search"),
    ],
)
def test_names_descriptions_parameters_defaults_and_answers_are_searched(
    search: ToolSearch, query: str, first: str
) -> None:
    assert names(search.search(query))[0] == first


def test_the_tool_decides_between_apis_of_one_name(search: ToolSearch) -> None:
    assert names(search.search("search for wine", 2)) == ["Wine List/Search", "Recipes/Search"]


def test_each_part_of_a_task_finds_its_api(search: ToolSearch) -> None:
    found = names(search.search("Book a berth for tomorrow, and find a wine from the country.", 3))
    assert {"Harbour Desk/bookBerth", "Wine List/Search"} <= set(found)


def test_what_an_api_in_the_list_answers_counts_less_for_the_next() -> None:
    apis = [
        api("Data", "One", "alpha beta"),
        api("Data", "Two", "alpha beta"),
        api("Data", "Three", "gamma"),
        *(api("Data", f"Filler {number}", f"filler{number}") for number in range(20)),
    ]
    catalog = Catalog.of_apis(apis)
    plain = ToolSearch(catalog, Weights(explained=0, of_tool=0, of_siblings=0))
    assert names(plain.search("alpha beta gamma", 3)) == ["One/alpha beta", "Two/alpha beta", "Three/gamma"]
    varied = ToolSearch(catalog, Weights(explained=0.9, of_tool=0, of_siblings=0))
    assert names(varied.search("alpha beta gamma", 3)) == ["One/alpha beta", "Three/gamma", "Two/alpha beta"]


def test_a_tool_s_description_finds_its_apis() -> None:
    tools = [ToolSpec("Sea", "Desk", "Everything for sailors", (api("Sea", "Desk", "a"),))]
    tools += [ToolSpec("Sea", f"Other {n}", "", (api("Sea", f"Other {n}", "b"),)) for n in range(5)]
    assert names(ToolSearch(Catalog(tools)).search("sailor")) == ["Desk/a"]


def test_a_search_may_keep_to_a_category(search: ToolSearch) -> None:
    found = search.search("search tide berth wine", 5, category="food")
    assert names(found) == ["Wine List/Search", "Recipes/Search", "Recipes/Details"]
    assert search.search("wine", category="Nothing") == []


@pytest.mark.parametrize("query", ["", "   ", "the of and", "zzzz", "👋"])
def test_a_query_without_a_known_word_finds_nothing(search: ToolSearch, query: str) -> None:
    assert search.search(query) == []


def test_an_empty_catalogue_finds_nothing() -> None:
    assert ToolSearch(Catalog([])).search("wine") == []


def test_k_must_be_a_number_of_apis(search: ToolSearch) -> None:
    with pytest.raises(OptionError, match="k must be at least 1, not 0"):
        search.search("wine", 0)


@pytest.fixture(scope="module")
def large() -> ToolSearch:
    return ToolSearch(
        Catalog.of_apis(api("Data", f"T {n % 30}", f"w{n % 7} v{n % 11}", f"u{n % 13}") for n in range(300))
    )


@settings(deadline=None, max_examples=50)
@given(st.text(st.sampled_from("wvu0123456789 "), max_size=40), st.integers(1, 120))
def test_no_api_comes_twice_and_no_list_is_longer_than_asked_nor_out_of_order(
    large: ToolSearch, query: str, k: int
) -> None:
    hits = large.search(query, k)
    assert len({hit.api for hit in hits}) == len(hits) <= k
    scores = [hit.score for hit in hits]
    assert scores == sorted(scores, reverse=True)
    assert [hit.api for hit in large.search(query, k)] == [hit.api for hit in hits]


def test_a_very_long_query_is_no_trouble(large: ToolSearch) -> None:
    assert large.search("w1 " * 10_000 + " ".join(f"x{n}" for n in range(10_000)), 3)


def test_a_search_is_taken_from_its_index(
    write: Callable[[str, Any], Path], weather_tool: dict[str, Any], tmp_path: Path
) -> None:
    folder = write("Weather/sky_report.json", weather_tool)
    index = tmp_path / "cache" / "search.index"
    catalog = load_catalog(folder)
    expected = ToolSearch(catalog).search("waves at a port")
    assert ToolSearch(catalog, index=index).search("waves at a port") == expected
    whole = index.read_bytes()
    before = index.stat().st_mtime_ns
    assert ToolSearch(catalog, index=index).search("waves at a port") == expected
    assert index.stat().st_mtime_ns == before
    for position in range(0, len(whole), 97):
        index.write_bytes(whole[:position])
        assert ToolSearch(catalog, index=index).search("waves at a port") == expected
        assert index.read_bytes() == whole
    assert ToolSearch(catalog, Weights(api=1), index=index).weights.api == 1
    assert index.read_bytes() != whole
    index.write_bytes(whole)
    write("Weather/other.json", {"api_list": [{"name": "waves at a port"}]})
    assert len(ToolSearch(load_catalog(folder), index=index).search("waves at a port")) > len(expected)


def test_an_index_that_cannot_be_written_is_a_note(
    write: Callable[[str, Any], Path], weather_tool: dict[str, Any], tmp_path: Path
) -> None:
    catalog = load_catalog(write("Weather/sky_report.json", weather_tool))
    search = ToolSearch(catalog, index=tmp_path)
    assert "could not be written" in search.note
    assert search.search("port")


def test_a_catalogue_without_files_has_no_index(tmp_path: Path) -> None:
    assert ToolSearch(Catalog.of_apis(HARBOUR), index=tmp_path / "index").search("wine")
    assert list(tmp_path.iterdir()) == []

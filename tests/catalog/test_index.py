"""The catalogue: looking up, filtering, showing."""

import msgspec
import pytest

from proctor.catalog.index import Catalog
from proctor.catalog.names import canonical_name
from proctor.errors import InputError
from proctor.records.queries import ApiId, ApiSpec, ToolSpec

WORD = ApiSpec(ApiId("Data", "Random Word API", "Get Word"), "A word.")
NEWS_WORD = ApiSpec(ApiId("News", "Random Word API", "Get Word"), "Another word.")


@pytest.fixture
def catalog(forecast: ApiSpec) -> Catalog:
    return Catalog.of_apis([WORD, NEWS_WORD, forecast, WORD])


def test_apis_are_found_by_identity(catalog: Catalog, forecast: ApiSpec) -> None:
    assert catalog[forecast.id] is forecast
    assert forecast.id in catalog
    assert catalog.tool_of(forecast.id).name == "Sky Report"
    assert len(catalog) == 3
    assert list(catalog) == [WORD, NEWS_WORD, forecast]


def test_an_unknown_api_is_an_error_that_names_the_nearest(catalog: Catalog) -> None:
    with pytest.raises(
        InputError, match="no API Weather/Sky Report/Get Forecasts; did you mean 'Weather/Sky Report/Get"
    ):
        _ = catalog[ApiId("Weather", "Sky Report", "Get Forecasts")]


def test_a_pair_of_tool_and_api_may_stand_for_several(catalog: Catalog) -> None:
    assert catalog.named("Random Word API", "Get Word") == (WORD.id, NEWS_WORD.id)
    assert catalog.named("Random Word API", "Get Word", "News") == (NEWS_WORD.id,)
    assert catalog.named("Random Word API", "Nothing") == ()


def test_a_part_of_the_catalogue(catalog: Catalog, forecast: ApiSpec) -> None:
    assert catalog.filtered(category="weather").apis == (forecast,)
    assert catalog.filtered(tool="random word api").apis == (WORD, NEWS_WORD)
    assert catalog.filtered(tool="random word api", category="News").apis == (NEWS_WORD,)
    assert catalog.categories == ("Data", "News", "Weather")


def test_a_schema_bears_the_canonical_name(catalog: Catalog, forecast: ApiSpec) -> None:
    assert catalog.schema(forecast.id, "json")["name"] == canonical_name(forecast.id) == catalog.names[forecast.id]
    assert catalog.schema(forecast.id, "json", name="forecast")["name"] == "forecast"
    assert catalog.resolver.resolve(catalog.names[forecast.id]).api == forecast.id
    assert catalog.arguments(forecast.id).restore({"PORT": 1, "Days": 2}).unknown == ("PORT", "Days")


def test_the_content_id_is_that_of_what_is_documented(catalog: Catalog, forecast: ApiSpec) -> None:
    assert Catalog.of_apis([forecast, NEWS_WORD, WORD]).content_id == catalog.content_id
    changed = msgspec.structs.replace(WORD, description="The word.")
    assert Catalog.of_apis([forecast, NEWS_WORD, changed]).content_id != catalog.content_id
    tools = [ToolSpec(tool.category, tool.name, "described", tool.apis) for tool in catalog.tools]
    assert Catalog(tools).content_id != catalog.content_id

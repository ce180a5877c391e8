"""What is offered, and how calls find it."""

from typing import Any

import pytest

from proctor.agents.toolbox import SEARCH, read_at_hand
from proctor.catalog.index import Catalog
from proctor.errors import OptionError
from proctor.messages import ToolCall
from proctor.records.queries import ApiId, ApiSpec
from proctor.records.traces import Resolution


def call(name: str, **args: object) -> ToolCall:
    return ToolCall(name=name, args=args)


def test_all_means_every_api_and_their_number_is_recorded(town: Any) -> None:
    box = town.box()
    assert len(box.functions) == 3
    assert box.offered == 3


def test_query_means_the_apis_that_the_query_documents(town: Any) -> None:
    box = town.box("query")
    assert box.offered == (town.ferry, town.tide) or set(box.offered) == {town.ferry, town.tide}
    assert len(box.functions) == 2


def test_retrieved_means_the_k_best_by_the_querys_words(town: Any) -> None:
    box = town.box("retrieved:1")
    assert box.offered in ((town.ferry,), (town.tide,))


@pytest.mark.parametrize("text", ["", "none", "retrieved", "retrieved:0", "retrieved:x", "all:3"])
def test_other_words_are_refused(text: str) -> None:
    with pytest.raises(OptionError, match="retrieved:K"):
        read_at_hand(text)


async def test_what_was_not_offered_cannot_be_called(town: Any) -> None:
    step = await town.box("query").call(call(town.name(town.bread)))
    assert step.resolution is Resolution.HALLUCINATED
    assert town.calls == []


async def test_another_spelling_is_repaired(town: Any) -> None:
    step = await town.box().call(call("opening_hours_for_bakery", weekday="Friday"))
    assert step.resolution is Resolution.REPAIRED
    assert step.api == town.bread


async def test_a_name_of_several_apis_is_not_guessed(town: Any) -> None:
    twin = ApiSpec(ApiId("Sea", "Harbour", "Tide Table"), "Tides of another sea.")
    step = await town.box(catalog=Catalog.of_apis([*town.specs, twin])).call(call("tide_table_for_harbour"))
    assert step.resolution is Resolution.AMBIGUOUS
    assert step.api is None
    assert "several functions" in step.observation


async def test_where_there_are_too_many_apis_a_search_brings_them_to_hand(town: Any) -> None:
    many = [ApiSpec(ApiId("Toys", "Blocks", f"Block {number}"), "A wooden block.") for number in range(200)]
    box = town.box(catalog=Catalog.of_apis([*many, *town.specs]))
    assert box.offered == 203
    assert box.functions == (SEARCH,)
    assert box.offered == ()
    step = await box.call(call("search_tools", query="when does the ferry leave"))
    assert step.resolution is Resolution.RESOLVED
    assert step.api is None
    name = box.name(town.ferry)
    assert name in step.observation
    assert name in [tool["function"]["name"] for tool in box.functions]
    assert (await box.call(call(name))).api == town.ferry
    assert box.offered == (town.ferry,)


async def test_after_many_searches_what_is_shown_still_fits(town: Any) -> None:
    many = [ApiSpec(ApiId("Toys", "Blocks", f"Block {number}"), f"Wooden word{number}.") for number in range(200)]
    box = town.box(catalog=Catalog.of_apis(many))
    for number in range(200):
        await box.call(call("search_tools", query=f"word{number}"))
    assert len(box.functions) <= 127
    assert len(box.offered) == 200
    assert box.name(many[199].id) in [tool["function"]["name"] for tool in box.functions]


async def test_a_search_for_nothing_says_what_it_needs(town: Any) -> None:
    many = [ApiSpec(ApiId("Toys", "Blocks", f"Block {number}")) for number in range(200)]
    step = await town.box(catalog=Catalog.of_apis(many)).call(call("search_tools"))
    assert "needs the text" in step.observation

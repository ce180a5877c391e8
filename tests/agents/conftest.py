"""A town of invented tools, and boxes of them."""

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from proctor.agents.agent import Task
from proctor.agents.diary import Diary, Limits
from proctor.agents.toolbox import Box, read_at_hand
from proctor.catalog.index import Catalog
from proctor.catalog.search import ToolSearch
from proctor.records.answers import Answer, Provenance, Source
from proctor.records.queries import ApiId, ApiSpec, GoldApi, Parameter, Query


class Town:
    """A catalogue, a query, and answers that are made on the spot."""

    def __init__(self) -> None:
        self.ferry = ApiId("Travel", "Harbour", "Next Ferry")
        self.tide = ApiId("Nature", "Harbour", "Tide Table")
        self.bread = ApiId("Food", "Bakery", "Opening Hours")
        self.specs = (
            ApiSpec(self.ferry, "When the next ferry leaves for a town.", (Parameter("from"), Parameter("to Town"))),
            ApiSpec(self.tide, "High and low water on a date.", (Parameter("date", "DATE (YYYY-MM-DD)"),)),
            ApiSpec(self.bread, "When the bakery is open.", (Parameter("weekday", default="Monday"),)),
        )
        self.catalog = Catalog.of_apis(self.specs)
        gold = (GoldApi("Harbour", "Next Ferry"), GoldApi("Harbour", "Tide Table"))
        self.query = Query(
            "7", "When does the ferry leave from 'Ost' to 'West', and is it high water on 2024-05-06?", gold
        )
        self.query = Query("7", self.query.text, gold, self.specs[:2])
        self.calls: list[tuple[ApiId, dict[str, Any]]] = []

    @property
    def task(self) -> Task:
        return Task(self.query)

    def name(self, api: ApiId) -> str:
        return self.catalog.names[api]

    async def answer(self, api: ApiId, arguments: Mapping[str, Any]) -> Answer:
        self.calls.append((api, dict(arguments)))
        return Answer({"of": api.api, **arguments}, provenance=Provenance(Source.CANNED))

    def box(self, at_hand: str = "all", catalog: Catalog | None = None) -> Box:
        known = catalog or self.catalog
        return Box(known, self.query, self.answer, at_hand=read_at_hand(at_hand), search=ToolSearch(known))


class Clock:
    """A clock that is moved by hand."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def town() -> Town:
    return Town()


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def diary(clock: Clock) -> Diary:
    return Diary(clock=clock)


@pytest.fixture
def limited(clock: Clock) -> Callable[..., Diary]:
    return lambda **limits: Diary(Limits(**limits), clock=clock)

"""Stores of answers to test: the same tests run on each kind."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from proctor.records.answers import Answer, Provenance, Source
from proctor.records.entries import Entry, Mark
from proctor.records.queries import ApiId
from proctor.store.responses import ResponseStore, open_responses

FORECAST = ApiId("Weather", "Sky Report", "Get Forecast")
WORDS = ApiId("Data", "Random Words", "Get Word")

OpenStore = Callable[[], ResponseStore]
MakeEntry = Callable[..., Entry]


@pytest.fixture
def entry() -> MakeEntry:
    """An entry by its number."""

    def make(number: int = 1, said: object = "sunny", *, api: ApiId = FORECAST, mark: Mark | None = None) -> Entry:
        answer = Answer(said, provenance=Provenance(Source.SIMULATED, model="tiny", at=1.5))
        return Entry.of(api, {"day": number}, answer, mark=mark)

    return make


@pytest.fixture(params=["sqlite", "postgres"])
def open_store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[OpenStore]:
    """Open the same store, as often as one likes; all are closed in the end."""
    where = str(tmp_path / "answers.db")
    if request.param == "postgres":
        where = request.getfixturevalue("postgres_schema")
    opened: list[ResponseStore] = []

    def open_one() -> ResponseStore:
        opened.append(open_responses(where))
        return opened[-1]

    yield open_one
    for store in opened:
        store.close()


@pytest.fixture
def store(open_store: OpenStore) -> ResponseStore:
    return open_store()

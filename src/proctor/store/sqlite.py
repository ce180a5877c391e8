"""Answers in one SQLite file, safe for several processes, to be handed over as it is.

Reading and writing have a connection each, so that a read never waits for a write. An ordinary table with a unique
index: without row ids it would be two to three times slower for answers of this size.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from proctor.errors import FileError, ProctorError, StorageError
from proctor.records.answers import Answer
from proctor.records.queries import ApiId
from proctor.store.responses import StoreStats
from proctor.store.rows import COLUMNS, PAGE, Row, RowStore, answer_of, api_of

__all__ = ["SqliteResponses"]

_MARK = 0x50726F41
"""Stands in the file's header (SQLite's application id), so that no other database is taken for a store."""
_VERSION = 1
_PATIENCE = 30.0
"""So many seconds another process may hold the file."""
_SCHEMA = """
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE answers (
    id INTEGER PRIMARY KEY, key TEXT NOT NULL, api TEXT NOT NULL, arguments BLOB NOT NULL, answer BLOB NOT NULL,
    mark TEXT, raw_key TEXT, source TEXT
);
CREATE UNIQUE INDEX answers_by_key ON answers (key);
CREATE INDEX answers_by_api ON answers (api, key);
CREATE TABLE history (id INTEGER PRIMARY KEY, key TEXT NOT NULL, answer BLOB NOT NULL);
CREATE INDEX history_by_key ON history (key);
CREATE TABLE claims (key TEXT PRIMARY KEY, owner TEXT NOT NULL, until REAL NOT NULL);
"""
_ANSWER = "SELECT answer FROM answers WHERE key = ?"
_SOUND_ANSWER = "SELECT answer FROM answers WHERE key = ? AND mark IS NULL"
_ROW = f"SELECT {COLUMNS} FROM answers WHERE key = ?"  # noqa: S608 - ours
_INSERT = f"INSERT INTO answers ({COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (key) DO NOTHING"  # noqa: S608
_PAGE = f"SELECT {COLUMNS} FROM answers WHERE (api, key) > (?, ?) ORDER BY api, key LIMIT {PAGE}"  # noqa: S608 - ours
_PAGE_OF = f"SELECT {COLUMNS} FROM answers WHERE api = ? AND key > ? ORDER BY key LIMIT {PAGE}"  # noqa: S608 - ours
_CLAIM = """
INSERT INTO claims VALUES (?, ?, ?) ON CONFLICT (key) DO UPDATE SET owner = excluded.owner, until = excluded.until
WHERE claims.owner = excluded.owner OR claims.until <= ?
"""
_FREEZE = "CREATE TRIGGER frozen_{0} BEFORE {0} ON answers BEGIN SELECT RAISE(ABORT, 'the store is frozen'); END"


class SqliteResponses(RowStore):
    """Answers in a SQLite file.

    The file is opened when it is first needed, and again in a process that was forked off. It is made by the first
    write; `read_only` opens a file that has to exist and changes nothing in it, and nothing beside it where nobody can
    be writing: the store is frozen, or may not be written.

    `clock` says the time by which claims end: all processes at one file have to agree on it.
    """

    def __init__(
        self,
        path: str | Path,
        *,
        read_only: bool = False,
        patience: float = _PATIENCE,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.path = Path(path)
        self.name = str(path)
        self.read_only = read_only
        self._patience = patience
        self._clock = clock
        _STORES.add(self)
        self._reading = threading.Lock()
        self._writing = threading.Lock()
        self._reader: sqlite3.Connection | None = None
        self._writer: sqlite3.Connection | None = None

    @property
    def frozen(self) -> str | None:
        """The content id of a frozen store; None while it takes answers."""
        found = self._read("SELECT value FROM meta WHERE name = 'frozen'")
        return str(found[0][0]) if found else None

    def answer(self, key: str, *, suspicious: bool = True) -> Answer | None:
        """The answer under a key; without `suspicious`, only that of an entry with no mark."""
        statement = _ANSWER if suspicious else _SOUND_ANSWER
        try:
            with self._reading:
                reader = self._reader or self._opened_to_read()
                found = None if reader is None else reader.execute(statement, (key,)).fetchone()
        except sqlite3.Error as error:
            raise self._explained(error) from None
        return None if found is None else answer_of(found[0], key, self.name)

    def row(self, key: str) -> Row | None:
        """The row under a key."""
        found = self._read(_ROW, (key,))
        return found[0] if found else None

    def page(self, api: str | None, after: tuple[str, str]) -> list[Row]:
        """The next rows by API and key after those two, all or of one API."""
        return self._read(_PAGE, after) if api is None else self._read(_PAGE_OF, (api, after[1]))

    def write(self, rows: list[Row], *, over: str) -> list[Row]:
        """Write rows in one transaction; returns what is stored for each."""
        try:
            with self._transaction() as database:
                return [_write(database, row, over) for row in rows]
        except StorageError:
            stored = [self.row(row[0]) for row in rows] if self.frozen is not None and over == "nothing" else [None]
            if None in stored:
                raise
            return [row for row in stored if row is not None]

    def history(self, key: str) -> list[Answer]:
        """The answers that once stood under a key and were superseded, oldest first."""
        found = self._read("SELECT answer FROM history WHERE key = ? ORDER BY id", (key,))
        return [answer_of(row[0], key, self.name) for row in found]

    def claim(self, key: str, owner: str, seconds: float) -> bool:
        """Say that `owner` is asking for this answer; False when somebody else is."""
        now = self._clock()
        return self._change(_CLAIM, (key, owner, now + seconds, now))

    def renew(self, key: str, owner: str, seconds: float) -> bool:
        """Prolong a claim from now on; False when it is no longer the owner's."""
        until = self._clock() + seconds
        return self._change("UPDATE claims SET until = ? WHERE key = ? AND owner = ?", (until, key, owner))

    def release(self, key: str, owner: str) -> None:
        """Give up a claim. One that is somebody else's by now is left alone."""
        self._change("DELETE FROM claims WHERE key = ? AND owner = ?", (key, owner))

    def apis(self) -> dict[ApiId, int]:
        """The APIs of which there are entries, and how many of each."""
        return {api_of(api): n for api, n in self._read("SELECT api, count(*) FROM answers GROUP BY api ORDER BY api")}

    def count(self) -> int:
        """How many entries there are."""
        found = self._read("SELECT count(*) FROM answers")
        return int(found[0][0]) if found else 0

    def stats(self) -> StoreStats:
        """How much there is, and of what."""
        marks = dict(self._read("SELECT mark, count(*) FROM answers WHERE mark IS NOT NULL GROUP BY 1 ORDER BY 1"))
        sources = dict(self._read("SELECT coalesce(source, 'unknown'), count(*) FROM answers GROUP BY 1 ORDER BY 1"))
        superseded = self._read("SELECT count(*) FROM history")
        beside = (Path(f"{self.path}-wal"), self.path)
        return StoreStats(
            entries=self.count(),
            apis=len(self.apis()),
            marks=marks,
            sources=sources,
            superseded=superseded[0][0] if superseded else 0,
            frozen=self.frozen,
            bytes=sum(path.stat().st_size for path in beside if path.is_file()),
        )

    def freeze(self) -> str:
        """Refuse every write from now on, for good and whoever writes; returns the content id."""
        already = self.frozen
        if already is not None:
            return already
        with self._transaction() as database:
            content = self.content_id()  # nobody writes while this transaction is open, and nothing in it is unsaved
            for change in ("INSERT", "UPDATE", "DELETE"):
                database.execute(_FREEZE.format(change))
            database.execute("INSERT INTO meta VALUES ('frozen', ?)", (content,))
        return content

    def integrity(self) -> list[str]:
        """What SQLite finds broken in the file."""
        said = [str(row[0]) for row in self._read("PRAGMA integrity_check(20)")]
        return [] if said in ([], ["ok"]) else said

    def close(self) -> None:
        """Close the file and leave it whole, with nothing beside it. It opens again when it is needed."""
        with self._writing, self._reading:
            for connection in (self._reader, self._writer):
                if connection is not None:
                    with contextlib.suppress(sqlite3.Error):  # what another process prevents is that one's to do
                        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
                    connection.close()
            self._reader = self._writer = None

    def begin_anew(self) -> None:
        """In a process that was forked off, the first one's connections are not touched, nor its locks waited for."""
        _FORSAKEN.append((self._reader, self._writer))
        self._reader = self._writer = None
        self._reading, self._writing = threading.Lock(), threading.Lock()

    def _read(self, statement: str, values: tuple[Any, ...] = ()) -> list[Any]:
        """The rows of a question; none where there is no file yet."""
        try:
            with self._reading:
                reader = self._reader or self._opened_to_read()
                return [] if reader is None else reader.execute(statement, values).fetchall()
        except sqlite3.Error as error:
            raise self._explained(error) from None

    def _opened_to_read(self) -> sqlite3.Connection | None:
        self._reader = self._open_to_read()
        return self._reader

    def _change(self, statement: str, values: tuple[Any, ...]) -> bool:
        with self._transaction() as database:
            return database.execute(statement, values).rowcount == 1

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        with self._writing:
            if self.read_only:
                raise StorageError(f"{self.name}: the store was opened to be read only.")
            try:
                if self._writer is None:
                    self._writer = self._open_to_write()
                with _transaction(self._writer):
                    yield self._writer
            except sqlite3.Error as error:
                raise self._explained(error) from None

    def _open_to_read(self) -> sqlite3.Connection | None:
        """A connection that changes nothing, or None where there is no file yet."""
        if not self.path.is_file() or not self.path.stat().st_size:
            if self.read_only or self.path.is_dir():
                raise FileError("there is no store of answers here; check the path.", path=self.name)
            return None
        if self.read_only or not self._may_be_written():
            database = self._connect("mode=ro&immutable=1" if self._stands_still() else "mode=ro")
        else:
            database = self._connect("mode=rw")
        try:
            if self._is_store(database):
                database.execute("PRAGMA query_only = 1")
                return database
        except BaseException:
            database.close()
            raise
        database.close()  # another process is making it at this moment
        return None

    def _stands_still(self) -> bool:
        """Whether no process can be writing, so that the file may be read without the files that writers share."""
        if Path(f"{self.path}-wal").exists():
            return False
        if not self._may_be_written():
            return True
        database = self._connect("mode=ro&immutable=1")
        try:
            return database.execute("SELECT 1 FROM meta WHERE name = 'frozen'").fetchone() is not None
        except sqlite3.Error:
            return False
        finally:
            database.close()

    def _open_to_write(self) -> sqlite3.Connection:
        if not self.path.parent.is_dir():
            raise StorageError(f"{self.name}: its folder does not exist; make the folder or name another file.")
        if not self._may_be_written():
            raise StorageError(f"{self.name}: the store cannot be written: the file or its folder is read-only.")
        database = self._connect("mode=rwc")
        try:
            self._is_store(database)
            _use_write_ahead_log(database, self._patience)
            database.execute("PRAGMA synchronous = NORMAL")
            with _transaction(database):
                if not _mark(database):
                    for statement in _SCHEMA.split(";"):
                        database.execute(statement)
                    database.execute("INSERT INTO meta VALUES ('version', ?)", (str(_VERSION),))
                    database.execute(f"PRAGMA application_id = {_MARK}")
        except BaseException:
            database.close()
            raise
        return database

    def _may_be_written(self) -> bool:
        return os.access(self.path.parent, os.W_OK) and (not self.path.exists() or os.access(self.path, os.W_OK))

    def _connect(self, mode: str) -> sqlite3.Connection:
        where = f"{self.path.absolute().as_uri()}?{mode}"
        return sqlite3.connect(where, uri=True, timeout=self._patience, isolation_level=None, check_same_thread=False)

    def _is_store(self, database: sqlite3.Connection) -> bool:
        """Whether it is a store or still empty; FileError for any other database, and for a later Proctor's."""
        # In this order: another process makes tables and mark in one step, so where a table is seen, the mark is there.
        holds_something = database.execute("SELECT 1 FROM sqlite_master").fetchone() is not None
        if _mark(database) != _MARK:
            if holds_something:
                raise FileError("this is a database, but not a store of answers.", path=self.name)
            return False
        version = database.execute("SELECT value FROM meta WHERE name = 'version'").fetchone()
        if version is None or version[0] != str(_VERSION):
            said = version[0] if version else "none"
            msg = f"the store has version {said}, and this Proctor reads {_VERSION}; install a newer Proctor."
            raise FileError(msg, path=self.name)
        return True

    def _explained(self, error: sqlite3.Error) -> ProctorError:
        said = str(error)
        if "not a database" in said:
            return FileError("this is not a store of answers; it is left as it is.", path=self.name)
        for words, sentence in _SENTENCES.items():
            if words in said:
                return StorageError(f"{self.name}: {sentence}")
        return StorageError(f"{self.name}: the store cannot be read or written: {error}. Nothing stored is lost.")


_SENTENCES = {
    "is frozen": "the store is frozen and takes no more answers; copy it with export and import, or name another.",
    "disk is full": "the disk is full; make room. What was stored before is all there.",
    "is locked": "another process holds the file and does not let go; try again when it is done.",
    "readonly database": "the store cannot be written: the file or its folder is read-only.",
    "malformed": "the file is damaged; it is left as it is. Restore it from a copy.",
    "unable to open": "the file cannot be opened; check that its folder may be written.",
}


_STORES: weakref.WeakSet[SqliteResponses] = weakref.WeakSet()
_FORSAKEN: list[Any] = []
"""Connections of the process that this one was forked from: kept, because closing them would touch its files."""


def _begin_anew() -> None:
    for store in _STORES:
        store.begin_anew()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_begin_anew)


def _write(database: sqlite3.Connection, row: Row, over: str) -> Row:
    """Write one row, unless something is in the way that stays; returns what is stored."""
    if database.execute(_INSERT, row).rowcount == 1:
        return row
    old: Row = database.execute(_ROW, row[:1]).fetchone()
    if old == row or over == "nothing" or (over == "suspicious" and old[4] is None):
        return old
    database.execute("INSERT INTO history (key, answer) VALUES (?, ?)", (row[0], old[3]))
    database.execute("DELETE FROM answers WHERE key = ?", row[:1])
    database.execute(_INSERT, row)
    return row


@contextlib.contextmanager
def _transaction(database: sqlite3.Connection) -> Iterator[None]:
    database.execute("BEGIN IMMEDIATE")
    try:
        yield
        database.execute("COMMIT")
    except BaseException:
        with contextlib.suppress(sqlite3.Error):  # the disk is full: SQLite has rolled back by itself
            database.execute("ROLLBACK")
        raise


def _mark(database: sqlite3.Connection) -> int:
    return int(database.execute("PRAGMA application_id").fetchone()[0])


def _use_write_ahead_log(database: sqlite3.Connection, patience: float) -> None:
    """Switch to the log that lets others read while one writes. Two processes that do so at once may collide."""
    until = time.monotonic() + patience
    while True:
        try:
            database.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > until:
                raise
            time.sleep(0.01)
        else:
            return

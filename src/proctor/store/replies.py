"""Model replies at rest: one SQLite file, safe for several processes, to be handed over as it is.

Keys and replies are opaque here; `proctor.models.cached` decides what they are.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import threading
import time
from collections.abc import Iterator
from pathlib import Path

from proctor.errors import FileError, ProctorError, StorageError

__all__ = ["ReplyStore"]

_MARK = 0x50726F63
"""Stands in the file's header (SQLite's application id), so that no other database is taken for a recording."""
_TABLE = """
CREATE TABLE IF NOT EXISTS replies (
    key TEXT PRIMARY KEY, model TEXT NOT NULL, endpoint TEXT NOT NULL,
    request BLOB NOT NULL, reply BLOB NOT NULL, at REAL NOT NULL
)
"""
_PATIENCE = 30.0
"""So many seconds another process may hold the file."""


class ReplyStore:
    """Replies by key, in a file. The first reply under a key stays, unless it is told to be replaced.

    The file is opened when it is first needed, and again in a process that was forked off. `read_only` opens a file
    that has to exist and changes nothing in it.
    """

    def __init__(self, path: str | Path, *, read_only: bool = False) -> None:
        self.path = Path(path)
        self.read_only = read_only
        self._lock = threading.Lock()
        self._database: sqlite3.Connection | None = None
        self._process = 0

    def get(self, key: str) -> bytes | None:
        """The reply under a key."""
        with self._opened() as database:
            row = database.execute("SELECT reply FROM replies WHERE key = ?", (key,)).fetchone()
        return None if row is None else bytes(row[0])

    def put(self, key: str, reply: bytes, *, about: tuple[str, str, bytes], replace: bool = False) -> None:
        """Keep a reply. `about` is the model, its endpoint and the request, for people who look into the file."""
        on_conflict = "DO UPDATE SET reply = excluded.reply, at = excluded.at" if replace else "DO NOTHING"
        statement = f"INSERT INTO replies VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (key) {on_conflict}"  # noqa: S608 - ours
        model, endpoint, request = about
        with self._opened() as database:
            database.execute(statement, (key, model, endpoint, request, reply, time.time()))

    def counts(self) -> dict[tuple[str, str], int]:
        """How many replies there are of each model and endpoint."""
        with self._opened() as database:
            rows = database.execute("SELECT model, endpoint, count(*) FROM replies GROUP BY 1, 2").fetchall()
        return {(model, endpoint): count for model, endpoint, count in rows}

    def close(self) -> None:
        """Close the file and leave it whole, with nothing beside it. It opens again when it is needed."""
        with self._lock:
            if self._database is not None and self._process == os.getpid():
                with contextlib.suppress(sqlite3.Error):  # a checkpoint that another process prevents is that one's
                    self._database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
                self._database.close()
            self._database = None

    @contextlib.contextmanager
    def _opened(self) -> Iterator[sqlite3.Connection]:
        with self._lock:
            try:
                if self._database is None or self._process != os.getpid():
                    self._database = self._open()
                    self._process = os.getpid()
                yield self._database
            except sqlite3.Error as error:
                raise self._explained(error) from None

    def _open(self) -> sqlite3.Connection:
        if self.read_only and not self.path.is_file():
            raise FileError("there is no recording here; check the path, or record one first.", path=str(self.path))
        where = f"{self.path.absolute().as_uri()}?mode={'ro' if self.read_only else 'rwc'}"
        database = sqlite3.connect(where, uri=True, timeout=_PATIENCE, isolation_level=None, check_same_thread=False)
        try:
            self._prepare(database)
        except BaseException:
            database.close()
            raise
        return database

    def _prepare(self, database: sqlite3.Connection) -> None:
        # In this order: another process makes table and mark in one step, so where a table is seen, the mark is there.
        holds_something = database.execute("SELECT 1 FROM sqlite_master").fetchone() is not None
        mark = database.execute("PRAGMA application_id").fetchone()[0]
        if mark != _MARK and (self.read_only or holds_something):
            raise FileError("this is a database, but not a recording of model replies.", path=str(self.path))
        if self.read_only:
            return
        _use_write_ahead_log(database)
        database.execute("PRAGMA synchronous = NORMAL")
        if mark != _MARK:
            database.execute("BEGIN IMMEDIATE")
            database.execute(_TABLE)
            database.execute(f"PRAGMA application_id = {_MARK}")
            database.execute("COMMIT")

    def _explained(self, error: sqlite3.Error) -> ProctorError:
        if isinstance(error, sqlite3.DatabaseError) and "not a database" in str(error):
            return FileError("this is not a recording of model replies.", path=str(self.path))
        return StorageError(f"{self.path}: the recording cannot be read or written: {error}.")


def _use_write_ahead_log(database: sqlite3.Connection) -> None:
    """Switch to the log that lets others read while one writes. Two processes that do so at once may collide."""
    until = time.monotonic() + _PATIENCE
    while True:
        try:
            database.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError:
            if time.monotonic() > until:
                raise
            time.sleep(0.01)
        else:
            return

"""Answers in PostgreSQL, for a team: the same store as the SQLite file, on a server that many machines can reach.

A connection that breaks (a restart of the server, say) is made again, and what was asked is asked again: every
statement here may be repeated without doing anything twice. Times of claims are the server's, so clocks need not agree.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, TypeVar

from proctor.errors import FileError, NeedsExtraError, OptionError, ProctorError, StorageError
from proctor.records.answers import Answer
from proctor.records.queries import ApiId
from proctor.store.responses import StoreStats
from proctor.store.rows import COLUMNS, PAGE, Row, RowStore, answer_of, api_of

if TYPE_CHECKING:
    import psycopg

__all__ = ["PostgresResponses"]

Result = TypeVar("Result")

_VERSION = "1"
_PATIENCE = 30.0
"""So many seconds a lost connection is tried to be had again."""
_SCHEMA = """
CREATE TABLE IF NOT EXISTS proctor_meta (name text PRIMARY KEY, value text NOT NULL);
CREATE TABLE IF NOT EXISTS proctor_answers (
    key text COLLATE "C" PRIMARY KEY, api text COLLATE "C" NOT NULL, arguments bytea NOT NULL, answer bytea NOT NULL,
    mark text, raw_key text, source text
);
CREATE INDEX IF NOT EXISTS proctor_answers_by_api ON proctor_answers (api, key);
CREATE TABLE IF NOT EXISTS proctor_history (id bigserial PRIMARY KEY, key text NOT NULL, answer bytea NOT NULL);
CREATE INDEX IF NOT EXISTS proctor_history_by_key ON proctor_history (key);
CREATE TABLE IF NOT EXISTS proctor_claims (key text PRIMARY KEY, owner text NOT NULL, until timestamptz NOT NULL);
INSERT INTO proctor_meta VALUES ('version', '1') ON CONFLICT DO NOTHING;
CREATE OR REPLACE FUNCTION proctor_refuse() RETURNS trigger LANGUAGE plpgsql AS
    'BEGIN RAISE EXCEPTION ''the store is frozen''; END';
"""
_FREEZE = """
CREATE TRIGGER proctor_frozen BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON proctor_answers
FOR EACH STATEMENT EXECUTE FUNCTION proctor_refuse()
"""
_ONE_AT_A_TIME = "SELECT pg_advisory_xact_lock(5786219380431)"
"""Held while tables are made: two sessions that make one at once would collide."""
_ANSWER = "SELECT answer FROM proctor_answers WHERE key = %s"
_SOUND_ANSWER = "SELECT answer FROM proctor_answers WHERE key = %s AND mark IS NULL"
_ROW = f"SELECT {COLUMNS} FROM proctor_answers WHERE key = %s"  # noqa: S608 - ours
_ROWS = f"SELECT {COLUMNS} FROM proctor_answers WHERE key = ANY(%s)"  # noqa: S608 - ours
_INSERT = f"INSERT INTO proctor_answers ({COLUMNS}) VALUES (%s, %s, %s, %s, %s, %s, %s) ON CONFLICT DO NOTHING"  # noqa: S608
_UPDATE = """
UPDATE proctor_answers SET api = %s, arguments = %s, answer = %s, mark = %s, raw_key = %s, source = %s WHERE key = %s
"""
_PAGE = f"SELECT {COLUMNS} FROM proctor_answers WHERE (api, key) > (%s, %s) ORDER BY api, key LIMIT {PAGE}"  # noqa: S608
_PAGE_OF = f"SELECT {COLUMNS} FROM proctor_answers WHERE api = %s AND key > %s ORDER BY key LIMIT {PAGE}"  # noqa: S608
_CLAIM = """
INSERT INTO proctor_claims AS held VALUES (%s, %s, clock_timestamp() + make_interval(secs => %s))
ON CONFLICT (key) DO UPDATE SET owner = excluded.owner, until = excluded.until
WHERE held.owner = excluded.owner OR held.until <= clock_timestamp()
"""
_RENEW = """
UPDATE proctor_claims SET until = clock_timestamp() + make_interval(secs => %s) WHERE key = %s AND owner = %s
"""


class PostgresResponses(RowStore):
    """Answers in a PostgreSQL database, in tables whose names begin with `proctor_`.

    `address` is what libpq takes, such as `postgresql://user@host/database`. The tables are made when the store is
    first used, in the first schema of the search path; with `read_only` they have to exist.
    """

    waits = True

    def __init__(self, address: str, *, read_only: bool = False, patience: float = _PATIENCE) -> None:
        self.name = _without_password(address)
        self.read_only = read_only
        self._address = address
        self._patience = patience
        self._lock = threading.RLock()
        self._connection: psycopg.Connection[Any] | None = None
        self._forsaken: list[Any] = []
        self._process = os.getpid()

    @property
    def frozen(self) -> str | None:
        """The content id of a frozen store; None while it takes answers."""
        found = self._rows("SELECT value FROM proctor_meta WHERE name = 'frozen'")
        return str(found[0][0]) if found else None

    def answer(self, key: str, *, suspicious: bool = True) -> Answer | None:
        """The answer under a key; without `suspicious`, only that of an entry with no mark."""
        found = self._rows(_ANSWER if suspicious else _SOUND_ANSWER, (key,))
        return answer_of(found[0][0], key, self.name) if found else None

    def row(self, key: str) -> Row | None:
        """The row under a key."""
        found = self._rows(_ROW, (key,))
        return found[0] if found else None

    def page(self, api: str | None, after: tuple[str, str]) -> list[Row]:
        """The next rows by API and key after those two, all or of one API."""
        return self._rows(_PAGE, after) if api is None else self._rows(_PAGE_OF, (api, after[1]))

    def write(self, rows: list[Row], *, over: str) -> list[Row]:
        """Write rows in one transaction; returns what is stored for each."""
        self._refuse_if_read_only()
        first = {row[0]: row for row in reversed(rows)}
        try:
            stored = self._asked(lambda connection: _write(connection, first, over))
        except StorageError:
            if over != "nothing" or self.frozen is None:
                raise
            stored = {row[0]: row for row in self._rows(_ROWS, (list(first),))}
            if len(stored) < len(first):
                raise
        return [row if stored[row[0]] == row else stored[row[0]] for row in rows]

    def history(self, key: str) -> list[Answer]:
        """The answers that once stood under a key and were superseded, oldest first."""
        found = self._rows("SELECT answer FROM proctor_history WHERE key = %s ORDER BY id", (key,))
        return [answer_of(row[0], key, self.name) for row in found]

    def claim(self, key: str, owner: str, seconds: float) -> bool:
        """Say that `owner` is asking for this answer; False when somebody else is."""
        return self._change(_CLAIM, (key, owner, seconds))

    def renew(self, key: str, owner: str, seconds: float) -> bool:
        """Prolong a claim from now on; False when it is no longer the owner's."""
        return self._change(_RENEW, (seconds, key, owner))

    def release(self, key: str, owner: str) -> None:
        """Give up a claim. One that is somebody else's by now is left alone."""
        self._change("DELETE FROM proctor_claims WHERE key = %s AND owner = %s", (key, owner))

    def apis(self) -> dict[ApiId, int]:
        """The APIs of which there are entries, and how many of each."""
        counted = self._rows("SELECT api, count(*) FROM proctor_answers GROUP BY api ORDER BY api")
        return {api_of(api): n for api, n in counted}

    def count(self) -> int:
        """How many entries there are."""
        return int(self._rows("SELECT count(*) FROM proctor_answers")[0][0])

    def stats(self) -> StoreStats:
        """How much there is, and of what."""
        marked = "SELECT mark, count(*) FROM proctor_answers WHERE mark IS NOT NULL GROUP BY 1 ORDER BY 1"
        answered = "SELECT coalesce(source, 'unknown'), count(*) FROM proctor_answers GROUP BY 1 ORDER BY 1"
        size = "SELECT pg_total_relation_size('proctor_answers') + pg_total_relation_size('proctor_history')"
        return StoreStats(
            entries=self.count(),
            apis=len(self.apis()),
            marks=dict(self._rows(marked)),
            sources=dict(self._rows(answered)),
            superseded=self._rows("SELECT count(*) FROM proctor_history")[0][0],
            frozen=self.frozen,
            bytes=int(self._rows(size)[0][0]),
        )

    def freeze(self) -> str:
        """Refuse every write from now on, for good and whoever writes; returns the content id."""
        self._refuse_if_read_only()
        return self._asked(self._freeze)

    def integrity(self) -> list[str]:
        """Nothing: PostgreSQL checks a page when it is read, and verifying reads them all."""
        return []

    def close(self) -> None:
        """Close the connection. It opens again when it is needed."""
        with self._lock:
            if self._connection is not None and self._process == os.getpid():
                self._connection.close()
            self._connection = None

    def _freeze(self, connection: psycopg.Connection[Any]) -> str:
        already = self.frozen
        if already is not None:
            return already
        with connection.transaction():
            connection.execute("LOCK TABLE proctor_answers IN SHARE ROW EXCLUSIVE MODE")
            content = self.content_id()
            connection.execute(_FREEZE)
            connection.execute("INSERT INTO proctor_meta VALUES ('frozen', %s)", (content,))
        return content

    def _rows(self, statement: str, values: tuple[Any, ...] = ()) -> list[Any]:
        return self._asked(lambda connection: connection.execute(_text(statement), values).fetchall())

    def _change(self, statement: str, values: tuple[Any, ...]) -> bool:
        self._refuse_if_read_only()
        return self._asked(lambda connection: connection.execute(_text(statement), values).rowcount == 1)

    def _refuse_if_read_only(self) -> None:
        if self.read_only:
            raise StorageError(f"{self.name}: the store was opened to be read only.")

    def _asked(self, ask: Callable[[psycopg.Connection[Any]], Result]) -> Result:
        """Ask the database, and ask again where the connection was lost on the way."""
        library = _psycopg()
        until = time.monotonic() + self._patience
        wait = 0.02
        with self._lock:
            while True:
                inside = self._connection is not None and _in_transaction(self._connection)
                try:
                    return ask(self._connected())
                except library.Error as error:
                    if inside or not self._lost(error) or time.monotonic() > until:
                        raise self._explained(error) from None
                time.sleep(wait)
                wait = min(wait * 2, 1.0)

    def _lost(self, error: psycopg.Error) -> bool:
        """Whether the connection is gone, so that another may do better."""
        if self._connection is not None:
            return bool(self._connection.closed)
        return self._was_connected or "starting up" in str(error) or "shutting down" in str(error)

    _was_connected = False

    def _connected(self) -> psycopg.Connection[Any]:
        if self._process != os.getpid():  # the connection of the process that was forked must not be touched
            self._forsaken.append(self._connection)
            self._connection, self._process = None, os.getpid()
        if self._connection is not None and self._connection.closed:
            self._connection = None
        if self._connection is None:
            made = _psycopg().connect(self._address, autocommit=True)
            try:
                self._prepare(made)
            except BaseException:
                made.close()
                raise
            self._connection, self._was_connected = made, True
        return self._connection

    def _prepare(self, connection: psycopg.Connection[Any]) -> None:
        there = connection.execute("SELECT to_regclass('proctor_meta')").fetchone()
        if there is None or there[0] is None:
            if self.read_only:
                raise FileError("there is no store of answers here; check the address.", path=self.name)
            with connection.transaction():
                connection.execute(_ONE_AT_A_TIME)
                connection.execute(_text(_SCHEMA))
        if self.read_only:
            connection.execute("SET default_transaction_read_only = on")
        version = connection.execute("SELECT value FROM proctor_meta WHERE name = 'version'").fetchone()
        if version is None or version[0] != _VERSION:
            said = version[0] if version else "none"
            msg = f"the store has version {said}, and this Proctor reads {_VERSION}; install a newer Proctor."
            raise FileError(msg, path=self.name)

    def _explained(self, error: psycopg.Error) -> ProctorError:
        said = str(error).splitlines()[0] if str(error) else type(error).__name__
        if "the store is frozen" in said:
            sentence = "the store is frozen and takes no more answers; copy it with export and import, or name another."
            return StorageError(f"{self.name}: {sentence}")
        if self._connection is None or self._connection.closed:
            return StorageError(f"{self.name}: the database cannot be reached: {said}. Nothing stored is lost.")
        return StorageError(f"{self.name}: the store cannot be read or written: {said}. Nothing stored is lost.")


def _write(connection: psycopg.Connection[Any], rows: dict[str, Row], over: str) -> dict[str, Row]:
    """Write rows; returns what is stored, by key. Keys go in order, so that no two writers wait for each other."""
    ordered = [rows[key] for key in sorted(rows)]
    with connection.transaction():
        with connection.cursor() as cursor:
            cursor.executemany(_text(_INSERT), ordered)
        stored: dict[str, Row] = {row[0]: row for row in connection.execute(_text(_ROWS), (list(rows),)).fetchall()}
        if over != "nothing":
            stored |= dict(_superseded(connection, rows, over))
    return stored


def _superseded(connection: psycopg.Connection[Any], rows: dict[str, Row], over: str) -> Iterator[tuple[str, Row]]:
    """The rows that took the place of others, which go to the history. One that is there already takes no place."""
    for key, row in rows.items():
        old = connection.execute(_text(f"{_ROW} FOR UPDATE"), (key,)).fetchone()
        if old is None or old == row or (over == "suspicious" and old[4] is None):
            continue
        connection.execute("INSERT INTO proctor_history (key, answer) VALUES (%s, %s)", (key, old[3]))
        connection.execute(_text(_UPDATE), (*row[1:], key))
        yield key, row


def _in_transaction(connection: psycopg.Connection[Any]) -> bool:
    return not connection.closed and connection.info.transaction_status != 0


def _text(statement: str) -> Any:
    """A statement of ours; psycopg takes literal text only, so that nobody puts values into it."""
    return statement


def _without_password(address: str) -> str:
    try:
        from psycopg.conninfo import conninfo_to_dict
    except ImportError:
        raise _NEEDS from None
    try:
        parts = conninfo_to_dict(address)
    except _psycopg().Error:  # what libpq says may quote a password
        raise OptionError("the database's address cannot be read; expected postgresql://user@host/database.") from None
    port = f":{parts['port']}" if parts.get("port") else ""
    return f"postgresql://{parts.get('user', '')}@{parts.get('host', '')}{port}/{parts.get('dbname', '')}"


def _psycopg() -> Any:
    try:
        import psycopg
    except ImportError:
        raise _NEEDS from None
    return psycopg


_NEEDS = NeedsExtraError("a store in PostgreSQL needs psycopg: pip install 'proctor[postgres]'.")

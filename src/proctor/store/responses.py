"""The store of answers: what an API said once it says for ever.

`ResponseStore` is the waist: a SQLite file (`proctor.store.sqlite`) for one machine and PostgreSQL
(`proctor.store.postgres`) for a team fulfil it, and `open_responses` opens either.
The first write under a key wins, whoever writes, so an answer that was seen never changes
(docs/decisions/first-write-wins.md).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Protocol

import msgspec

from proctor.records.answers import Answer
from proctor.records.entries import Entry
from proctor.records.queries import ApiId


class StoreStats(msgspec.Struct, frozen=True):
    """How much a store holds, and of what."""

    entries: int
    apis: int
    marks: dict[str, int]
    """How many entries are suspicious, by why."""
    sources: dict[str, int]
    """How many entries there are by who answered first; `unknown` where nobody said."""
    superseded: int
    """How many answers were replaced by an explicit refresh; they are kept."""
    frozen: str | None
    """The content id, where the store is frozen."""
    bytes: int
    """What it takes on the disk."""


class ResponseStore(Protocol):
    """Answers by the key of their call. Any thread may use it; a `get` takes microseconds.

    What cannot be read or written is a `StorageError`, what is no store a `FileError`; neither loses what is stored.
    """

    name: str
    """What the store is called in sentences: its path, or its address without the password."""
    read_only: bool
    """Whether it was opened so that nothing in it can be changed."""

    waits: bool
    """Whether reading may have to wait, for a network or a server; an event loop asks such a store in a thread."""

    @property
    def frozen(self) -> str | None:
        """The content id of a frozen store; None while it takes answers."""
        ...

    def get(self, key: str) -> Entry | None:
        """The entry under a key."""
        ...

    def answer(self, key: str, *, suspicious: bool = True) -> Answer | None:
        """The answer under a key, as fast as can be; without `suspicious`, only that of an entry with no mark."""
        ...

    def put(self, entry: Entry, *, over_suspicious: bool = False) -> Entry:
        """Store an entry, unless its key is taken; returns what is stored, which is the answer to give.

        With `over_suspicious`, a stored entry that has a mark gives way (and is kept in the history), once.
        """
        ...

    def put_many(self, entries: Iterable[Entry]) -> list[Entry]:
        """`put` for each of them, all or none, in one go; returns what is stored for each."""
        ...

    def supersede(self, entry: Entry) -> Entry:
        """Store an entry whatever stands under its key; what stood there is kept in the history.

        Only for the policy that refreshes: whoever asked before got another answer.
        """
        ...

    def history(self, key: str) -> list[Answer]:
        """The answers that once stood under a key and were superseded, oldest first."""
        ...

    def claim(self, key: str, owner: str, seconds: float) -> bool:
        """Say that `owner` is asking for this answer, so that nobody else does; False when somebody else is.

        A claim ends by itself after so many seconds: an owner that dies keeps nobody waiting. After a claim was won,
        look once more whether there is an answer by now.
        """
        ...

    def renew(self, key: str, owner: str, seconds: float) -> bool:
        """Prolong a claim from now on; False when it is no longer the owner's."""
        ...

    def release(self, key: str, owner: str) -> None:
        """Give up a claim. One that is somebody else's by now is left alone."""
        ...

    def entries(self, api: ApiId | None = None) -> Iterator[Entry]:
        """All entries, or those of an API, by API and key; streamed, so that any number will do."""
        ...

    def apis(self) -> dict[ApiId, int]:
        """The APIs of which there are entries, and how many of each."""
        ...

    def examples(self, api: ApiId, limit: int = 5) -> list[Entry]:
        """Some entries of an API that are not suspicious, always the same ones."""
        ...

    def another(self, api: ApiId, place: str, key: str) -> Entry | None:
        """The entry of an API next behind a place among its keys that is neither suspicious nor under that key.

        A place that is drawn evenly draws every entry: keys are hashes.
        """
        ...

    def count(self) -> int:
        """How many entries there are."""
        ...

    def stats(self) -> StoreStats:
        """How much there is, and of what."""
        ...

    def content_id(self) -> str:
        """The hash of all keys and answers, not of where they came from: stores that answer alike have the same."""
        ...

    def freeze(self) -> str:
        """Refuse every write from now on, for good and whoever writes; returns the content id."""
        ...

    def damage(self) -> list[str]:
        """What the database itself finds broken, a sentence each, and each entry that cannot be read."""
        ...

    def close(self) -> None:
        """Let go of the files or the connection."""
        ...


def open_responses(where: str | Path, *, read_only: bool = False) -> ResponseStore:
    """The store at a path, or at an address such as `postgresql://user@host/database`.

    A file that does not exist is made when the first answer is stored; with `read_only` it has to exist.
    """
    if isinstance(where, str) and where.startswith(("postgresql://", "postgres://")):
        from proctor.store.postgres import PostgresResponses

        return PostgresResponses(where, read_only=read_only)
    from proctor.store.sqlite import SqliteResponses

    return SqliteResponses(where, read_only=read_only)

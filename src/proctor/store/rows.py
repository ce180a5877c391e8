"""Entries as rows: how the stores of answers write them down, and all that is alike in them.

Whatever the database, a row holds JSON text: numbers, order and characters come back as they were. The columns beside
the answer are there to select by, and for people who look into the database.
"""

from __future__ import annotations

import hashlib
import json
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from proctor import json_text
from proctor.errors import InputError, StorageError
from proctor.records.answers import Answer
from proctor.records.entries import Entry, Mark
from proctor.records.keys import canonical_json
from proctor.records.queries import ApiId

COLUMNS = "key, api, arguments, answer, mark, raw_key, source"
Row = tuple[str, str, bytes, bytes, str | None, str | None, str | None]
"""The columns of one entry, in that order."""

PAGE = 500
"""So many entries are read at once."""

_decode_answer = msgspec.json.Decoder(Answer).decode
_decode_api = msgspec.json.Decoder(list[str]).decode


def api_text(api: ApiId) -> str:
    """An API as the stores write it: a JSON list of its three names, so that any character will do."""
    return msgspec.json.encode([api.category, api.tool, api.api]).decode()


def api_of(text: str) -> ApiId:
    """The API that `api_text` wrote."""
    return ApiId(*_decode_api(text))


def row_of(entry: Entry) -> Row:
    """The row of an entry. InputError for an answer that JSON cannot hold."""
    answer = entry.answer
    json_text.refuse_foreign(answer.response)
    source = answer.provenance.source.value if answer.provenance is not None else None
    return (
        entry.key,
        _utf8(api_text, entry.api),
        _arguments(entry.arguments),
        json_text.encode_checked(answer),
        entry.mark.value if entry.mark is not None else None,
        json.dumps(entry.raw_key) if entry.raw_key is not None else None,
        source,
    )


def entry_of(row: Row) -> Entry:
    """The entry of a row. ValueError when it is broken."""
    key, api, arguments, answer, mark, raw_key, _ = row
    return Entry(
        key,
        api_of(api),
        json.loads(bytes(arguments)),
        _decode_answer(answer),
        Mark(mark) if mark is not None else None,
        json.loads(raw_key) if raw_key is not None else None,
    )


def answer_of(data: bytes, key: str, store: str) -> Answer:
    """The answer of a row; StorageError when it is broken."""
    try:
        return _decode_answer(data)
    except (msgspec.MsgspecError, UnicodeError):
        raise StorageError(f"{store}: the answer under {key} cannot be read; {VERIFY}.") from None


VERIFY = "`proctor cache verify` says what else is damaged"


def _utf8(write: Any, value: Any) -> Any:
    try:
        return write(value)
    except UnicodeEncodeError:
        raise InputError("the name of an API holds half of a surrogate pair, which is no character.") from None


def _arguments(arguments: dict[str, Any]) -> bytes:
    """Recorded arguments may hold NaN; Python's reader and writer know it, and keep the rest as it is."""
    try:
        return json.dumps(arguments, ensure_ascii=False, separators=(",", ":")).encode()
    except (UnicodeEncodeError, TypeError, ValueError, RecursionError) as error:
        raise InputError(f"the arguments have no JSON form: {error}.") from None


class RowStore(ABC):
    """What every store of answers does alike, on top of a few statements that each database has its own way with."""

    name: str
    waits = False

    @abstractmethod
    def row(self, key: str) -> Row | None:
        """The row under a key."""

    @abstractmethod
    def page(self, api: str | None, after: tuple[str, str]) -> list[Row]:
        """The next `PAGE` rows by API and key after those two, all or of one API."""

    @abstractmethod
    def write(self, rows: list[Row], *, over: str) -> list[Row]:
        """Write rows in one transaction; returns what is stored for each.

        `over` says what may stand in the way and is moved to the history: `nothing`, `suspicious` or `anything`.
        """

    @abstractmethod
    def integrity(self) -> list[str]:
        """What the database finds broken in itself."""

    def get(self, key: str) -> Entry | None:
        """The entry under a key."""
        row = self.row(key)
        return None if row is None else self._entry(row)

    def put(self, entry: Entry, *, over_suspicious: bool = False) -> Entry:
        """Store an entry, unless its key is taken; returns what is stored."""
        return self._written([entry], over="suspicious" if over_suspicious else "nothing")[0]

    def put_many(self, entries: Iterable[Entry]) -> list[Entry]:
        """`put` for each of them, all or none; returns what is stored for each."""
        return self._written(list(entries), over="nothing")

    def supersede(self, entry: Entry) -> Entry:
        """Store an entry whatever stands under its key; what stood there is kept in the history."""
        return self._written([entry], over="anything")[0]

    def entries(self, api: ApiId | None = None) -> Iterator[Entry]:
        """All entries, or those of an API, by API and key."""
        for row in self.rows(api):
            yield self._entry(row)

    def rows(self, api: ApiId | None = None) -> Iterator[Row]:
        """The rows of all entries, or those of an API, a page at a time: no lock is held between two pages."""
        of = None if api is None else api_text(api)
        after = ("", "")
        while page := self.page(of, after):
            yield from page
            after = (page[-1][1], page[-1][0])
            if len(page) < PAGE:
                return

    def examples(self, api: ApiId, limit: int = 5) -> list[Entry]:
        """Some entries of an API that are not suspicious, always the same ones."""
        found: list[Entry] = []
        for row in self.rows(api):
            if len(found) >= limit:
                break
            if row[4] is None:
                found.append(self._entry(row))
        return found

    def another(self, api: ApiId, place: str, key: str) -> Entry | None:
        """The entry of an API next behind a place among its keys that is neither suspicious nor under that key."""
        of = api_text(api)
        for begin, end in ((place, None), ("", place)):
            after = (of, begin)
            while page := self.page(of, after):
                for row in page:
                    if end is not None and row[0] > end:
                        return None
                    if row[4] is None and row[0] != key:
                        return self._entry(row)
                after = (of, page[-1][0])
        return None

    def content_id(self) -> str:
        """The hash of all keys and answers, in their order."""
        whole = hashlib.sha256()
        for entry in self.entries():
            said = canonical_json([entry.key, entry.answer.error, entry.answer.response])
            whole.update(hashlib.sha256(said).digest())
        return whole.hexdigest()

    def damage(self) -> list[str]:
        """What the database finds broken, each entry that cannot be read, and each that stands under a wrong key."""
        found = self.integrity()
        if found:
            return found
        for row in self.rows():
            try:
                expected = entry_of(row).expected_key
            except ValueError:
                found.append(f"the entry {row[0]} of {row[1]} cannot be read")
                continue
            if expected != row[0]:
                found.append(f"the entry {row[0]} of {row[1]} stands under a wrong key; {expected} is right")
        return found

    def _written(self, entries: list[Entry], *, over: str) -> list[Entry]:
        rows = [row_of(entry) for entry in entries]
        stored = self.write(rows, over=over)
        return [
            entry if row is was else self._entry(row) for entry, row, was in zip(entries, stored, rows, strict=True)
        ]

    def _entry(self, row: Row) -> Entry:
        try:
            return entry_of(row)
        except ValueError:
            raise StorageError(f"{self.name}: the entry {row[0]} cannot be read; {VERIFY}.") from None

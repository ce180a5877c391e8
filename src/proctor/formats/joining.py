"""Samples in one file, their references in another: which belongs to which.

Where the first reference has an `id`, a sample's reference is the one with the sample's `id`, and several samples may
share it. Otherwise the first reference belongs to the first sample, the second to the second, and so on; the two files
are then read side by side and nothing is held, while references with an `id` are all held.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from typing import NamedTuple, Protocol

from proctor.errors import FileError, InputError, counted
from proctor.formats.files import name_of, texts
from proctor.formats.quick import Id
from proctor.formats.records import Record, without_id
from proctor.formats.references import Reference, read_reference, with_reference
from proctor.store.lines import MAX_LINE_BYTES, decode_json_line


class Wanted(NamedTuple):
    """A reference, and where it stands."""

    fields: Reference
    path: str
    line: int
    id: Id | None


class References(Protocol):
    """A file of references, asked for one sample's at a time."""

    def of(self, record: Record) -> Reference | FileError:
        """The reference of a record, or what is wrong with the record. Raises where all that follow are wrong too."""
        ...

    def pass_by(self) -> None:
        """A record could not be read: its place is used up."""
        ...

    def left(self) -> list[Wanted]:
        """The references that no record has asked for. FileError where that cannot be right."""
        ...


def open_references(path: str, *, longest: int = MAX_LINE_BYTES) -> References:
    """The references in a file, by their ids or by their places."""
    wanted = read_references(path, longest=longest)
    first = next(wanted, None)
    if first is None:
        raise FileError("there is no reference in this file.", path=name_of(path))
    again = itertools.chain([first], wanted)
    return ByPlace(again, name_of(path)) if first.id is None else ById(again)


def read_references(path: str, *, longest: int = MAX_LINE_BYTES) -> Iterator[Wanted]:
    """The references of a file. One that cannot be read is raised: without it the others may belong to nobody."""
    for line, data in texts(path, longest=longest):
        if isinstance(data, FileError):
            raise data
        value = decode_json_line(data, path=name_of(path), line=line)
        try:
            rest, name = without_id(value) if isinstance(value, dict) else (value, None)
            yield Wanted(read_reference(rest), name_of(path), line, name)
        except InputError as error:
            raise FileError(str(error), path=name_of(path), line=line) from None


def joined(records: Iterable[Record | FileError], references: References) -> Iterator[Record | FileError]:
    """The records, each with its reference; one that has none is yielded as its error."""
    for record in records:
        if isinstance(record, FileError):
            references.pass_by()
            yield record
            continue
        reference = references.of(record)
        if isinstance(reference, FileError):
            yield reference
            continue
        try:
            yield record._replace(sample=with_reference(record.sample, reference))
        except InputError as error:
            yield FileError(str(error), path=record.path, line=record.line, id=record.id)


class ByPlace:
    """References that belong to the samples in the same places."""

    def __init__(self, wanted: Iterator[Wanted], path: str) -> None:
        self._wanted = wanted
        self._path = path
        self._count = 0

    def of(self, record: Record) -> Reference | FileError:
        """The next reference."""
        found = next(self._wanted, None)
        if found is None:
            held = f"there {'is' if self._count == 1 else 'are'} only {counted(self._count, 'reference')}"
            said = f"{held}, and {record.path}:{record.line} holds one sample more"
            raise FileError(f"{said}; give both an 'id' to join them by name.", path=self._path)
        self._count += 1
        return found.fields

    def pass_by(self) -> None:
        """The next reference belongs to the record that could not be read."""
        if next(self._wanted, None) is not None:
            self._count += 1

    def left(self) -> list[Wanted]:
        """Nothing: a reference more than there are samples is an error."""
        more = next(self._wanted, None)
        if more is not None:
            samples = counted(self._count, "sample")
            said = f"there are more references than the {samples}; this is the first without a sample"
            raise FileError(f"{said}. Give both an 'id' to join them by name.", path=more.path, line=more.line)
        return []


class ById:
    """References that belong to the samples with the same id."""

    def __init__(self, wanted: Iterator[Wanted]) -> None:
        self._wanted: dict[str, Wanted] = {}
        self._asked: set[str] = set()
        self._alone: Record | None = None
        """The first sample that has an id and no reference of that id."""
        for one in wanted:
            key = _key(one)
            before = self._wanted.setdefault(key, one)
            if before is not one:
                said = f"the id {one.id!r} stands in line {before.line} already; each reference needs its own."
                raise FileError(said, path=one.path, line=one.line)

    def of(self, record: Record) -> Reference | FileError:
        """The reference with the record's id: nothing where there is none, so that metrics say what they lack."""
        if record.id is None:
            return FileError(
                "the references have an 'id' and this sample has none.", path=record.path, line=record.line
            )
        key = str(record.id)
        found = self._wanted.get(key)
        if found is None:
            self._alone = self._alone or record
            return {}
        self._asked.add(key)
        return found.fields

    def pass_by(self) -> None:
        """Places do not matter."""

    def left(self) -> list[Wanted]:
        """The references that no sample had the id of. FileError where that is all of them."""
        if self._alone is not None and not self._asked:
            first, alone = next(iter(self._wanted.values())), self._alone
            said = f"no reference has the id of any sample: the first reference is {first.id!r}, and the first sample"
            raise FileError(f"{said} ({alone.path}:{alone.line}) {alone.id!r}.", path=first.path, line=first.line)
        return [one for key, one in self._wanted.items() if key not in self._asked]


def _key(one: Wanted) -> str:
    """An id as it is compared: the number 7 and the text "7" are the same name."""
    if one.id is None:
        raise FileError("the references before this have an 'id' and this one has none.", path=one.path, line=one.line)
    return str(one.id)

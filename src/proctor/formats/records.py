"""One record of a file of recorded conversations: each says itself which shape it has."""

from __future__ import annotations

from typing import Any, NamedTuple

from proctor.dataset_schema import Sample, read_sample
from proctor.errors import FileError, InputError, SampleError
from proctor.formats.conversations import looks_like_message, read_conversation
from proctor.formats.pairs import FIELDS as PAIR
from proctor.formats.pairs import read_pair
from proctor.formats.quick import Id, read_quickly
from proctor.store.lines import decode_json_line


class Record(NamedTuple):
    """A sample, and where it came from."""

    sample: Sample
    path: str
    line: int
    """The line on which the record begins, from 1."""
    id: Id | None = None
    """The record's own name, where it has one: a reference in another file is found by it."""


def read_record(data: bytes, *, path: str, line: int) -> Record:
    """The record in one JSON text. FileError, with file, line and one sentence, where there is none."""
    read = read_quickly(data)
    if read is not None:
        return Record(read[0], path, line, read[1])
    value = decode_json_line(data, path=path, line=line)
    try:
        sample, name = read_value(value)
    except InputError as error:
        raise FileError(str(error), path=path, line=line, id=_name(value)) from None
    return Record(sample, path, line, name)


def read_value(value: Any) -> tuple[Sample, Id | None]:
    """The sample in a value of any shape that is known, and the record's name if it has one."""
    if isinstance(value, list):
        return read_conversation(value), None
    if not isinstance(value, dict):
        raise SampleError(
            f"a record must be a sample, a list of messages or a pair of outputs, not {type(value).__name__}."
        )
    rest, name = without_id(value)
    if looks_like_message(rest):
        raise SampleError("this is a single message; put the messages of a conversation into one list on one line.")
    if "messages" in rest:
        return read_conversation(rest), name
    if PAIR & rest.keys():
        return read_pair(rest), name
    if not rest:
        raise SampleError("the record is empty; a sample has at least one field.")
    return read_sample(rest), name


def _name(value: Any) -> Id | None:
    """The name of a record that cannot be read, as far as it has one."""
    name = value.get("id") if isinstance(value, dict) else None
    return name if isinstance(name, str | int) and not isinstance(name, bool) else None


def without_id(value: dict[str, Any]) -> tuple[dict[str, Any], Id | None]:
    """A record without its name, and the name."""
    if "id" not in value:
        return value, None
    name = value["id"]
    if name is not None and (isinstance(name, bool) or not isinstance(name, str | int)):
        raise SampleError(f"'id' must be text or a whole number, not {type(name).__name__}.")
    return {field: said for field, said in value.items() if field != "id"}, name

"""JSON files of any depth: recorded conversations nest one step in another, deeper than other files may."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from proctor.errors import FileError, InputError
from proctor.formats.stabletoolbench.deep_json import decode_deep, encode_deep
from proctor.json_text import UNREADABLE, problem
from proctor.store.lines import opened


def read_json(path: str | Path, *, deep: bool = False) -> Any:
    """The value of a JSON file; FileError, with one sentence, where it has none.

    With `deep`, of any depth: for files in which an answer's steps stand in one another.
    """
    with opened(path) as file:
        text = file.read().removeprefix(b"\xef\xbb\xbf")
    if not text.strip():
        raise FileError("the file is empty.", path=str(path))
    try:
        return msgspec.json.decode(text)
    except UNREADABLE as error:
        if deep and isinstance(error, RecursionError):
            return _deep(path, text)
        raise FileError(problem(error, text), path=str(path)) from None


def _deep(path: str | Path, text: bytes) -> Any:
    try:
        return decode_deep(text.decode())
    except UnicodeDecodeError as error:
        raise FileError(problem(error, text), path=str(path)) from None
    except InputError as error:
        raise FileError(str(error), path=str(path)) from None


def json_bytes(value: Any) -> bytes:
    """The text of a JSON file, indented, with the keys in the order that they have."""
    try:
        try:
            return msgspec.json.format(msgspec.json.encode(value), indent=2) + b"\n"
        except RecursionError:
            return encode_deep(value) + b"\n"
    except UnicodeEncodeError:
        raise InputError("the value holds half of a surrogate pair, which is no character.") from None


def kind_of(value: Any) -> str:
    """What a JSON value is, in words for a sentence."""
    kinds = {dict: "an object", list: "a list", str: "text", int: "a number", float: "a number", bool: "true or false"}
    return kinds.get(type(value), "null")

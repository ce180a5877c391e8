"""An answer as a store keeps it: under the key of its call, and with a mark where it is suspicious."""

from __future__ import annotations

import enum
import math
from collections.abc import Iterator
from typing import Any

import msgspec

from proctor.errors import SampleError
from proctor.records.answers import Answer
from proctor.records.keys import call_key, content_hash
from proctor.records.queries import ApiId


class Mark(enum.Enum):
    """Why an entry of a store is suspicious. Whoever asks the store decides whether such an entry counts."""

    FAILURE = "failure"
    """The answer is that of a backend that failed."""
    EMPTY = "empty"
    """The answer says nothing at all."""
    CUT = "cut-off"
    """The answer is what is left of a reply that was cut off; a whole one takes its place."""
    UNREADABLE_KEY = "unreadable-key"
    """It came from a file where it stood under a text that is no set of arguments; it answers no call."""
    DUPLICATE = "duplicate"
    """It came from a file where the same call stood before it in another spelling; it answers no call."""


class Entry(msgspec.Struct, frozen=True, omit_defaults=True):
    """An answer as a store keeps it: under the key of its call."""

    key: str
    """`entry_key` of the API and the arguments; `raw_text_key` where the arguments could not be read."""
    api: ApiId
    arguments: dict[str, Any]
    """The arguments that were asked with; empty where they could not be read."""
    answer: Answer
    mark: Mark | None = None
    """Why the entry is suspicious, if it is."""
    raw_key: str | None = None
    """The text under which an imported file had the answer."""

    @classmethod
    def of(
        cls, api: ApiId, arguments: dict[str, Any], answer: Answer, *, mark: Mark | None = None, raw: str | None = None
    ) -> Entry:
        """The entry of a call, under its key."""
        return cls(entry_key(api, arguments), api, arguments, answer, mark, raw)

    @classmethod
    def kept_for_export(cls, api: ApiId, raw: str, answer: Answer, mark: Mark) -> Entry:
        """An entry that answers no call, and is there so that a file can be written back as it was read."""
        return cls(raw_text_key(api, raw), api, {}, answer, mark, raw)

    @property
    def expected_key(self) -> str:
        """The key that the entry must have, made again from what it is about."""
        if self.mark in ANSWERS_NO_CALL:
            return raw_text_key(self.api, self.raw_key or "")
        return entry_key(self.api, self.arguments)


ANSWERS_NO_CALL = frozenset({Mark.UNREADABLE_KEY, Mark.DUPLICATE})
"""Entries with these marks are never found by a call, whoever asks."""


def entry_key(api: ApiId, arguments: dict[str, Any]) -> str:
    """The key under which a call's answer is stored: `call_key`, and one for recorded calls that `call_key` refuses.

    Those have NaN or infinity among their arguments, which JSON lacks. Their keys are hashes of five things where those
    of calls are hashes of four, so no other call has the same.
    """
    try:
        return call_key(api.category, api.tool, api.api, arguments)
    except SampleError:
        named = dict(_not_finite(arguments))
        if not named:
            raise
        return content_hash([named, api.category, api.tool, api.api, _finite(arguments)])


def raw_text_key(api: ApiId, raw: str) -> str:
    """The key of an entry that answers no call: again a hash of five things."""
    return content_hash(["as it stood in a file", api.category, api.tool, api.api, raw])


def _not_finite(value: Any, place: str = "") -> Iterator[tuple[str, str]]:
    """Where in a value there is a number that JSON lacks, and which."""
    if isinstance(value, float) and not math.isfinite(value):
        yield place, repr(value)
    elif isinstance(value, (dict, list, tuple)):
        for name, item in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _not_finite(item, f"{place}[{name!r}]")


def _finite(value: Any) -> Any:
    """The value with null in the place of each number that JSON lacks."""
    if isinstance(value, dict):
        return {name: _finite(item) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value

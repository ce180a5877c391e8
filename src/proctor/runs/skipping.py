"""What was passed over, counted by reason."""

from __future__ import annotations

import re
from collections import Counter

from proctor.errors import FileError

_MOST_REASONS = 100
"""So many reasons are kept apart; whatever comes after them is counted together."""
_OTHERS = "other reasons"
_QUOTED = re.compile(r"""(?<!\w)(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")""", re.DOTALL)
_NUMBER = re.compile(r"(?<![\w-])\d[\d.e+-]*|(?<=\[)\d+(?=\])")
_END = re.compile(r"[;,(]|\. ")
_LEADING = ("readable", "]")
"""What stands before a colon after which the reason goes on."""


class Skipped:
    """The records that could not be read: how many for which reason, and the first of each."""

    def __init__(self) -> None:
        self.reasons: Counter[str] = Counter()
        self.first: dict[str, str] = {}
        """By reason, the whole sentence of the first record that was passed over for it."""

    def add(self, error: FileError) -> None:
        """Count one more."""
        reason = reason_of(error)
        if reason not in self.reasons and len(self.reasons) >= _MOST_REASONS:
            reason = _OTHERS
        self.reasons[reason] += 1
        self.first.setdefault(reason, str(error))

    @property
    def count(self) -> int:
        """How many were passed over."""
        return self.reasons.total()


def reason_of(error: FileError) -> str:
    """The error's sentence without its particulars, so that the same reason counts as the same.

    >>> reason_of(FileError("the key 'a' stands twice in one object; which of the two is meant?"))
    "the key '…' stands twice in one object"
    """
    said = _NUMBER.sub("N", _QUOTED.sub("'…'", error.problem))
    found = _END.search(said)
    first, *more = (said[: found.start()] if found else said).split(": ")
    while more and first.endswith(_LEADING):
        first = f"{first}: {more.pop(0)}"
    return first.strip().rstrip(".:")

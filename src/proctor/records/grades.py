"""What a judge thought, what a metric counted, and what could not be measured.

A number that could not be measured is a `Missing` with its reason: never 0, never False, never NaN
(docs/decisions/unmeasured-is-a-value.md).
"""

from __future__ import annotations

import enum
from math import isfinite
from typing import Any, NoReturn

import msgspec

from proctor.errors import InputError


class Missing(msgspec.Struct, frozen=True, tag="missing", omit_defaults=True):
    """A number that could not be measured, and why.

    It cannot be used as a truth value: test for it by `isinstance`, so that "not measured" never passes for "no".
    """

    reason: str
    """One short sentence without particulars, so that the same reason counts as the same."""
    detail: str | None = None
    """The particulars: what was found, a model's raw reply."""

    def __bool__(self) -> NoReturn:
        msg = f"unmeasured ({self.reason}) is neither true nor false; test for it by isinstance(…, Missing)."
        raise TypeError(msg)


class Score(msgspec.Struct, frozen=True, tag="score", omit_defaults=True):
    """What a metric counted on one sample or one trial."""

    value: float
    """The number."""
    reason: str | None = None
    """Why it is this number: a judge's words, or a sentence of the metric."""
    warning: str | None = None
    """What is odd about the input, so that the number should be read with care."""
    details: Any = None
    """The number taken apart: plain data that the metric documents."""

    def __post_init__(self) -> None:
        if not isfinite(self.value):
            raise InputError(
                f"a score must be a finite number, not {self.value}; what could not be measured is Missing(reason)."
            )


class Status(enum.Enum):
    """Whether an answer solved its query, by a judge's verdict."""

    SOLVED = "Solved"
    UNSURE = "Unsure"
    UNSOLVED = "Unsolved"


POINTS = {Status.SOLVED: 1.0, Status.UNSURE: 0.5, Status.UNSOLVED: 0.0}
"""What a verdict is worth."""


class Verdict(msgspec.Struct, frozen=True, tag="verdict", omit_defaults=True):
    """A judge's opinion of one answer, written down."""

    status: Status
    """The opinion."""
    reason: str
    """The judge's words."""
    judge: str
    """Who judged: the judge's name with its model, or the name of its rule."""
    repeat: int = 0
    """Which repetition of the same question this is."""
    raw: str | None = None
    """The reply that the opinion was read from."""
    ballots: tuple[Verdict | Missing, ...] = ()
    """What each member said, where a panel judged."""

"""SoWR's judge: which of two answers to a query is better, asked in both orders."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from typing import Any

import msgspec

from proctor.judges.attempts import Attempt
from proctor.judges.judge import AsksModel, only_numbers
from proctor.judges.templates import Template
from proctor.records.grades import Missing, Status
from proctor.stats.preferences import Orders, Preferred, settle

__all__ = [
    "RULED_FIRST",
    "Ordered",
    "Preference",
    "PreferenceJudge",
    "both_orders",
    "over_rounds",
    "verdict_first",
]


RULED_FIRST = "verdicts first"
"""Who compared where the verdicts on both said enough."""


class Ordered(msgspec.Struct, frozen=True, tag="ordered", omit_defaults=True):
    """What a judge said of two attempts in one order."""

    first_is_better: bool | Missing
    """Whether it preferred the attempt that was shown first."""
    reason: str = ""
    """Its words."""


class Preference(msgspec.Struct, frozen=True, tag="preference", omit_defaults=True):
    """Which of two attempts is better, and who said so."""

    orders: Orders
    """What was said with the reference first, and with the candidate first."""
    judge: str
    """Who compared."""
    reasons: tuple[str, ...] = ()
    """The words, in both orders."""
    repeat: int = 0

    @property
    def preferred(self) -> Preferred | Missing:
        """What both orders say; a tie where they disagree."""
        one, other = self.orders
        if isinstance(one, Missing):
            return one
        return other if isinstance(other, Missing) else settle(one, other)

    @property
    def flipped(self) -> bool:
        """Whether the two orders were judged, and disagree."""
        one, other = self.orders
        return isinstance(one, Preferred) and isinstance(other, Preferred) and one is not other


def verdict_first(reference: Status | None, candidate: Status | None) -> Preferred | None:
    """What the verdicts on both settle without a comparison: exactly one solved wins, else exactly one unsure.

    None where a comparison has to decide: both are the same, or a verdict is lacking.
    """
    for status in (Status.SOLVED, Status.UNSURE):
        if reference is not None and candidate is not None and (reference is status) is not (candidate is status):
            return Preferred.CANDIDATE if candidate is status else Preferred.REFERENCE
    return None


class PreferenceJudge(AsksModel):
    """Which of two attempts at a query is better. Each pair is judged in both orders; a disagreement is a tie."""

    noun = "preference"

    def __init__(self, model: Any, template: Template | None = None) -> None:
        super().__init__(model, template)
        self._prompt, self._field = only_numbers(self.template.prompt("select_better_answer"), 0, 1)
        self._prompt.check_places("answer_0", "answer_1", others=("query",))

    async def compare(
        self,
        reference: Attempt,
        candidate: Attempt,
        statuses: tuple[Status | None, Status | None] = (None, None),
        repeat: int = 0,
    ) -> Preference:
        """Compare two attempts at the same query. `statuses` are their verdicts, which come first where they differ."""
        if (ruled := verdict_first(*statuses)) is not None:
            return Preference((ruled, ruled), RULED_FIRST, repeat=repeat)
        ahead, behind = await asyncio.gather(
            self.order(reference, candidate, repeat), self.order(candidate, reference, repeat)
        )
        return both_orders(ahead, behind, self.name, repeat)

    async def order(self, first: Attempt, second: Attempt, repeat: int = 0) -> Ordered:
        """Compare two attempts in this order only: half of a comparison, for who keeps the halves."""
        said = await self._ask(self._prompt, repeat, query=first.query, answer_0=first.shown, answer_1=second.shown)
        return Ordered(said) if isinstance(said, Missing) else Ordered(said[self._field] == 0, said.reason)


def both_orders(ahead: Ordered, behind: Ordered, judge: str, repeat: int = 0) -> Preference:
    """The preference that was said with the reference first (`ahead`) and with the candidate first (`behind`)."""
    orders = (
        ahead.first_is_better if isinstance(ahead.first_is_better, Missing) else _whom(ahead.first_is_better),
        behind.first_is_better if isinstance(behind.first_is_better, Missing) else _whom(not behind.first_is_better),
    )
    return Preference(orders, judge, (ahead.reason, behind.reason), repeat)


def _whom(reference: bool) -> Preferred:
    return Preferred.REFERENCE if reference else Preferred.CANDIDATE


def over_rounds(rounds: Sequence[Preference]) -> Preferred | Missing:
    """What the rounds about one query say together: whom most prefer; a tie where as many prefer each.

    Rounds that could not be judged are left out, and when none is left it is unmeasured.
    """
    said = [one.preferred for one in rounds]
    votes = Counter(one for one in said if isinstance(one, Preferred))
    if not votes:
        return next((one for one in said if isinstance(one, Missing)), Missing("the query was not judged"))
    candidate, reference = votes[Preferred.CANDIDATE], votes[Preferred.REFERENCE]
    if candidate == reference:
        return Preferred.TIE
    return Preferred.CANDIDATE if candidate > reference else Preferred.REFERENCE

"""The rubric: a judge without a model, which looks whether an answer tells the facts that a right one tells. Pure.

It compares spellings and understands nothing: a fact in words that nobody foresaw is missing to it, and the right
number for the wrong thing is told. How far it agrees with people is known from labels (docs/calibration.md).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import msgspec

from proctor.judges import declines
from proctor.judges.attempts import Attempt
from proctor.judges.judge import by_rule
from proctor.judges.spellings import figures, plain, stands
from proctor.records.grades import Missing, Status, Verdict
from proctor.records.queries import Decline, Expected, Fact

__all__ = ["NO_FACTS", "RubricJudge", "by_facts"]

NO_FACTS = "the query states no facts"
"""Why there is no verdict on an answer to a query of which nobody wrote down what a right answer tells."""

_MONTHS = (
    "january|february|march|april|may|june|july|august|september|october|november|december"
    "|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec"
)
_NUMBER = r"(\d{1,2})(?:st|[nr]d|th)?"
_DAY = re.compile(rf"\b(?:{_NUMBER}(?: of)? (?:{_MONTHS})|(?:{_MONTHS})\.? {_NUMBER})\b")
_WORDS = {
    Expected.UNSOLVABLE: "it says that this cannot be found",
    Expected.OFF_TOPIC: "it says that this is not what it is there for",
    Expected.REFUSAL: "it refuses",
}


class RubricJudge:
    """A judge that holds an answer against the facts of its query.

    All of them told is solved, some unsure, none unsolved. Where one of a fact's `reject` words stands in the answer,
    the answer is wrong and unsolved. A query that cannot or must not be answered wants an answer that declines it, does
    not do it all the same, and names no number which nobody gave it; an answer that may or may not decline it is
    unsure. A query that wants an answer and states no fact is unmeasured.

    That this is a rubric stands in the judge's name beside every verdict, and as the evaluation method wherever the
    number is shown.
    """

    name = "rubric"
    method = "rubric"

    async def judge(self, attempt: Attempt, repeat: int = 0) -> Verdict | Missing:
        """What the rubric says. It is always the same."""
        if attempt.expected is Expected.ANSWER and not any(fact.accept for fact in attempt.facts):
            return Missing(NO_FACTS)
        if (ruled := by_rule(attempt, repeat)) is not None:
            return ruled
        status, reason = by_facts(attempt)
        return Verdict(status, reason, self.name, repeat)


def by_facts(attempt: Attempt) -> tuple[Status, str]:
    """The status that an attempt's facts speak for, and which of them it tells."""
    if wrong := list(_contradictions(attempt.facts, attempt.final_answer)):
        return Status.UNSOLVED, f"the answer is wrong: {'; '.join(wrong)}"
    if attempt.expected is not Expected.ANSWER:
        return _declined(attempt)
    told, missing = _sorted(attempt)
    if not missing:
        return Status.SOLVED, _tally(told, missing)
    return (Status.UNSURE if told else Status.UNSOLVED), _tally(told, missing)


def _contradictions(facts: Iterable[Fact], answer: str) -> Iterable[str]:
    """The facts about which an answer says what a right one does not."""
    for fact in facts:
        said = next((word for word in fact.reject if stands(word, answer)), None)
        if said is not None:
            yield f"it says {said!r}, but {fact.says}"


def _sorted(attempt: Attempt) -> tuple[list[str], list[str]]:
    """The facts that an answer tells, and those that it does not."""
    told: list[str] = []
    missing: list[str] = []
    for fact in attempt.facts:
        if fact.accept:
            found = any(stands(spelling, attempt.final_answer) for spelling in fact.accept)
            (told if found else missing).append(fact.says)
    return told, missing


def _declined(attempt: Attempt) -> tuple[Status, str]:
    """The status of an answer to what cannot, need not or must not be answered."""
    words = _WORDS[attempt.expected]
    found = declines.read(_own_words(attempt), _decline(attempt), attempt.expected)
    if found.does:
        return Status.UNSOLVED, f"it does what it should not: {', '.join(map(repr, found.does))}"
    if not found.declines and (found.doubts or not found.denies):
        return Status.UNSOLVED, f"a right answer is expected to do this, and nothing in it does: {words}"
    if not found.declines:
        return Status.UNSURE, f"it denies something, and may not mean this: {words}"
    doubts = [f"names what nobody gave it: {', '.join(made_up)}"] if (made_up := _made_up(attempt)) else []
    if doubts := [*doubts, *found.doubts]:
        return Status.UNSURE, f"{words}, and yet {' and '.join(doubts)}"
    told, missing = _sorted(attempt)
    tally = f"; {_tally(told, missing)}" if told or missing else ""
    return (Status.UNSURE if missing else Status.SOLVED), f"{words}{'' if missing else ', and makes nothing up'}{tally}"


def _decline(attempt: Attempt) -> Decline:
    """What tells a right decline; where nobody said, the query's own words are what it is about."""
    said = attempt.decline or Decline()
    return said if said.about else msgspec.structs.replace(said, about=declines.about(attempt.query))


def _own_words(attempt: Attempt) -> str:
    """The answer without the query, where it is said back word by word: what the user has not got is no refusal."""
    said, query = plain(attempt.final_answer), plain(attempt.query)
    return said.replace(query, " ") if query else said


def _made_up(attempt: Attempt) -> list[str]:
    """The numbers, times and dates in an answer that stand neither in the query nor in what the APIs returned.

    Small numbers may count sentences or things, unless they are days of a month.
    """
    spellings = [spelling for fact in attempt.facts for spelling in fact.accept]
    spellings += _decline(attempt).says
    given = " ; ".join([attempt.query, attempt.returned, *spellings])
    known = {*figures(given), *_days(given)}
    parts = {part for figure in known for part in _parts(figure)}
    days = _days(attempt.final_answer)
    return [
        figure
        for figure in dict.fromkeys([*figures(attempt.final_answer), *days])
        if figure not in known and not _parts(figure) <= parts and (figure in days or not _counts(figure))
    ]


def _days(text: str) -> list[str]:
    """The days of months that a text names beside the month, such as 9 of "the 9th of October"."""
    return [before or after for before, after in _DAY.findall(plain(text))]


def _parts(figure: str) -> set[int]:
    """The numbers in a date or a time, so that 2027-03-09 is known where 9 March 2027 is; a decimal is one number."""
    return {int(part) for part in re.findall(r"\d+", figure)} if "." not in figure else {-1}


def _counts(figure: str) -> bool:
    """Whether a figure is one of those, up to ten, that may number the sentences of an answer or count its parts."""
    return figure.isdecimal() and int(figure) <= 10


def _tally(told: Sequence[str], missing: Sequence[str]) -> str:
    """How many facts are told, and their words."""
    total = len(told) + len(missing)
    parts = [f"{len(told)} of {total} fact{'s' if total > 1 else ''} told"]
    for word, facts in (("told", told), ("missing", missing)):
        if facts:
            parts.append(f"{word}: {'; '.join(fact.removesuffix('.') for fact in facts)}")
    return " - ".join(parts)

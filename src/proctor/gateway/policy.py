"""Which sources are asked for an answer, in which order, and what is stored. Pure.

A policy is a row of `POLICIES`. The gateway walks along its `order`: a source that has no answer is an attempt, and the
next one is asked; after the last one the answer says that nobody had one.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from proctor.errors import OptionError
from proctor.gateway.source import Unanswered
from proctor.records.answers import Answer, Source
from proctor.records.entries import Mark
from proctor.records.marks import mark_of

__all__ = ["DEFAULT", "POLICIES", "Policy", "named", "of_flag", "refusal", "stored"]


class Policy(msgspec.Struct, frozen=True):
    """Who is asked, in which order, and what becomes of the answer."""

    name: str
    says: str
    """The policy in a sentence."""
    order: tuple[Source, ...]
    """The kinds of sources that are asked, one after the other."""
    stores: bool = False
    """Whether new answers are stored: the first one under a key stays."""
    replaces: bool = False
    """Whether a new answer takes the place of a stored one, which is kept in the store's history."""
    takes_suspicious: bool = False
    """Whether a recorded failure or an empty recorded answer counts as an answer."""

    @property
    def reads_first(self) -> bool:
        """Whether a stored answer is given before anybody else is asked."""
        return self.order[0] is Source.RECORDED


_ALL = (
    Policy("cache", "The cache, then a simulator.", (Source.RECORDED, Source.SIMULATED), stores=True),
    Policy(
        "frozen",
        "The cache and nothing else; a miss is an answer that says so.",
        (Source.RECORDED,),
        False,
        False,
        True,
    ),
    Policy("live", "The live API and nothing else; nothing is read from the cache or stored.", (Source.LIVE,)),
    Policy(
        "live-first",
        "The cache, then the live API, then a simulator.",
        (Source.RECORDED, Source.LIVE, Source.SIMULATED),
        stores=True,
    ),
    Policy(
        "refresh",
        "The live API, then a simulator, and the new answer replaces the stored one; the cache where both fail.",
        (Source.LIVE, Source.SIMULATED, Source.RECORDED),
        stores=True,
        replaces=True,
    ),
)
POLICIES: Mapping[str, Policy] = {policy.name: policy for policy in _ALL}
"""Every policy by its name."""
DEFAULT = POLICIES["cache"]


def named(name: str | Policy) -> Policy:
    """The policy of that name; an unknown name is an `OptionError` that lists them all."""
    if isinstance(name, Policy):
        return name
    policy = POLICIES.get(name)
    if policy is None:
        known = ", ".join(sorted(POLICIES))
        raise OptionError(f"there is no policy {name!r}; policies are {known}.")
    return policy


def of_flag(use_mirrorapi_cache: bool) -> Policy:
    """The policy that upstream's switch means: the cache with its simulator, or the live API."""
    return POLICIES["cache"] if use_mirrorapi_cache else POLICIES["live"]


def refusal(outcome: Answer | Unanswered) -> Unanswered | None:
    """Why what a source said is no answer, so that the next one is asked; None when it is one.

    The rule is that of `proctor.records.marks`, by which recorded answers are marked too: a failure is told by its
    shape, never by digits in the data; an answer in which nothing stands at all is none.

    >>> refusal(Answer({"message": "You are not subscribed to this API."})).kind
    'failed'
    >>> refusal(Answer({"followers": 500_000, "id": 47401})) is None
    True
    """
    if isinstance(outcome, Unanswered):
        return outcome
    mark = mark_of(outcome)
    if mark is Mark.FAILURE:
        return Unanswered("failed", shortened(outcome.error or str(outcome.response)))
    return Unanswered("empty") if mark is Mark.EMPTY else None


def stored(policy: Policy, source: Source) -> bool:
    """Whether an answer that a source of this kind has given is put into the store."""
    return policy.stores and source not in {Source.RECORDED, Source.MISSED}


def shortened(text: str, limit: int = 200) -> str:
    """A text in one line and no longer than that, for sentences."""
    line = " ".join(text.split())
    return line if len(line) <= limit else f"{line[: limit - 1]}…"

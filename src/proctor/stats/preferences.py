"""Pairwise judging: which of two agents answered better, asked in both orders.

Only what both orders say counts as a win. Where they disagree it is a tie, and the share of such flips stands beside
the win rate: it says how far the judge looked at the position and not at the answer.
"""

from __future__ import annotations

import enum
from collections import Counter
from collections.abc import Iterable

import msgspec

from proctor.records.grades import Missing
from proctor.stats.intervals import Estimate, proportion
from proctor.stats.tally import Tally


class Preferred(enum.Enum):
    """Whom a judge preferred, by name and not by position."""

    CANDIDATE = "candidate"
    REFERENCE = "reference"
    TIE = "tie"


Orders = tuple[Preferred | Missing, Preferred | Missing]
"""What the judge said in one order and in the other."""


class WinRate(msgspec.Struct, frozen=True, tag="win rate", omit_defaults=True):
    """How often the candidate was preferred."""

    rate: Estimate
    """(wins + ties / 2) / n: 0.5 says that neither is better."""
    wins_only: Estimate
    """wins / n, as StableToolBench prints it: ties count as lost."""
    flips: Estimate | Missing
    """The share of queries on which the two orders disagreed, of those that a judge compared in both."""
    wins: int
    ties: int
    losses: int
    unmeasured: dict[str, int] = {}
    """Queries that were not judged in both orders, by reason; they are in none of the numbers above."""

    @property
    def n(self) -> int:
        """How many queries were judged in both orders."""
        return self.wins + self.ties + self.losses


def settle(one: Preferred, other: Preferred) -> Preferred:
    """What two orders together say: their common word, or a tie.

    >>> settle(Preferred.CANDIDATE, Preferred.REFERENCE)
    <Preferred.TIE: 'tie'>
    """
    return one if one is other else Preferred.TIE


def win_rate(judged: Iterable[Orders], *, level: float = 0.95) -> WinRate | Missing:
    """The candidate's win rate over queries that were each judged in both orders."""
    unmeasured: Counter[str] = Counter()
    settled: Counter[Preferred] = Counter()
    flips = 0
    for one, other in judged:
        if isinstance(one, Missing) or isinstance(other, Missing):
            unmeasured[one.reason if isinstance(one, Missing) else _reason(other)] += 1
            continue
        settled[settle(one, other)] += 1
        flips += one is not other
    wins, ties, losses = (settled[word] for word in (Preferred.CANDIDATE, Preferred.TIE, Preferred.REFERENCE))
    n = wins + ties + losses
    tally = Tally()
    tally.extend([1.0] * wins + [0.5] * ties + [0.0] * losses)
    rate = tally.estimate(level, bounds=(0.0, 1.0))
    wins_only, flipped = proportion(wins, n, level=level), proportion(flips, n, level=level)
    if isinstance(rate, Missing) or isinstance(wins_only, Missing) or isinstance(flipped, Missing):
        said = "; ".join(f"{reason} ({count})" for reason, count in unmeasured.most_common(5))
        return Missing("no query was judged in both orders", said or None)
    return WinRate(
        rate=rate,
        wins_only=wins_only,
        flips=flipped,
        wins=wins,
        ties=ties,
        losses=losses,
        unmeasured=dict(unmeasured),
    )


def _reason(said: Preferred | Missing) -> str:
    assert isinstance(said, Missing)
    return said.reason

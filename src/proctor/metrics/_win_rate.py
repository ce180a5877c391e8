"""SoWR: how often a candidate's answer is preferred to a reference's, over queries and rounds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from proctor.judges.preference import Preference, over_rounds
from proctor.records.grades import Missing
from proctor.stats.intervals import proportion
from proctor.stats.preferences import Preferred, WinRate, win_rate

__all__ = ["solvable_win_rate"]


def solvable_win_rate(rounds: Mapping[str, Sequence[Preference]], *, level: float = 0.95) -> WinRate | Missing:
    """The candidate's win rate: the majority over the rounds of each query, then the mean over queries.

    `flips` is the share of rounds whose two orders disagreed, among those where a judge compared at all.
    """
    settled = [over_rounds(of_query) for of_query in rounds.values()]
    rate = win_rate([(one, one) for one in settled], level=level)
    if isinstance(rate, Missing):
        return rate
    compared = [
        one
        for of_query in rounds.values()
        for one in of_query
        if one.reasons and all(isinstance(order, Preferred) for order in one.orders)
    ]
    flips = proportion(sum(one.flipped for one in compared), len(compared), level=level)
    none = Missing("no pair was compared in both orders")
    counted: WinRate = msgspec.structs.replace(rate, flips=flips if compared else none)
    return counted

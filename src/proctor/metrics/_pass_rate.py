"""SoPR: the share of queries that were solved, an unsure verdict counting half, over repeats."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Literal

import msgspec

from proctor.errors import OptionError
from proctor.records.grades import POINTS, Missing, Status, Verdict

__all__ = ["POINTS", "Compat", "PassRate", "average_of_sets", "pass_rate"]

Compat = Literal["proctor", "stabletoolbench"]
"""Who is in the denominator: every query, or only those with an answer."""


class PassRate(msgspec.Struct, frozen=True, tag="pass rate", omit_defaults=True):
    """The solvable pass rate of one set."""

    mean: float
    """The mean over repeats of (solved + unsure / 2) / queries."""
    sd: float
    """The population standard deviation over repeats, as published tables have it."""
    repeats: tuple[float, ...]
    """The rate of each repeat."""
    counts: dict[str, int]
    """Verdicts by status, over all repeats."""
    unmeasured: dict[str, int]
    """Verdicts that could not be read, by reason: they are in no rate."""
    unanswered: int
    """Queries without an answer."""
    queries: int
    denominator: str
    """Who is in the denominator, in words."""
    judged: int = 0
    """Of the queries, those that are in a rate: with a verdict that could be read, or unsolved without an answer."""

    @property
    def percent(self) -> str:
        """As published tables have it: `46.6±1.3`."""
        return f"{self.mean * 100:.1f}±{self.sd * 100:.1f}"


def pass_rate(
    verdicts: Mapping[str, Sequence[Verdict | Missing]], queries: Sequence[str], compat: Compat = "proctor"
) -> PassRate | Missing:
    """The pass rate over these queries. `verdicts` has each answered query's verdicts, one a repeat.

    A query without an answer counts as unsolved in every repeat; with `compat="stabletoolbench"` it is left out, as
    upstream does. A verdict that could not be read is in no rate, and is counted.
    """
    if compat not in ("proctor", "stabletoolbench"):
        raise OptionError(f"compat must be one of proctor, stabletoolbench, not {compat!r}.")
    asked = list(dict.fromkeys(queries))
    answered = [query for query in asked if verdicts.get(query)]
    unanswered = len(asked) - len(answered)
    number = max((len(verdicts[query]) for query in answered), default=0)
    counts: Counter[str] = Counter({status.value: 0 for status in Status})
    unmeasured: Counter[str] = Counter()
    rates = []
    for repeat in range(number):
        said = [verdicts[query][repeat] for query in answered if repeat < len(verdicts[query])]
        counts.update(one.status.value for one in said if isinstance(one, Verdict))
        unmeasured.update(one.reason for one in said if isinstance(one, Missing))
        points = [POINTS[one.status] for one in said if isinstance(one, Verdict)]
        judged = len(points) + (unanswered if compat == "proctor" else 0)
        if judged:
            rates.append(math.fsum(points) / judged)
    if not rates:
        nobody = "no query has an answer" if not answered else "no verdict could be read"
        if compat == "stabletoolbench" or answered or not asked:
            return Missing(nobody, f"{len(asked)} queries")
        rates = [0.0]
    mean = math.fsum(rates) / len(rates)
    return PassRate(
        mean=mean,
        sd=math.sqrt(math.fsum((rate - mean) ** 2 for rate in rates) / len(rates)),
        repeats=tuple(rates),
        counts=dict(counts),
        unmeasured=dict(unmeasured),
        unanswered=unanswered,
        queries=len(asked),
        denominator=_denominator(compat),
        judged=sum(any(isinstance(one, Verdict) for one in verdicts[query]) for query in answered)
        + (unanswered if compat == "proctor" else 0),
    )


def average_of_sets(rates: Mapping[str, PassRate | Missing]) -> float | Missing:
    """The unweighted mean over sets, as published tables have it; unmeasured when one of them is."""
    means = [rate.mean for rate in rates.values() if isinstance(rate, PassRate)]
    lacking = [name for name, rate in rates.items() if isinstance(rate, Missing)]
    if lacking or not means:
        return Missing("a set is unmeasured", ", ".join(lacking) or "there is no set")
    return math.fsum(means) / len(means)


def _denominator(compat: Compat) -> str:
    if compat == "stabletoolbench":
        return "queries with an answer (as StableToolBench counts)"
    return "all queries; one without an answer is unsolved"

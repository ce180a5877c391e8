"""Averages over sets of tasks, each called by its name.

*Micro*: every task counts the same, so a large set weighs more. *Macro*: every set counts the same, so a task of a
small set weighs more. The two answer different questions and are never printed without their name.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

import msgspec

from proctor.records.grades import Missing
from proctor.stats.estimates import of_scores
from proctor.stats.intervals import Bounds, Estimate, average, check_level, finite, nothing


class Averages(msgspec.Struct, frozen=True, tag="averages", omit_defaults=True):
    """The sets by themselves, and both ways to take them together."""

    micro: Estimate | Missing
    """The mean over all tasks of all sets."""
    macro: Estimate | Missing
    """The unweighted mean of the sets' means."""
    sets: dict[str, Estimate | Missing]
    """Each set's own mean."""


def averages(sets: Mapping[str, Iterable[float]], *, level: float = 0.95, bounds: Bounds | None = None) -> Averages:
    """The averages over sets of scores."""
    check_level(level)
    scores = {name: finite(values, f"set {name!r}: value") for name, values in sets.items()}
    means = {name: of_scores(values, level=level, bounds=bounds) for name, values in scores.items()}
    return Averages(
        micro=of_scores([value for values in scores.values() for value in values], level=level, bounds=bounds),
        macro=macro(means.values(), level=level),
        sets=means,
    )


def macro(means: Iterable[Estimate | Missing], *, level: float = 0.95) -> Estimate | Missing:
    """The unweighted mean of the sets' means. Sets without a mean are left out, and the note says how many.

    The sets are taken as they are, not as a draw from more of them. Their intervals are joined by their squares to
    each side (the method of variance estimates recovery), so that a set in which all succeeded still counts as
    uncertain.
    """
    sets = list(means)
    found = [each for each in sets if isinstance(each, Estimate)]
    if not found:
        return nothing()
    value = average([each.value for each in found])
    left_out = len(sets) - len(found)
    notes = [f"{left_out} of {len(sets)} sets have no score and are left out"] if left_out else []
    n = sum(each.n for each in found)
    plain = Estimate(value=value, n=n, level=level, method="macro", groups=len(found))
    below = [each.value - each.low for each in found if each.low is not None]
    above = [each.high - each.value for each in found if each.high is not None]
    if len(below) < len(found) or len(above) < len(found):
        notes.append("a set of one task has no interval, so the whole has none")
        return msgspec.structs.replace(plain, note="; ".join(notes))
    return msgspec.structs.replace(
        plain,
        low=value - math.hypot(*below) / len(found),
        high=value + math.hypot(*above) / len(found),
        note="; ".join(notes) or None,
    )

"""How far the needed APIs came, and who answered the calls, as shares with their intervals. Pure.

Several APIs of one query, and several calls of one trial, are no independent evidence: queries are the clusters.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from proctor.metrics._selection import selection
from proctor.metrics._trials import broken
from proctor.records.grades import Missing
from proctor.records.runs import Trial
from proctor.records.traces import CallStep
from proctor.stats.estimates import clustered_mean
from proctor.stats.intervals import Estimate

__all__ = ["Share", "called_so_far", "who_answered"]

_NOBODY = "no answer"


class Share(msgspec.Struct, frozen=True):
    """A part of a whole."""

    name: str
    count: int
    share: Estimate | Missing


def called_so_far(trials: Sequence[Trial], *, level: float = 0.95) -> list[Share]:
    """Of the APIs that were needed: how many were offered, chosen and called. Trials that broke say nothing of it."""
    counted = [trial for trial in trials if broken(trial) is None]
    found = [(_query_of(trial), selection(trial.trace, trial.query)) for trial in counted]
    queries = [query for query, one in found for _ in range(one.needed)]
    shares = []
    for name in ("offered", "chosen", "called"):
        came = [float(place < getattr(one, name)) for _, one in found for place in range(one.needed)]
        shares.append(Share(name, int(sum(came)), clustered_mean(came, queries, level=level, bounds=(0.0, 1.0))))
    return shares


def who_answered(trials: Iterable[Trial], sources: Iterable[str], *, level: float = 0.95) -> list[Share]:
    """Of the calls: how many each of these sources answered, and how many nobody did."""
    answered = [(_query_of(trial), _source(step)) for trial in trials for step in _calls(trial)]
    queries = [query for query, _ in answered]
    shares = []
    for name in (*sources, _NOBODY):
        those = [float(source == name) for _, source in answered]
        if any(those):
            shares.append(Share(name, int(sum(those)), clustered_mean(those, queries, level=level, bounds=(0.0, 1.0))))
    return shares


def _query_of(trial: Trial) -> tuple[str, str]:
    return trial.key.test_set, trial.key.query_id


def _calls(trial: Trial) -> Iterable[CallStep]:
    return (step for step in trial.trace.steps if isinstance(step, CallStep))


def _source(step: CallStep) -> str:
    if step.answer is None:
        return _NOBODY
    made = step.answer.provenance
    return made.source.value if made is not None else "unknown"

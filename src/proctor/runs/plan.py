"""What a run has to do: specification times queries, less what the journal holds. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from proctor.errors import OptionError
from proctor.records.queries import Query
from proctor.records.runs import RunSpec, TrialKey

__all__ = ["owed", "planned"]


def planned(spec: RunSpec, queries: Mapping[str, Sequence[Query]]) -> list[TrialKey]:
    """Every trial of a run, in order: all queries once, then all again for the next epoch.

    `spec.limit` takes the first queries of each set.
    """
    if spec.epochs < 1:
        raise OptionError(f"a run has at least 1 epoch, not {spec.epochs}.")
    if spec.limit is not None and spec.limit < 1:
        raise OptionError(f"the limit is at least 1 query, not {spec.limit}.")
    if lacking := [name for name in spec.test_sets if name not in queries]:
        raise OptionError(f"the benchmark has no test set {lacking[0]!r}.")
    return [
        TrialKey(name, query.id, epoch)
        for epoch in range(spec.epochs)
        for name in spec.test_sets
        for query in queries[name][: spec.limit]
    ]


def owed(trials: Iterable[TrialKey], done: Collection[TrialKey]) -> list[TrialKey]:
    """The trials that are still to be made, in their order."""
    return [trial for trial in trials if trial not in done]

"""Whether the judge of a run came to nothing: then the command did not do what it was asked for."""

from __future__ import annotations

from collections import Counter

from proctor.judges.judge import BY_RULE
from proctor.records.grades import Missing, Verdict
from proctor.records.runs import RunRecord

__all__ = ["unjudged"]


def unjudged(run: RunRecord) -> str | None:
    """Why the judges of a run gave not one verdict on it; None where they gave any, or had nothing to judge."""
    said = [verdict for trial in run.trials for verdict in trial.verdicts]
    lost = Counter(verdict.reason for verdict in said if isinstance(verdict, Missing))
    if not lost or any(isinstance(verdict, Verdict) and verdict.judge != BY_RULE for verdict in said):
        return None
    [(reason, count)] = lost.most_common(1)
    return f"{run.name}: not one answer could be judged: {reason} ({count} of {lost.total()})."

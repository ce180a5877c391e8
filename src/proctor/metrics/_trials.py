"""What a trial is worth by its verdicts: the one reading that tables, result files, pages and comparisons share.

A trial that broke through no fault of the agent's is unmeasured, whatever was said of it; so is one that nobody has
judged.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable

from proctor.metrics._pass_rate import POINTS
from proctor.records.grades import Missing, Score, Status, Verdict
from proctor.records.runs import Trial
from proctor.records.traces import Fault, Finish, Thought

__all__ = ["NOT_JUDGED", "broken", "dissent", "has_finish", "points", "scores_by_query", "status", "verdicts"]

NOT_JUDGED = "nobody has judged it yet"


def broken(trial: Trial) -> Missing | None:
    """Why the trial says nothing about the agent, where something else than the agent broke."""
    failure = trial.trace.failure
    if failure is None or failure.fault is Fault.AGENT:
        return None
    return Missing("the trial failed through no fault of the agent", f"{failure.kind}: {failure.message}")


def verdicts(trial: Trial) -> tuple[Verdict | Missing, ...]:
    """The trial's verdicts, one a repeat; none where it says nothing about the agent."""
    return () if broken(trial) is not None else trial.verdicts


def points(trial: Trial) -> Score | Missing:
    """What the trial is worth: the mean over its verdicts that could be read, Solved 1, Unsure 0.5, Unsolved 0."""
    lost = broken(trial)
    if lost is not None:
        return lost
    read = [POINTS[one.status] for one in trial.verdicts if isinstance(one, Verdict)]
    if read:
        return Score(math.fsum(read) / len(read))
    return next((one for one in trial.verdicts if isinstance(one, Missing)), Missing(NOT_JUDGED))


def status(trial: Trial) -> Status | Missing:
    """The status that most of the trial's verdicts have; Unsure where the first place is shared."""
    lost = broken(trial)
    if lost is not None:
        return lost
    votes = Counter(one.status for one in trial.verdicts if isinstance(one, Verdict))
    if not votes:
        return next((one for one in trial.verdicts if isinstance(one, Missing)), Missing(NOT_JUDGED))
    (first, most), *rest = votes.most_common()
    return Status.UNSURE if rest and rest[0][1] == most else first


def dissent(trial: Trial) -> bool | None:
    """Whether the judges of a trial disagree, over the ballots of a panel and all repeats; None where one spoke."""
    read = [one for one in verdicts(trial) if isinstance(one, Verdict)]
    ballots = [ballot for one in read for ballot in (one.ballots or (one,)) if isinstance(ballot, Verdict)]
    return len({ballot.status for ballot in ballots}) > 1 if len(ballots) > 1 else None


def has_finish(trial: Trial) -> bool:
    """Whether the last thing that the agent did was Finish."""
    last = next((step for step in reversed(trial.trace.steps) if not isinstance(step, Thought)), None)
    return isinstance(last, Finish)


def scores_by_query(trials: Iterable[Trial]) -> dict[tuple[str, str], list[float | Missing]]:
    """What each trial is worth, by set and query, one an epoch: what comparisons pair."""
    scores: defaultdict[tuple[str, str], list[float | Missing]] = defaultdict(list)
    for trial in trials:
        worth = points(trial)
        scores[trial.key.test_set, trial.key.query_id].append(worth.value if isinstance(worth, Score) else worth)
    return dict(scores)

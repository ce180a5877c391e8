"""Two runs over the same queries, compared in pairs: which is better, and whether that is decided. Pure.

The unit is the query. Epochs and repeats of one are averaged first, for they are not more queries. What cannot be
compared (another benchmark, other test sets, other judges) is refused in a sentence; what only one run has, or could
not be measured, is left out, named and counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping
from typing import Any, Literal, get_args

import msgspec

from proctor.errors import InputError, OptionError, nearest
from proctor.metrics._api_calls import ApiCallScore
from proctor.metrics._pass_rate import POINTS
from proctor.records.grades import Missing, Verdict
from proctor.records.queries import Query
from proctor.records.runs import RunRecord, RunSpec, Trial, TrialKey
from proctor.records.traces import Fault
from proctor.stats.averages import macro
from proctor.stats.comparisons import Comparison, Outcome, compare, held_together
from proctor.stats.intervals import Estimate

__all__ = ["Cluster", "Flip", "Measure", "RunComparison", "Task", "compare_runs", "in_common"]

Measure = Literal["sopr", "api_call_score"]
"""What is compared: the pass rate by the verdicts, or the share of the needed APIs that were called."""
Cluster = Literal["query", "tool"]
"""What counts as independent: each query, or all queries that need the same tools together."""
Task = tuple[str, str]
"""A query's test set and id."""

_NAMES: dict[str, str] = {"sopr": "SoPR", "api_call_score": "API call score"}


class Flip(msgspec.Struct, frozen=True):
    """A query on which the two runs did not score the same."""

    test_set: str
    query_id: str
    text: str
    before: float
    """The baseline's score: its mean over epochs and repeats."""
    after: float
    """The candidate's."""


class RunComparison(msgspec.Struct, frozen=True):
    """How a run did beside another: every difference is the candidate less the baseline."""

    baseline: str
    candidate: str
    measure: Measure
    overall: Comparison | Missing
    """Over all queries that both have; its outcome is the verdict."""
    sets: dict[str, Comparison | Missing]
    """Each test set by itself. Their outcomes hold together: where there are several, their p-values are Holm's."""
    average: Estimate | Missing
    """The unweighted mean of the sets' differences."""
    flips: tuple[Flip, ...]
    """The queries that changed, the largest change first."""
    only_baseline: tuple[TrialKey, ...] = ()
    """Trials that only the baseline has."""
    only_candidate: tuple[TrialKey, ...] = ()
    """Trials that only the candidate has."""
    unmeasured: dict[str, int] = {}
    """Trials of either without a score, by reason."""
    differs: dict[str, tuple[Any, Any]] = {}
    """What the two were told differently: by the specification's field, the baseline's value and the candidate's."""

    @property
    def outcome(self) -> Outcome | None:
        """The verdict; None where nothing could be compared."""
        return None if isinstance(self.overall, Missing) else self.overall.outcome

    @property
    def sentence(self) -> str:
        """The verdict in words."""
        found = self.overall
        what = _NAMES[self.measure]
        if isinstance(found, Missing):
            return f"{what} cannot be compared: {found.reason}{f' ({found.detail})' if found.detail else ''}."
        means = (
            f"{what} {_percent(found.mean)} against {_percent(found.other_mean)}, {_points(found.difference)}, "
            f"p = {found.p:.2g}"
        )
        if found.outcome is Outcome.NOT_DECISIVE:
            return f"Not decisive whether {self.candidate} is better than {self.baseline}: {means}. {_power(found)}"
        return f"{self.candidate} {found.outcome.value} on {self.baseline}: {means}."


def compare_runs(
    baseline: RunRecord,
    candidate: RunRecord,
    *,
    measure: Measure = "sopr",
    test_sets: Collection[str] | None = None,
    cluster: Cluster = "query",
    level: float = 0.95,
) -> RunComparison:
    """Compare a run with its baseline, query by query. InputError where the two did not sit the same exam."""
    _check_words(measure, cluster)
    names = in_common(baseline, candidate, test_sets)
    if measure == "sopr":
        _same_judge(baseline, candidate)
    before, after = _by_task(baseline, names), _by_task(candidate, names)
    _same_queries(before, after)
    score = _SCORES[measure]
    ours = {task: [score(trial) for trial in trials] for task, trials in after.items()}
    theirs = {task: [score(trial) for trial in trials] for task, trials in before.items()}
    labels = None if cluster == "query" else {task: _tools(trials[0].query) for task, trials in after.items()}
    alone = {
        name: compare(_of_set(ours, name), _of_set(theirs, name), level=level, clusters=labels)
        for name in sorted(names)
    }
    here, there = ({trial.key for trials in run.values() for trial in trials} for run in (after, before))
    return RunComparison(
        baseline=baseline.name,
        candidate=candidate.name,
        measure=measure,
        overall=compare(ours, theirs, level=level, clusters=labels),
        sets=held_together(alone, level=level),
        average=macro((_difference(one) for one in alone.values()), level=level),
        flips=tuple(_flips(after, theirs, ours)),
        only_baseline=tuple(sorted(there - here)),
        only_candidate=tuple(sorted(here - there)),
        unmeasured=_reasons([*ours.values(), *theirs.values()]),
        differs=_differing(baseline.manifest.spec, candidate.manifest.spec),
    )


def in_common(baseline: RunRecord, candidate: RunRecord, test_sets: Collection[str] | None = None) -> set[str]:
    """The test sets that are compared. InputError where the runs are not over the same benchmark and the same sets."""
    one, other = baseline.manifest.spec, candidate.manifest.spec
    who = f"{baseline.name} and {candidate.name} cannot be compared"
    if one.benchmark != other.benchmark:
        raise InputError(f"{who}: one is over the benchmark {one.benchmark!r}, the other over {other.benchmark!r}.")
    if one.data != other.data:
        raise InputError(f"{who}: the queries of {one.benchmark!r} were not the same when they ran.")
    both = set(one.test_sets) & set(other.test_sets)
    if test_sets is not None:
        for name in test_sets:
            if name not in both:
                shared = f"they share {', '.join(sorted(both))}" if both else "they share none"
                raise InputError(f"{who} on {name!r}: {shared}.")
        return set(test_sets)
    if set(one.test_sets) != set(other.test_sets):
        sets = f"one is over {', '.join(one.test_sets)}, the other over {', '.join(other.test_sets)}"
        way = f"name those that both have: --test-set {min(both)}" if both else "they have no test set in common"
        raise InputError(f"{who}: {sets}; {way}.")
    return both


def _check_words(measure: str, cluster: str) -> None:
    for name, word, known in (("measure", measure, get_args(Measure)), ("cluster", cluster, get_args(Cluster))):
        if word not in known:
            raise OptionError(f"{name} cannot be {word!r}; {nearest(str(word), known)}")


def _same_judge(baseline: RunRecord, candidate: RunRecord) -> None:
    """Two judges are two exams: what differs may be they."""
    if not baseline.judge or not candidate.judge:
        return
    if (baseline.judge, baseline.method) != (candidate.judge, candidate.method):
        raise InputError(
            f"{baseline.name} was judged by {baseline.judge}, {candidate.name} by {candidate.judge}; "
            "let one judge grade both, by proctor grade, or compare --by api_call_score."
        )


def _by_task(run: RunRecord, names: set[str]) -> dict[Task, list[Trial]]:
    found: dict[Task, list[Trial]] = {}
    for trial in run.trials:
        if trial.key.test_set in names:
            found.setdefault((trial.key.test_set, trial.key.query_id), []).append(trial)
    return found


def _same_queries(before: Mapping[Task, list[Trial]], after: Mapping[Task, list[Trial]]) -> None:
    for task, trials in before.items():
        if task in after and after[task][0].query.text != trials[0].query.text:
            raise InputError(
                f"the query {task[1]!r} of {task[0]} asks one thing in the one run and another in the other; "
                "they did not sit the same exam."
            )


def _of_set(scores: Mapping[Task, list[float | Missing]], name: str) -> dict[Task, list[float | Missing]]:
    return {task: found for task, found in scores.items() if task[0] == name}


def _solved(trial: Trial) -> float | Missing:
    """What the trial's verdicts are worth, on average over the repeats."""
    failure = trial.trace.failure
    if failure is not None and failure.fault is not Fault.AGENT:
        return Missing("the trial failed through no fault of the agent")
    if not trial.verdicts:
        return Missing("nobody has judged the trial")
    points = [POINTS[verdict.status] for verdict in trial.verdicts if isinstance(verdict, Verdict)]
    if not points:
        return next(verdict for verdict in trial.verdicts if isinstance(verdict, Missing))
    return sum(points) / len(points)


def _called(trial: Trial) -> float | Missing:
    score = ApiCallScore().measure(trial.trace, trial.query)
    if isinstance(score, Missing):
        return score
    return Missing("the query names no API that it needs") if score.details["vacuous"] else score.value


_SCORES: dict[str, Callable[[Trial], float | Missing]] = {"sopr": _solved, "api_call_score": _called}


def _flips(
    trials: Mapping[Task, list[Trial]],
    before: Mapping[Task, list[float | Missing]],
    after: Mapping[Task, list[float | Missing]],
) -> list[Flip]:
    flips = []
    for task in after:
        one, other = _mean(before.get(task, ())), _mean(after[task])
        if one is not None and other is not None and one != other:
            flips.append(Flip(*task, trials[task][0].query.text, one, other))
    return sorted(flips, key=lambda flip: (-abs(flip.after - flip.before), flip.test_set, flip.query_id))


def _mean(scores: Iterable[float | Missing]) -> float | None:
    measured = [score for score in scores if not isinstance(score, Missing)]
    return sum(measured) / len(measured) if measured else None


def _tools(query: Query) -> Hashable:
    """The tools that a query needs; a query that names none is by itself."""
    return tuple(sorted({gold.tool for gold in query.gold})) or (query.test_set, query.id)


def _reasons(scores: Iterable[list[float | Missing]]) -> dict[str, int]:
    missing = [score.reason for listed in scores for score in listed if isinstance(score, Missing)]
    return dict(Counter(missing).most_common())


def _differing(one: RunSpec, other: RunSpec) -> dict[str, tuple[Any, Any]]:
    fields = [field for field in RunSpec.__struct_fields__ if field != "test_sets"]
    return {
        field: (getattr(one, field), getattr(other, field))
        for field in fields
        if getattr(one, field) != getattr(other, field)
    }


def _difference(found: Comparison | Missing) -> Estimate | Missing:
    return found if isinstance(found, Missing) else found.difference


def _percent(share: float) -> str:
    return f"{share * 100:.1f} %"


def _points(difference: Estimate) -> str:
    """A difference in points of a hundred, with its interval."""
    said = f"{difference.value * 100:+.1f} points"
    if difference.low is None or difference.high is None:
        return f"{said} (no interval: {difference.note})"
    return f"{said} ({difference.level * 100:g} % interval {difference.low * 100:+.1f} to {difference.high * 100:+.1f})"


def _power(found: Comparison) -> str:
    """What so many queries could have shown."""
    queries = "1 query" if found.difference.n == 1 else f"{found.difference.n} queries"
    if isinstance(found.detectable, Missing):
        return f"What {queries} could have shown is unknown: {found.detectable.reason}."
    return f"With {queries}, a difference of {found.detectable * 100:.1f} points would have shown four times in five."

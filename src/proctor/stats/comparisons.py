"""Two agents on the same tasks.

They are compared in pairs, task by task: what makes a task hard for both then cancels. Tasks that only one of them has
are dropped and counted. A difference is decisive when a test finds it and its interval lies on one side of zero.
"""

from __future__ import annotations

import enum
import math
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import TypeVar

import msgspec

from proctor.errors import InputError
from proctor.records.grades import Missing
from proctor.stats.estimates import clustered_mean, mean
from proctor.stats.intervals import Bounds, Estimate, average, check_level, finite, normal_quantile, t_quantile

POWER = 0.8
"""How likely the smallest difference that could have shown would have been found."""

_RESAMPLED = 2_000
"""Beyond so many tasks the sign-flip test and Student's agree, and Student's is a thousand times cheaper."""

TaskScore = float | Missing | Sequence[float | Missing]
"""One task's score, or those of its repeats, which are averaged."""
Task = TypeVar("Task", bound=Hashable)
Name = TypeVar("Name", bound=Hashable)


class Outcome(enum.Enum):
    """What a comparison decides."""

    IMPROVED = "improved"
    REGRESSED = "regressed"
    NOT_DECISIVE = "not decisive"


class Comparison(msgspec.Struct, frozen=True, tag="comparison", omit_defaults=True):
    """How an agent did beside another on the tasks that both have: every difference is this one less the other."""

    difference: Estimate
    """The mean difference, with its interval."""
    outcome: Outcome
    """Improved or regressed only where the test and the interval both say so."""
    p: float
    """How often chance alone makes a difference at least so large."""
    test: str
    """The test that `p` comes from."""
    detectable: float | Missing
    """The smallest difference that so many tasks could have shown, four times in five."""
    mean: float
    """This agent's mean over the common tasks."""
    other_mean: float
    """The other's."""
    better: int
    """Tasks on which this agent scored higher."""
    worse: int
    """Tasks on which the other did."""
    equal: int
    """Tasks on which they scored the same."""
    only_here: int = 0
    """Dropped: tasks that only this agent has."""
    only_there: int = 0
    """Dropped: tasks that only the other has."""
    unmeasured: int = 0
    """Dropped: tasks that both have and one of them has no score for."""
    adjusted_p: float | None = None
    """`p` after Holm, when several comparisons were made at once; the outcome then rests on it."""
    comparisons: int = 1
    """How many were made at once."""


def compare(
    scores: Mapping[Task, TaskScore],
    other: Mapping[Task, TaskScore],
    *,
    level: float = 0.95,
    clusters: Mapping[Task, Hashable] | None = None,
    seed: int = 0,
    resamples: int = 9_999,
) -> Comparison | Missing:
    """Compare an agent with another, such as a candidate with its baseline, from their scores by task.

    Scores of 0 and 1 are tested by McNemar's exact test, others by flipping signs (exactly where there are few tasks,
    else drawn with `seed`). With `clusters`, the cluster of each task, clusters and not tasks are the units.
    """
    check_level(level)
    common = [task for task in scores if task in other]
    pairs = {task: (_one_score(task, scores[task]), _one_score(task, other[task])) for task in common}
    measured = {task: (a, b) for task, (a, b) in pairs.items() if a is not None and b is not None}
    if not measured:
        return Missing("no task has a score from both", f"{len(scores)} tasks here, {len(other)} there")
    differences = [a - b for a, b in measured.values()]
    binary = all(score in (0.0, 1.0) for pair in measured.values() for score in pair)
    labels = None if clusters is None else _labels(measured, clusters)
    if binary and labels is None:
        found = _of_rates(differences, level)
    else:
        unit = all(0.0 <= score <= 1.0 for pair in measured.values() for score in pair)
        found = _of_means(differences, labels, level, (seed, resamples), (-1.0, 1.0) if unit else None)
    estimate, test, p, detectable = found
    return Comparison(
        difference=estimate,
        outcome=_outcome(estimate, p, level),
        p=p,
        test=test,
        detectable=detectable,
        mean=average([a for a, _ in measured.values()]),
        other_mean=average([b for _, b in measured.values()]),
        better=sum(difference > 0 for difference in differences),
        worse=sum(difference < 0 for difference in differences),
        equal=sum(difference == 0 for difference in differences),
        only_here=len(scores) - len(common),
        only_there=len(other) - len(common),
        unmeasured=len(common) - len(measured),
    )


def compare_all(
    agents: Mapping[Name, Mapping[Task, TaskScore]],
    baseline: Mapping[Task, TaskScore],
    *,
    level: float = 0.95,
    clusters: Mapping[Task, Hashable] | None = None,
    seed: int = 0,
) -> dict[Name, Comparison | Missing]:
    """Compare several agents with one baseline. The outcomes hold together: their p-values are Holm's.

    The intervals are those of each comparison by itself.
    """
    alone = {
        name: compare(scores, baseline, level=level, clusters=clusters, seed=seed) for name, scores in agents.items()
    }
    return held_together(alone, level=level)


def held_together(
    alone: Mapping[Name, Comparison | Missing], *, level: float = 0.95
) -> dict[Name, Comparison | Missing]:
    """Several comparisons that were made at once, with outcomes that hold together: their p-values are Holm's."""
    made = {name: found for name, found in alone.items() if isinstance(found, Comparison)}
    adjusted = dict(zip(made, holm([found.p for found in made.values()]), strict=True))
    return {
        name: found
        if isinstance(found, Missing)
        else msgspec.structs.replace(
            found,
            adjusted_p=adjusted[name],
            comparisons=len(made),
            outcome=_outcome(found.difference, adjusted[name], level),
        )
        for name, found in alone.items()
    }


def holm(p_values: Iterable[float]) -> list[float]:
    """The p-values of several tests, so raised that all of them hold at once (Holm's step-down method).

    >>> [round(p, 3) for p in holm([0.01, 0.04, 0.03])]
    [0.03, 0.06, 0.06]
    """
    values = finite(p_values, "p-value")
    for place, value in enumerate(values):
        if not 0.0 <= value <= 1.0:
            raise InputError(f"p-value {place} is {value!r}; expected one from 0 to 1.")
    adjusted = [0.0] * len(values)
    highest = 0.0
    for rank, place in enumerate(sorted(range(len(values)), key=values.__getitem__)):
        highest = max(highest, min(1.0, (len(values) - rank) * values[place]))
        adjusted[place] = highest
    return adjusted


def mcnemar(better: int, worse: int) -> float:
    """McNemar's exact test: the p-value of so many tasks won and lost; tasks on which both agree say nothing."""
    from scipy.special import bdtr

    return min(1.0, 2 * float(bdtr(min(better, worse), better + worse, 0.5))) if better + worse else 1.0


def paired_rates_interval(better: int, worse: int, n: int, *, level: float = 0.95) -> tuple[float, float]:
    """Tango's score interval for the difference of two rates on the same n tasks.

    It has a width even where no task differs.
    """
    z = normal_quantile(level)

    def distance(difference: float) -> float:
        """How many standard errors what was seen lies above that difference."""
        seen = better - worse - n * difference
        middle = (2 * n - better + worse) * difference - better - worse
        root = middle * middle + 8 * n * worse * difference * (1 - difference)
        lost = (math.sqrt(max(0.0, root)) - middle) / (4 * n)
        variance = n * (2 * lost + difference * (1 - difference))
        return seen / math.sqrt(variance) if variance > 0 else math.copysign(math.inf, seen) if seen else 0.0

    point = (better - worse) / n
    low = _crossing(lambda difference: distance(difference) > z, -1.0, point)
    high = _crossing(lambda difference: distance(difference) >= -z, point, 1.0)
    return low, high


Found = tuple[Estimate, str, float, float | Missing]


def _of_rates(differences: Sequence[float], level: float) -> Found:
    n, better, worse = len(differences), differences.count(1.0), differences.count(-1.0)
    low, high = paired_rates_interval(better, worse, n, level=level)
    share = (better - worse) / n
    spread = math.sqrt(max(0.0, (better + worse) / n - share * share) * n / max(1, n - 1) / n)
    estimate = Estimate(value=share, n=n, low=low, high=high, level=level, method="paired score (Tango)", se=spread)
    null_error = math.sqrt((better + worse) / n / n)
    reach = (normal_quantile(level) + normal_quantile(2 * POWER - 1)) * null_error
    return estimate, "McNemar, exact", mcnemar(better, worse), _at_least_flips(n, level, reach)


def _of_means(
    differences: Sequence[float],
    labels: Sequence[Hashable] | None,
    level: float,
    draws: tuple[int, int],
    bounds: Bounds | None,
) -> Found:
    """By the means; two scores from 0 to 1 differ by no more than 1. `draws` are a seed and how often is drawn."""
    if labels is None:
        estimate, units = mean(differences, level=level, bounds=bounds), list(differences)
    else:
        estimate = clustered_mean(differences, labels, level=level, bounds=bounds)
        units = _sums(differences, labels)
    assert isinstance(estimate, Estimate)  # there is at least one difference
    test, p = _sign_flips(units, *draws)
    named = msgspec.structs.replace(estimate, method=f"paired {estimate.method}")
    if len(units) < _fewest(level):
        return named, test, p, _too_few(level)
    if not estimate.se:
        return named, test, p, Missing("the differences do not vary")
    freedom = len(units) - 1
    return named, test, p, (t_quantile(level, freedom) + t_quantile(2 * POWER - 1, freedom)) * estimate.se


def _sign_flips(units: Sequence[float], seed: int, resamples: int) -> tuple[str, float]:
    """How often the mean is as far from zero when each unit may as well have had the other sign."""
    if not any(units) or len(units) < 2:
        return "sign flips, exact", 1.0
    import numpy as np
    from scipy import stats

    if len(units) > _RESAMPLED:
        return "paired t", float(stats.ttest_1samp(units, 0.0).pvalue)
    found = stats.permutation_test(
        (np.sort(units),),  # so that the order of the tasks does not matter
        np.mean,
        permutation_type="samples",
        n_resamples=resamples,
        batch=max(1, 2_000_000 // len(units)),
        random_state=np.random.default_rng(seed),
    )
    exact = 2 ** len(units) <= resamples
    return "sign flips, exact" if exact else f"sign flips, {resamples} drawn", float(found.pvalue)


def _outcome(estimate: Estimate, p: float, level: float) -> Outcome:
    if estimate.low is None or estimate.high is None or p > 1 - level:
        return Outcome.NOT_DECISIVE
    if estimate.low > 0:
        return Outcome.IMPROVED
    return Outcome.REGRESSED if estimate.high < 0 else Outcome.NOT_DECISIVE


def _fewest(level: float) -> int:
    """With fewer units than this, even a win on each of them happens by chance more often than the level allows."""
    return math.ceil(1 + math.log2(1 / (1 - level)) - 1e-9)


def _too_few(level: float) -> Missing:
    return Missing("too few tasks to show any difference", f"{_fewest(level)} are needed at the least")


def _at_least_flips(n: int, level: float, reach: float) -> float | Missing:
    """The difference that could have shown, and never less than it takes to flip enough tasks for the exact test."""
    fewest = _fewest(level)
    if n < fewest:
        return _too_few(level)
    from scipy.special import betaincinv

    return max(reach, float(betaincinv(fewest, n - fewest + 1, POWER)))


def _crossing(above: Callable[[float], bool], low: float, high: float) -> float:
    """Where a condition that holds at the lower end ceases to hold."""
    for _ in range(60):
        middle = (low + high) / 2
        if above(middle):
            low = middle
        else:
            high = middle
    return (low + high) / 2


def _one_score(task: Hashable, score: TaskScore) -> float | None:
    if isinstance(score, Missing):
        return None
    several = score if isinstance(score, Sequence) else [score]
    measured = finite((part for part in several if not isinstance(part, Missing)), f"task {task!r}: score")
    return average(measured) if measured else None


def _labels(tasks: Iterable[Task], clusters: Mapping[Task, Hashable]) -> list[Hashable]:
    found = list(tasks)
    lost = [task for task in found if task not in clusters]
    if lost:
        raise InputError(f"task {lost[0]!r} has no cluster ({len(lost)} tasks have none); each task needs one.")
    return [clusters[task] for task in found]


def _sums(differences: Sequence[float], labels: Sequence[Hashable]) -> list[float]:
    sums: dict[Hashable, float] = {}
    for difference, label in zip(differences, labels, strict=True):
        sums[label] = sums.get(label, 0.0) + difference
    return list(sums.values())

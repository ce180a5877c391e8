"""One figure with its interval.

Every function returns an `Estimate`, or `Missing` with the reason when there is nothing to estimate. Scores of 0 and 1
get Wilson's interval, other scores Student's t; tasks that hang together or were repeated are not counted as more than
they are. `Tally` does the same for a stream.
"""

from __future__ import annotations

import math
import warnings
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any, Literal

import msgspec

from proctor.errors import InputError, OptionError
from proctor.records.grades import Missing
from proctor.stats.intervals import (
    SINGLE,
    Bounds,
    Estimate,
    around,
    at_one_point,
    average,
    check_bounds,
    check_counts,
    check_level,
    finite,
    none_seen,
    nothing,
    proportion,
    t_interval,
    t_quantile,
)
from proctor.stats.tally import Tally

__all__ = [
    "Bounds",
    "Estimate",
    "Tally",
    "bootstrap",
    "clustered_mean",
    "mean",
    "none_seen",
    "of_scores",
    "pass_at_k",
    "pass_hat_k",
    "proportion",
    "repeated",
]

_JACKKNIFED = 5_000
"""Up to so many values the bootstrap is corrected for bias; beyond, the correction is nil and its cost is quadratic."""
_CELLS = 4_000_000
"""So many numbers the bootstrap holds at once."""


def mean(values: Iterable[float], *, level: float = 0.95, bounds: Bounds | None = None) -> Estimate | Missing:
    """A mean with Student's t interval, cut at `bounds` where the score has any. One value has no interval."""
    check_level(level)
    numbers = finite(values)
    check_bounds(numbers, bounds)
    if not numbers:
        return nothing()
    centre = average(numbers)
    squares = math.fsum((value - centre) ** 2 for value in numbers) if _vary(numbers) else 0.0
    return t_interval(len(numbers), centre, squares, level=level, bounds=bounds)


def of_scores(values: Iterable[float], *, level: float = 0.95, bounds: Bounds | None = None) -> Estimate | Missing:
    """The mean of the values with the interval that fits them: Wilson's when each is 0 or 1, else Student's t."""
    numbers = finite(values)
    if all(value in (0.0, 1.0) for value in numbers):
        return proportion(numbers.count(1.0), len(numbers), level=level)
    return mean(numbers, level=level, bounds=bounds)


def clustered_mean(
    values: Iterable[float], clusters: Iterable[Hashable], *, level: float = 0.95, bounds: Bounds | None = None
) -> Estimate | Missing:
    """A mean of tasks that hang together: those with the same cluster share a tool, a set, an author.

    The standard error comes from the sums over the clusters, and t has one degree of freedom less than there are
    clusters.
    """
    check_level(level)
    numbers, labels = finite(values), list(clusters)
    if len(numbers) != len(labels):
        raise InputError(f"there are {len(numbers)} values and {len(labels)} clusters; each value needs one.")
    check_bounds(numbers, bounds)
    if not numbers:
        return nothing()
    n, centre = len(numbers), average(numbers)
    sums: defaultdict[Hashable, float] = defaultdict(float)
    for value, label in zip(numbers, labels, strict=True):
        sums[label] += value - centre
    count = len(sums)
    plain = Estimate(value=centre, n=n, level=level, method="clustered t", groups=count)
    if count < 2:
        return msgspec.structs.replace(plain, note="one cluster has no interval")
    if not _vary(numbers):
        return at_one_point(plain)
    se = math.sqrt(count / (count - 1) * math.fsum(total * total for total in sums.values())) / n
    return around(plain, se, t_quantile(level, count - 1), bounds)


def bootstrap(
    values: Iterable[float],
    statistic: Callable[..., Any],
    *,
    level: float = 0.95,
    seed: int = 0,
    resamples: int = 2_000,
) -> Estimate | Missing:
    """Any statistic of the values, with a bootstrap interval (BCa). The same seed gives the same interval.

    `statistic` takes an array and returns a number; one that takes `axis` too, as numpy's do, is faster.
    """
    check_level(level)
    numbers = finite(values)
    if not numbers:
        return nothing()
    method: Literal["BCa", "percentile"] = "BCa" if len(numbers) <= _JACKKNIFED else "percentile"
    value = _statistic_of(statistic, numbers)
    plain = Estimate(value=value, n=len(numbers), level=level, method=f"bootstrap {method}")
    if len(numbers) < 2:
        return msgspec.structs.replace(plain, note=SINGLE)
    if not _vary(numbers):
        return at_one_point(plain)
    import numpy as np
    from scipy import stats

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", (RuntimeWarning, stats.DegenerateDataWarning))  # answered below
        found = stats.bootstrap(
            (np.asarray(numbers),),
            statistic,
            confidence_level=level,
            n_resamples=resamples,
            batch=max(1, _CELLS // len(numbers)),
            method=method,
            random_state=np.random.default_rng(seed),
        )
    low, high = float(found.confidence_interval.low), float(found.confidence_interval.high)
    if not (math.isfinite(low) and math.isfinite(high)):
        return msgspec.structs.replace(plain, note="the statistic does not vary between resamples: no interval")
    return msgspec.structs.replace(plain, low=low, high=high, se=float(found.standard_error))


def repeated(
    scores_by_task: Mapping[Any, Sequence[float]] | Iterable[Sequence[float]],
    *,
    level: float = 0.95,
    bounds: Bounds | None = None,
) -> Estimate | Missing:
    """A mean over tasks that were each run several times: averaged over the repeats first, then over the tasks.

    Tasks without any score are left out, and the note says how many.
    """
    groups = scores_by_task.values() if isinstance(scores_by_task, Mapping) else scores_by_task
    tasks = [finite(scores) for scores in groups]
    found = of_scores([average(scores) for scores in tasks if scores], level=level, bounds=bounds)
    unscored = sum(not scores for scores in tasks)
    if not unscored:
        return found
    said = f"{unscored} of {len(tasks)} tasks have no score and are left out"
    if isinstance(found, Missing):
        return Missing(found.reason, said)
    return msgspec.structs.replace(found, note=said if found.note is None else f"{said}; {found.note}")


def pass_at_k(counts: Iterable[tuple[int, int]], k: int, *, level: float = 0.95) -> Estimate | Missing:
    """The chance that at least one of k runs of a task succeeds, from (runs, successes) of each task.

    >>> round(pass_at_k([(4, 1), (4, 2)], 2).value, 4)
    0.6667
    """
    return _over_draws(counts, k, level, lambda n, c: 1 - math.comb(n - c, k) / math.comb(n, k))


def pass_hat_k(counts: Iterable[tuple[int, int]], k: int, *, level: float = 0.95) -> Estimate | Missing:
    """pass^k: the chance that all of k runs of a task succeed, from (runs, successes) of each task.

    >>> round(pass_hat_k([(4, 4), (4, 2)], 2).value, 4)
    0.5833
    """
    return _over_draws(counts, k, level, lambda n, c: math.comb(c, k) / math.comb(n, k))


def _vary(numbers: Sequence[float]) -> bool:
    return min(numbers) < max(numbers)


def _over_draws(
    counts: Iterable[tuple[int, int]], k: int, level: float, chance: Callable[[int, int], float]
) -> Estimate | Missing:
    _check_draws(k)
    tasks = list(counts)
    for runs, successes in tasks:
        check_counts(successes, runs)
    short = sum(runs < k for runs, _ in tasks)
    if short:
        return Missing(f"a task was run fewer than {k} times", f"{short} of {len(tasks)} tasks")
    return of_scores([chance(runs, successes) for runs, successes in tasks], level=level, bounds=(0.0, 1.0))


def _check_draws(k: Any) -> None:
    if not isinstance(k, int) or k < 1:
        raise OptionError(f"k is {k!r}; expected a whole number from 1 on.")


def _statistic_of(statistic: Callable[..., Any], numbers: Sequence[float]) -> float:
    import numpy as np

    value = float(statistic(np.asarray(numbers)))
    if not math.isfinite(value):
        raise InputError(f"the statistic of the values is {value!r}; expected a finite number.")
    return value

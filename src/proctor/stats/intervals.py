"""How far a figure can be trusted: the record that every figure is, and the two intervals beneath most of them."""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from proctor.errors import InputError, OptionError
from proctor.records.grades import Missing

LARGEST = 1e100
"""A value beyond this is refused: its square would no longer be a number."""

SINGLE = "one value has no interval"
SAME = "every value is the same: the interval cannot show how far they spread"

Bounds = tuple[float, float]
"""The least and the greatest value that a score can have."""


class Estimate(msgspec.Struct, frozen=True, tag="estimate", omit_defaults=True):
    """A figure, how far it can be trusted, and how that was found."""

    value: float
    """The figure itself."""
    n: int
    """How many tasks it rests on. Repeats of a task are not more tasks."""
    low: float | None = None
    """The lower end of the interval; None when there is no interval, and `note` says why."""
    high: float | None = None
    """The upper end of the interval."""
    level: float = 0.95
    """How often an interval that is made so holds the truth."""
    method: str = ""
    """How the interval was made: `wilson`, `t`, `clustered t`, `bootstrap BCa`, …"""
    se: float | None = None
    """The standard error, where the method has one."""
    groups: int | None = None
    """How many clusters the tasks fell into, when they were not taken as independent."""
    note: str | None = None
    """Why there is no interval, or what else to know before the figure is believed."""


def proportion(successes: int, n: int, *, level: float = 0.95) -> Estimate | Missing:
    """A rate, with Wilson's interval.

    >>> rate = proportion(50, 50)
    >>> round(rate.low, 3), rate.high
    (0.929, 1.0)
    """
    check_level(level)
    check_counts(successes, n)
    if n == 0:
        return nothing()
    rate = successes / n
    z = normal_quantile(level)
    spread = z * z / n
    middle = (rate + spread / 2) / (1 + spread)
    half = z * math.sqrt(rate * (1 - rate) / n + spread / (4 * n)) / (1 + spread)
    return Estimate(
        value=rate,
        n=n,
        low=0.0 if successes == 0 else middle - half,
        high=1.0 if successes == n else middle + half,
        level=level,
        method="wilson",
        se=math.sqrt(rate * (1 - rate) / n),
        note=_extreme(successes, n, level),
    )


def none_seen(n: int, *, level: float = 0.95) -> float:
    """The highest rate that an event can have which was not seen once in n tries: about 3/n at 95 %.

    >>> round(none_seen(100), 4)
    0.0295
    """
    check_level(level)
    check_counts(0, n)
    return 1.0 if n == 0 else -math.expm1(math.log1p(-level) / n)


def t_interval(n: int, centre: float, squares: float, *, level: float = 0.95, bounds: Bounds | None = None) -> Estimate:
    """The t interval of n values, from their mean and the sum of their squared distances from it."""
    check_level(level)
    check_bounds((centre,), bounds)
    plain = Estimate(value=centre, n=n, level=level, method="t")
    if n < 2:
        return msgspec.structs.replace(plain, note=SINGLE)
    if squares == 0.0:
        return at_one_point(plain)
    se = math.sqrt(squares / (n - 1) / n)
    return around(plain, se, t_quantile(level, n - 1), bounds)


def around(plain: Estimate, se: float, quantile: float, bounds: Bounds | None = None) -> Estimate:
    """The estimate with an interval of so many standard errors to each side, cut at the bounds."""
    least, most = bounds or (-math.inf, math.inf)
    half = quantile * se
    return msgspec.structs.replace(
        plain, se=se, low=max(plain.value - half, float(least)), high=min(plain.value + half, float(most))
    )


def at_one_point(plain: Estimate) -> Estimate:
    """The estimate of values that are all the same: an interval without width, and a note that says why."""
    return msgspec.structs.replace(plain, se=0.0, low=plain.value, high=plain.value, note=SAME)


def nothing() -> Missing:
    """What stands where there is not one value."""
    return Missing("there is no value to estimate from")


def finite(values: Iterable[Any], what: str = "value") -> list[float]:
    """The values as floats; InputError names the first that is no finite number, and where it stands."""
    numbers = []
    for place, value in enumerate(values):
        number = _number(value)
        if number is None:
            raise InputError(f"{what} {place} is {value!r}; expected a finite number. Leave out what was not measured.")
        numbers.append(number)
    return numbers


def average(numbers: Sequence[float]) -> float:
    """The mean of at least one number, never outside their range."""
    return min(max(math.fsum(numbers) / len(numbers), min(numbers)), max(numbers))


def check_level(level: float) -> None:
    """Refuse a confidence level that is none."""
    if not 0 < level < 1:
        raise OptionError(f"level is {level!r}; expected a number between 0 and 1, such as 0.95.")


def check_counts(successes: int, n: int) -> None:
    """Refuse what cannot be so many successes in so many tries."""
    for name, count in (("successes", successes), ("n", n)):
        number = _number(count)
        if number is None or number < 0 or not number.is_integer():
            raise InputError(f"{name} is {count!r}; expected a whole number from 0 on.")
    if successes > n:
        raise InputError(f"there are {successes} successes in {n} tries; expected at most {n}.")


def check_bounds(numbers: Iterable[float], bounds: Bounds | None) -> None:
    """Refuse a value that the score cannot have."""
    if bounds is None:
        return
    least, most = bounds
    for number in numbers:
        if not least <= number <= most:
            raise InputError(f"a value is {number!r}; expected one from {least:g} to {most:g}.")


@functools.lru_cache(maxsize=64)
def normal_quantile(level: float) -> float:
    """How many standard errors a normal interval of that level reaches to each side."""
    from statistics import NormalDist

    return NormalDist().inv_cdf((1 + level) / 2)


@functools.lru_cache(maxsize=256)
def t_quantile(level: float, freedom: int) -> float:
    """How many standard errors a t interval of that level reaches to each side."""
    from scipy.special import stdtrit

    return float(stdtrit(freedom, (1 + level) / 2))


def _number(value: Any) -> float | None:
    if isinstance(value, str):
        return None
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        return None
    return number if -LARGEST <= number <= LARGEST else None


def _extreme(successes: int, n: int, level: float) -> str | None:
    if successes not in (0, n):
        return None
    seen, unseen = ("failure", "success") if successes == 0 else ("success", "failure")
    rate = none_seen(n, level=level)
    return f"every one of {n} is a {seen}: the rate of {unseen} is at most {rate:.2g} ({level * 100:g} %, one-sided)"

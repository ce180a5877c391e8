"""A tally: the mean and the interval of a stream of scores of any length, in constant memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any, NoReturn

from proctor.errors import InputError
from proctor.records.grades import Missing
from proctor.stats.intervals import LARGEST, Bounds, Estimate, nothing, proportion, t_interval


class Tally:
    """Scores, counted as they come.

    Zeros and ones are counted; other values go into a running mean and sum of squares (Welford), so that nothing is
    lost to rounding however many there are. Two tallies can be merged.

    >>> tally = Tally()
    >>> tally.extend([1, 0, 1, 1])
    >>> tally.add_missing("the judge gave no verdict")
    >>> tally.n, tally.mean, tally.unmeasured["the judge gave no verdict"]
    (4, 0.75, 1)
    """

    __slots__ = ("_mean", "_ones", "_others", "_squares", "_zeros", "unmeasured")

    unmeasured: Counter[str]
    """How many could not be measured, by reason."""

    def __init__(self) -> None:
        self._zeros = 0
        self._ones = 0
        self._others = 0
        self._mean = 0.0
        self._squares = 0.0
        self.unmeasured = Counter()

    def add(self, value: float) -> None:
        """Count one score. InputError when it is no finite number; the tally is then as it was."""
        if value == 1.0:
            self._ones += 1
        elif value == 0.0:
            self._zeros += 1
        else:
            try:
                if not -LARGEST <= value <= LARGEST:
                    _refuse(value)
                distance = value - self._mean
                centre = self._mean + distance / (self._others + 1)
                self._squares += distance * (value - centre)
            except TypeError:
                _refuse(value)
            self._mean = centre
            self._others += 1

    def extend(self, values: Iterable[float]) -> None:
        """Count many scores. When one of them is refused, those before it are counted."""
        zeros = ones = 0
        others, centre, squares = self._others, self._mean, self._squares
        try:
            for value in values:
                if value == 1.0:
                    ones += 1
                elif value == 0.0:
                    zeros += 1
                else:
                    if not -LARGEST <= value <= LARGEST:
                        _refuse(value)
                    others += 1
                    distance = value - centre
                    centre += distance / others
                    squares += distance * (value - centre)
        except TypeError:
            raise InputError("a score is not a number; leave out what was not measured, or add_missing() it.") from None
        finally:
            self._zeros += zeros
            self._ones += ones
            self._others, self._mean, self._squares = others, centre, squares

    def add_missing(self, reason: str | Missing, times: int = 1) -> None:
        """Count what could not be measured, under its reason."""
        self.unmeasured[reason.reason if isinstance(reason, Missing) else reason] += times

    def merge(self, other: Tally) -> None:
        """Count all that another tally counted."""
        self._others, self._mean, self._squares = _joined(
            (self._others, self._mean, self._squares), (other._others, other._mean, other._squares)
        )
        self._zeros += other._zeros
        self._ones += other._ones
        self.unmeasured.update(other.unmeasured)

    def with_failures(self, count: int) -> Tally:
        """A tally of the same scores and `count` zeros: what could not be measured, taken as failed."""
        if count < 0:
            raise InputError(f"count is {count!r}; expected a number of failures from 0 on.")
        found = Tally()
        found.merge(self)
        found._zeros += count
        return found

    @property
    def n(self) -> int:
        """How many scores were counted; the unmeasured are not among them."""
        return self._zeros + self._ones + self._others

    @property
    def mean(self) -> float | Missing:
        """The mean of the scores."""
        return self._moments()[1] if self.n else self._nothing()

    def estimate(self, level: float = 0.95, *, bounds: Bounds | None = None) -> Estimate | Missing:
        """The mean with its interval: Wilson's when every score was 0 or 1, else Student's t, cut at `bounds`."""
        if not self.n:
            return self._nothing()
        if not self._others:
            return proportion(self._ones, self.n, level=level)
        return t_interval(*self._moments(), level=level, bounds=bounds)

    def _moments(self) -> tuple[int, float, float]:
        """The number of the scores, their mean, and the sum of their squared distances from it."""
        counted = self._zeros + self._ones
        rate = self._ones / counted if counted else 0.0
        binary = (counted, rate, counted * rate * (1 - rate))
        n, centre, squares = _joined(binary, (self._others, self._mean, self._squares))
        return n, float(centre), float(squares)

    def _nothing(self) -> Missing:
        if not self.unmeasured:
            return nothing()
        reasons = "; ".join(f"{reason} ({count})" for reason, count in self.unmeasured.most_common(5))
        return Missing("nothing could be measured", reasons)

    def __repr__(self) -> str:
        return f"Tally(n={self.n}, mean={self.mean!r}, unmeasured={dict(self.unmeasured)!r})"


Moments = tuple[int, float, float]


def _joined(one: Moments, two: Moments) -> Moments:
    """The moments of two sets of values taken together (Chan, Golub and LeVeque)."""
    if not one[0] or not two[0]:
        return two if not one[0] else one
    n = one[0] + two[0]
    distance = two[1] - one[1]
    centre = one[1] + distance * (two[0] / n)
    return n, centre, one[2] + two[2] + distance * distance * (one[0] * (two[0] / n))


def _refuse(value: Any) -> NoReturn:
    raise InputError(
        f"a score is {value!r}; expected a finite number. What was not measured is counted by add_missing()."
    ) from None

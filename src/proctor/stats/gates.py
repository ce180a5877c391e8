"""A gate: whether a figure is good enough, decided by its interval and not by its point.

A figure on the wrong side by luck alone does not stop anybody, and one on the right side by luck alone does not pass.
What a program's exit code is for each of these is the command line's business.
"""

from __future__ import annotations

import enum

from proctor.errors import OptionError
from proctor.records.grades import Missing
from proctor.stats.intervals import Estimate


class Gate(enum.Enum):
    """What a gate decides."""

    PASSED = "passed"
    """The whole interval is on the right side."""
    FAILED = "failed"
    """The whole interval is on the wrong side."""
    NOT_DECISIVE = "not decisive"
    """The threshold is inside the interval, or there is no interval."""
    UNMEASURED = "unmeasured"
    """There is no figure."""


def gate(figure: Estimate | Missing, *, at_least: float | None = None, at_most: float | None = None) -> Gate:
    """Hold a figure against a floor (`at_least`), a ceiling (`at_most`), or both.

    >>> from proctor.stats.intervals import proportion
    >>> gate(proportion(60, 100), at_least=0.8).value, gate(proportion(75, 100), at_least=0.8).value
    ('failed', 'not decisive')
    """
    if at_least is None and at_most is None:
        raise OptionError("a gate has no threshold; give at_least, at_most or both.")
    for name, threshold in (("at_least", at_least), ("at_most", at_most)):
        if threshold is not None and not -float("inf") < threshold < float("inf"):
            raise OptionError(f"{name} is {threshold!r}; expected a finite number.")
    if isinstance(figure, Missing):
        return Gate.UNMEASURED
    if figure.low is None or figure.high is None:
        return Gate.NOT_DECISIVE
    floor = -float("inf") if at_least is None else at_least
    ceiling = float("inf") if at_most is None else at_most
    if figure.high < floor or figure.low > ceiling:
        return Gate.FAILED
    return Gate.PASSED if floor <= figure.low and figure.high <= ceiling else Gate.NOT_DECISIVE

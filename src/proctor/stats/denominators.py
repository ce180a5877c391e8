"""Denominators in the open: what became of everything that was planned.

Nothing is dropped in silence. A rate is given twice: with what broke left out, and with what broke taken as failed. The
truth about the agent lies between the two.
"""

from __future__ import annotations

import msgspec

from proctor.errors import InputError
from proctor.records.grades import Missing
from proctor.stats.intervals import Estimate
from proctor.stats.tally import Tally


class Denominators(msgspec.Struct, frozen=True, tag="denominators", omit_defaults=True):
    """How many trials there were at each stage. What is neither answered nor failed has not been run."""

    planned: int
    """Trials that were to be run."""
    answered: int
    """Trials that the agent brought to an end of its own, good or bad."""
    scored: int
    """Answered trials that have a score."""
    unmeasured: dict[str, int] = {}
    """Answered trials that could not be scored, by reason."""
    failed_by_environment: int = 0
    """Trials that broke through no fault of the agent's."""
    failed_by_agent: int = 0
    """Of the answered trials, those that broke through the agent's own fault or left no answer: they are failed."""

    def __post_init__(self) -> None:
        counts = (self.planned, self.answered, self.scored, self.failed_by_environment, *self.unmeasured.values())
        if min(counts) < 0:
            raise InputError(f"a count is {min(counts)}; expected numbers from 0 on.")
        if self.answered != self.scored + self.unscored:
            raise InputError(
                f"{self.answered} trials are answered, but {self.scored} scored and {self.unscored} unmeasured; "
                "each answered trial is one or the other."
            )
        if not 0 <= self.failed_by_agent <= self.answered:
            raise InputError(
                f"{self.failed_by_agent} trials failed by the agent, of {self.answered} answered; expected no more."
            )
        if self.owed < 0:
            raise InputError(
                f"{self.planned} trials are planned, but {self.answered} answered and {self.failed_by_environment} "
                "failed by the environment; expected no more than were planned."
            )

    @property
    def unscored(self) -> int:
        """Answered trials that could not be scored, for whatever reason."""
        return sum(self.unmeasured.values())

    @property
    def owed(self) -> int:
        """Trials that are still to be run."""
        return self.planned - self.answered - self.failed_by_environment

    @classmethod
    def of(cls, tally: Tally, *, planned: int | None = None, failed_by_environment: int = 0) -> Denominators:
        """The denominators behind a tally of scores; by default nothing is owed."""
        unmeasured = dict(sorted(tally.unmeasured.items()))
        answered = tally.n + sum(unmeasured.values())
        return cls(
            planned=answered + failed_by_environment if planned is None else planned,
            answered=answered,
            scored=tally.n,
            unmeasured=unmeasured,
            failed_by_environment=failed_by_environment,
        )


class Rates(msgspec.Struct, frozen=True, tag="rates", omit_defaults=True):
    """One rate, twice."""

    errors_left_out: Estimate | Missing
    """Over the trials that have a score."""
    errors_as_failures: Estimate | Missing
    """Over all trials that were run: what was not scored counts as 0."""
    denominators: Denominators


def rates(tally: Tally, denominators: Denominators, *, level: float = 0.95) -> Rates:
    """The rate with errors left out and with errors as failures. Trials that are still owed are in neither."""
    if tally.n != denominators.scored:
        raise InputError(f"the tally has {tally.n} scores, the denominators {denominators.scored}; expected the same.")
    broken = denominators.unscored + denominators.failed_by_environment
    return Rates(
        errors_left_out=tally.estimate(level),
        errors_as_failures=tally.with_failures(broken).estimate(level),
        denominators=denominators,
    )

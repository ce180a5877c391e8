"""A run: the plan less what the journal holds, trial by trial, each judged as soon as it has its trace.

Everything that a run decides stands in its journal, so a run that was killed at any moment is gone on with by asking
for it again: what has a trace is not tried again, what has its verdicts is not judged again. Which engine carries the
trials out is not known here: `Attempting` may work in this process or somewhere else.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence

import msgspec

from proctor.judges.judge import Judge
from proctor.records.queries import Query
from proctor.records.runs import Manifest, TrialKey
from proctor.records.traces import Failure, Fault, Trace
from proctor.runs.engines.local import carry_out
from proctor.runs.folders import plan_of
from proctor.runs.judging import Bench
from proctor.runs.ledger import Ledger
from proctor.runs.schedule import Outcome, Patience, State
from proctor.runs.underway import settled, settled_but, underway
from proctor.runs.watching import Again, Began, Interrupted, Planned, Tried, Watcher, nobody
from proctor.store.journal import Journal

__all__ = ["Attempting", "Exam", "Pace", "TrialWork", "run_exam"]

Attempting = Callable[[TrialKey], Awaitable[Trace]]
"""Lets the agent go at a trial, wherever that is done, and returns its trace."""


class Pace(msgspec.Struct, frozen=True):
    """How much is at work at once, and how often is tried what failed through the environment."""

    concurrency: int = 8
    patience: Patience = Patience()


class Exam(msgspec.Struct, frozen=True):
    """What a run is made of, once its names have become objects."""

    manifest: Manifest
    queries: Mapping[str, Sequence[Query]]
    """The queries of each test set."""
    attempt: Attempting
    judge: Judge | None = None
    repeats: int = 1
    """How often each trial is judged."""


class TrialWork:
    """The work of one trial, from its key to what came of it; called by an engine."""

    def __init__(
        self, exam: Exam, ledger: Ledger, *, kept: Journal | None = None, watch: Watcher = nobody, name: str = ""
    ) -> None:
        self.name = name
        self._attempt = exam.attempt
        self._ledger = ledger
        self._kept = kept
        self._watch = watch
        self._bench = (
            Bench(exam.judge, ledger, exam.repeats, watch=watch) if exam.judge is not None and exam.repeats else None
        )
        self.at_work = 0

    def owed(self, plan: Sequence[TrialKey]) -> list[TrialKey]:
        """The trials of a plan that lack their trace or a verdict."""
        traced = self._ledger.traced
        return [trial for trial in plan if trial not in traced or (self._bench is not None and self._bench.owes(trial))]

    async def __call__(self, trial: TrialKey) -> Outcome:
        """Try, write the trace down, judge, write the verdicts down; what is there already is not done again."""
        self.at_work += 1
        try:
            with underway(trial, self._kept):
                outcome = await self._worked(trial)
            if outcome is Outcome.DONE:
                settled(trial, self._kept)
            return outcome
        finally:
            self.at_work -= 1

    def begin(self, plan: Sequence[TrialKey]) -> list[TrialKey]:
        """Write down who judges, tell what is planned, and return what is owed."""
        if self._bench is not None:
            self._ledger.keep_judging(self._bench.judging)
        owed = self.owed(plan)
        settled_but(owed, self._kept)
        method = "" if self._bench is None else self._bench.judging.method
        self._watch(Planned(len(plan), len(plan) - len(owed), self.name, method))
        return owed

    def interrupted(self) -> None:
        """Somebody wants the run to stop."""
        self._watch(Interrupted(self.at_work))

    async def _worked(self, trial: TrialKey) -> Outcome:
        self._watch(Began(trial))
        trace = self._ledger.trace(trial)
        if trace is None:
            trace = await self._attempt(trial)
            if trace.failure is not None and trace.failure.fault is Fault.ENVIRONMENT:
                self._ledger.keep_failure(trial, trace)
                return self._again(trial, trace.failure)
            self._ledger.keep_trace(trial, trace)
            self._watch(Tried(trial, trace))
        if self._bench is None or await self._bench.settle(trial, trace):
            return Outcome.DONE
        return self._again(trial, Failure("JudgeDown", "the judge could not be reached", Fault.ENVIRONMENT))

    def _again(self, trial: TrialKey, failure: Failure) -> Outcome:
        self._watch(Again(trial, failure))
        return Outcome.ENVIRONMENT


async def run_exam(
    exam: Exam,
    ledger: Ledger,
    *,
    name: str = "",
    pace: Pace | None = None,
    watch: Watcher = nobody,
    kept: Journal | None = None,
) -> State:
    """Do what a run still owes, in this process, and return how it ended.

    `kept` is the file for trials underway (`underway.keeping`). What makes every further trial senseless (a refused
    key, a full disk) is raised, when all that was at work has come to its end and is written down.
    """
    pace = pace or Pace()
    plan = plan_of(exam.manifest)
    asked = {(trial.test_set, trial.query_id) for trial in plan}
    for test_set, queries in exam.queries.items():
        ledger.keep_queries((query for query in queries if (test_set, query.id) in asked), test_set)
    work = TrialWork(exam, ledger, kept=kept, watch=watch, name=name)
    owed = work.begin(plan)
    return await carry_out(
        owed, work, concurrency=pace.concurrency, patience=pace.patience, interrupted=work.interrupted
    )

"""Grading again: another judge or more repeats over a run that has its traces, and the agent is not asked.

Every verdict goes into the run's journal under the judge that gave it, so those of earlier judges stand beside it, what
is there is not asked again, and a grading that was stopped goes on where it was.
"""

from __future__ import annotations

import msgspec

from proctor.errors import OptionError
from proctor.judges.judge import BY_RULE, Judge
from proctor.records.grades import Missing, Verdict
from proctor.records.runs import Manifest, TrialKey
from proctor.records.traces import Failure, Fault
from proctor.runs.engines.local import carry_out
from proctor.runs.folders import plan_of
from proctor.runs.judging import Bench
from proctor.runs.ledger import Judging, Ledger, Opinion
from proctor.runs.recorded import Recorded
from proctor.runs.running import Pace
from proctor.runs.schedule import Outcome, State
from proctor.runs.underway import settled, settled_but, underway
from proctor.runs.watching import Again, Began, Interrupted, Planned, Watcher, nobody
from proctor.store.journal import Journal

__all__ = ["Graders", "grade", "judges_heard", "keep_recorded"]

_RECORDED = Judging("recorded", "recorded")
"""Who judged, where verdicts came with the answers."""


class Graders(msgspec.Struct, frozen=True):
    """Who judges, and how it is gone about."""

    judge: Judge
    repeats: int = 1
    pace: Pace = Pace()

    def __post_init__(self) -> None:
        if self.repeats < 1:
            raise OptionError(f"each answer is judged at least once, not {self.repeats} times.")


async def grade(
    manifest: Manifest,
    ledger: Ledger,
    graders: Graders,
    *,
    name: str = "",
    watch: Watcher = nobody,
    kept: Journal | None = None,
) -> State:
    """Ask for the verdicts that the traces of a run lack, and return how it ended.

    `kept` is the file for what is underway (`underway.keeping`): a judge that asks twice about one answer is not asked
    the first again.
    """
    work = _Work(ledger, graders, watch, kept)
    traced = ledger.traced
    plan = [trial for trial in plan_of(manifest) if trial in traced]
    ledger.keep_judging(work.bench.judging)
    owed = [trial for trial in plan if work.bench.owes(trial)]
    settled_but(owed, kept)
    watch(Planned(len(plan), len(plan) - len(owed), name, work.bench.judging.method))
    pace = graders.pace
    return await carry_out(
        owed, work, concurrency=pace.concurrency, patience=pace.patience, interrupted=work.interrupted
    )


def keep_recorded(recorded: Recorded, ledger: Ledger) -> None:
    """Write down what was recorded, as far as it is not there yet."""
    for test_set, queries in recorded.queries.items():
        ledger.keep_queries(queries, test_set)
    done = ledger.traced
    for trial, trace in recorded.traces.items():
        if trial not in done:
            ledger.keep_trace(trial, trace)
    if not recorded.verdicts:
        return
    judging = _who_recorded(recorded)
    for trial, verdicts in recorded.verdicts.items():
        _keep_verdicts(ledger, trial, judging, verdicts)
    if ledger.judging is None:
        ledger.keep_judging(judging)


def judges_heard(ledger: Ledger) -> list[str]:
    """Whose verdicts stand in a run's journal: a judge with two versions of its prompts stands there twice."""
    heard: dict[str, str] = {}
    for key, opinion in ledger.journal.bodies("verdict", Opinion):
        verdict = opinion.verdict
        if isinstance(verdict, Verdict) and verdict.judge != BY_RULE:
            heard.setdefault(str(key[-2]), verdict.judge)
    return list(heard.values())


def _who_recorded(recorded: Recorded) -> Judging:
    """Who judged, as far as the files say: a rule whose verdicts were written down stays that rule."""
    said = {one.judge for verdicts in recorded.verdicts.values() for one in verdicts if isinstance(one, Verdict)}
    methods = sorted(said) or [_RECORDED.method]
    name = _RECORDED.name if methods == [_RECORDED.method] else f"{_RECORDED.name} ({', '.join(methods)})"
    return Judging(name, " and ".join(methods), max(map(len, recorded.verdicts.values())))


def _keep_verdicts(ledger: Ledger, trial: TrialKey, judging: Judging, verdicts: tuple[Verdict | Missing, ...]) -> None:
    for repeat, verdict in enumerate(verdicts):
        if ledger.opinion(trial, judging, repeat) is None:
            ledger.keep_opinion(trial, judging, repeat, Opinion(verdict))


class _Work:
    """The work on one trial: its verdicts."""

    def __init__(self, ledger: Ledger, graders: Graders, watch: Watcher, kept: Journal | None) -> None:
        self.bench = Bench(graders.judge, ledger, graders.repeats, watch=watch)
        self._ledger = ledger
        self._watch = watch
        self._kept = kept
        self._at_work = 0

    async def __call__(self, trial: TrialKey) -> Outcome:
        """Judge it."""
        trace = self._ledger.trace(trial)
        if trace is None:
            return Outcome.DONE
        self._watch(Began(trial))
        self._at_work += 1
        try:
            with underway(trial, self._kept):
                judged = await self.bench.settle(trial, trace)
        finally:
            self._at_work -= 1
        if judged:
            settled(trial, self._kept)
            return Outcome.DONE
        self._watch(Again(trial, Failure("JudgeDown", "the judge could not be reached", Fault.ENVIRONMENT)))
        return Outcome.ENVIRONMENT

    def interrupted(self) -> None:
        """Somebody wants it to stop."""
        self._watch(Interrupted(self._at_work))

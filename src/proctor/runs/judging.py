"""One trial's verdicts: each repeat that the journal does not hold is asked for, and written down as it comes."""

from __future__ import annotations

import time
from collections.abc import Callable

from proctor.errors import MODEL_FAULTS
from proctor.judges.attempts import Attempt
from proctor.judges.judge import Judge
from proctor.records.grades import Missing
from proctor.records.runs import TrialKey
from proctor.records.traces import Trace, Usage
from proctor.runs.ledger import Judging, Ledger, Opinion
from proctor.runs.underway import current
from proctor.runs.watching import Judged, Watcher, nobody

__all__ = ["Bench", "is_owed", "judging_of"]

_METHODS = {"judge": "official"}
"""What results call a judge's method; other methods keep their name."""


_UNREACHED = frozenset(
    MODEL_FAULTS[kind]
    for kind in ("unavailable", "server_error", "garbled", "busy", "timeout", "bad_request", "not_recorded")
)
"""The reasons for which there is no verdict and another go may have one: no model has read the question. The same are
the environment's fault where an agent's model is asked (`runs.trial.fault_of`)."""


def judging_of(judge: Judge, repeats: int = 1) -> Judging:
    """Who judges, as it is written down."""
    return Judging(judge.name, _METHODS.get(judge.method, judge.method), repeats)


def is_owed(opinion: Opinion | None) -> bool:
    """Whether a verdict is still to be had: it was never asked for, or the judge could not be reached."""
    if opinion is None:
        return True
    return isinstance(opinion.verdict, Missing) and opinion.verdict.reason in _UNREACHED


class Bench:
    """A judge at work on a run's trials."""

    def __init__(
        self,
        judge: Judge,
        ledger: Ledger,
        repeats: int = 1,
        *,
        watch: Watcher = nobody,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.judge = judge
        self.judging = judging_of(judge, repeats)
        self._ledger = ledger
        self._watch = watch
        self._clock = clock

    def owes(self, trial: TrialKey) -> list[int]:
        """The repeats of a trial that have no verdict yet."""
        return [
            repeat
            for repeat in range(self.judging.repeats)
            if is_owed(self._ledger.opinion(trial, self.judging, repeat))
        ]

    async def settle(self, trial: TrialKey, trace: Trace) -> bool:
        """Ask for the verdicts that a trial lacks; whether it has all of them now."""
        attempt = Attempt.of(self._ledger.query(trial), trace)
        settled = True
        for repeat in self.owes(trial):
            opinion = await self._asked(attempt, repeat)
            self._ledger.keep_opinion(trial, self.judging, repeat, opinion)
            self._watch(Judged(trial, opinion.verdict, opinion.usage))
            settled = settled and not is_owed(opinion)
        return settled

    async def _asked(self, attempt: Attempt, repeat: int) -> Opinion:
        at_work = current()
        if at_work is not None:
            at_work.usage = Usage()
        began = self._clock()
        verdict = await self.judge.judge(attempt, repeat)
        return Opinion(verdict, at_work.usage if at_work is not None else Usage(), self._clock() - began)

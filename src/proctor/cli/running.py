"""How far a run is, counted from what happens in it. Pure: the time is handed in."""

from __future__ import annotations

from collections import Counter

import msgspec

from proctor.metrics._pass_rate import POINTS
from proctor.records.grades import Verdict
from proctor.records.runs import TrialKey
from proctor.records.traces import CallStep, Trace, Usage
from proctor.runs.watching import Again, Began, Event, Interrupted, Judged, Planned, Tried

__all__ = ["Standing"]


class Standing(msgspec.Struct):
    """Where a run stands."""

    name: str = ""
    method: str = ""
    planned: int = 0
    before: int = 0
    """Trials that were done when the run was taken up."""
    tried: int = 0
    """Trials that have got their trace since."""
    begun: float = 0.0
    at_work: dict[TrialKey, None] = {}
    sources: Counter[str] = msgspec.field(default_factory=Counter)
    """Calls by who answered."""
    verdicts: Counter[str] = msgspec.field(default_factory=Counter)
    agent: Usage = Usage()
    judge: Usage = Usage()
    broken: int = 0
    """Times that a trial failed through the environment."""
    last_failure: str = ""
    stopping: bool = False

    def take(self, event: Event, now: float) -> None:
        """Count what has happened."""
        match event:
            case Planned():
                self.name, self.planned, self.before, self.begun = event.name, event.trials, event.done, now
                self.method = event.method
            case Began():
                self.at_work[event.trial] = None
            case Tried():
                self.at_work.pop(event.trial, None)
                self.tried += 1
                self._count(event.trace)
            case Judged():
                verdict = event.verdict
                self.verdicts[verdict.status.value if isinstance(verdict, Verdict) else "unmeasured"] += 1
                self.judge += event.usage
            case Again():
                self.at_work.pop(event.trial, None)
                self.broken += 1
                self.last_failure = f"{event.failure.kind}: {event.failure.message}"
            case Interrupted():
                self.stopping = True

    def _count(self, trace: Trace) -> None:
        self.agent += trace.usage
        for step in trace.steps:
            if isinstance(step, CallStep):
                made = step.answer.provenance if step.answer is not None else None
                self.sources["unanswered" if step.answer is None else made.source.value if made else "unknown"] += 1

    @property
    def done(self) -> int:
        """Trials that are done, those of before too."""
        return self.before + self.tried

    @property
    def tokens(self) -> int:
        """Tokens of agent and judge."""
        both = self.agent + self.judge
        return both.prompt_tokens + both.completion_tokens

    @property
    def sopr(self) -> float | None:
        """The pass rate so far; None while nothing is measured."""
        worth = {status.value: points for status, points in POINTS.items()}
        measured = sum(self.verdicts[name] for name in worth)
        return sum(worth[name] * self.verdicts[name] for name in worth) / measured if measured else None

    def rate(self, now: float) -> float | None:
        """Trials a second since the run was taken up."""
        return self.tried / (now - self.begun) if self.tried and now > self.begun else None

    def left(self, now: float) -> float | None:
        """Seconds until the last trial, at this rate; None where that is less than one, or nobody can say."""
        rate = self.rate(now)
        seconds = 0.0 if rate is None else (self.planned - self.done) / rate
        return seconds if seconds >= 1 else None

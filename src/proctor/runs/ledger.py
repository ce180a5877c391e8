"""What a run has written down, by kinds: the typed side of its journal.

| kind | key | what |
|---|---|---|
| `query` | set, id | a query of the plan, as it was asked |
| `trace` | set, id, epoch | a trial that counts |
| `failure` | set, id, epoch, go | a go that failed through the environment: kept apart, and the trial is owed |
| `verdict` | set, id, epoch, judge, repeat | one opinion of a trace, what it cost and how long it took |
| `judging` | `now` | who judges the run, as of the last time |

The note of a line is `session seconds`: which go at the run wrote it, and how long that had been at work.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Self

import msgspec

from proctor.errors import FileError
from proctor.records.grades import Missing, Verdict
from proctor.records.keys import content_hash
from proctor.records.queries import Query
from proctor.records.runs import TrialKey
from proctor.records.traces import Trace, Usage
from proctor.store.journal import Journal

__all__ = ["Judging", "Ledger", "Opinion"]


class Opinion(msgspec.Struct, frozen=True, omit_defaults=True):
    """One verdict on one trial, as the journal keeps it."""

    verdict: Verdict | Missing
    usage: Usage = Usage()
    """What it cost, all times that it was asked for."""
    seconds: float = 0.0
    trace: str = ""
    """The stamp of the trace that was judged: of another trace it says nothing."""


class Judging(msgspec.Struct, frozen=True, omit_defaults=True):
    """Who judges a run, and how often."""

    name: str
    """The judge with its model and the version of its prompts, or the name of its rules."""
    method: str
    """`official` by a model, `rubric`, `heuristic`."""
    repeats: int = 1

    @property
    def key(self) -> str:
        """Under which its verdicts stand: another judge has another, and asking more often keeps what there is."""
        return content_hash([self.name, self.method])[:16]


class Ledger:
    """The journal of a run, for one process at a time; with `read_only`, for any number beside it."""

    def __init__(
        self, path: str | Path, *, read_only: bool = False, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.journal = Journal(path, read_only=read_only)
        self._clock = clock
        self._began = clock()
        self._session = len(self._past())

    @property
    def traced(self) -> set[TrialKey]:
        """The trials that have a trace that counts."""
        return {_trial(key) for key in self.journal.notes("trace")}

    @property
    def failed(self) -> dict[TrialKey, int]:
        """How often a trial has failed through the environment."""
        goes: dict[TrialKey, int] = {}
        for key in self.journal.notes("failure"):
            goes[_trial(key)] = goes.get(_trial(key), 0) + 1
        return goes

    @property
    def seconds(self) -> float:
        """How long the run was at work, all goes at it together, as far as its lines tell."""
        return sum(self._past())

    @property
    def judging(self) -> Judging | None:
        """Who judged last."""
        return self.journal.body("judging", ("now",), Judging)

    def keep_queries(self, queries: Iterable[Query], test_set: str) -> None:
        """Write the queries down that are not there yet."""
        known = self.journal.notes("query")
        for query in queries:
            if (test_set, query.id) not in known:
                self.journal.append("query", (test_set, query.id), query)

    def query(self, trial: TrialKey) -> Query:
        """The query of a trial. FileError where the journal has lost it."""
        found = self.journal.body("query", (trial.test_set, trial.query_id), Query)
        if found is None:
            raise FileError(f"the query of {trial} is not there; run the same command again.", path=self.journal.path)
        return found

    def trace(self, trial: TrialKey) -> Trace | None:
        """The trace of a trial, where there is one that counts."""
        return self.journal.body("trace", _key(trial), Trace)

    def failure(self, trial: TrialKey) -> Trace | None:
        """The trace of the last go at a trial that failed through the environment."""
        go = self._goes(trial)
        return self.journal.body("failure", (*_key(trial), go - 1), Trace) if go else None

    def failures(self) -> dict[TrialKey, Trace]:
        """The last go at each trial that failed through the environment and has no trace since."""
        done = self.traced
        return {_trial(key): trace for key, trace in self.journal.bodies("failure", Trace) if _trial(key) not in done}

    def keep_trace(self, trial: TrialKey, trace: Trace) -> None:
        """Write down a trial that counts."""
        self.journal.append("trace", _key(trial), trace, self._note())

    def keep_failure(self, trial: TrialKey, trace: Trace) -> None:
        """Write down a go that failed through the environment."""
        self.journal.append("failure", (*_key(trial), self._goes(trial)), trace, self._note())

    def opinion(self, trial: TrialKey, judging: Judging, repeat: int) -> Opinion | None:
        """One verdict on a trial as its trace is now, where it was given."""
        found = self._said(trial, judging, repeat)
        return None if found is not None and found.trace not in ("", self._stamp(trial)) else found

    def opinions(self, trial: TrialKey, judging: Judging) -> list[Opinion]:
        """The verdicts of a judge on a trial, by repeat."""
        found = (self.opinion(trial, judging, repeat) for repeat in range(judging.repeats))
        return [one for one in found if one is not None]

    def keep_opinion(self, trial: TrialKey, judging: Judging, repeat: int, opinion: Opinion) -> None:
        """Write a verdict down. What an earlier one under the same key has cost is added to what this one did."""
        before = self._said(trial, judging, repeat) or Opinion(opinion.verdict)
        usage, seconds = before.usage + opinion.usage, before.seconds + opinion.seconds
        opinion = Opinion(opinion.verdict, usage, seconds, self._stamp(trial))
        self.journal.append("verdict", (*_key(trial), judging.key, repeat), opinion, self._note())

    def keep_judging(self, judging: Judging) -> None:
        """Write down who judges."""
        if self.judging != judging:
            self.journal.append("judging", ("now",), judging)

    def clear(self) -> None:
        """Forget everything."""
        self.journal.clear()
        self._session = 0

    def close(self) -> None:
        """Let go of the journal. It may be called twice."""
        self.journal.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _said(self, trial: TrialKey, judging: Judging, repeat: int) -> Opinion | None:
        return self.journal.body("verdict", (*_key(trial), judging.key, repeat), Opinion)

    def _stamp(self, trial: TrialKey) -> str:
        """What a trace is known by, where there is one: after its line was lost, the next one has another."""
        written = self.journal.raw("trace", _key(trial))
        return "" if written is None else hashlib.sha256(written).hexdigest()[:16]

    def _goes(self, trial: TrialKey) -> int:
        """How often a trial has failed through the environment."""
        go = 0
        while self.journal.holds("failure", (*_key(trial), go)):
            go += 1
        return go

    def _note(self) -> str:
        return f"{self._session} {self._clock() - self._began:.3f}"

    def _past(self) -> list[float]:
        """How long each go at the run was at work, by the last line that it wrote."""
        longest: dict[int, float] = {}
        for kind in ("trace", "failure", "verdict"):
            for note in self.journal.notes(kind).values():
                session, _, seconds = note.partition(" ")
                longest[int(session)] = max(longest.get(int(session), 0.0), float(seconds))
        return [longest.get(session, 0.0) for session in range(max(longest, default=-1) + 1)]


def _key(trial: TrialKey) -> tuple[str, str, int]:
    return trial.test_set, trial.query_id, trial.epoch


def _trial(key: tuple[str | int, ...]) -> TrialKey:
    return TrialKey(str(key[0]), str(key[1]), int(key[2]))

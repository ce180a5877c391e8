"""Which trial begins when: a state and an event in, a new state and what is to begin out. Pure.

A trial that failed through the environment goes to the end of the queue and waits a while, so that what was down has
time to come back; after `tries` it is left, and is owed to the next run.
"""

from __future__ import annotations

import enum

import msgspec

from proctor.errors import OptionError
from proctor.records.runs import TrialKey

__all__ = ["Ended", "Outcome", "Patience", "Start", "State", "Stop", "after", "begin"]


class Outcome(enum.Enum):
    """What came of one go at a trial."""

    DONE = "done"
    """There is a trace that counts, whether the agent did well or failed."""
    ENVIRONMENT = "environment"
    """Something that is not the agent broke."""


class Patience(msgspec.Struct, frozen=True):
    """How often a trial is begun that fails through the environment, and how long it waits before."""

    tries: int = 3
    pause: float = 2.0
    """Seconds before the second go; twice as many before each further one."""

    def __post_init__(self) -> None:
        if self.tries < 1 or self.pause < 0:
            raise OptionError(f"a trial is begun at least once, after 0 seconds or more, not {self}.")


class Start(msgspec.Struct, frozen=True):
    """Begin this trial, after so many seconds."""

    trial: TrialKey
    after: float = 0.0


class Ended(msgspec.Struct, frozen=True):
    """A trial has come to its end."""

    trial: TrialKey
    outcome: Outcome


class Stop(msgspec.Struct, frozen=True):
    """Begin nothing more; what is at work is finished, or left as it is."""

    at_once: bool = False
    """Somebody does not want to wait for what is at work."""


class State(msgspec.Struct, frozen=True):
    """Where a run stands."""

    owed: tuple[TrialKey, ...]
    concurrency: int
    patience: Patience
    next: int = 0
    """How many of those owed have begun."""
    again: tuple[TrialKey, ...] = ()
    """Those that are to be begun again, after all others."""
    failures: dict[TrialKey, int] = {}
    """How often each has failed through the environment."""
    running: frozenset[TrialKey] = frozenset()
    done: int = 0
    stopped: bool = False
    at_once: bool = False
    """Whether what was at work was left as it was."""

    @property
    def over(self) -> bool:
        """Whether nothing is at work and nothing will begin."""
        return not self.running and (self.stopped or (self.next == len(self.owed) and not self.again))

    @property
    def left(self) -> int:
        """How many of those that were owed are not done."""
        return len(self.owed) - self.done


def begin(owed: tuple[TrialKey, ...], concurrency: int, patience: Patience) -> tuple[State, tuple[Start, ...]]:
    """The state at the beginning, and the first trials."""
    if concurrency < 1:
        raise OptionError(f"at least 1 trial is at work at once, not {concurrency}.")
    return _filled(State(owed, concurrency, patience))


def after(state: State, event: Ended | Stop) -> tuple[State, tuple[Start, ...]]:
    """The state after an event, and the trials that begin now."""
    if isinstance(event, Stop):
        return msgspec.structs.replace(state, stopped=True, at_once=state.at_once or event.at_once), ()
    state = msgspec.structs.replace(state, running=state.running - {event.trial})
    if event.outcome is Outcome.DONE:
        return _filled(msgspec.structs.replace(state, done=state.done + 1))
    times = state.failures.get(event.trial, 0) + 1
    again = (*state.again, event.trial) if times < state.patience.tries else state.again
    failures = {**state.failures, event.trial: times}
    return _filled(msgspec.structs.replace(state, again=again, failures=failures))


def _filled(state: State) -> tuple[State, tuple[Start, ...]]:
    """Begin as many trials as there is room for."""
    if state.stopped:
        return state, ()
    room = state.concurrency - len(state.running)
    fresh = state.owed[state.next : state.next + room]
    repeated = state.again[: room - len(fresh)]
    starts = [Start(trial) for trial in fresh]
    starts += [Start(trial, state.patience.pause * 2 ** (state.failures[trial] - 1)) for trial in repeated]
    filled = msgspec.structs.replace(
        state,
        next=state.next + len(fresh),
        again=state.again[len(repeated) :],
        running=state.running | {start.trial for start in starts},
    )
    return filled, tuple(starts)

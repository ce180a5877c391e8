"""What an agent did about one query, step by step."""

from __future__ import annotations

import enum
from typing import Any

import msgspec

from proctor.records.answers import Answer
from proctor.records.queries import ApiId
from proctor.records.usage import Usage

__all__ = [
    "CallStep",
    "Failure",
    "Fault",
    "Finish",
    "Resolution",
    "Step",
    "StopReason",
    "Thought",
    "Trace",
    "Usage",
]


class StopReason(enum.Enum):
    """Why an agent stopped."""

    FINISHED = "finished"
    GAVE_UP = "gave_up"
    STEP_LIMIT = "step_limit"
    CALL_LIMIT = "call_limit"
    TOKEN_LIMIT = "token_limit"  # noqa: S105 - a limit of tokens
    TIME_LIMIT = "time_limit"
    NO_ANSWER = "no_answer"
    """It said something, but never that it was done."""
    FAILED = "failed"
    """Something broke; the trace's `failure` says what."""


class Fault(enum.Enum):
    """Whose fault a failure was: only the agent's own counts against it."""

    AGENT = "agent"
    ENVIRONMENT = "environment"
    PROCTOR = "proctor"


class Failure(msgspec.Struct, frozen=True, omit_defaults=True):
    """What broke, and whose fault it was."""

    kind: str
    """The name of the error."""
    message: str
    fault: Fault


class Resolution(enum.Enum):
    """What came of the name that an agent called."""

    RESOLVED = "resolved"
    REPAIRED = "repaired"
    """Another spelling of one known name."""
    AMBIGUOUS = "ambiguous"
    """A spelling of several."""
    HALLUCINATED = "hallucinated"
    """No API has such a name."""


class Thought(msgspec.Struct, frozen=True, tag="thought", omit_defaults=True):
    """What the agent said to itself."""

    text: str


class CallStep(msgspec.Struct, frozen=True, tag="call", omit_defaults=True):
    """One API call, and what came back."""

    name: str
    """The function as the agent called it."""
    arguments: dict[str, Any]
    """The arguments by their documented names."""
    resolution: Resolution
    observation: str
    """What the agent was shown of the answer."""
    api: ApiId | None = None
    """The API that the name stands for, when it stands for one."""
    malformed: str | None = None
    """The arguments as the agent wrote them, when they could not be read."""
    answer: Answer | None = None
    """The whole answer; None when the call never reached an API."""
    seconds: float = 0.0


class Finish(msgspec.Struct, frozen=True, tag="finish", omit_defaults=True):
    """The agent says that it is done."""

    answer: str
    gave_up: bool = False


Step = Thought | CallStep | Finish


class Trace(msgspec.Struct, frozen=True, omit_defaults=True):
    """All that an agent did about one query."""

    query_id: str
    stop: StopReason
    final_answer: str = ""
    steps: tuple[Step, ...] = ()
    offered: tuple[ApiId, ...] | int | None = ()
    """The APIs that were at hand: those that a search has shown where the agent had to search; only their number when
    they were all that there are, and the agent was handed them; None where nobody wrote it down."""
    usage: Usage = Usage()
    seconds: float = 0.0
    failure: Failure | None = None
    back: tuple[tuple[int, int], ...] = ()
    """Where the agent went back: `(n, m)` says that step n follows step m and not the one before it. Steps are counted
    from 0, and -1 is the beginning. So a search and a second try are ways that share their beginnings."""

    @property
    def path(self) -> tuple[Step, ...]:
        """The steps of the way that led to the answer, without those that the agent took back.

        Where no way led to one, it is the way that was gone last.
        """
        return tuple(self.steps[place] for place in self.path_places) if self.back else self.steps

    @property
    def path_places(self) -> tuple[int, ...]:
        """The places of the path's steps among all."""
        before, place = dict(self.back), len(self.steps) - 1
        places: list[int] = []
        while place >= 0:
            places.append(place)
            place = before.get(place, place - 1)
        return tuple(reversed(places))

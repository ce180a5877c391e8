"""What a judge is shown of an agent's work on a query, and what is settled about it without a judge. Pure."""

from __future__ import annotations

from typing import Any

import msgspec

from proctor.errors import SampleError
from proctor.records.finishing import GIVE_UP
from proctor.records.grades import Status
from proctor.records.keys import canonical_json
from proctor.records.queries import Decline, Expected, Fact, Query
from proctor.records.traces import CallStep, Finish, Thought, Trace

__all__ = ["Attempt", "settled"]


class Attempt(msgspec.Struct, frozen=True, omit_defaults=True):
    """One agent's answer to one query."""

    query: str
    """What the agent was asked."""
    final_answer: str
    """What it answered in the end."""
    whole: str = ""
    """All that it did, as text; the final answer alone where nothing else is known."""
    has_finish: bool = True
    """Whether its last tool call was Finish."""
    facts: tuple[Fact, ...] = ()
    """What a right answer tells; empty where nobody said."""
    expected: Expected = Expected.ANSWER
    """What a right answer does."""
    returned: str = ""
    """What the APIs returned to the agent, as it was shown."""
    decline: Decline | None = None
    """What tells a right decline, where that is wanted and somebody said."""

    @classmethod
    def of(cls, query: Query, trace: Trace) -> Attempt:
        """The attempt that a trace tells of."""
        last = next((step for step in reversed(trace.path) if not isinstance(step, Thought)), None)
        final = trace.final_answer
        if isinstance(last, Finish):
            final = GIVE_UP if last.gave_up else last.answer or final
        returned = "\n".join(step.observation for step in trace.path if isinstance(step, CallStep))
        return cls(
            query.text,
            final,
            _whole(final, trace),
            isinstance(last, Finish),
            query.facts,
            query.expected,
            returned,
            query.decline,
        )

    @property
    def shown(self) -> str:
        """All that is known of what it did."""
        return self.whole or self.final_answer


def settled(attempt: Attempt) -> str | None:
    """Why the attempt is unsolved whatever a judge would say, or None. It is always `Status.UNSOLVED` then."""
    if not attempt.has_finish:
        return "the agent did not end with Finish"
    if not attempt.final_answer.strip():
        return "the final answer is empty"
    if GIVE_UP in attempt.final_answer:
        return "the agent gave up"
    return None


RULED = Status.UNSOLVED
"""What an attempt is that `settled` has a reason for."""


def _whole(final: str, trace: Trace) -> str:
    """A trace's path as JSON: what was thought, called and returned, in order; what was taken back is not shown."""
    steps: list[dict[str, Any]] = []
    for step in trace.path:
        if isinstance(step, Thought):
            steps.append({"role": "assistant", "message": step.text})
        elif isinstance(step, CallStep):
            arguments = step.arguments if step.malformed is None else step.malformed
            message = {"name": step.name, "arguments": arguments, "response": step.observation}
            steps.append({"role": "tool", "message": message})
    told = {"final_answer": final, "answer_details": steps}
    try:
        return msgspec.json.format(canonical_json(told)).decode()
    except SampleError:
        return repr(told)

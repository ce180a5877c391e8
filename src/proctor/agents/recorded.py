"""An agent that does again what was recorded: answers that somebody's agent once gave. Pure.

Whoever has read the recordings hands in their traces. The steps stand as they were recorded, or, with `again`, their
calls are made anew, so that this run's gateway answers them. The run's limits hold for the latter only: what was
recorded is not cut.
"""

from __future__ import annotations

from collections.abc import Mapping

from proctor.agents.agent import CallApis, Note, Place, Strategy, Task, ToolBox, drive
from proctor.agents.diary import Diary
from proctor.errors import AgentError, OptionError
from proctor.messages import ToolCall
from proctor.models.chat import Reply
from proctor.records.finishing import FINISH
from proctor.records.traces import CallStep, Finish, StopReason, Trace

__all__ = ["RecordedAgent"]


class RecordedAgent:
    """Replays traces, by test set and query id."""

    def __init__(self, traces: Mapping[tuple[str, str], Trace], *, name: str = "recorded", again: bool = False) -> None:
        self.name = name
        self._traces = traces
        self._again = again

    async def attempt(self, task: Task, tools: ToolBox, diary: Diary) -> StopReason:
        """Do what was recorded. A query without a recorded answer is the agent's failure: it has none."""
        trace = self._traces.get((task.query.test_set, task.query.id))
        if trace is None or trace.failure is not None:
            raise AgentError(f"no answer was recorded to the query {task.query.id!r}.")
        if self._again:
            return await drive(self._moves(trace), tools, diary, _nobody)
        diary.copy(trace)
        return _stop(trace)

    def _moves(self, trace: Trace) -> Strategy:
        places = {-1: -1}
        before = dict(trace.back)
        for number, step in enumerate(trace.steps):
            if number in before:
                yield Place(back=places[before[number]])
            if isinstance(step, CallStep) and step.name != FINISH:
                yield CallApis((ToolCall(name=step.name, args=step.arguments, malformed=step.malformed),))
            else:
                yield Note(step)
            places[number] = yield Place()
        return _stop(trace)

    def __repr__(self) -> str:
        return f"<agent {self.name}: {len(self._traces)} answers>"


def _stop(trace: Trace) -> StopReason:
    last = trace.steps[-1] if trace.steps else None
    if isinstance(last, Finish):
        return StopReason.GAVE_UP if last.gave_up else StopReason.FINISHED
    return trace.stop


async def _nobody(_: object) -> Reply:
    raise OptionError("recorded answers ask no model.")

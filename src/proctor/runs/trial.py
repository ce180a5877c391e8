"""One trial: one agent, one query, one go, and the trace of it.

The one place where failures are recorded, and whose fault they were. What makes every further trial senseless (a key
that is refused, a full disk, a wrong option) is raised instead, and stops the run.
"""

from __future__ import annotations

from collections.abc import Callable

from proctor.agents.agent import Agent, Task, ToolBox
from proctor.agents.diary import Diary, Limits, Stopped
from proctor.errors import (
    AgentUnavailableError,
    ModelError,
    ModelRefusedError,
    ModelUnavailableError,
    NeedsExtraError,
    OptionError,
    StorageError,
)
from proctor.gateway.policy import shortened
from proctor.gateway.source import KINDS
from proctor.records.answers import Source
from proctor.records.traces import CallStep, Failure, Fault, StopReason, Trace

__all__ = ["fault_of", "outage", "run_trial"]

_OUTAGES = tuple(KINDS[kind] for kind in ("unavailable", "timeout", "busy", "refused"))
"""What the gateway says of a source that is down. It is not the agent that failed then."""
_LONGEST = 500


async def run_trial(
    agent: Agent, task: Task, tools: ToolBox, limits: Limits | None = None, *, clock: Callable[[], float]
) -> Trace:
    """Let an agent work on a query, and tell what it did, whatever becomes of it."""
    diary = Diary(limits, clock=clock)
    failure = None
    try:
        stop = await agent.attempt(task, tools, diary)
    except Stopped as limit:
        stop = limit.stop
    except (ModelRefusedError, NeedsExtraError, OptionError, StorageError):
        raise
    except Exception as error:  # noqa: BLE001 - whatever an agent raises is a fact about the trial
        stop = StopReason.FAILED
        failure = Failure(type(error).__name__, shortened(str(error), _LONGEST), fault_of(error))
    trace = diary.trace(task.query.id, stop, tools.offered, failure)
    down = outage(trace) if failure is None else None
    return trace if down is None else diary.trace(task.query.id, StopReason.FAILED, tools.offered, down)


def fault_of(error: Exception) -> Fault:
    """Whose fault an error was.

    A model or an agent's endpoint that cannot be reached is the environment's, and so is an answer that is no model's
    reply and a request that is not taken. What a model says, and a conversation that has become too long for it, are
    the agent's, as is every other error that comes out of it.
    """
    if isinstance(error, ModelUnavailableError | AgentUnavailableError):
        return Fault.ENVIRONMENT
    if isinstance(error, ModelError) and error.kind in {"bad_request", "not_recorded"}:
        return Fault.ENVIRONMENT
    return Fault.AGENT


def outage(trace: Trace) -> Failure | None:
    """The failure of a trial in which a call was missed because a source was down."""
    for step in trace.steps:
        made = step.answer.provenance if isinstance(step, CallStep) and step.answer is not None else None
        if made is not None and made.source is Source.MISSED:
            for attempt in made.attempts:
                if any(words in attempt for words in _OUTAGES):
                    return Failure("SourceDown", shortened(attempt, _LONGEST), Fault.ENVIRONMENT)
    return None

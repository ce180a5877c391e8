"""The baseline: find the APIs that fit the query's words, fill their slots from it, and report what they said. Pure.

It asks no model and costs nothing. An agent that does no better has not used its model.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence

from proctor.agents.agent import CallApis, Note, Strategy, Task, ToolBox
from proctor.agents.slots import filled_slots
from proctor.messages import ToolCall
from proctor.records.queries import ApiSpec
from proctor.records.traces import CallStep, Finish, StopReason

__all__ = ["baseline", "calls_of", "report"]


def baseline(task: Task, tools: ToolBox, k: int = 3) -> Strategy:
    """Call the k APIs that fit best, each once, and finish with what they returned."""
    steps = yield from calls_of(tools.search(task.query.text, k), task, tools)
    yield Note(Finish(report(steps)))
    return StopReason.FINISHED


def calls_of(
    apis: Sequence[ApiSpec], task: Task, tools: ToolBox
) -> Generator[CallApis, list[CallStep], list[CallStep]]:
    """Call these APIs, their slots filled from the query, and return the steps."""
    calls = [ToolCall(name=tools.name(api.id), args=filled_slots(api, task.query.text)) for api in apis]
    if not calls:
        return []
    return (yield CallApis(tuple(calls)))


def report(steps: Sequence[CallStep]) -> str:
    """An answer made of what was returned."""
    told = [step.observation for step in steps if step.answer is not None and not step.answer.error]
    return "\n".join(["The tools returned:", *told]) if told else "The tools returned nothing that answers this."

"""Agents that test the exam itself: one that does nothing, one that calls the gold, one that calls everything. Pure."""

from __future__ import annotations

from proctor.agents.agent import Note, Strategy, Task, ToolBox
from proctor.agents.baseline import calls_of, report
from proctor.records.traces import Finish, StopReason, Thought

__all__ = ["null", "oracle", "spam"]


def null(_task: Task, _tools: ToolBox) -> Strategy:
    """Do nothing at all, and say so. An exam that gives it points is broken."""
    yield Note(Thought("This agent does nothing."))
    return StopReason.NO_ANSWER


def oracle(task: Task, tools: ToolBox) -> Strategy:
    """Call each API that the query's gold names, and finish with what they returned.

    A gold name without a category that several APIs have is called in each of them.
    """
    gold = [api for one in task.query.gold for api in tools.catalog.named(one.tool, one.api, one.category)]
    steps = yield from calls_of([tools.catalog[api] for api in dict.fromkeys(gold)], task, tools)
    yield Note(Finish(report(steps)))
    return StopReason.FINISHED


def spam(task: Task, tools: ToolBox, most: int = 20) -> Strategy:
    """Call the first APIs at hand whatever they are, and finish with an answer that says nothing, at length."""
    yield from calls_of(tools.catalog.apis[:most], task, tools)
    yield Note(Finish("I have looked into everything carefully and your request has been completed successfully."))
    return StopReason.FINISHED

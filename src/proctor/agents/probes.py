"""Agents that test the exam itself: one that does nothing, one that calls the gold, one that calls everything. Pure."""

from __future__ import annotations

from collections.abc import Generator, Sequence

from proctor.agents.agent import CallApis, Note, Strategy, Task, ToolBox
from proctor.agents.baseline import calls_of, report
from proctor.messages import ToolCall
from proctor.records.gold import read_gold
from proctor.records.queries import Expected, Query
from proctor.records.traces import CallStep, Finish, StopReason, Thought
from proctor.records.ways import ways

__all__ = ["DECLINED", "null", "oracle", "right_answer", "spam"]


def null(_task: Task, _tools: ToolBox, says: str = "") -> Strategy:
    """Do nothing at all, and say so; or finish with the same words whatever is asked.

    An exam that gives it points for nothing is broken. What it has for always declining is the floor of an exam in
    which some queries are rightly declined.
    """
    if says:
        yield Note(Finish(says))
        return StopReason.FINISHED
    yield Note(Thought("This agent does nothing."))
    return StopReason.NO_ANSWER


def oracle(task: Task, tools: ToolBox) -> Strategy:
    """Make the calls that the query's gold asks for, and finish with what a right answer tells.

    Of several ways that the gold allows, it goes the first, and leaves out what may be left out. Where the query has
    no gold calls, it calls each gold API, its slots filled from the query; where it states no facts, it finishes with
    what was returned.
    """
    steps = yield from _gold_calls(task, tools)
    yield Note(Finish(right_answer(task.query, steps)))
    return StopReason.FINISHED


def _gold_calls(task: Task, tools: ToolBox) -> Generator[CallApis, list[CallStep], list[CallStep]]:
    """The calls of the gold, one after the other; a gold name that several APIs have is called in each of them."""
    if not task.query.calls:
        gold = [api for one in task.query.gold for api in tools.catalog.named(one.tool, one.api, one.category)]
        return (yield from calls_of([tools.catalog[api] for api in dict.fromkeys(gold)], task, tools))
    steps: list[CallStep] = []
    for call in next(ways(read_gold(list(task.query.calls)))):
        if call.optional:
            continue
        api = tools.catalog.resolver.resolve(call.name).api
        steps += yield CallApis((ToolCall(name=tools.name(api) if api is not None else call.name, args=call.args),))
    return steps


DECLINED = {
    Expected.UNSOLVABLE: "I cannot find this: the tools do not have what was asked for.",
    Expected.OFF_TOPIC: "I cannot help with this: it is not what these tools are there for.",
    Expected.REFUSAL: "I refuse: this must not be done.",
}
"""What a right answer says where it is not one to the query: that there is none."""


def right_answer(query: Query, steps: Sequence[CallStep] = ()) -> str:
    """What a right answer to a query tells; of a query that says nowhere what that is, what was returned."""
    declined = [DECLINED[query.expected]] if query.expected in DECLINED else []
    told = declined + [fact.says for fact in query.facts if fact.accept]
    return " ".join(told) if told else report(steps)


def spam(task: Task, tools: ToolBox, most: int = 20) -> Strategy:
    """Call the first APIs at hand whatever they are, and finish with an answer that says nothing, at length."""
    yield from calls_of(tools.catalog.apis[:most], task, tools)
    yield Note(Finish("I have looked into everything carefully and your request has been completed successfully."))
    return StopReason.FINISHED

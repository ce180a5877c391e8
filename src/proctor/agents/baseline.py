"""The baseline: find the APIs that fit the query's words, fill their slots from it, and report what they said. Pure.

It asks no model and costs nothing. An agent that does no better has not used its model.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence

import msgspec

from proctor.agents.agent import CallApis, Note, Strategy, Task, ToolBox
from proctor.agents.slots import Values, filled_slots, form_of, found_slots, is_lookup, marks_in
from proctor.messages import ToolCall
from proctor.records.queries import ApiSpec
from proctor.records.traces import CallStep, Finish, StopReason

__all__ = ["baseline", "calls_of", "report"]

_WIDER = 4
"""So many times as many APIs are looked at for one whose slots can be filled."""

_Calling = Generator[CallApis, list[CallStep], list[CallStep]]


def baseline(task: Task, tools: ToolBox, k: int = 3, hops: int = 2) -> Strategy:
    """Call the k APIs that fit best, and finish with what was returned.

    An API for whose slots the query has nothing waits: as often as `hops` says, ids and dates in the answers fill
    slots, and the k best that have become able are called. With `hops=0` its slots have their documented defaults.
    """
    steps: list[CallStep] = []
    if hops:
        steps = yield from _hopping(task, tools, k, hops)
    if not any(step.answer is not None and not step.answer.error for step in steps):
        steps += yield from calls_of(tools.search(task.query.text, k), task, tools)
    yield Note(Finish(report(steps)))
    return StopReason.FINISHED


def _hopping(task: Task, tools: ToolBox, k: int, hops: int) -> _Calling:
    """Call the k best APIs that are able, and again with what the answers brought."""
    steps: list[CallStep] = []
    waiting = tools.search(task.query.text, k * _WIDER)
    for _ in range(hops + 1):
        told = _told(steps)
        ready = {api.id: calls for api in waiting if (calls := _calls(api, task.query.text, told, tools, k))}
        able = list(ready)[:k]
        if not able:
            break
        steps += yield CallApis(tuple(call for api in able for call in ready[api]))
        waiting = [api for api in waiting if api.id not in able]
    return steps


def _calls(api: ApiSpec, text: str, told: Sequence[str], tools: ToolBox, most: int) -> list[ToolCall]:
    """The calls that can be made of an API: several where it looks up one thing, and several things are known."""
    ways = [found_slots(api, Values(text, told))]
    if is_lookup(api):
        ways = [{api.required[0].name: value} for value in Values(text).every(api.required[0])[:most]]
    elif len(open_slots := [one for one in api.required if form_of(one).startswith("id ")]) == 1:
        known = Values(text).every(open_slots[0]) or Values("", told).every(open_slots[0])
        ways = [ways[0] | {open_slots[0].name: value} for value in known[:most]]
    needed = {parameter.name for parameter in api.required}
    return [ToolCall(name=tools.name(api.id), args=slots) for slots in ways if needed <= slots.keys()]


def _told(steps: Sequence[CallStep]) -> list[str]:
    """The ids and dates that answers brought: of each answer the first of each form, then the rest."""
    first: list[str] = []
    rest: list[str] = []
    for step in steps:
        if step.answer is None or step.answer.error:
            continue
        seen: set[str] = set()
        for mark in marks_in(msgspec.json.encode(step.answer.response).decode()):
            form = mark.split("-", maxsplit=1)[0]
            (rest if form in seen else first).append(mark)
            seen.add(form)
    return list(dict.fromkeys([*first, *rest]))


def calls_of(apis: Sequence[ApiSpec], task: Task, tools: ToolBox) -> _Calling:
    """Call these APIs, their slots filled from the query, and return the steps."""
    calls = [ToolCall(name=tools.name(api.id), args=filled_slots(api, task.query.text)) for api in apis]
    if not calls:
        return []
    return (yield CallApis(tuple(calls)))


def report(steps: Sequence[CallStep]) -> str:
    """An answer made of what was returned."""
    told = [step.observation for step in steps if step.answer is not None and not step.answer.error]
    return "\n".join(["The tools returned:", *told]) if told else "I found nothing: no tool returned an answer to this."

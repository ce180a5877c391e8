"""Right calls changed on purpose: into other right ones, and into wrong ones. Pure.

Each takes a case and gives the calls, or None where the query has nothing to change so. What is meant to be wrong is
given only where no way of the gold allows it after all.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from proctor.agents.plans import Case, is_right
from proctor.agents.slots import filled_slots
from proctor.messages import ToolCall
from proctor.records.queries import ApiSpec
from proctor.records.ways import ways

__all__ = [
    "argument_dropped",
    "argument_wrong",
    "call_added",
    "call_dropped",
    "call_repeated",
    "last_way",
    "no_calls",
    "optional_left_out",
    "order_changed",
    "order_swapped",
    "tool_invented",
    "tool_wrong",
]

Calls = tuple[ToolCall, ...]


def last_way(case: Case) -> Calls | None:
    """The last of the ways that the gold allows, where it allows several."""
    if not case.gold:
        return None
    calls = case.plan.calls
    for way in ways(case.items):
        calls = tuple(ToolCall(name=call.name, args=call.args) for call in way)
    return calls if calls != case.plan.calls else None


def order_changed(case: Case) -> Calls | None:
    """The same calls in another order that is right as well: from the end, as far as some do not wait for others."""
    if not case.gold:
        return None
    left, calls = list(case.gold), []
    while left:
        waiting = {call.label for call in left}
        free = [call for call in left if not waiting & set(call.after)]
        chosen = (free or left)[-1]
        left.remove(chosen)
        calls.append(ToolCall(name=chosen.name, args=chosen.args))
    return tuple(calls) if tuple(calls) != case.plan.calls and is_right(calls, case.items) else None


def optional_left_out(case: Case) -> Calls | None:
    """Only the calls that have to be made."""
    needed = tuple(ToolCall(name=call.name, args=call.args) for call in case.gold if not call.optional)
    return needed if len(needed) < len(case.gold) else None


def no_calls(case: Case) -> Calls | None:
    """None at all: the answer was guessed."""
    return () if case.plan.calls and (case.query.gold or _wrong(case, ()) is not None) else None


def argument_wrong(case: Case) -> Calls | None:
    """One argument has another value."""
    return _first(case, (_with(case, place, args) for place, args in _changed_arguments(case)))


def argument_dropped(case: Case) -> Calls | None:
    """One argument is left out."""
    if not case.gold:
        return None
    dropped = (
        _with(case, place, {key: value for key, value in call.args.items() if key != name})
        for place, call in _needed(case)
        for name in call.args
    )
    return _first(case, dropped)


def call_dropped(case: Case) -> Calls | None:
    """One call that is needed is left out, and no other asks the same API."""
    calls = case.plan.calls
    names = [call.name for call in calls]
    places = [place for place, call in _needed(case) if names.count(call.name) == 1]
    return _first(case, ((*calls[:place], *calls[place + 1 :]) for place in reversed(places)))


def order_swapped(case: Case) -> Calls | None:
    """A call comes before the one that it has to come after."""
    calls = case.plan.calls
    swapped = (
        (*calls[:early], calls[late], *calls[early:late], *calls[late + 1 :])
        for late, call in enumerate(case.gold)
        for early, other in enumerate(case.gold[:late])
        if other.label in call.after
    )
    return _first(case, swapped)


def call_repeated(case: Case) -> Calls | None:
    """The last call is made twice."""
    calls = case.plan.calls
    return _first(case, [(*calls, calls[-1])] if case.gold else [])


def call_added(case: Case) -> Calls | None:
    """An API is called that nobody needs."""
    return _first(case, ((*case.plan.calls, added) for added in _needless(case))) if case.gold else None


def tool_wrong(case: Case) -> Calls | None:
    """In place of one call that is needed another API is called."""
    calls = case.plan.calls
    names = [call.name for call in calls]
    replaced = (
        (*calls[:place], added, *calls[place + 1 :])
        for place, call in _needed(case)
        if names.count(call.name) == 1
        for added in _needless(case)
    )
    return _first(case, replaced)


def tool_invented(case: Case) -> Calls | None:
    """In place of one call that is needed a function is called that does not exist."""
    calls = case.plan.calls
    names = [call.name for call in calls]
    replaced = (
        (*calls[:place], ToolCall(name="ask_the_oracle_of_everything", args=call.args), *calls[place + 1 :])
        for place, call in _needed(case)
        if names.count(call.name) == 1
    )
    return _first(case, replaced)


def _first(case: Case, candidates: Iterator[Calls] | Sequence[Calls]) -> Calls | None:
    """The first that is really wrong."""
    return next((calls for calls in candidates if _wrong(case, calls) is not None), None)


def _wrong(case: Case, calls: Calls) -> Calls | None:
    """The calls, where they are wrong. Without gold calls only the APIs count."""
    return None if case.gold and is_right(calls, case.items) else calls


def _needed(case: Case) -> Iterator[tuple[int, ToolCall]]:
    """The calls that may not be left out, and whose API is among those that every right way calls."""
    gold = {(one.tool, one.api) for one in case.query.gold}
    for place, call in enumerate(case.plan.calls):
        api = case.catalog.resolver.resolve(call.name).api
        if (case.gold and case.gold[place].optional) or api is None or (api.tool, api.api) not in gold:
            continue
        yield place, call


def _with(case: Case, place: int, args: dict[str, Any]) -> Calls:
    calls = case.plan.calls
    return (*calls[:place], ToolCall(name=calls[place].name, args=args), *calls[place + 1 :])


def _changed_arguments(case: Case) -> Iterator[tuple[int, dict[str, Any]]]:
    if not case.gold:
        return
    for place, call in _needed(case):
        for name, value in call.args.items():
            yield place, {**call.args, name: _other(value)}


def _other(value: Any) -> Any:
    """A value of the same kind that is far from this one."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, (int, float)):
        return value * 3 + 17
    if isinstance(value, str):
        return value[::-1] if value[::-1] != value else f"{value} {value}"
    return None


def _needless(case: Case) -> Iterator[ToolCall]:
    """Calls of APIs that the query documents and does not need."""
    gold = {(one.tool, one.api) for one in case.query.gold}
    called = {case.catalog.resolver.resolve(call.name).api for way in _all_calls(case) for call in way}
    for spec in case.query.apis:
        if (spec.id.tool, spec.id.api) not in gold and spec.id not in called and spec.id in case.catalog:
            yield _call_of(case, case.catalog[spec.id])


def _all_calls(case: Case) -> Iterator[Calls]:
    yield case.plan.calls
    for way in ways(case.items):
        yield tuple(ToolCall(name=call.name, args=call.args) for call in way)


def _call_of(case: Case, api: ApiSpec) -> ToolCall:
    return ToolCall(name=case.catalog.resolver.names[api.id], args=filled_slots(api, case.query.text))

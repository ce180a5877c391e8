"""Plans: what an agent will do, written down before it does it, so that it can be changed on purpose. Pure.

The plan of a query's gold is right. Whether a changed plan still makes the calls that the gold asks for is found here
by going every way of the gold, so that it can be held against what the matching of trajectories says.
"""

from __future__ import annotations

import enum
import itertools
from collections import Counter
from collections.abc import Iterator, Sequence

import msgspec

from proctor.agents.agent import CallApis, Note, Strategy, Task, ToolBox
from proctor.agents.probes import right_answer
from proctor.agents.slots import filled_slots
from proctor.catalog.index import Catalog
from proctor.messages import ToolCall
from proctor.records.gold import AnyOf, GoldCall, GoldItem, read_gold
from proctor.records.keys import content_hash
from proctor.records.queries import Query
from proctor.records.traces import Finish, StopReason, Thought
from proctor.records.ways import ways

__all__ = ["Case", "Ending", "Plan", "case_of", "is_right", "performed"]

_MOST_WAYS = 5_000


class Ending(enum.Enum):
    """How a plan ends."""

    FINISH = "finish"
    GIVE_UP = "give up"
    NOTHING = "nothing"
    """The agent says its answer and never that it is done."""


class Plan(msgspec.Struct, frozen=True):
    """What an agent will do about one query."""

    calls: tuple[ToolCall, ...]
    """By the names that the gold uses."""
    answer: str
    ending: Ending = Ending.FINISH


class Case(msgspec.Struct, frozen=True):
    """A query with the right plan for it, and what is needed to spoil that."""

    query: Query
    plan: Plan
    gold: tuple[GoldCall, ...]
    """The calls of the plan as gold; empty where the query has no gold calls."""
    catalog: Catalog
    others: tuple[Query, ...] = ()
    """The other queries of the benchmark, those that come next first."""

    @property
    def items(self) -> list[GoldItem]:
        """All that the gold allows."""
        return read_gold(list(self.query.calls))


def case_of(query: Query, catalog: Catalog, others: tuple[Query, ...] = ()) -> Case:
    """The case of a query: its gold calls by the first way, or else its gold APIs with slots filled from its words."""
    gold: tuple[GoldCall, ...] = ()
    if query.calls:
        gold = next(ways(read_gold(list(query.calls))))
        calls = tuple(ToolCall(name=call.name, args=call.args) for call in gold)
    else:
        apis = [api for one in query.gold for api in catalog.named(one.tool, one.api, one.category)]
        names = catalog.resolver.names
        calls = tuple(
            ToolCall(name=names[api], args=filled_slots(catalog[api], query.text)) for api in dict.fromkeys(apis)
        )
    return Case(query, Plan(calls, right_answer(query)), gold, catalog, others)


def performed(plan: Plan, task: Task, tools: ToolBox) -> Strategy:
    """Do what a plan says, a call after the other."""
    del task  # a plan is made for its query, and asks it nothing
    for call in plan.calls:
        api = tools.catalog.resolver.resolve(call.name).api
        yield CallApis((ToolCall(name=call.name if api is None else tools.name(api), args=call.args),))
    if plan.ending is Ending.NOTHING:
        yield Note(Thought(plan.answer))
        return StopReason.NO_ANSWER
    gave_up = plan.ending is Ending.GIVE_UP
    yield Note(Finish(plan.answer, gave_up=gave_up))
    return StopReason.GAVE_UP if gave_up else StopReason.FINISHED


def is_right(calls: Sequence[ToolCall], items: Sequence[GoldItem]) -> bool:
    """Whether these are calls that the gold allows, and no others, in an order that it allows."""
    made = [_key(call.name, call.args) for call in calls]
    return any(_fulfils(made, way) for way in itertools.islice(_whole_ways(items), _MOST_WAYS))


def _whole_ways(items: Sequence[GoldItem]) -> Iterator[tuple[GoldCall, ...]]:
    """The ways of gold, alternatives that may be left out altogether included."""
    parts = [[*ways([item]), ()] if isinstance(item, AnyOf) and item.optional else list(ways([item])) for item in items]
    for chosen in itertools.product(*parts):
        yield tuple(itertools.chain.from_iterable(chosen))


def _fulfils(made: Sequence[str], way: Sequence[GoldCall]) -> bool:
    wanted = [_key(call.name, call.args) for call in way]
    needed = Counter(key for key, call in zip(wanted, way, strict=True) if not call.optional)
    count = Counter(made)
    return needed <= count <= Counter(wanted) and _in_order(made, wanted, way)


def _in_order(made: Sequence[str], wanted: Sequence[str], way: Sequence[GoldCall]) -> bool:
    """Whether every call comes after those that the gold has before it, as far as they were made."""
    for key, call in zip(wanted, way, strict=True):
        before = {other for other, one in zip(wanted, way, strict=True) if one.label in call.after}
        if key in made and any(made.index(key) < made.index(other) for other in before if other in made):
            return False
    return True


def _key(name: str, args: dict[str, object]) -> str:
    return content_hash([name, args])

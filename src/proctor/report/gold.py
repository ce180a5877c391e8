"""A trial's calls beside those that should have been made: which fulfil which, and where arguments differ. Pure."""

from __future__ import annotations

import functools
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from proctor.catalog.names import canonical_name, plain_name
from proctor.errors import SampleError, UnmeasuredError
from proctor.messages import ToolCall
from proctor.metrics._api_calls import called
from proctor.metrics.arguments import Difference
from proctor.metrics.gold_slots import WantedCall
from proctor.metrics.matching import match_trajectories
from proctor.metrics.trajectory_result import TrajectoryResult
from proctor.records.gold import GoldCall, read_gold
from proctor.records.queries import ApiId, GoldApi
from proctor.records.runs import Trial
from proctor.records.traces import CallStep

__all__ = ["Beside", "Wanted", "beside_gold"]


class Wanted(msgspec.Struct, frozen=True):
    """A call that should have been made, and what came of it."""

    name: str
    args: dict[str, Any] | None
    """None where the gold names an API and says nothing of arguments."""
    optional: bool
    api: tuple[str, str] | None
    """The tool and the API, where they are known."""
    state: str
    """`made`, `differs` (the same API, other arguments), `moved` (out of order) or `missing`."""


class Beside(msgspec.Struct, frozen=True):
    """The calls of a trial beside its gold."""

    wanted: tuple[Wanted, ...] = ()
    against: dict[int, int] = {}
    """By the call's number in the trial, from 0: the place in `wanted` of the call that it is held against."""
    differences: dict[int, tuple[Difference, ...]] = {}
    """By the call's number: the arguments that differ."""
    note: str = ""
    """Why the two could not be paired, if they could not."""


def beside_gold(trial: Trial) -> Beside:
    """Hold a trial's calls against its gold: its gold calls where the query has them, else its gold APIs."""
    if not trial.query.calls:
        return _by_api(trial)
    try:
        gold = read_gold(list(trial.query.calls))
        names = set(_names(gold))
        on_path = dict(_calls_on_path(trial))
        made = [_made(step, names) for step in on_path.values()]
        return _paired(match_trajectories(made, gold, "superset"), _apis(trial, names), list(on_path))
    except (SampleError, UnmeasuredError) as error:
        return Beside(note=f"the calls could not be paired: {error}")


def _calls_on_path(trial: Trial) -> Iterator[tuple[int, CallStep]]:
    """The calls that count, each with its number among all calls; those that were taken back are none of them."""
    on_path = set(trial.trace.path_places)
    calls = ((place, step) for place, step in enumerate(trial.trace.steps) if isinstance(step, CallStep))
    for number, (place, step) in enumerate(calls):
        if place in on_path:
            yield number, step


def _made(step: CallStep, names: Collection[str]) -> ToolCall:
    """A call under the name that the gold has for its API, where it has one."""
    name = step.name
    if name not in names and step.api is not None:
        name = next((one for one in (plain_name(step.api), canonical_name(step.api)) if one in names), name)
    return ToolCall(name=name, args=step.arguments, malformed=step.malformed)


def _names(gold: Iterable[Any]) -> Iterator[str]:
    for item in gold:
        if isinstance(item, GoldCall):
            yield item.name
        else:
            for option in item.options:
                yield from _names(option)


def _apis(trial: Trial, names: Collection[str]) -> dict[str, tuple[str, str]]:
    """The tool and the API of the names in the gold, as far as the query or the calls that were made tell them."""
    needed = [ApiId(gold.category or "", gold.tool, gold.api) for gold in trial.query.gold]
    reached = [step.api for step in trial.trace.steps if isinstance(step, CallStep) and step.api is not None]
    known = [spec.id for spec in trial.query.apis]
    found: dict[str, tuple[str, str]] = {}
    for ids in (needed, reached, known):
        if set(names) <= found.keys():
            break
        found = {name: (api.tool, api.api) for api in ids for name in _names_of(api)} | found
    return found


@functools.lru_cache(65_536)
def _names_of(api: ApiId) -> tuple[str, str]:
    """The names that gold may have for an API."""
    return plain_name(api), canonical_name(api)


def _paired(found: TrajectoryResult, apis: Mapping[str, tuple[str, str]], numbers: Sequence[int]) -> Beside:
    calls: dict[str, tuple[WantedCall, str]] = {call.where: (call, "missing") for call in found.missing}
    held: dict[int, str] = {}
    differences: dict[int, tuple[Difference, ...]] = {}
    for state, pairs in (("made", found.pairs), ("differs", found.differing), ("moved", found.moved)):
        for pair in pairs:
            calls[pair.wanted.where] = (pair.wanted, state)
            held[numbers[pair.made.index]] = pair.wanted.where
            if pair.differences:
                differences[numbers[pair.made.index]] = pair.differences
    places = {where: place for place, where in enumerate(sorted(calls, key=_in_order))}
    wanted = [
        Wanted(call.name, call.args, call.optional, apis.get(call.name), state)
        for call, state in (calls[where] for where in places)
    ]
    return Beside(tuple(wanted), {index: places[where] for index, where in held.items()}, differences)


def _by_api(trial: Trial) -> Beside:
    """Where only APIs are known, a call is held against the API that it called."""
    gold = [one for one in trial.query.gold if one.api != "Finish"]
    reached = called(trial.trace)
    wanted = tuple(
        Wanted(one.api, None, optional=False, api=_pair(one), state="made" if _pair(one) in reached else "missing")
        for one in gold
    )
    places = {_pair(one): place for place, one in enumerate(gold)}
    return Beside(wanted, dict(_places(trial, places)))


def _places(trial: Trial, places: dict[tuple[str, str], int]) -> Iterable[tuple[int, int]]:
    for index, step in _calls_on_path(trial):
        if step.api is not None and (step.api.tool, step.api.api) in places:
            yield index, places[step.api.tool, step.api.api]


def _pair(gold: GoldApi) -> tuple[str, str]:
    return gold.tool, gold.api


def _in_order(where: str) -> list[tuple[int, str]]:
    """`10` after `9`: numbers count as numbers."""
    return [(int(part), "") if part.isdigit() else (-1, part) for part in re.findall(r"\d+|\D+", where)]

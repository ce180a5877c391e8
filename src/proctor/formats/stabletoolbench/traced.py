"""Between converted answers and traces: the same path, in StableToolBench's words and in Proctor's.

A file names functions; which APIs they stand for is found among the query's own, or in a catalogue. A trace that was
written without `compat` is read back as it was; with `compat`, the file holds what its format has a place for.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, TypeVar

import msgspec

from proctor.catalog.index import Catalog
from proctor.catalog.names import canonical_names, offered_names
from proctor.catalog.schemas import function_schema
from proctor.errors import InputError
from proctor.formats.stabletoolbench.conversions import Conversion
from proctor.formats.stabletoolbench.converted import ConvertedAnswer
from proctor.formats.stabletoolbench.stops import last_finish, stop_of
from proctor.formats.stabletoolbench.turns import Called, Said, Turn, json_text_of
from proctor.messages import read_tool_call
from proctor.records.finishing import FINISH, SCHEMA, finish_of, written_finish
from proctor.records.queries import Query
from proctor.records.traces import CallStep, Finish, Resolution, Step, Thought, Trace

T = TypeVar("T")
_OF_CALL = ("resolution", "api", "malformed", "answer", "seconds")
"""The fields of a call that a converted answer has no place for."""
_OF_TRACE = ("stop", "offered", "usage", "seconds", "failure", "back")
_ASIDE = "aside"
"""The steps that were taken back, by their number among all."""


def trace_of(answer: ConvertedAnswer, query: Query, catalog: Catalog | None = None) -> Conversion[Trace]:
    """The trace of a converted answer; functions are looked up in the catalogue, else among the query's own APIs."""
    known = catalog if catalog is not None else Catalog.of_apis(query.apis)
    finish = last_finish(answer.turns)
    header = answer.facts.get("trace")
    facts = {"stop": stop_of(answer.turns).value, **(header if isinstance(header, dict) else {})}
    said = finish_of(answer.final_answer) if answer.final_answer else finish
    final = facts.pop("final_answer", said.answer if isinstance(said, Finish) else answer.final_answer)
    try:
        trace = msgspec.convert({**facts, "query_id": answer.query_id, "final_answer": final}, Trace)
        steps = _whole(tuple(_steps(answer, known)), _aside(answer))
    except (msgspec.ValidationError, ValueError) as error:
        raise InputError(f"what Proctor wrote into the answer {answer.query_id!r} was changed: {error}.") from None
    lost = list(answer.notes)
    if "trace" not in answer.facts:
        lost.append("the file does not say what the agent used, nor why it stopped where it did not finish")
    whole: Trace = msgspec.structs.replace(trace, steps=steps)
    return Conversion(whole, tuple(lost))


def answer_of(
    trace: Trace, query: Query, method: str = "proctor", *, compat: bool = False
) -> Conversion[ConvertedAnswer]:
    """A trace as a converted answer: its path, and what was taken back beside it.

    With `compat`, what the format has no place for is left out and named.
    """
    path = trace.path
    turns = tuple(_turn(step, compat=compat) for step in path)
    finish = next((step for step in reversed(path) if isinstance(step, Finish)), None)
    final = "" if finish is None else written_finish(finish.answer, gave_up=finish.gave_up)
    header = {name: value for name, value in msgspec.to_builtins(trace).items() if name in _OF_TRACE}
    if finish is None or finish.answer != trace.final_answer:
        header["final_answer"] = trace.final_answer
    if trace.back:
        on_path = set(trace.path_places)
        aside = {str(place): step for place, step in enumerate(trace.steps) if place not in on_path}
        header[_ASIDE] = msgspec.to_builtins(aside)
    answer = ConvertedAnswer(
        query_id=trace.query_id,
        query=query.text,
        functions=tuple(functions_of(trace, query)),
        method=method,
        final_answer=final or trace.final_answer,
        turns=turns,
        facts={} if compat else {"trace": header},
    )
    return Conversion(answer, tuple(_lost(trace, query)) if compat else tuple(_undocumented(trace, query)))


class Branches(msgspec.Struct, frozen=True):
    """All that an agent did, what it took back included."""

    turns: tuple[Turn, ...]
    """In the order in which they were made."""
    back: dict[int, int]
    """By the number of a turn that does not follow the one before it: that of the one that it follows, else -1."""


def branches_of(answer: ConvertedAnswer) -> Branches | None:
    """The ways of an answer that knows of several; None where its path is all that there is."""
    header = answer.facts.get("trace")
    back = header.get("back") if isinstance(header, dict) else None
    if not back:
        return None
    try:
        aside = {place: _turn(step, compat=True) for place, step in _aside(answer).items()}
        return Branches(_whole(answer.turns, aside), dict(msgspec.convert(back, list[tuple[int, int]])))
    except (msgspec.ValidationError, ValueError) as error:
        raise InputError(f"what Proctor wrote into the answer {answer.query_id!r} was changed: {error}.") from None


def functions_of(trace: Trace, query: Query) -> Iterator[dict[str, Any]]:
    """The functions that an agent was offered, and Finish, as `available_tools` has them.

    Where all APIs there are were at hand, those are the query's own and those that it called. They have the names by
    which they were called; what only others document has no more than its name.
    """
    documented = {api.id: api for api in query.apis}
    at_hand = trace.offered if isinstance(trace.offered, tuple) else tuple(documented)
    called = {
        step.api: step.name
        for step in trace.steps
        if isinstance(step, CallStep) and step.api is not None and step.resolution is Resolution.RESOLVED
    }
    listed = dict.fromkeys((*at_hand, *called))
    canonical = canonical_names(listed)
    plainly = any(name != canonical[api] for api, name in called.items())
    names = {**(offered_names(listed) if plainly else canonical), **called}
    for api in listed:
        yield function_schema(documented[api], names[api], "json") if api in documented else {"name": names[api]}
    yield SCHEMA


def _turn(step: Step, *, compat: bool) -> Turn:
    if isinstance(step, Thought):
        return Said(step.text)
    if isinstance(step, Finish):
        return Called(FINISH, written_finish(step.answer, gave_up=step.gave_up))
    known = msgspec.to_builtins(step)
    facts = {name: known[name] for name in _OF_CALL if name in known}
    if step.malformed is not None:
        facts["arguments"] = known["arguments"]
    arguments = json_text_of(step.arguments) if step.malformed is None else step.malformed
    return Called(step.name, arguments, step.observation, facts=None if compat else facts)


def _steps(answer: ConvertedAnswer, catalog: Catalog) -> Iterator[Step]:
    offered = frozenset(answer.function_names)
    for turn in answer.turns:
        if isinstance(turn, Said):
            yield Thought(turn.text)
        elif turn.facts is not None:
            yield _remembered(turn, turn.facts)
        else:
            finish = finish_of(turn.arguments) if turn.name == FINISH else None
            yield finish if isinstance(finish, Finish) else _call(turn, catalog, offered)


def _remembered(turn: Called, facts: dict[str, Any]) -> CallStep:
    arguments, malformed = _arguments(turn)
    known = {"arguments": arguments, "malformed": malformed, **facts}
    return msgspec.convert({"type": "call", "name": turn.name, "observation": turn.response, **known}, CallStep)


def _call(turn: Called, catalog: Catalog, offered: frozenset[str]) -> CallStep:
    arguments, malformed = _arguments(turn)
    if turn.name == FINISH:  # it is a known name, with arguments that say nothing of how to finish
        return CallStep(FINISH, arguments, Resolution.RESOLVED, turn.response, malformed=malformed)
    match = catalog.resolver.resolve(turn.name)
    outcome = match.outcome
    if outcome is Resolution.REPAIRED and turn.name in offered:
        outcome = Resolution.RESOLVED
    if match.api is not None:
        arguments = catalog.arguments(match.api).restore(arguments).arguments
    return CallStep(turn.name, arguments, outcome, turn.response, api=match.api, malformed=malformed)


def _arguments(turn: Called) -> tuple[dict[str, Any], str | None]:
    """The arguments, or none and the text that could not be read. Of a cut message, that is all that was left."""
    if not turn.complete:
        return {}, turn.text
    call = read_tool_call({"name": turn.name, "arguments": turn.arguments})
    return call.args, call.malformed


def _aside(answer: ConvertedAnswer) -> dict[int, Step]:
    header = answer.facts.get("trace")
    aside = header.get(_ASIDE, {}) if isinstance(header, dict) else {}
    return {int(place): msgspec.convert(step, Step) for place, step in msgspec.convert(aside, dict[str, Any]).items()}


def _whole(path: tuple[T, ...], aside: Mapping[int, T]) -> tuple[T, ...]:
    """What stands on the path and what stands beside it, in the order in which it was made."""
    count, on_path = len(path) + len(aside), iter(path)
    if aside and not 0 <= min(aside) <= max(aside) < count:
        raise ValueError("a step that was taken back has no place among the others")
    return tuple(aside[place] if place in aside else next(on_path) for place in range(count))


def _undocumented(trace: Trace, query: Query) -> Iterator[str]:
    own = {api.id for api in query.apis}
    offered = trace.offered if isinstance(trace.offered, tuple) else ()
    called = {step.api for step in trace.steps if isinstance(step, CallStep) and step.api is not None}
    if not own >= {*offered, *called}:
        yield "what functions say and take that are not the query's own"


def _lost(trace: Trace, query: Query) -> Iterator[str]:
    yield from _undocumented(trace, query)
    if trace.back:
        yield f"left out: what was taken back ({len(trace.steps) - len(trace.path)} steps)"
    calls = [step for step in trace.steps if isinstance(step, CallStep)]
    if any(step.answer is not None for step in calls):
        yield "the APIs' whole answers and where they came from"
    if any(step.seconds for step in calls) or trace.seconds:
        yield "how long it took"
    if trace.usage.requests:
        yield "what was asked of the model and what it cost"
    if trace.offered:
        yield "which APIs were at hand"
    if trace.failure is not None:
        yield "what failed, and whose fault it was"
    if not any(isinstance(step, Finish) for step in trace.steps):
        yield f"why it stopped: {trace.stop.value}"

"""Between converted answers and traces: the same path, in StableToolBench's words and in Proctor's.

A file names functions; which APIs they stand for is found among the query's own, or in a catalogue. A trace that was
written without `compat` is read back as it was; with `compat`, the file holds what its format has a place for.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from proctor.catalog.index import Catalog
from proctor.catalog.names import offered_names
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

_OF_CALL = ("resolution", "api", "malformed", "answer", "seconds")
"""The fields of a call that a converted answer has no place for."""
_OF_TRACE = ("stop", "offered", "usage", "seconds", "failure")


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
        steps = tuple(_steps(answer, known))
    except msgspec.ValidationError as error:
        raise InputError(f"what Proctor wrote into the answer {answer.query_id!r} was changed: {error}.") from None
    lost = list(answer.notes)
    if "trace" not in answer.facts:
        lost.append("the file does not say what the agent used, nor why it stopped where it did not finish")
    whole: Trace = msgspec.structs.replace(trace, steps=steps)
    return Conversion(whole, tuple(lost))


def answer_of(
    trace: Trace, query: Query, method: str = "proctor", *, compat: bool = False
) -> Conversion[ConvertedAnswer]:
    """A trace as a converted answer. With `compat`, what the format has no place for is left out and named."""
    turns = tuple(_turn(step, compat=compat) for step in trace.steps)
    finish = next((step for step in reversed(trace.steps) if isinstance(step, Finish)), None)
    final = "" if finish is None else written_finish(finish.answer, gave_up=finish.gave_up)
    header = {name: value for name, value in msgspec.to_builtins(trace).items() if name in _OF_TRACE}
    if finish is None or finish.answer != trace.final_answer:
        header["final_answer"] = trace.final_answer
    answer = ConvertedAnswer(
        query_id=trace.query_id,
        query=query.text,
        functions=tuple(functions_of(query)),
        method=method,
        final_answer=final or trace.final_answer,
        turns=turns,
        facts={} if compat else {"trace": header},
    )
    return Conversion(answer, tuple(_lost(trace)) if compat else ())


def functions_of(query: Query) -> Iterator[dict[str, Any]]:
    """The functions of a query's own APIs and Finish, as `available_tools` has them."""
    specs = {api.id: api for api in query.apis}
    for api, name in offered_names(specs).items():
        yield function_schema(specs[api], name, "json")
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


def _lost(trace: Trace) -> Iterator[str]:
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

"""The trials of a page as compact data: a line for the list of them, and a trace to be opened. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from proctor.metrics._trials import points, status
from proctor.records.answers import Answer
from proctor.records.grades import Missing, Score, Verdict
from proctor.records.queries import Query
from proctor.records.runs import RunRecord, Trial
from proctor.records.traces import CallStep, Finish, Resolution, Step, Thought, Trace
from proctor.report.gold import Beside, beside_gold

__all__ = ["CHUNK", "chunks", "rows"]

CHUNK = 50
"""So many queries' traces lie together: a page unpacks no more than that to open one."""
LONGEST = 4_000
"""Characters of one text that a page holds; the run itself holds all."""

_JSON = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))
_PLAIN = (str, int, float, type(None))
Task = tuple[str, str]
Plain = dict[str, Any]


def rows(runs: Sequence[RunRecord]) -> Plain:
    """A line for each trial: of each column, the values of all lines.

    `runs` holds what each run has to say, by the same lines; null where it has no such trial.
    """
    order = _order(runs)
    keys = [(task, epoch) for task, epochs in order.items() for epoch in epochs]
    queries = _queries(runs)
    sets = list(dict.fromkeys(task[0] for task in order))
    tools = sorted({gold.tool for query in queries.values() for gold in query.gold})
    index, tool_index = ({name: place for place, name in enumerate(names)} for names in (sets, tools))
    return {
        "names": [run.name for run in runs],
        "sets": sets,
        "tools": tools,
        "chunk": CHUNK,
        "set": [index[task[0]] for task, _ in keys],
        "id": [task[1] for task, _ in keys],
        "epochs": max((len(epochs) for epochs in order.values()), default=0),
        "epoch": [epoch for _, epoch in keys],
        "query": _places(order),
        "text": [_cut(queries[task].text, 400) for task, _ in keys],
        "tool": [
            [tool_index[name] for name in dict.fromkeys(gold.tool for gold in queries[task].gold)] for task, _ in keys
        ],
        "needs": [len(queries[task].calls) or len(queries[task].gold) for task, _ in keys],
        "expected": [queries[task].expected.value for task, _ in keys],
        "runs": [_column(run, keys) for run in runs],
    }


def chunks(runs: Sequence[RunRecord]) -> Iterator[list[Plain]]:
    """The traces of all trials, some queries at a time, in the order of the lines."""
    order, queries = _order(runs), _queries(runs)
    trials = [{_key(trial): trial for trial in run.trials} for run in runs]
    tasks = list(order)
    for first in range(0, len(tasks), CHUNK):
        yield [
            {
                **_asked(queries[task]),
                "trials": [
                    [_trial(one) if (one := run.get((task, epoch))) is not None else None for run in trials]
                    for epoch in order[task]
                ],
            }
            for task in tasks[first : first + CHUNK]
        ]


def _order(runs: Sequence[RunRecord]) -> dict[Task, list[int]]:
    """Every query that a run has tried, and its epochs: sets in the first run's order, then by query."""
    epochs: dict[Task, set[int]] = {}
    for run in runs:
        for trial in run.trials:
            epochs.setdefault(_key(trial)[0], set()).add(trial.key.epoch)
    return {task: sorted(found) for task, found in epochs.items()}


def _places(order: dict[Task, list[int]]) -> list[int]:
    return [place for place, epochs in enumerate(order.values()) for _ in epochs]


def _queries(runs: Sequence[RunRecord]) -> dict[Task, Query]:
    return {_key(trial)[0]: trial.query for run in reversed(runs) for trial in run.trials}


def _key(trial: Trial) -> tuple[Task, int]:
    return (trial.key.test_set, trial.key.query_id), trial.key.epoch


def _column(run: RunRecord, keys: Sequence[tuple[Task, int]]) -> list[list[Any] | None]:
    trials = {_key(trial): trial for trial in run.trials}
    return [_line(trials[key]) if key in trials else None for key in keys]


def _line(trial: Trial) -> list[Any]:
    """What a line says of a trial: its status, its worth, why it stopped, its calls, whose fault, the tools called."""
    found, worth, trace = status(trial), points(trial), trial.trace
    calls = [step for step in trace.steps if isinstance(step, CallStep)]
    return [
        "unmeasured" if isinstance(found, Missing) else found.value.lower(),
        worth.value if isinstance(worth, Score) else None,
        trace.stop.value,
        len(calls),
        trace.failure.fault.value if trace.failure is not None else "",
        list(dict.fromkeys(step.api.tool for step in calls if step.api is not None)),
        _cut(trace.final_answer, 160),
    ]


def _asked(query: Query) -> Plain:
    return {
        "text": _cut(query.text, 4 * LONGEST),
        "facts": [fact.says for fact in query.facts],
        "expected": query.expected.value,
        "offered": len(query.apis),
    }


def _trial(trial: Trial) -> Plain:
    trace, beside, worth = trial.trace, beside_gold(trial), points(trial)
    return {
        "worth": worth.value if isinstance(worth, Score) else None,
        "unmeasured": worth.reason if isinstance(worth, Missing) else "",
        "stop": trace.stop.value,
        "failure": _failure(trace),
        "offered": len(trace.offered) if isinstance(trace.offered, tuple) else trace.offered,
        "usage": [trace.usage.requests, trace.usage.prompt_tokens, trace.usage.completion_tokens],
        "cost": None if isinstance(trace.usage.cost, Missing) else trace.usage.cost,
        "seconds": round(trace.seconds, 3),
        "answer": _cut(trace.final_answer, 2 * LONGEST),
        "gold": [_wanted(beside, place) for place in range(len(beside.wanted))],
        "note": beside.note,
        "steps": list(_steps(trace, beside)),
        "verdicts": [_verdict(one) for one in trial.verdicts],
    }


def _failure(trace: Trace) -> list[str] | None:
    found = trace.failure
    return None if found is None else [found.kind, _cut(found.message, LONGEST), found.fault.value]


def _wanted(beside: Beside, place: int) -> Plain:
    call = beside.wanted[place]
    args = None if call.args is None else [[name, _wish(value)] for name, value in call.args.items()]
    found: Plain = {"name": call.name, "args": args, "state": call.state, "optional": call.optional}
    return found if call.api is None else {**found, "api": list(call.api)}


def _wish(value: Any) -> str:
    """A value that gold asks for, as gold has it in files; where it leaves a choice, in words."""
    match value:
        case {"$one_of": [*values]}:
            return _cut(f"one of {', '.join(map(_wish, values))}", LONGEST)
        case {"$near": near, "absolute": reach}:
            return f"{near}, or at most {reach} away"
        case {"$near": near, "relative": reach}:
            return f"{near}, or at most {reach * 100:g} % away"
        case {"$pattern": str(regex)}:
            return _cut(f"text of the form {regex}", LONGEST)
        case {"$any": True}:
            return "anything"
    return _text(value)


def _steps(trace: Trace, beside: Beside) -> Iterator[Plain]:
    calls = 0
    for step in trace.steps:
        yield _step(step, beside, calls)
        calls += isinstance(step, CallStep)


def _step(step: Step, beside: Beside, index: int) -> Plain:
    if isinstance(step, Thought):
        return {"is": "thought", "text": _cut(step.text, LONGEST)}
    if isinstance(step, Finish):
        return {"is": "finish", "text": _cut(step.answer, LONGEST), "gave_up": step.gave_up}
    found: Plain = {
        "is": "call",
        "name": step.name,
        "args": [[name, _text(value)] for name, value in step.arguments.items()],
        "shown": _cut(step.observation, LONGEST),
        "seconds": round(step.seconds, 3),
        **_origin(step.answer),
    }
    if step.api is not None:
        found["api"] = [step.api.category, step.api.tool, step.api.api]
    if step.resolution is not Resolution.RESOLVED:
        found["resolution"] = step.resolution.value
    if step.malformed is not None:
        found["malformed"] = _cut(step.malformed, LONGEST)
    if index in beside.against:
        found["gold"] = beside.against[index]
        found["differs"] = [one.path for one in beside.differences.get(index, ())]
    whole = _whole(step)
    return {**found, "whole": whole} if whole else found


def _origin(answer: Answer | None) -> Plain:
    if answer is None:
        return {"source": ""}
    made = answer.provenance
    if made is None:
        return {"source": "unknown", "error": _cut(answer.error, 500)}
    told = {
        "source": made.source.value,
        "by": made.model,
        "at": made.at,
        "fault": made.fault,
        "tried": list(made.attempts),
        "error": _cut(answer.error, 500),
    }
    return {name: value for name, value in told.items() if value}


def _whole(step: CallStep) -> str:
    """The whole answer, where the agent was shown only a part of it or something else."""
    if step.answer is None:
        return ""
    response = step.answer.response
    text = response if isinstance(response, str) else _text(response)
    return "" if text in ("", step.observation, step.answer.error) or text in step.observation else _cut(text, LONGEST)


def _verdict(verdict: Verdict | Missing) -> Plain:
    if isinstance(verdict, Missing):
        return {"missing": verdict.reason, "reason": _cut(verdict.detail or "", LONGEST)}
    found: Plain = {"status": verdict.status.value, "reason": _cut(verdict.reason, LONGEST), "judge": verdict.judge}
    if verdict.repeat:
        found["repeat"] = verdict.repeat
    if verdict.ballots:
        found["ballots"] = [_verdict(ballot) for ballot in verdict.ballots]
    return found


def _text(value: Any) -> str:
    """A value as JSON text, which a page shows as it stands; no browser reads its numbers, so none is rounded."""
    return _cut(_JSON.encode(value if isinstance(value, _PLAIN) else msgspec.to_builtins(value)), LONGEST)


def _cut(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{text[:longest]}… ({len(text) - longest:,} more characters)"

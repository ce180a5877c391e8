"""Answers that somebody else recorded, made into a run that is finished and not judged: traces and no agent.

A query of the benchmark that has no recorded answer gets a trace that says so: it counts as unsolved. Upstream leaves
it out of the denominator, and `answered_only` does the same, so that both numbers can stand side by side.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import msgspec

from proctor import json_text
from proctor.catalog.index import Catalog
from proctor.errors import InputError
from proctor.formats.stabletoolbench.converted import ConvertedAnswer
from proctor.formats.stabletoolbench.converting import answers_of
from proctor.formats.stabletoolbench.recordings import Recording
from proctor.formats.stabletoolbench.traced import trace_of
from proctor.records.answers import Answer
from proctor.records.grades import Missing, Verdict
from proctor.records.keys import content_hash
from proctor.records.queries import Query
from proctor.records.runs import Manifest, RunRecord, RunSpec, TrialKey
from proctor.records.traces import CallStep, Failure, Fault, StopReason, Trace

__all__ = ["NO_ANSWER", "Recorded", "answered_only", "recorded_run"]

NO_ANSWER = "NoAnswer"
"""The kind of failure of a query to which no answer was recorded."""


class Recorded(msgspec.Struct, frozen=True):
    """What was recorded, as a run has it."""

    manifest: Manifest
    queries: dict[str, tuple[Query, ...]]
    """By test set."""
    traces: dict[TrialKey, Trace]
    verdicts: dict[TrialKey, tuple[Verdict | Missing, ...]]
    """Verdicts that stand in the files, one a repeat."""
    lost: tuple[str, ...]
    """What the traces do not say, and what was left out: a sentence each."""


class Label(msgspec.Struct, frozen=True):
    """What a run of recorded answers is called, and what it is about."""

    benchmark: str
    config: str
    proctor_version: str
    started: float
    data: str | None = None
    """The hash of the benchmark."""


def recorded_run(
    recordings: Sequence[Recording],
    sets: Mapping[str, Sequence[Query]],
    label: Label,
    catalog: Catalog | None = None,
) -> Recorded:
    """One model's recordings as a run over the queries of their sets. InputError where they do not belong together."""
    models = list(dict.fromkeys(recording.model for recording in recordings))
    if len(models) != 1:
        raise InputError(f"a run is of one model; found answers of {', '.join(models) or 'none'}.")
    found = Recorded(_manifest(recordings, models[0], sets, label), {}, {}, {}, ())
    lost: list[str] = []
    for recording in recordings:
        test_set = set_of(recording, sets)
        if test_set in found.queries:
            raise InputError(f"{recording.paths[0]}: the set {test_set} is recorded twice; name one of the two.")
        found.queries[test_set] = tuple(sets[test_set])
        lost += [*recording.lost, *_taken(found, recording, test_set, sets[test_set], catalog)]
    return msgspec.structs.replace(found, lost=tuple(lost))


def set_of(recording: Recording, sets: Mapping[str, Sequence[Query]]) -> str:
    """The test set that a recording is of: that of its name, else the one that its queries stand in."""
    if recording.test_set in sets:
        return recording.test_set
    answered = {answer.query_id for answer in answers_of(recording).value}
    fitting = [name for name, queries in sets.items() if answered and answered <= {query.id for query in queries}]
    if len(fitting) == 1:
        return fitting[0]
    known = ", ".join(sets)
    problem = "belong to no one set of the benchmark" if not fitting else f"may belong to {' or '.join(fitting)}"
    raise InputError(
        f"{recording.paths[0]}: the answers {problem}; name the file after its set ({known}), or another --benchmark."
    )


def answered_only(run: RunRecord) -> RunRecord:
    """The run without the queries that have no answer, as upstream counts: an agent that crashes leaves none."""
    trials = tuple(trial for trial in run.trials if trial.trace.failure is None)
    left_out = len(run.trials) - len(trials)
    return msgspec.structs.replace(run, trials=trials, planned=max(run.planned - left_out, len(trials)))


def _taken(
    found: Recorded, recording: Recording, test_set: str, queries: Sequence[Query], catalog: Catalog | None
) -> Iterator[str]:
    """Take in a recording's answers; yields what is lost."""
    said, lost = answers_of(recording)
    yield from lost
    answers = {answer.query_id: answer for answer in said}
    for query in queries:
        key = TrialKey(test_set, query.id)
        answer = answers.pop(query.id, None)
        if answer is None:
            found.traces[key] = _nothing(query)
            continue
        trace, missing = trace_of(answer, query, catalog)
        yield from missing
        found.traces[key] = _shown(trace, answer, query)
        if verdicts := recording.verdicts.get(query.id):
            found.verdicts[key] = verdicts
    if len(answers) == len(said):
        raise InputError(
            f"{recording.paths[0]}: not one answer is to a query of {test_set}; is this another benchmark?"
        )
    yield from ["left out: an answer to a query that the benchmark does not have"] * len(answers)


def _nothing(query: Query) -> Trace:
    failure = Failure(NO_ANSWER, "no answer was recorded", Fault.AGENT)
    return Trace(query.id, StopReason.NO_ANSWER, offered=None, failure=failure)


def _shown(trace: Trace, answer: ConvertedAnswer, query: Query) -> Trace:
    """The trace with what the agent was shown taken for the APIs' answers, and what was offered read from its names."""
    resolver = Catalog.of_apis(query.apis).resolver
    offered = dict.fromkeys(api for name in answer.function_names if (api := resolver.resolve(name).api) is not None)
    steps = tuple(_answered(step) if isinstance(step, CallStep) else step for step in trace.steps)
    known = trace.offered or tuple(offered) if answer.functions else trace.offered or None
    return msgspec.structs.replace(trace, steps=steps, offered=known)


def _answered(step: CallStep) -> CallStep:
    if step.answer is not None or step.api is None or not step.observation:
        return step
    return msgspec.structs.replace(step, answer=_answer(step.observation))


def _answer(observation: str) -> Answer:
    """What an API answered, as far as the agent was shown it: the envelope's two fields, else the text."""
    try:
        said = json_text.decode(observation)
    except InputError:
        return Answer(observation)
    if isinstance(said, dict) and said.keys() == {"error", "response"}:
        return Answer(said["response"], error=said["error"] if isinstance(said["error"], str) else "")
    return Answer(said)


def _manifest(
    recordings: Sequence[Recording], model: str, sets: Mapping[str, Sequence[Query]], label: Label
) -> Manifest:
    names = tuple(set_of(recording, sets) for recording in recordings)
    answers = [msgspec.to_builtins(answers_of(recording).value) for recording in recordings]
    spec = RunSpec(
        benchmark=label.benchmark,
        test_sets=names,
        agent=model,
        agent_options={"recorded": content_hash(answers)},
        policy="recorded",
        tools="query",
        data=label.data,
    )
    return Manifest(
        spec=spec,
        proctor_version=label.proctor_version,
        started=label.started,
        framework=model,
        config=label.config,
        query_ids=tuple(f"{name}/{query.id}" for name in names for query in sets[name]),
        apis=len({api.id for name in names for query in sets[name] for api in query.apis}),
    )

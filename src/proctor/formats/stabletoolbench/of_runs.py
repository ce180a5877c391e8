"""A run in upstream's forms: converted answers and pass rates, a file for each test set and epoch.

A trial that broke through no fault of the agent's has no place in them. With `compat`, a query that has no answer
because the agent crashed has none either, as upstream writes them. What is left out is counted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from proctor.formats.stabletoolbench.conversions import Conversion
from proctor.formats.stabletoolbench.converted import ConvertedAnswer, written_converted
from proctor.formats.stabletoolbench.json_files import json_bytes
from proctor.formats.stabletoolbench.pass_rates import (
    PassRateEntry,
    pass_rate_entry,
    pass_rate_table,
    written_pass_rates,
)
from proctor.formats.stabletoolbench.traced import answer_of
from proctor.records.runs import RunRecord, Trial
from proctor.records.traces import Fault


class Part(msgspec.Struct, frozen=True):
    """One test set and epoch of a run, as a file has it."""

    name: str
    """What tells it from the others; empty where it is the only one."""
    data: bytes
    answers: int


def converted_parts(run: RunRecord, *, compat: bool = False) -> Conversion[list[Part]]:
    """The run's answers as converted files."""
    parts: list[Part] = []
    lost: list[str] = []
    for name, trials in _parted(run, lost, compat):
        answers, losses = _answers(run, trials, compat=compat)
        lost += losses
        parts.append(Part(name, json_bytes(written_converted(answers, compat=compat)), len(answers)))
    return Conversion(parts, tuple(lost))


def pass_rate_parts(run: RunRecord, *, compat: bool = False, table: bool = False) -> Conversion[list[Part]]:
    """The run's verdicts as pass rates, as JSON or as tables."""
    parts: list[Part] = []
    lost: list[str] = []
    for name, trials in _parted(run, lost, compat):
        entries = list(_entries(run, trials))
        if table:
            data, losses = pass_rate_table(entries, run.manifest.framework)
        else:
            document, losses = written_pass_rates(entries, compat=compat)
            data = json_bytes(document)
        lost += losses
        parts.append(Part(name, data, len(entries)))
    return Conversion(parts, tuple(lost))


def _parted(run: RunRecord, lost: list[str], compat: bool) -> Iterator[tuple[str, list[Trial]]]:
    """The trials of each set and epoch that have an answer."""
    groups: dict[tuple[str, int], list[Trial]] = {}
    for trial in run.trials:
        group = groups.setdefault((trial.key.test_set, trial.key.epoch), [])
        failure = trial.trace.failure
        if failure is not None and failure.fault is not Fault.AGENT:
            lost.append("left out: a trial that broke through no fault of the agent's")
        elif failure is not None and compat:
            lost.append("left out: a query that has no answer")
        else:
            group.append(trial)
    several_epochs = len({epoch for _, epoch in groups}) > 1
    for (test_set, epoch), trials in groups.items():
        named = [test_set] if len({name for name, _ in groups}) > 1 else []
        yield ".".join([*named, *([f"epoch{epoch}"] if several_epochs else [])]), trials


def _answers(run: RunRecord, trials: Iterable[Trial], *, compat: bool) -> Conversion[list[ConvertedAnswer]]:
    done = [answer_of(trial.trace, trial.query, _method(run), compat=compat) for trial in trials]
    return Conversion([one.value for one in done], tuple(sentence for one in done for sentence in one.lost))


def _entries(run: RunRecord, trials: Iterable[Trial]) -> Iterator[PassRateEntry]:
    for trial in trials:
        answer = answer_of(trial.trace, trial.query, _method(run), compat=True).value
        yield pass_rate_entry(answer, trial.verdicts, run.manifest.framework, run.method)


def _method(run: RunRecord) -> str:
    spec = run.manifest.spec
    return spec.agent if spec.agent_model is None else f"{spec.agent} ({spec.agent_model})"

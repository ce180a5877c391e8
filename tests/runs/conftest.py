"""Runs as they are written down, made of what is to be in them."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from proctor.records.grades import Missing, Status, Verdict
from proctor.records.queries import ApiId, GoldApi, Query
from proctor.records.runs import Manifest, RunRecord, RunSpec, Trial, TrialKey
from proctor.records.traces import CallStep, Failure, Fault, Finish, Resolution, StopReason, Trace
from proctor.runs.ledger import Ledger

SHORT = {"S": Status.SOLVED, "U": Status.UNSURE, "N": Status.UNSOLVED}
NEED = GoldApi("Harbour", "Next Ferry", "Travel")
Written = Mapping[str, str | Sequence[str]]
MakeRun = Callable[..., RunRecord]


def verdict(letter: str, repeat: int, judge: str) -> Verdict | Missing:
    """The verdict of a letter: S(olved), U(nsure), N(ot solved); a question mark could not be read."""
    if letter == "?":
        return Missing("the judge's reply could not be read")
    return Verdict(SHORT[letter], f"it is {letter}", judge, repeat)


def trial(key: TrialKey, letters: str, judge: str, *, called: bool = True) -> Trial:
    """A trial with a verdict a letter; `!` failed through the environment, `-` was not judged."""
    query = Query(key.query_id, f"When does the ferry {key.query_id} leave?", (NEED,), test_set=key.test_set)
    if letters == "!":
        failure = Failure("SourceDown", "gone", Fault.ENVIRONMENT)
        return Trial(key, query, Trace(key.query_id, StopReason.FAILED, failure=failure))
    api = ApiId("Travel", "Harbour", "Next Ferry")
    call = CallStep("next_ferry_for_harbour", {}, Resolution.RESOLVED, "at 7", api=api)
    finish = Finish(f"At 7, says {judge} of {key}.")
    steps = (call, finish) if called else (finish,)
    trace = Trace(key.query_id, StopReason.FINISHED, finish.answer, steps)
    verdicts = () if letters == "-" else tuple(verdict(letter, place, judge) for place, letter in enumerate(letters))
    return Trial(key, query, trace, verdicts)


@pytest.fixture
def make_run() -> MakeRun:
    """A run over sets of queries: by set, a word for each query, or a list of words, one an epoch."""

    def make(name: str, sets: Mapping[str, Sequence[str | Sequence[str]]], **said: Any) -> RunRecord:
        judge, method = said.pop("judge", "ann"), said.pop("method", "official")
        called = said.pop("called", True)
        trials = []
        for test_set, queries in sets.items():
            for place, words in enumerate(queries):
                for epoch, letters in enumerate([words] if isinstance(words, str) else words):
                    if letters:
                        trials.append(trial(TrialKey(test_set, str(place), epoch), letters, judge, called=called))
        spec = RunSpec(**{"benchmark": "town", "test_sets": tuple(sets), "agent": name, **said})
        manifest = Manifest(spec, "1.0", 5.0, framework=name, config="base")
        return RunRecord(name, manifest, tuple(trials), len(trials), judge, method)

    return make


@pytest.fixture
def ledger(tmp_path: Path) -> Callable[..., Ledger]:
    """Opens the journal of a run; a second time as another process would, after the first one's end."""
    opened: list[Ledger] = []

    def opens(**more: Any) -> Ledger:
        for one in opened:
            one.close()
        opened.append(Ledger(tmp_path / "journal.jsonl", **more))
        return opened[-1]

    return opens

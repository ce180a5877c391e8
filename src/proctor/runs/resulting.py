"""The result file of a run, made of its record: `tools/<framework>_<config>.json`.

The keys are those of StableToolBench's own result files. An answer that was judged several times has the status of most
verdicts, and the mean of their points as `sopr_score`; each repeat's stands beside it.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from proctor.formats.stabletoolbench.converted import written_details
from proctor.formats.stabletoolbench.json_files import json_bytes
from proctor.formats.stabletoolbench.results import Graded, read_result, result_of, written_results
from proctor.formats.stabletoolbench.traced import answer_of
from proctor.judges.attempts import Attempt
from proctor.metrics._api_calls import ApiCallScore, called
from proctor.metrics._pass_rate import POINTS
from proctor.metrics._summary import Evaluation, summarise
from proctor.metrics._trials import broken, points, status
from proctor.records.grades import Missing, Score, Verdict
from proctor.records.runs import RunRecord, Trial
from proctor.runs.folders import result_path
from proctor.store.artifacts import write_whole

__all__ = ["graded", "result_document", "summary_of", "together", "write_result"]


def together(trial: Trial) -> Verdict | Missing:
    """One verdict for all repeats: that of most, in the words of the first that says so."""
    found = status(trial)
    if isinstance(found, Missing):
        return found
    read = [one for one in trial.verdicts if isinstance(one, Verdict)]
    said = next((one for one in read if one.status is found), read[0])
    if len({one.status for one in read}) == 1:
        return said
    counted = ", ".join(one.status.value for one in read)
    return msgspec.structs.replace(said, status=found, reason=f"{counted}: {said.reason}")


def graded(trial: Trial, method: str) -> Graded:
    """The grades of a trial."""
    trace, query = trial.trace, trial.query
    attempt = Attempt.of(query, trace)
    return Graded(
        final_answer=attempt.final_answer,
        answer_details=written_details(answer_of(trace, query, compat=True).value.turns, as_text=True)[0],
        verdict=together(trial),
        api_calls=ApiCallScore().measure(trace, query),
        has_finish=attempt.has_finish,
        evaluation_method=method or "none",
        seconds=trial.grading_seconds,
        called_apis=tuple(sorted(called(trace))),
        error=None if trace.failure is None else f"{trace.failure.kind}: {trace.failure.message}",
    )


def result_document(run: RunRecord, more: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """The document of a run. `more` are further figures of the summary."""
    trials = [trial for trial in run.trials if broken(trial) is None]
    results = [_result(trial, graded(trial, run.method), run) for trial in trials]
    return written_results(_metadata(run, trials), {**summary_of(results), **(more or {})}, results)


def summary_of(results: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The summary of results as a file has them. Queries of several sets are told apart by their `test_set`."""
    read = [(item, read_result(item)) for item in results]
    evaluations = [
        Evaluation(
            f"{item.get('test_set', '')}/{one.query_id}",
            one.graded.verdict,
            one.graded.api_calls,
            one.graded.has_finish,
            one.graded.seconds,
            item["scores"]["sopr_score"] if isinstance(one.graded.verdict, Verdict) else None,
        )
        for item, one in read
    ]
    return summarise(evaluations).plain()


def write_result(folder: Path, run: RunRecord, more: Mapping[str, Any] | None = None) -> Path:
    """Write the result file of a run's folder, whole or not at all, and return where it stands."""
    path = result_path(folder)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, json_bytes(result_document(run, more)))
    return path


def _result(trial: Trial, one: Graded, run: RunRecord) -> dict[str, Any]:
    result = result_of(trial.query, one)
    worth = points(trial)
    if isinstance(worth, Score):
        result["scores"]["sopr_score"] = worth.value
    if len(trial.verdicts) > 1:
        result["scores"]["sopr_repeats"] = [
            POINTS[said.status] if isinstance(said, Verdict) else None for said in trial.verdicts
        ]
    if len(run.manifest.spec.test_sets) > 1:
        result["test_set"] = trial.key.test_set
    if run.manifest.spec.epochs > 1:
        result["epoch"] = trial.key.epoch
    return {**result, "stop_reason": trial.trace.stop.value, "seconds": trial.trace.seconds}


def _metadata(run: RunRecord, trials: Sequence[Trial]) -> dict[str, Any]:
    spec = run.manifest.spec
    config = {
        "test_set": ", ".join(spec.test_sets),
        "num_queries": len({_identity(run, trial) for trial in trials}),
        "evaluator_model": run.judge or None,
        "evaluation_method": run.method or "none",
        "apis": run.manifest.apis,
        "apis_of_queries": run.manifest.apis_of_queries,
        "run": msgspec.to_builtins(spec),
        "run_key": spec.key,
        "proctor_version": run.manifest.proctor_version,
        "cache_id": run.manifest.cache_id,
    }
    if run.damaged:
        config["damaged_lines"] = run.damaged
    return {
        "framework": run.manifest.framework,
        "config": config,
        "overall_time": run.seconds,
        "timestamp": dt.datetime.fromtimestamp(run.manifest.started, dt.UTC).isoformat(),
    }


def _identity(run: RunRecord, trial: Trial) -> str:
    several = len(run.manifest.spec.test_sets) > 1
    return f"{trial.key.test_set}/{trial.query.id}" if several else trial.query.id

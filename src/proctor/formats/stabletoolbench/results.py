"""Result files, `results/tools/<framework>_<config>.json`: `metadata`, `summary` and a result for each answer.

The keys are those of the original document, each with its own meaning; what Proctor adds stands beside them under names
of its own. What was not measured is null, with its reason under `unmeasured`. A newer variant (`metadata.agent_name`,
`called_apis`, `scores.answer_status`, `error`) is read as well.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeGuard

import msgspec

from proctor.errors import FileError, InputError
from proctor.formats.stabletoolbench.json_files import kind_of, read_json
from proctor.formats.stabletoolbench.pass_rates import RECORDED, status_of
from proctor.formats.stabletoolbench.turns import json_text_of
from proctor.records.grades import POINTS, Missing, Score, Verdict
from proctor.records.queries import Query

UNMEASURED = "Unmeasured"
"""The `answer_status` of an answer without a verdict."""


class Graded(msgspec.Struct, frozen=True):
    """One answer to one query with its grades: what a result is made of."""

    final_answer: str
    answer_details: Any
    verdict: Verdict | Missing
    api_calls: Score | Missing
    has_finish: bool
    evaluation_method: str = "official"
    """How it was judged: `official`, `heuristic` where rules stood in for a judge."""
    seconds: float = 0.0
    """How long the grading took."""
    called_apis: tuple[tuple[str, str], ...] | None = None
    """The APIs that were called, as tool and API, where that is known."""
    error: str | None = None
    """What broke, where something did."""


class Result(msgspec.Struct, frozen=True):
    """One result of a file that was read."""

    query_id: str
    query_text: str
    gold: tuple[tuple[str, str], ...]
    graded: Graded
    test_set: str = ""
    """The set that the query belongs to, where the file has several."""


class ResultFile(msgspec.Struct, frozen=True):
    """A result file that was read."""

    framework: str
    metadata: dict[str, Any]
    summary: dict[str, Any]
    results: tuple[Result, ...]
    document: dict[str, Any]
    """The file as it was."""


def result_of(query: Query, graded: Graded) -> dict[str, Any]:
    """One result, as a file has it."""
    verdict, calls = graded.verdict, graded.api_calls
    missing = {name: one.reason for name, one in _grades(graded) if isinstance(one, Missing)}
    beside: dict[str, Any] = {"unmeasured": missing} if missing else {}
    if isinstance(calls, Score) and isinstance(calls.details, dict) and calls.details.get("vacuous"):
        beside["vacuous"] = ["api_call_score"]
    raw = verdict.raw if isinstance(verdict, Verdict) else verdict.detail
    judge = {"judge": verdict.judge} if isinstance(verdict, Verdict) and verdict.judge != RECORDED else {}
    return {
        "query_id": query.id,
        "query_text": query.text,
        "gold_answer": {"relevant_apis": gold_pairs(query), "available_tools": available_tools(query)},
        "system_answer": {"final_answer": graded.final_answer, "answer_details": graded.answer_details},
        "scores": {
            "sopr_score": POINTS[verdict.status] if isinstance(verdict, Verdict) else None,
            "api_call_score": calls.value if isinstance(calls, Score) else None,
            **beside,
        },
        "evaluation": {
            "answer_status": verdict.status.value if isinstance(verdict, Verdict) else UNMEASURED,
            "has_finish": graded.has_finish,
            "evaluation_method": graded.evaluation_method,
            "reason": verdict.reason,
            **judge,
            **({} if raw is None else {"raw_reply" if isinstance(verdict, Verdict) else "detail": raw}),
        },
        "timing": {"evaluation_time": graded.seconds},
        **({} if graded.called_apis is None else {"called_apis": [list(pair) for pair in graded.called_apis]}),
        **({} if graded.error is None else {"error": graded.error}),
    }


def gold_pairs(query: Query) -> list[list[str]]:
    """The APIs that a query needs, each once, as `[tool, API]`."""
    return [list(pair) for pair in dict.fromkeys((gold.tool, gold.api) for gold in query.gold)]


def available_tools(query: Query) -> list[dict[str, Any]]:
    """The tools of a query's own list, each with its APIs."""
    tools: dict[tuple[str, str], list[dict[str, str]]] = {}
    for api in query.apis:
        apis = tools.setdefault((api.id.category, api.id.tool), [])
        apis.append({"api_name": api.id.api, "api_description": api.description})
    return [{"category": category, "tool_name": tool, "apis": apis} for (category, tool), apis in tools.items()]


def written_results(
    metadata: Mapping[str, Any], summary: Mapping[str, Any], results: Iterable[Mapping[str, Any]]
) -> dict[str, Any]:
    """The document of a result file. `metadata` has at least `framework` and `config`."""
    known = {"overall_time": None, "timestamp": None}
    return {"metadata": {**known, **metadata}, "summary": dict(summary), "results": list(results)}


def read_results(path: str | Path) -> ResultFile:
    """A result file, in the original shape or the newer one."""
    document = read_json(path, deep=True)
    results = document.get("results") if isinstance(document, dict) else None
    if not isinstance(document, dict) or not isinstance(results, list):
        raise FileError("a result file is an object with metadata, summary and a list 'results'.", path=str(path))
    metadata, summary = (_object(document.get(name)) for name in ("metadata", "summary"))
    method = json_text_of(_object(metadata.get("config")).get("evaluation_method") or "official")
    return ResultFile(
        framework=json_text_of(metadata.get("framework") or metadata.get("agent_name") or ""),
        metadata=metadata,
        summary=summary,
        results=tuple(_located(path, index, item, method) for index, item in enumerate(results)),
        document=document,
    )


def read_result(item: Any, method: str = "official") -> Result:
    """One result from plain data; InputError with one sentence where it is none."""
    return _result(item, method)


def _grades(graded: Graded) -> list[tuple[str, Any]]:
    return [("sopr_score", graded.verdict), ("api_call_score", graded.api_calls)]


def _located(path: str | Path, index: int, item: Any, method: str) -> Result:
    try:
        return _result(item, method)
    except InputError as error:
        raise FileError(f"results[{index}]: {error}", path=str(path)) from None


def _result(item: Any, method: str) -> Result:
    if not isinstance(item, dict) or "query_id" not in item:
        raise InputError(f"a result is an object with a query_id, not {kind_of(item)}.")
    answer, scores, evaluation = (_object(item.get(name)) for name in ("system_answer", "scores", "evaluation"))
    seconds = _object(item.get("timing")).get("evaluation_time")
    graded = Graded(
        final_answer=json_text_of(answer.get("final_answer") or ""),
        answer_details=answer.get("answer_details") or [],
        verdict=_verdict(item, scores, evaluation),
        api_calls=_score(scores),
        has_finish=evaluation.get("has_finish") is True,
        evaluation_method=json_text_of(evaluation.get("evaluation_method") or method),
        seconds=float(seconds) if _is_number(seconds) else 0.0,
        called_apis=tuple(_pairs(item["called_apis"])) if isinstance(item.get("called_apis"), list) else None,
        error=json_text_of(item["error"]) if item.get("error") else None,
    )
    gold = _object(item.get("gold_answer")).get("relevant_apis")
    return Result(
        query_id=json_text_of(item["query_id"]),
        query_text=json_text_of(item.get("query_text") or item.get("query") or ""),
        gold=tuple(_pairs(gold if isinstance(gold, list) else [])),
        graded=graded,
        test_set=json_text_of(item.get("test_set") or ""),
    )


def _verdict(item: Mapping[str, Any], scores: Mapping[str, Any], evaluation: Mapping[str, Any]) -> Verdict | Missing:
    """The status that stands there, else the one that the score stands for. A failed evaluation is no verdict."""
    unmeasured = _object(scores.get("unmeasured")).get("sopr_score")
    said = evaluation.get("answer_status") or scores.get("answer_status")
    value = scores.get("sopr_score")
    if unmeasured is not None or said == UNMEASURED:
        detail = evaluation.get("detail")
        reason = json_text_of(unmeasured or "the file does not say why")
        return Missing(reason, None if detail is None else json_text_of(detail))
    if said is None and item.get("error"):
        return Missing("the evaluation failed", json_text_of(item["error"]))
    if said is not None:
        status = status_of(said)
    elif _is_number(value) and value in POINTS.values():
        status = next(status for status, points in POINTS.items() if points == value)
    else:
        return Missing("the file has no verdict")
    raw = evaluation.get("raw_reply")
    return Verdict(
        status,
        json_text_of(evaluation.get("reason") or ""),
        json_text_of(evaluation.get("judge", RECORDED)),
        raw=None if raw is None else json_text_of(raw),
    )


def _score(scores: Mapping[str, Any]) -> Score | Missing:
    value = scores.get("api_call_score")
    if _is_number(value):
        vacuous = scores.get("vacuous")
        return Score(float(value), details={"vacuous": isinstance(vacuous, list) and "api_call_score" in vacuous})
    reason = _object(scores.get("unmeasured")).get("api_call_score")
    return Missing(json_text_of(reason or "the file has no API call score"))


def _pairs(listed: Sequence[Any]) -> list[tuple[str, str]]:
    for pair in listed:
        if not isinstance(pair, list) or len(pair) != 2:
            raise InputError(f"an API is a pair [tool, API], not {str(pair)[:60]}.")
    return [(json_text_of(tool), json_text_of(api)) for tool, api in listed]


def _is_number(value: Any) -> TypeGuard[int | float]:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}

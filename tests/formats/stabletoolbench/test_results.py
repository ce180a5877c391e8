import json
from pathlib import Path
from typing import Any

import pytest

from proctor.errors import FileError
from proctor.formats.stabletoolbench.results import Graded, read_results, result_of, written_results
from proctor.records.grades import Missing, Score, Status, Verdict
from proctor.records.queries import Query

KEYS = {
    "query_id": [],
    "query_text": [],
    "gold_answer": ["relevant_apis", "available_tools"],
    "system_answer": ["final_answer", "answer_details"],
    "scores": ["sopr_score", "api_call_score"],
    "evaluation": ["answer_status", "has_finish", "evaluation_method", "reason"],
    "timing": ["evaluation_time"],
}


def graded(**more: Any) -> Graded:
    known: dict[str, Any] = {
        "final_answer": "Yes.",
        "answer_details": [{"role": "system", "message": "", "next": []}],
        "verdict": Verdict(Status.SOLVED, "It is said.", "recorded"),
        "api_calls": Score(0.5),
        "has_finish": True,
        "seconds": 1.5,
    }
    return Graded(**(known | more))


def write(path: Path, *results: dict[str, Any], **metadata: Any) -> Path:
    metadata = {"framework": "mine", "config": {"test_set": "G1_instruction"}} | metadata
    path.write_text(json.dumps(written_results(metadata, {"total_queries": 1}, results)))
    return path


def test_a_result_has_exactly_the_keys_of_the_document(sailing: Query) -> None:
    result = result_of(sailing, graded())
    assert {name: list(value) if isinstance(value, dict) else [] for name, value in result.items()} == KEYS
    assert result["gold_answer"]["relevant_apis"] == [["Sky Report", "Get Forecast"]]
    assert result["gold_answer"]["available_tools"] == [
        {
            "category": "Weather",
            "tool_name": "Sky Report",
            "apis": [
                {"api_name": "Get Forecast", "api_description": ""},
                {"api_name": "List Ports", "api_description": ""},
            ],
        }
    ]
    assert result["scores"] == {"sopr_score": 1.0, "api_call_score": 0.5}


def test_what_is_written_is_read(sailing: Query, tmp_path: Path) -> None:
    path = write(
        tmp_path / "mine_default.json", result_of(sailing, graded(called_apis=(("Sky Report", "List Ports"),)))
    )
    file = read_results(path)
    (result,) = file.results
    assert (file.framework, file.summary) == ("mine", {"total_queries": 1})
    assert list(file.metadata) == ["overall_time", "timestamp", "framework", "config"]
    assert (result.query_id, result.query_text) == ("7", "May I sail from Kiel?")
    assert result.gold == (("Sky Report", "Get Forecast"),)
    assert result.graded.verdict == Verdict(Status.SOLVED, "It is said.", "recorded")
    assert (result.graded.has_finish, result.graded.seconds) == (True, 1.5)
    assert result.graded.called_apis == (("Sky Report", "List Ports"),)


def test_what_was_not_measured_is_null_with_its_reason(sailing: Query, tmp_path: Path) -> None:
    missing = graded(verdict=Missing("the model's reply was cut off"), api_calls=Missing("the trial failed"))
    result = result_of(sailing, missing)
    assert (result["scores"]["sopr_score"], result["scores"]["api_call_score"]) == (None, None)
    assert result["evaluation"]["answer_status"] == "Unmeasured"
    (read,) = read_results(write(tmp_path / "a.json", result)).results
    assert read.graded.verdict == Missing("the model's reply was cut off")
    assert read.graded.api_calls == Missing("the trial failed")


def test_a_score_without_gold_is_marked_as_vacuous(sailing: Query, tmp_path: Path) -> None:
    result = result_of(sailing, graded(api_calls=Score(0.0, details={"vacuous": True})))
    assert result["scores"]["vacuous"] == ["api_call_score"]
    (read,) = read_results(write(tmp_path / "a.json", result)).results
    assert read.graded.api_calls == Score(0.0, details={"vacuous": True})


def test_the_judge_is_named_beside(sailing: Query, tmp_path: Path) -> None:
    result = result_of(sailing, graded(verdict=Verdict(Status.UNSURE, "", "solving (gpt-4o)")))
    (read,) = read_results(write(tmp_path / "a.json", result)).results
    assert read.graded.verdict == Verdict(Status.UNSURE, "", "solving (gpt-4o)")
    assert result["scores"]["sopr_score"] == 0.5


def test_the_newer_variant_is_read(tmp_path: Path) -> None:
    item = {
        "query_id": 588,
        "query": "Who?",
        "called_apis": [["TheClique", "Search"]],
        "scores": {"api_call_score": 1, "answer_status": "Solved"},
    }
    failed = {"query_id": "608", "scores": {"sopr_score": 0.0, "api_call_score": 0.0}, "error": "timeout"}
    path = tmp_path / "new.json"
    path.write_text(json.dumps({"metadata": {"agent_name": "mine"}, "results": [item, failed]}))
    file = read_results(path)
    first, second = file.results
    assert (file.framework, first.query_id, first.query_text) == ("mine", "588", "Who?")
    assert isinstance(first.graded.verdict, Verdict)
    assert (first.graded.verdict.status, first.graded.called_apis) == (Status.SOLVED, (("TheClique", "Search"),))
    assert second.graded.verdict == Missing("the evaluation failed", "timeout")
    assert second.graded.error == "timeout"


@pytest.mark.parametrize(("points", "status"), [(1.0, Status.SOLVED), (0.5, Status.UNSURE), (0, Status.UNSOLVED)])
def test_without_a_status_the_score_says_it(tmp_path: Path, points: float, status: Status) -> None:
    (read,) = read_results(write(tmp_path / "a.json", {"query_id": "7", "scores": {"sopr_score": points}})).results
    assert isinstance(read.graded.verdict, Verdict)
    assert read.graded.verdict.status is status


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ([], "a result file is an object with metadata, summary and a list 'results'"),
        ({"results": {}}, "a result file is an object with metadata, summary and a list 'results'"),
        ({"results": [3]}, r"results\[0\]: a result is an object with a query_id, not a number"),
        ({"results": [{"query_id": "7", "called_apis": [3]}]}, r"results\[0\]: an API is a pair"),
        ({"results": [{"query_id": "7", "scores": {"answer_status": "Great"}}]}, "a status is one of"),
    ],
)
def test_what_is_no_result_file_is_a_sentence(tmp_path: Path, content: Any, complaint: str) -> None:
    path = tmp_path / "a.json"
    path.write_text(json.dumps(content))
    with pytest.raises(FileError, match=complaint):
        read_results(path)

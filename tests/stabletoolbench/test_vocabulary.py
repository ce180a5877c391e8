"""The words of StableToolBench's evaluation mean what they say there."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.stabletoolbench.conftest import QUERIES, answer

from proctor.errors import FileError, InputError, OptionError
from proctor.formats.stabletoolbench.results import read_results
from proctor.records.grades import Missing, Status, Verdict
from proctor.stabletoolbench import AnswerValidator, QueryLoader, ResultFormatter, ResultSaver

MESSI: dict[str, Any] = QUERIES[0]


def test_queries_are_loaded_as_their_file_has_them_with_ids_as_text(benchmark: Path) -> None:
    loader = QueryLoader(benchmark / "solvable_queries" / "test_instruction")
    loaded = loader.load_queries("G1_instruction")
    assert [query["query_id"] for query in loaded] == ["588", "608", "2"]
    assert loaded[0] == {**MESSI, "query_id": "588"}
    assert len(loader.load_queries("G1_instruction", max_queries=2)) == 2
    for none in (0, -1):
        with pytest.raises(OptionError, match=f"max_queries is at least 1 query, or None for all, not {none}"):
            loader.load_queries("G1_instruction", max_queries=none)


@pytest.mark.parametrize("ids", ["solvable_queries", "solvable_queries/test_query_ids"])
def test_an_id_file_leaves_queries_out(benchmark: Path, ids: str) -> None:
    loader = QueryLoader(benchmark / "solvable_queries", benchmark / ids)
    assert [query["query_id"] for query in loader.load_queries("G1_instruction")] == ["588", "2"]
    assert [query["query_id"] for query in loader.load_queries("G1_instruction", max_queries=1)] == ["588"]


def test_a_set_that_is_not_there_and_an_id_that_is_not_there_are_said(benchmark: Path) -> None:
    with pytest.raises(FileError, match="there is no test set 'G9' here; sets are G1_instruction"):
        QueryLoader(benchmark / "solvable_queries").load_queries("G9")
    (benchmark / "solvable_queries" / "test_query_ids" / "G1_instruction.json").write_text("[7]")
    with pytest.raises(FileError, match="has no query with the id 7"):
        QueryLoader(benchmark / "solvable_queries", benchmark / "solvable_queries").load_queries("G1_instruction")


def test_gold_and_tools_are_read_from_a_query() -> None:
    assert QueryLoader.extract_gold_tool_calls(MESSI) == MESSI["relevant APIs"]
    twice = {**MESSI, "relevant APIs": [*MESSI["relevant APIs"], MESSI["relevant APIs"][0]]}
    assert QueryLoader.extract_gold_tool_calls(twice) == MESSI["relevant APIs"]
    (tool,) = QueryLoader.extract_available_tools(MESSI)
    assert (tool["category"], tool["tool_name"]) == ("Data", "TheClique")
    assert tool["apis"][0] == {"api_name": "Transfermarkt details", "api_description": "Transfermarkt details."}


def test_what_is_no_query_is_said_in_a_sentence() -> None:
    with pytest.raises(InputError, match="its 'query' must be text that is not empty"):
        QueryLoader.extract_gold_tool_calls({"query_id": 1})


@pytest.mark.parametrize(
    ("given", "finishes"),
    [
        (answer(), True),
        (answer()["answer"], True),
        (answer(finishes=False), False),
        ({"final_answer": "x", "answer_details": []}, False),
        ({"answer": "x"}, False),
        ("x", False),
        (None, False),
    ],
)
def test_an_answer_has_finish_where_its_last_call_is_it(given: Any, finishes: bool) -> None:
    assert AnswerValidator.check_has_finish(given) is finishes


def test_a_result_has_the_keys_of_the_original_with_their_meaning() -> None:
    verdict = Verdict(Status.UNSURE, "Half of it.", "gpt-4o-mini")
    result = ResultFormatter.format_result({**MESSI, "query_id": "588"}, answer(), verdict, "official", 1.42)
    assert set(result) >= {"query_id", "query_text", "gold_answer", "system_answer", "scores", "evaluation", "timing"}
    assert (result["query_id"], result["query_text"]) == ("588", MESSI["query"])
    assert result["gold_answer"]["relevant_apis"] == MESSI["relevant APIs"]
    assert result["system_answer"] == answer()["answer"]
    assert result["scores"] == {"sopr_score": 0.5, "api_call_score": 0.5}
    assert result["evaluation"] == {
        "answer_status": "Unsure",
        "has_finish": True,
        "evaluation_method": "official",
        "reason": "Half of it.",
        "judge": "gpt-4o-mini",
    }
    assert result["timing"] == {"evaluation_time": 1.42}
    assert result["called_apis"] == [["TheClique", "Transfermarkt details"]]


def test_a_verdict_may_be_its_status_alone_and_without_one_the_score_is_unmeasured() -> None:
    assert ResultFormatter.format_result(MESSI, answer(), "Solved")["scores"]["sopr_score"] == 1.0
    result = ResultFormatter.format_result(MESSI, "He played.")
    assert result["scores"]["sopr_score"] is None
    assert result["scores"]["unmeasured"] == {"sopr_score": "nobody has judged it yet"}
    assert (result["scores"]["api_call_score"], result["evaluation"]["has_finish"]) == (0.0, False)
    with pytest.raises(InputError, match="a status is one of Solved, Unsure, Unsolved"):
        ResultFormatter.format_result(MESSI, answer(), "Sovled")


def test_gold_that_the_query_does_not_document_is_found_all_the_same() -> None:
    bare = {key: value for key, value in MESSI.items() if key != "api_list"}
    assert ResultFormatter.format_result(bare, answer())["scores"]["api_call_score"] == 0.5


def test_the_summary_counts_what_was_measured() -> None:
    verdicts: list[Any] = ["Solved", "Unsure", "Unsolved", Missing("the reply was cut")]
    queries: list[Any] = [QUERIES[0], QUERIES[0], QUERIES[1], QUERIES[1]]
    results = [
        ResultFormatter.format_result(query, answer(finishes=one != "Unsolved"), one, evaluation_time=2.0)
        for query, one in zip(queries, verdicts, strict=True)
    ]
    summary = ResultFormatter.calculate_summary(results)
    assert (summary["total_queries"], summary["total_evaluations"]) == (2, 4)
    assert (summary["solved_count"], summary["unsure_count"], summary["unsolved_count"]) == (1, 1, 1)
    assert summary["unmeasured_count"] == 1
    assert summary["solved_percentage"] == pytest.approx(100 / 3)
    assert summary["average_sopr_score"] == 0.5
    assert summary["average_api_call_score"] == pytest.approx((0.5 + 0.5 + 1 + 1) / 4)
    assert (summary["finish_count"], summary["finish_percentage"]) == (3, 75.0)
    assert (summary["total_evaluation_time"], summary["average_evaluation_time"]) == (8.0, 2.0)


def test_nothing_has_a_summary_of_nothing() -> None:
    summary = ResultFormatter.calculate_summary([])
    assert (summary["total_queries"], summary["average_sopr_score"]) == (0, None)


def test_a_document_is_saved_and_read_again(tmp_path: Path) -> None:
    results = [ResultFormatter.format_result(MESSI, answer(), "Solved")]
    config = {"test_set": "G1_instruction", "evaluator_model": "gpt-4o-mini", "evaluation_method": "official"}
    document = ResultFormatter.format_final_results(results, "Test_benchmark", config, 15.58, "2024-01-15 10:30:45")
    assert document["metadata"] == {
        "framework": "Test_benchmark",
        "config": {"num_queries": 1, **config},
        "overall_time": 15.58,
        "timestamp": "2024-01-15 10:30:45",
    }
    assert document["summary"] == ResultFormatter.calculate_summary(results)
    path = ResultSaver(tmp_path / "results" / "tools").save(document, "Test_benchmark_G1.json")
    assert path == tmp_path / "results" / "tools" / "Test_benchmark_G1.json"
    assert json.loads(path.read_text()) == document
    file = read_results(path)
    assert (file.framework, file.results[0].graded.has_finish) == ("Test_benchmark", True)
    assert ResultSaver(tmp_path).save({}, "bare") == tmp_path / "bare.json"
    with pytest.raises(InputError, match="JSON has no number nan; leave the field out or write null"):
        ResultSaver(tmp_path).save({"scores": [{"sopr_score": float("nan")}]}, "bare")
    assert (tmp_path / "bare.json").read_text() == "{}\n"


@pytest.mark.parametrize("name", ["", "../x.json", "a/b.json"])
def test_a_file_is_saved_in_its_folder_and_nowhere_else(tmp_path: Path, name: str) -> None:
    with pytest.raises(OptionError, match="a file's name is wanted"):
        ResultSaver(tmp_path).save({}, name)

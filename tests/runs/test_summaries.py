"""The figures at the head of a result file."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest
from tests.runs.pets import key, manifest, query, trace

from proctor.records.grades import Missing, Status, Verdict
from proctor.records.runs import RunRecord, Trial
from proctor.runs.resulting import write_result
from proctor.runs.summaries import Summary, read_summary
from proctor.stats.denominators import Denominators
from proctor.stats.estimates import proportion

FIGURES = {
    "sopr": proportion(3, 4),
    "api_call_score": Missing("no query names an API"),
    "denominators": Denominators(4, 4, 4),
    "denominator": "all queries",
}


def result_file(folder: Path, method: str = "rubric", results: int = 1) -> Path:
    trials = tuple(
        Trial(key(1, epoch), query(1), trace(1), (Verdict(Status.SOLVED, 'it says:\n  "results": [', "rubric"),))
        for epoch in range(results)
    )
    record = RunRecord("x", manifest(epochs=results), trials, results, judge=method, method=method)
    return write_result(folder / "runs" / "x", record, FIGURES)


@pytest.mark.parametrize("results", [1, 400])
def test_the_figures_are_read_as_they_were_written(tmp_path: Path, results: int) -> None:
    path = result_file(tmp_path, results=results)
    assert read_summary(path) == Summary(
        proportion(3, 4), Missing("no query names an API"), Denominators(4, 4, 4), "rubric", "all queries", "rubric"
    )


def test_what_stands_below_the_head_is_not_read(tmp_path: Path) -> None:
    path = result_file(tmp_path)
    head, _, _ = path.read_bytes().partition(b'\n  "results":')
    path.write_bytes(head + b'\n  "results": [ torn')
    assert isinstance(read_summary(path), Summary)


def test_a_file_that_another_tool_has_written_anew_is_read_too(tmp_path: Path) -> None:
    path = result_file(tmp_path, method="")
    path.write_text(json.dumps(json.loads(path.read_text("utf-8"))), "utf-8")
    found = read_summary(path)
    assert isinstance(found, Summary)
    assert found.method == ""


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b'{"metadata": {"config": {}}, "summary": {}}', b"\xff\xfe"])
def test_what_is_no_result_file_of_ours_is_missing_with_a_reason(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "x.json"
    assert read_summary(path) == Missing("there is no result file yet")
    path.write_bytes(data)
    found = read_summary(path)
    assert isinstance(found, Missing)
    assert found.reason == "the result file is not one of this version"
    assert msgspec.json.decode(msgspec.json.encode(found), type=Missing) == found

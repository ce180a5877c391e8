import json
from pathlib import Path
from typing import Any

import pytest

from proctor.errors import FileError, InputError
from proctor.formats.stabletoolbench.converted import ConvertedAnswer
from proctor.formats.stabletoolbench.preferences import (
    Comparison,
    PreferenceCount,
    compared,
    comparison_table,
    counted,
    read_comparisons,
    read_counts,
    written_counts,
)
from proctor.formats.stabletoolbench.turns import Said
from proctor.stats.preferences import Preferred

ONE = Comparison("7", "May I?", "old", "new", Preferred.CANDIDATE, ("f", "Finish"), "a\nb", "b", "c\td", "d")


def test_counts_are_read_and_written_as_they_were(tmp_path: Path) -> None:
    document = {"7": {"old": 0, "new": 2, "round_0": "complete", "round_1": "complete"}, "8": {"old": 1, "new": 0}}
    path = tmp_path / "counts.json"
    path.write_text(json.dumps(document))
    counts = read_counts(path)
    assert counts["7"] == PreferenceCount("7", "old", "new", 0, 2, {"round_0": "complete", "round_1": "complete"})
    assert json.dumps(written_counts(counts.values())) == json.dumps(document)


def test_a_model_may_be_named_like_a_round(tmp_path: Path) -> None:
    path = tmp_path / "counts.json"
    path.write_text('{"7": {"round_table": 1, "new": 0, "round_0": "complete"}}')
    assert read_counts(path)["7"].reference == "round_table"


def test_a_table_is_read_as_it_was_written(tmp_path: Path) -> None:
    rows = [ONE] + [Comparison("8", "?", "old", "new", preferred) for preferred in Preferred]
    path = tmp_path / "rows.csv"
    path.write_bytes(comparison_table(rows))
    assert read_comparisons(path) == rows
    assert [line.split("\t")[-4] for line in path.read_text().splitlines()[-3:]] == ["2", "1", "3"]


def test_comparisons_are_counted_and_ties_are_named() -> None:
    rows = [Comparison("7", "?", "old", "new", preferred) for preferred in Preferred]
    counts, lost = counted(rows)
    rounds = {f"round_{number}": "complete" for number in range(3)}
    assert counts == [PreferenceCount("7", "old", "new", 1, 1, rounds)]
    assert lost == (
        "the queries' texts, the tools and the steps of the answers",
        "that 1 comparisons were ties: a round that counts for neither",
    )
    with pytest.raises(InputError, match="compared between more than two models"):
        counted([ONE, Comparison("7", "?", "old", "third", Preferred.TIE)])


@pytest.mark.parametrize(
    ("reference", "candidate", "preferred"),
    [(2, 1, Preferred.REFERENCE), (0, 1, Preferred.CANDIDATE), (1, 1, Preferred.TIE)],
)
def test_counts_and_answers_make_a_row(reference: int, candidate: int, preferred: Preferred) -> None:
    answers = [ConvertedAnswer("7", "May I?", ({"name": "f"},), "CoT@1", "", (Said(text),)) for text in ("no", "yes")]
    count = PreferenceCount("7", "old", "new", reference, candidate, {"round_0": "complete", "round_1": "complete"})
    row, lost = compared(count, *answers)
    assert (row.preferred, row.query, row.tool_names) == (preferred, "May I?", ("f",))
    assert ('"no"' in row.reference_final, '"yes"' in row.candidate_steps) == (True, True)
    assert lost == ("query 7: 2 rounds are one row",)


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ([], "preference results are an object"),
        ({"7": 3}, "query '7': a result is an object with a count for each of two models"),
        ({"7": {"old": 1}}, "a count for each of two models"),
        ({"7": {"old": 1, "new": "2"}}, "a count for each of two models"),
    ],
)
def test_what_is_no_count_is_a_sentence(tmp_path: Path, content: Any, complaint: str) -> None:
    path = tmp_path / "counts.json"
    path.write_text(json.dumps(content))
    with pytest.raises(FileError, match=complaint):
        read_counts(path)


def test_a_label_that_is_none_is_a_sentence(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_bytes(comparison_table([ONE]).replace(b"\t2\t7\t", b"\t4\t7\t"))
    with pytest.raises(FileError, match=r"row 2: preference_label is 1 \(reference\), 2 \(candidate\) or 3 \(tie\)"):
        read_comparisons(path)

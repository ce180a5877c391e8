"""Samples in one file, their references in another."""

import json
from pathlib import Path
from typing import Any

import pytest

from proctor import MultiTurnSample
from proctor.errors import FileError
from proctor.formats.files import read_records
from proctor.formats.joining import joined, open_references
from proctor.formats.records import Record
from proctor.records.gold import AnyOf, GoldCall

ASKED = {"role": "user", "content": "q"}
CALL = {"name": "weather", "args": {"city": "Paris"}}
OTHER = {"name": "time", "args": {}}


def call(name: str) -> dict[str, Any]:
    return {"name": name, "args": {}}


def write(path: Path, values: list[Any]) -> str:
    path.write_text("".join(json.dumps(value) + "\n" for value in values))
    return str(path)


def joined_names(tmp_path: Path, samples: list[Any], references: list[Any]) -> tuple[list[Any], list[Any]]:
    """For each sample the names of its wanted calls, or the error's sentence; and the lines of unused references."""
    asked = open_references(write(tmp_path / "r.jsonl", references))
    found: list[Any] = []
    for record in joined(read_records(write(tmp_path / "s.jsonl", samples)), asked):
        if isinstance(record, Record):
            assert isinstance(record.sample, MultiTurnSample)
            found.append([wanted.name for wanted in record.sample.reference_tool_calls or ()])
        else:
            found.append(str(record).removeprefix(str(tmp_path)))
    return found, [left.line for left in asked.left()]


@pytest.mark.parametrize(
    "reference",
    [
        [CALL, OTHER],
        {"reference_tool_calls": [CALL, OTHER]},
        {"messages": [ASKED, {"role": "assistant", "tool_calls": [CALL, OTHER]}]},
        {"reference_outputs": [ASKED, {"role": "assistant", "tool_calls": [CALL, OTHER]}]},
        [{"role": "assistant", "tool_calls": [{"function": {"name": "weather", "arguments": "{}"}}, OTHER]}],
        {"user_input": [{"type": "ai", "content": "", "tool_calls": [CALL, OTHER]}]},
    ],
    ids=["calls", "a sample's words", "a conversation", "a pair's half", "bare messages", "a sample"],
)
def test_a_reference_has_many_shapes(tmp_path: Path, reference: Any) -> None:
    assert joined_names(tmp_path, [[ASKED]], [reference]) == ([["weather", "time"]], [])


def test_references_belong_to_the_samples_in_their_places(tmp_path: Path) -> None:
    found, left = joined_names(tmp_path, [[ASKED], [ASKED], [ASKED]], [[call("a")], [], [call("c")]])
    assert (found, left) == ([["a"], [], ["c"]], [])


def test_a_line_that_cannot_be_read_uses_up_its_place(tmp_path: Path) -> None:
    found, _ = joined_names(tmp_path, [[ASKED], 3, [ASKED]], [[call("a")], [call("b")], [call("c")]])
    assert found[0] == ["a"]
    assert found[1].startswith("/s.jsonl:2: a record must be")
    assert found[2] == ["c"]


def test_a_sample_more_than_references_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"r\.jsonl: there is only 1 reference, and .*s\.jsonl:2 holds one sample"):
        joined_names(tmp_path, [[ASKED], [ASKED]], [[CALL]])


def test_a_reference_more_than_samples_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"r\.jsonl:2: there are more references than the 1 sample;"):
        joined_names(tmp_path, [[ASKED]], [[CALL], [CALL]])


def test_references_with_an_id_are_found_by_it_and_may_be_shared(tmp_path: Path) -> None:
    samples = [{"id": name, "messages": [ASKED]} for name in ("b", "a", "b", 7)]
    references = [{"id": name, "reference_tool_calls": [call(f"of {name}")]} for name in ("a", "b", "unused", "7")]
    assert joined_names(tmp_path, samples, references) == ([["of b"], ["of a"], ["of b"], ["of 7"]], [3])


def test_a_sample_whose_id_no_reference_has_stays_without_one(tmp_path: Path) -> None:
    samples = [{"id": "z", "messages": [ASKED]}, [ASKED], {"id": "a", "messages": [ASKED]}]
    found, _ = joined_names(tmp_path, samples, [{"id": "a", "reference_tool_calls": [CALL]}])
    assert found == [
        [],
        "/s.jsonl:2: the references have an 'id' and this sample has none.",
        ["weather"],
    ]


def test_a_reference_replaces_all_that_the_sample_itself_says_was_wanted(tmp_path: Path) -> None:
    own = {"reference_tool_calls": [OTHER], "gold": [OTHER], "reference": "x", "rubrics": {"1": "x"}}
    samples = [{"id": name, "messages": [ASKED], **own} for name in "ab"]
    references = open_references(write(tmp_path / "r.jsonl", [{"id": "a", "reference_tool_calls": [CALL]}]))
    first, second = joined(read_records(write(tmp_path / "s.jsonl", samples)), references)
    assert isinstance(first, Record)
    assert isinstance(second, Record)
    assert first.sample.get_features() == ["user_input", "reference_tool_calls"]
    assert second.sample.get_features() == ["user_input"]


def test_a_single_turn_keeps_what_it_did_and_loses_its_own_reference(tmp_path: Path) -> None:
    sample = {"user_input": "q", "response": "Paris", "reference": "Oslo", "reference_contexts": ["c"]}
    references = open_references(write(tmp_path / "r.jsonl", ["Paris"]))
    (record,) = joined(read_records(write(tmp_path / "s.jsonl", [sample])), references)
    assert isinstance(record, Record)
    assert record.sample.to_dict() == {"user_input": "q", "response": "Paris", "reference": "Paris"}


def test_a_reference_of_nulls_says_that_nobody_knows(tmp_path: Path) -> None:
    references = [{"id": "a", "gold": None}, {"id": "b", "reference": "x"}]
    assert joined_names(tmp_path, [{"id": name, "messages": [ASKED]} for name in "ab"], references) == ([[], []], [])


def test_references_of_which_none_belongs_to_a_sample_are_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"no reference has the id of any sample: the first reference is 'x', .* 'y'\."):
        joined_names(tmp_path, [{"id": "y", "messages": [ASKED]}], [{"id": "x", "reference": "r"}])


@pytest.mark.parametrize(
    ("references", "sentence"),
    [
        ([], "there is no reference in this file."),
        ([3], "r.jsonl:1: a reference must be a dictionary, a list or text, not int."),
        ([{"referense": "x"}], "did you mean 'reference'?"),
        ([{}], "a reference says nothing of what was wanted, it holds nothing; known are gold, messages, "),
        ([{"gold": [{"nam": "x"}]}], "r.jsonl:1: gold[0]: unknown field 'nam'; did you mean 'name'?"),
        ([{"id": 1, "reference": "x"}, {"id": "1", "reference": "y"}], "r.jsonl:2: the id '1' stands in line 1"),
        ([{"id": 1, "reference": "x"}, {"reference": "y"}], "r.jsonl:2: the references before this have an 'id'"),
        ([{"reference_tool_calls": "x"}], "'reference_tool_calls' must be a list of tool calls or of messages"),
        ([[{"args": {}}]], "a ToolCall cannot be made: missing required argument 'name'"),
    ],
)
def test_references_that_cannot_be_used_are_an_error(tmp_path: Path, references: list[Any], sentence: str) -> None:
    with pytest.raises(FileError) as caught:
        joined_names(tmp_path, [{"id": 1, "messages": [ASKED]}], references)
    assert sentence in str(caught.value)


def test_a_reference_may_hold_richer_gold(tmp_path: Path) -> None:
    references = open_references(write(tmp_path / "r.jsonl", [{"gold": [{"any_of": [{"name": "a"}, {"name": "b"}]}]}]))
    (record,) = joined(read_records(write(tmp_path / "s.jsonl", [[ASKED]])), references)
    assert isinstance(record, Record)
    assert isinstance(record.sample, MultiTurnSample)
    assert record.sample.gold == [AnyOf([GoldCall("a"), GoldCall("b")])]


def test_a_text_is_a_reference_and_a_wrong_kind_is_refused(tmp_path: Path) -> None:
    references = open_references(write(tmp_path / "r.jsonl", ["Paris", [CALL]]))
    samples = read_records(write(tmp_path / "s.jsonl", [{"response": "Paris"}, {"response": "Rome"}]))
    first, second = joined(samples, references)
    assert isinstance(first, Record)
    assert first.sample.reference == "Paris"
    assert "the reference has 'reference_tool_calls', which a SingleTurnSample does not have." in str(second)

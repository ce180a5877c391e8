import json
from pathlib import Path
from typing import Any

import pytest

from proctor.errors import FileError
from proctor.formats.stabletoolbench.answers import answer_files, answer_of, read_answer
from proctor.formats.stabletoolbench.converted import (
    converted,
    read_converted,
    read_converted_answer,
    written_answer,
    written_converted,
)
from proctor.formats.stabletoolbench.turns import Called, Encoding, Said

WIND = '{"error": "", "response": {"wind": 5}}'
FORECAST = "get_forecast_for_sky_report"


def messages_of(document: dict[str, Any]) -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = document["answer_generation"]["train_messages"][-1]
    return messages


def nodes_of(written: dict[str, Any]) -> list[tuple[str, Any]]:
    nodes = []
    following = written["answer"]["answer_details"]
    while following:
        (node,) = following
        nodes.append((node["role"], node["message"]))
        following = node["next"]
    return nodes


def test_the_recorded_answers_convert_to_the_recorded_files(benchmark_data: Path) -> None:
    for folder in sorted((benchmark_data / "answer").glob("*/*")):
        recorded = benchmark_data / "model_predictions_converted" / folder.parent.name / f"{folder.name}.json"
        answers = [converted(read_answer(path), compat=True).value for path in answer_files(folder)]
        assert len(answers) == 3
        assert written_converted(answers, compat=True) == json.loads(recorded.read_bytes())


def test_a_recorded_file_is_read_and_written_as_it_was(benchmark_data: Path) -> None:
    for path in sorted((benchmark_data / "model_predictions_converted").glob("*/*.json")):
        answers = read_converted(path)
        assert written_converted(answers.values()) == json.loads(path.read_bytes())
        assert [answer.notes for answer in answers.values()] == [()] * len(answers)


def test_a_valid_answer_becomes_its_last_conversation(chain: dict[str, Any]) -> None:
    answer, lost = converted(answer_of(chain, "7", "CoT@1"), compat=True)
    written = written_answer(answer, compat=True)
    assert nodes_of(written) == [
        ("system", ""),
        ("user", ""),
        ("assistant", "I look at the wind."),
        ("tool", {"name": FORECAST, "arguments": '{"portname": "Kiel"}', "response": WIND}),
        ("tool", {"name": "Finish", "arguments": chain["answer_generation"]["final_answer"], "response": ""}),
    ]
    assert written["answer"]["total_steps"] == 5
    assert written["answer"]["final_answer"] == chain["answer_generation"]["final_answer"]
    assert written["available_tools"] == chain["answer_generation"]["function"]
    assert set(written) == {"query", "available_tools", "answer"}
    assert answer.has_finish
    assert lost == ()


def test_calls_of_the_newer_kind_become_a_node_each_up_to_finish(chain: dict[str, Any]) -> None:
    calls = [
        {"id": "a", "type": "function", "function": {"name": "first", "arguments": "{}"}},
        {"id": "b", "type": "function", "function": {"name": "Finish", "arguments": "{}"}},
        {"id": "c", "type": "function", "function": {"name": "late", "arguments": "{}"}},
    ]
    chain["answer_generation"]["train_messages"][-1][2:] = [
        {"role": "assistant", "content": "Both at once.", "tool_calls": calls},
        {"role": "tool", "tool_call_id": "b", "content": "done"},
        {"role": "tool", "tool_call_id": "a", "content": "5"},
    ]
    raw = answer_of(chain, "7", "CoT@1")
    whole, lost = converted(raw)
    assert whole.turns == (Said("Both at once."), Called("first", "{}", "5"), Called("Finish", "{}", "done"))
    assert lost == ("left out: call after Finish in one message",)
    theirs, left_out = converted(raw, compat=True)
    assert theirs.turns == whole.turns[1:]
    assert "left out: text beside a call" in left_out


def test_a_call_that_is_null_is_no_call(chain: dict[str, Any]) -> None:
    messages_of(chain)[2]["function_call"] = None
    assert converted(answer_of(chain, "7", "CoT@1")).value.turns[0] == Said("I look at the wind.")


def test_a_call_without_a_response_has_none(chain: dict[str, Any]) -> None:
    del messages_of(chain)[4]
    answer, lost = converted(answer_of(chain, "7", "CoT@1"))
    assert answer.calls[0] == Called(FORECAST, '{"portname": "Kiel"}', "")
    assert lost == (f"the call of {FORECAST} has no response",)
    assert answer.notes == lost


def test_a_message_amid_the_conversation_is_named(chain: dict[str, Any]) -> None:
    messages_of(chain).insert(3, {"role": "user", "content": "Try something else."})
    assert "left out: message of the user amid the conversation" in converted(answer_of(chain, "7", "CoT@1")).lost


def test_an_answer_that_is_not_valid_becomes_its_last_try(chain: dict[str, Any]) -> None:
    chain["answer_generation"] |= {"valid_data": False, "final_answer": "", "train_messages": []}
    chain["trys"].append({"chain": [*chain["trys"][0]["chain"][:3], {"node_type": "Action", "description": "late"}]})
    answer, lost = converted(answer_of(chain, "7", "CoT@2"))
    assert answer.turns == (
        Said("I look at the wind."),
        Called(FORECAST, '{"portname": "Kiel"}', WIND),
        Called("late", "", ""),
    )
    assert not answer.has_finish
    assert answer.facts["path"] == "the last try of 2"
    assert lost == (
        "left out: other try",
        "the call of late was never made, for its input is not there",
        "not valid, so its path is the last try of 2",
    )


def test_of_a_tree_the_path_to_the_last_leaf_is_taken(tree: dict[str, Any]) -> None:
    answer, lost = converted(answer_of(tree, "7", "DFS_woFilter_w2"))
    assert answer.turns == (Said("Which port?"), Called(FORECAST, '{"portname": "Kiel"}', WIND))
    taken = "the path to the leaf that was expanded last"
    assert written_answer(answer)["proctor"]["path"] == taken
    assert lost == ("left out: other branch", f"not valid, so its path is {taken}")


def test_an_answer_with_nothing_in_it_has_no_turns() -> None:
    answer = converted(answer_of({"answer_generation": {}}, "7", "CoT@1")).value
    assert answer.turns == ()
    assert written_answer(answer, compat=True)["answer"]["total_steps"] == 2


def test_what_the_format_has_no_place_for_is_kept_beside(chain: dict[str, Any], tmp_path: Path) -> None:
    answer = converted(answer_of(chain, "7", "CoT@1")).value
    path = tmp_path / "G1.json"
    path.write_text(json.dumps(written_converted([answer])))
    read = read_converted(path)["7"]
    assert read == answer
    assert read.facts["before"] == messages_of(chain)[:2]
    assert read.facts["trace"]["usage"]["requests"] == 3


def test_every_encoding_of_a_message_is_read_from_a_file() -> None:
    message = {"name": "a", "arguments": {"n": 1}, "response": "one"}
    cut = str({"name": "b", "arguments": "x" * 200})[:100]
    details: list[Any] = []
    for said in (cut, str(message), json.dumps(message), message):
        details = [{"role": "tool", "message": said, "next": details}]
    details = [{"role": "system", "message": "", "next": details}]
    answer = read_converted_answer({"query": "?", "answer": {"answer_details": details}}, "7")
    assert [call.encoding for call in answer.calls] == [Encoding.OBJECT, Encoding.JSON, Encoding.PYTHON, Encoding.CUT]
    assert [(call.name, call.arguments) for call in answer.calls] == [("a", {"n": 1})] * 3 + [("b", None)]
    assert answer.notes == ("turn 4: the call's message was cut, so only its name is known (b)",)
    assert answer.opening == (("system", ""),)


def test_of_a_fork_the_last_branch_is_followed_and_that_is_noted() -> None:
    leaf = {"role": "assistant", "message": "b", "next": []}
    fork = [{"role": "assistant", "message": "a", "next": [leaf]}, leaf]
    details = [{"role": "system", "message": "", "next": fork}]
    answer = read_converted_answer({"answer": {"answer_details": details}}, "7")
    assert answer.turns == (Said("b"),)
    assert answer.notes == ("left out: 1 of 2 branches, all but the last",)


def test_a_plain_list_of_steps_is_read_in_its_order() -> None:
    details = [{"role": "assistant", "message": "a"}, {"role": "tool", "message": {"name": "b"}}]
    answer = read_converted_answer({"answer": {"answer_details": details}}, "7")
    assert answer.turns == (Said("a"), Called("b"))


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ("", "the file is empty"),
        ("[]", "converted answers are an object with ids as keys, not a list"),
        ('{"7": {}}', "answer '7': a converted answer is an object with 'answer'"),
        ('{"7": {"answer": {"answer_details": [3]}}}', "answer '7': a node of answer_details must be an object"),
        ('{"7": {"answer": {"answer_details": [{"next": 3}]}}}', "the 'next' of a node must be a list of nodes"),
    ],
)
def test_what_is_no_converted_file_is_a_sentence(tmp_path: Path, content: str, complaint: str) -> None:
    path = tmp_path / "G1.json"
    path.write_text(content)
    with pytest.raises(FileError, match=complaint):
        read_converted(path)

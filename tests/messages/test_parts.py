"""Calls and answers that stand as parts in a message's content."""

from typing import Any

import pytest

from proctor import MultiTurnSample
from proctor.errors import SampleError
from proctor.messages import AIMessage, HumanMessage, ToolCall, ToolMessage, read_message, read_messages
from proctor.metrics.matching import match_trajectories

USE = {"type": "tool_use", "id": "c1", "name": "weather", "input": {"city": "Paris"}}
WEATHER = ToolCall("weather", {"city": "Paris"}, id="c1")
ANSWER = {"type": "tool_result", "tool_use_id": "c1", "content": "20"}


def said(*parts: Any, role: str = "assistant", **more: Any) -> dict[str, Any]:
    return {"role": role, "content": list(parts), **more}


@pytest.mark.parametrize(
    ("part", "call"),
    [
        (USE, WEATHER),
        ({"type": "server_tool_use", "id": "s", "name": "search", "input": {}}, ToolCall("search", {}, id="s")),
        (
            {"type": "function_call", "call_id": "c1", "name": "weather", "arguments": '{"city": "Paris"}'},
            WEATHER,
        ),
        ({"type": "tool_call", "id": "c1", "name": "weather", "args": {"city": "Paris"}}, WEATHER),
        ({"type": "tool_use", "name": "f", "input": "{"}, ToolCall("f", {}, malformed="{")),
    ],
)
def test_a_part_that_is_a_call_is_read_as_one(part: Any, call: ToolCall) -> None:
    read = read_message(said({"type": "text", "text": "I will look."}, part))
    assert read == AIMessage("I will look.", tool_calls=[call])


def test_a_call_that_stands_beside_the_content_too_is_one_call() -> None:
    beside = {"id": "c1", "function": {"name": "weather", "arguments": '{"city": "Paris"}'}}
    assert read_message(said(USE, tool_calls=[beside])) == AIMessage("", tool_calls=[WEATHER])
    assert read_message(said(USE, {**USE, "id": "c2"})).to_dict()["tool_calls"][1]["id"] == "c2"


def test_thoughts_and_pictures_are_kept_and_are_no_calls() -> None:
    parts = [{"type": "thinking", "thinking": "hm"}, USE]
    read = read_message(said(*parts))
    assert read == AIMessage("", tool_calls=[WEATHER], metadata={"content_parts": parts})


def test_each_answer_in_a_users_message_is_a_message_of_its_own() -> None:
    failed = {"type": "tool_result", "tool_use_id": "c2", "content": [{"type": "text", "text": "no"}], "is_error": True}
    assert read_messages(said(ANSWER, failed, {"type": "text", "text": "And now?"}, role="user")) == [
        ToolMessage("20", tool_call_id="c1"),
        ToolMessage("no", tool_call_id="c2", status="error"),
        HumanMessage("And now?"),
    ]
    assert read_message(said(ANSWER, role="user")) == ToolMessage("20", tool_call_id="c1")


def test_a_place_for_one_message_refuses_several() -> None:
    with pytest.raises(SampleError, match="this one dictionary is 2 messages"):
        read_message(said(ANSWER, ANSWER, role="user"))


@pytest.mark.parametrize(
    ("message", "sentence"),
    [
        (said({"toolUse": {"name": "f", "input": {}}}), "looks like a tool call and cannot be read"),
        (said({"functionCall": {"name": "f", "args": {}}}), "looks like a tool call and cannot be read"),
        (said({"type": "tool-call", "toolName": "f"}), "looks like a tool call and cannot be read"),
        (said({"type": "odd", "name": "f", "input": {}}), "looks like a tool call and cannot be read"),
        (said({"type": "tool_use", "name": "f"}), "must have a name and 'input'"),
        (said(USE, role="user"), "has parts that are tool calls; only an assistant's may"),
        (said(ANSWER, role="system"), "has a tool's answer; only a user's or a tool's may"),
    ],
)
def test_a_call_is_never_lost_in_silence(message: Any, sentence: str) -> None:
    with pytest.raises(SampleError, match=sentence):
        read_message(message)


def test_a_whole_conversation_is_read_and_matched() -> None:
    talk: list[Any] = [said({"type": "text", "text": "?"}, role="user"), said(USE), said(ANSWER, ANSWER, role="user")]
    sample = MultiTurnSample(user_input=talk)
    assert [type(message) for message in sample.user_input] == [HumanMessage, AIMessage, ToolMessage, ToolMessage]
    assert match_trajectories(talk, [WEATHER]).matched

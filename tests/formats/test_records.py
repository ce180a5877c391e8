"""Each record says itself which shape it has."""

from typing import Any

import msgspec
import pytest

from proctor import MultiTurnSample, SingleTurnSample
from proctor.errors import FileError
from proctor.formats.records import read_record
from proctor.messages import AIMessage, AnyMessage, HumanMessage, ToolCall, ToolMessage
from proctor.records.gold import GoldCall

ASKED = {"role": "user", "content": "Weather in Paris?"}
CALLED: dict[str, Any] = {
    "role": "assistant",
    "content": None,
    "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "weather", "arguments": '{"city": "Paris"}'}}],
}
ANSWERED = {"role": "tool", "tool_call_id": "c1", "content": "sunny"}
MADE = ToolCall(name="weather", args={"city": "Paris"}, id="c1")
CONVERSATION: list[AnyMessage] = [
    HumanMessage("Weather in Paris?"),
    AIMessage("", tool_calls=[MADE]),
    ToolMessage("sunny", tool_call_id="c1"),
]
OWN_CALL = {"name": "weather", "args": {"city": "Paris"}}


@pytest.mark.parametrize(
    ("value", "sample", "name"),
    [
        pytest.param(
            {"user_input": "q", "response": "a", "reference": "r"},
            SingleTurnSample(user_input="q", response="a", reference="r"),
            None,
            id="a single turn",
        ),
        pytest.param(
            {"id": 7, "response": "a"},
            SingleTurnSample(response="a"),
            7,
            id="a single turn with a name",
        ),
        pytest.param(
            {"user_input": [ASKED, CALLED, ANSWERED], "reference_tool_calls": [OWN_CALL], "id": "x"},
            MultiTurnSample(user_input=CONVERSATION, reference_tool_calls=[ToolCall("weather", {"city": "Paris"})]),
            "x",
            id="a conversation as a sample",
        ),
        pytest.param(
            [ASKED, CALLED, ANSWERED],
            MultiTurnSample(user_input=CONVERSATION),
            None,
            id="a bare list of messages",
        ),
        pytest.param(
            {"messages": [ASKED, CALLED, ANSWERED], "tools": [{"type": "function"}], "id": "x"},
            MultiTurnSample(user_input=CONVERSATION),
            "x",
            id="what was sent to an endpoint",
        ),
        pytest.param(
            {"messages": [ASKED], "reference_tool_calls": [OWN_CALL], "reference": "sunny"},
            MultiTurnSample(
                user_input=[HumanMessage("Weather in Paris?")],
                reference_tool_calls=[ToolCall("weather", {"city": "Paris"})],
                reference="sunny",
            ),
            None,
            id="messages with what was wanted",
        ),
        pytest.param(
            {"messages": [ASKED], "gold": [{"name": "weather", "optional": True}]},
            MultiTurnSample(user_input=[HumanMessage("Weather in Paris?")], gold=[GoldCall("weather", optional=True)]),
            None,
            id="messages with richer gold",
        ),
        pytest.param(
            {"outputs": [ASKED, CALLED, ANSWERED], "reference_outputs": [ASKED, CALLED]},
            MultiTurnSample(user_input=CONVERSATION, reference_tool_calls=[MADE]),
            None,
            id="a pair of outputs",
        ),
        pytest.param(
            {"outputs": {"messages": [ASKED]}, "reference_outputs": {"messages": [ASKED]}, "inputs": {"q": 1}, "id": 1},
            MultiTurnSample(user_input=[HumanMessage("Weather in Paris?")], reference_tool_calls=[]),
            1,
            id="a pair of dictionaries, no call wanted",
        ),
        pytest.param(
            {"outputs": [OWN_CALL, CALLED["tool_calls"][0]], "reference_outputs": [OWN_CALL]},
            MultiTurnSample(
                user_input=[AIMessage("", tool_calls=[ToolCall("weather", {"city": "Paris"}), MADE])],
                reference_tool_calls=[ToolCall("weather", {"city": "Paris"})],
            ),
            None,
            id="a pair of lists of calls",
        ),
        pytest.param(
            {"outputs": [], "reference_outputs": [{"name": "weather", "optional": True}]},
            MultiTurnSample(user_input=[AIMessage("", tool_calls=[])], gold=[GoldCall("weather", optional=True)]),
            None,
            id="no call, and richer gold",
        ),
        pytest.param(
            {"outputs": [ASKED]},
            MultiTurnSample(user_input=[HumanMessage("Weather in Paris?")]),
            None,
            id="half a pair",
        ),
    ],
)
def test_a_record_is_read_as_what_it_is(value: Any, sample: Any, name: Any) -> None:
    record = read_record(msgspec.json.encode(value), path="a.jsonl", line=3)
    assert record.sample == sample
    assert (record.id, record.path, record.line) == (name, "a.jsonl", 3)


@pytest.mark.parametrize(
    ("value", "sentence"),
    [
        (3, "a record must be a sample, a list of messages or a pair of outputs, not int."),
        ({}, "the record is empty"),
        ([], "'messages' is an empty list"),
        ([1], "messages[0]: a message must be a message object or a dictionary, not int: 1."),
        (ASKED, "this is a single message; put the messages of a conversation into one list"),
        ({"messages": "hello"}, "'messages' must be a list of messages, not str."),
        ({"messages": [ASKED], "referense": "x"}, "unknown field 'referense'; did you mean 'reference'?"),
        ({"messages": [{"role": "robot", "content": ""}]}, "messages[0]: a message has the unknown role 'robot'"),
        ({"messages": [ANSWERED]}, "ToolMessage must be preceded by an AIMessage somewhere in the conversation."),
        ({"outputs": [ASKED], "reference_output": [ASKED]}, "did you mean 'reference_outputs'?"),
        ({"reference_outputs": [ASKED]}, "a pair has 'reference_outputs' and no 'outputs'"),
        ({"outputs": 7}, "'outputs' must be a list of messages, not int."),
        ({"outputs": {"messages": [3]}}, "a.jsonl:9: outputs.messages[0]: a message must be"),
        ({"outputs": [OWN_CALL, {"name": "f", "arg": {}}]}, "outputs[1]: a ToolCall has the unknown field 'arg'"),
        ({"outputs": [], "reference_outputs": [{"nam": "f", "label": "x"}]}, "reference_outputs[0]: unknown field"),
        ({"outputs": {"message": []}}, "'outputs' must be a list of messages, not NoneType."),
        ({"response": "a", "refrence": "b"}, "unknown field 'refrence'; did you mean 'reference'?"),
        ({"id": [1], "response": "a"}, "'id' must be text or a whole number, not list."),
        ({"id": True, "response": "a"}, "'id' must be text or a whole number, not bool."),
    ],
)
def test_a_record_that_is_none_says_why_and_where(value: Any, sentence: str) -> None:
    with pytest.raises(FileError) as caught:
        read_record(msgspec.json.encode(value), path="a.jsonl", line=9)
    assert str(caught.value).startswith("a.jsonl:9: ")
    assert sentence in str(caught.value)


def test_a_call_whose_arguments_are_no_json_is_kept_and_no_error() -> None:
    broken = {"role": "assistant", "tool_calls": [{"function": {"name": "weather", "arguments": "{city:"}}]}
    record = read_record(msgspec.json.encode([ASKED, broken]), path="a.jsonl", line=1)
    message = record.sample.user_input[1] if isinstance(record.sample, MultiTurnSample) else None
    assert isinstance(message, AIMessage)
    assert message.tool_calls == [ToolCall("weather", {}, malformed="{city:")]


def test_a_text_that_holds_the_word_id_is_read_as_it_is() -> None:
    record = read_record(b'{"response":"\\"id\\": 3","reference":"x"}', path="a", line=1)
    assert record.sample == SingleTurnSample(response='"id": 3', reference="x")
    assert record.id is None

import copy
import pickle
from typing import Any

import pytest

from proctor.dataset_schema import BaseSample, MultiTurnSample, SingleTurnSample, read_sample
from proctor.errors import SampleError
from proctor.messages import AIMessage, HumanMessage, SystemMessage, ToolCall, ToolMessage

CALL = ToolCall("weather", {"city": "Paris"})


def refusal(kind: Any, *args: Any, **fields: Any) -> str:
    with pytest.raises(SampleError) as caught:
        kind(*args, **fields)
    assert isinstance(caught.value, ValueError)
    return str(caught.value)


def test_a_sample_leaves_out_what_it_does_not_have() -> None:
    sample = SingleTurnSample(user_input="q", response="")
    assert isinstance(sample, BaseSample)
    assert sample.to_dict() == {"user_input": "q", "response": ""}
    assert sample.get_features() == ["user_input", "response"]
    assert sample.to_string() == "\nuser_input:\n\tq\n\nresponse:\n\t\n"


def test_a_conversation_is_plain_data_and_readable_text() -> None:
    sample = MultiTurnSample(
        user_input=[HumanMessage("Paris?"), AIMessage("", tool_calls=[CALL]), ToolMessage("20")],
        reference_tool_calls=[CALL],
    )
    call = {"name": "weather", "args": {"city": "Paris"}}
    conversation = [
        {"type": "human", "content": "Paris?"},
        {"type": "ai", "content": "", "tool_calls": [call]},
        {"type": "tool", "content": "20"},
    ]
    assert sample.to_messages() == conversation
    assert sample.to_dict() == {"user_input": conversation, "reference_tool_calls": [call]}
    assert sample.get_features() == ["user_input", "reference_tool_calls"]
    assert sample.pretty_repr() == "Human: Paris?\nTools:\n  weather: {'city': 'Paris'}\nToolOutput: 20"


def test_the_arguments_of_a_call_keep_their_nulls() -> None:
    sample = MultiTurnSample(user_input=[], reference_tool_calls=[ToolCall("a", {"x": None})])
    assert sample.to_dict()["reference_tool_calls"] == [{"name": "a", "args": {"x": None}}]


def test_dictionaries_in_a_sample_are_read_as_messages_and_calls() -> None:
    sample = MultiTurnSample(
        user_input=[{"role": "user", "content": "a"}, {"type": "ai", "content": "b"}, HumanMessage("c")],  # type: ignore[list-item]
        reference_tool_calls=[{"function": {"name": "weather", "arguments": '{"city": "Paris"}'}}],  # type: ignore[list-item]
    )
    assert sample.user_input == [HumanMessage("a"), AIMessage("b"), HumanMessage("c")]
    assert sample.reference_tool_calls == [CALL]


ORDERS = [
    (
        [HumanMessage("a"), ToolMessage("b")],
        "ToolMessage must be preceded by an AIMessage somewhere in the conversation.",
    ),
    ([ToolMessage("b")], "ToolMessage must be preceded by an AIMessage somewhere in the conversation."),
    (
        [HumanMessage("a"), AIMessage("b"), ToolMessage("c")],
        "ToolMessage must follow an AIMessage where tools were called.",
    ),
    (
        [AIMessage("b", tool_calls=[]), ToolMessage("c")],
        "ToolMessage must follow an AIMessage where tools were called.",
    ),
    (
        [AIMessage("b", tool_calls=[CALL]), HumanMessage("a"), ToolMessage("c")],
        "ToolMessage must follow an AIMessage or another ToolMessage.",
    ),
    (
        [AIMessage("b", tool_calls=[CALL]), ToolMessage("x"), SystemMessage("a"), ToolMessage("c")],
        "ToolMessage must follow an AIMessage or another ToolMessage.",
    ),
]


@pytest.mark.parametrize(("messages", "sentence"), ORDERS)
def test_an_answer_that_follows_no_call_is_refused(messages: list[Any], sentence: str) -> None:
    assert refusal(MultiTurnSample, user_input=messages) == sentence
    assert refusal(read_sample, {"user_input": [message.to_dict() for message in messages]}) == sentence


@pytest.mark.parametrize(
    "messages",
    [
        [],
        [AIMessage("a")],
        [AIMessage("", tool_calls=[CALL, CALL]), ToolMessage("a"), ToolMessage("b"), ToolMessage("c"), AIMessage("d")],
        [SystemMessage("a"), HumanMessage("b"), HumanMessage("c"), AIMessage("d"), AIMessage("e")],
    ],
)
def test_any_other_order_is_fine(messages: list[Any]) -> None:
    assert MultiTurnSample(user_input=messages).user_input == messages


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"response": 1}, "'response' of a SingleTurnSample must be text, not int: 1."),
        (
            {"retrieved_contexts": "text"},
            "'retrieved_contexts' of a SingleTurnSample must be a list of texts, not str: 'text'.",
        ),
        ({"multi_responses": ["a", 1]}, "'multi_responses[1]' of a SingleTurnSample must be text, not int: 1."),
        (
            {"reference_context_ids": [1, "a", True]},
            "'reference_context_ids[2]' of a SingleTurnSample must be text or a whole number, not bool: True.",
        ),
        (
            {"rubrics": {"good": 1}},
            "'rubrics' of a SingleTurnSample must be a dictionary from text to text, not dict: {'good': 1}.",
        ),
        (
            {"rubrics": ["a"]},
            "'rubrics' of a SingleTurnSample must be a dictionary from text to text, not list: ['a'].",
        ),
        ({"respnse": ""}, "a SingleTurnSample has the unknown field 'respnse'; did you mean 'response'?"),
    ],
)
def test_a_single_turn_of_wrong_types_is_refused(fields: dict[str, Any], sentence: str) -> None:
    assert refusal(SingleTurnSample, **fields) == sentence
    assert refusal(read_sample, fields) == sentence


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"user_input": "q"}, "'user_input' of a MultiTurnSample must be a list of messages, not str: 'q'."),
        ({"user_input": None}, "'user_input' of a MultiTurnSample must be a list of messages, not None."),
        ({}, "a MultiTurnSample cannot be made: missing required argument 'user_input'."),
        (
            {"user_input": [HumanMessage("a"), 5]},
            "user_input[1]: a message must be a message object or a dictionary, not int: 5.",
        ),
        (
            {"user_input": [], "reference_tool_calls": {"name": "a"}},
            "'reference_tool_calls' of a MultiTurnSample must be a list of tool calls, not dict: {'name': 'a'}.",
        ),
        (
            {"user_input": [], "reference_tool_calls": [CALL, {"name": "a"}]},
            "reference_tool_calls[1]: a ToolCall cannot be made: missing required argument 'args'.",
        ),
        ({"user_input": [], "reference": 5}, "'reference' of a MultiTurnSample must be text, not int: 5."),
        (
            {"user_input": [], "reference_topics": "weather"},
            "'reference_topics' of a MultiTurnSample must be a list of texts, not str: 'weather'.",
        ),
        (
            {"user_input": [], "reference_topics": [None]},
            "'reference_topics[0]' of a MultiTurnSample must be text, not None.",
        ),
    ],
)
def test_a_conversation_of_wrong_types_is_refused(fields: dict[str, Any], sentence: str) -> None:
    assert refusal(MultiTurnSample, **fields) == sentence


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        ("text", "a sample must be a dictionary, not str: 'text'."),
        (
            {"user_input": [], "referense": ""},
            "a MultiTurnSample has the unknown field 'referense'; did you mean 'reference'?",
        ),
        (
            {"user_input": [], "response": ""},
            "a MultiTurnSample has no field 'response'; a SingleTurnSample has: is its 'user_input' text?",
        ),
        (
            {"user_input": "q", "reference_topics": []},
            (
                "a SingleTurnSample has no field 'reference_topics'; a MultiTurnSample has: "
                "is its 'user_input' a list of messages?"
            ),
        ),
        ({5: ""}, "a SingleTurnSample has the unknown field 5; known are "),
    ],
)
def test_plain_data_that_is_no_sample_is_refused_with_a_sentence(data: Any, sentence: str) -> None:
    assert refusal(read_sample, data).startswith(sentence)


def test_reading_changes_nothing_in_what_was_read() -> None:
    data = {
        "user_input": [{"role": "user", "content": "a"}],
        "reference_tool_calls": [{"name": "a", "args": {"x": [1]}}],
    }
    before = copy.deepcopy(data)
    read_sample(data)
    assert data == before


def test_a_sample_is_read_as_itself() -> None:
    sample = SingleTurnSample(response="a")
    assert read_sample(sample) is sample


@pytest.mark.parametrize(
    "sample", [SingleTurnSample(response="a"), MultiTurnSample(user_input=[AIMessage("", tool_calls=[CALL])])]
)
def test_samples_can_be_copied_and_pickled(sample: BaseSample) -> None:
    assert copy.deepcopy(sample) == sample
    assert pickle.loads(pickle.dumps(sample)) == sample  # noqa: S301 - our own bytes


def test_a_message_of_a_users_own_kind_stands_where_its_parent_may() -> None:
    class Caller(AIMessage):
        pass

    sample = MultiTurnSample(user_input=[Caller("", tool_calls=[CALL]), ToolMessage("20")])
    assert isinstance(sample.user_input[0], Caller)


def test_the_messages_of_conversations_can_be_had_beside_the_samples() -> None:
    from proctor import dataset_schema, messages

    for name in ("AIMessage", "HumanMessage", "Message", "ToolCall", "ToolMessage"):
        assert getattr(dataset_schema, name) is getattr(messages, name)

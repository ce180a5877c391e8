import copy
import pickle
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proctor import errors
from proctor.errors import MODEL_FAULTS, ModelError, ModelRefusedError, ReplyError, SampleError
from proctor.messages import AIMessage, HumanMessage, SystemMessage, ToolCall, ToolMessage, read_message
from proctor.models.chat import OutputSchema, Reply, Request, missing, plain_message

CONVERSATION = [
    SystemMessage("Be brief."),
    HumanMessage("Weather in Rome?"),
    AIMessage("", tool_calls=[ToolCall("weather", {"city": "Rome"}, id="a1"), ToolCall("bad", {}, malformed="{city")]),
    ToolMessage("sunny", tool_call_id="a1"),
]


def test_our_messages_are_kept_in_the_plain_form_that_endpoints_take() -> None:
    assert Request.of(CONVERSATION).messages == (
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Weather in Rome?"},
        {
            "role": "assistant",
            "content": "",
            "tool_calls": [
                {"id": "a1", "type": "function", "function": {"name": "weather", "arguments": '{"city":"Rome"}'}},
                {"id": "call_1", "type": "function", "function": {"name": "bad", "arguments": "{city"}},
            ],
        },
        {"role": "tool", "tool_call_id": "a1", "content": "sunny"},
    )


def test_a_plain_message_is_read_back_as_the_message_that_it_was() -> None:
    back = [read_message(plain_message(message)) for message in CONVERSATION[:2]]
    assert back == CONVERSATION[:2]
    calls = read_message(plain_message(CONVERSATION[2]))
    assert isinstance(calls, AIMessage)
    assert calls.tool_calls == [
        ToolCall("weather", {"city": "Rome"}, id="a1"),
        ToolCall("bad", {}, id="call_1", malformed="{city"),
    ]


def test_a_request_of_our_messages_and_one_of_their_plain_form_are_equal() -> None:
    ours = Request.of(CONVERSATION)
    plain = Request.of([plain_message(message) for message in CONVERSATION])
    assert ours == plain
    assert ours.key() == plain.key()


def test_a_bare_function_becomes_a_tool() -> None:
    function = {"name": "weather", "parameters": {"type": "object"}}
    assert Request.of("x", tools=[function]).tools == ({"type": "function", "function": function},)


@pytest.mark.parametrize("tool", [{"parameters": {}}, {"type": "function", "function": "weather"}])
def test_a_tool_without_a_name_is_an_error(tool: dict[str, object]) -> None:
    with pytest.raises(SampleError, match="a function with a name"):
        Request.of("x", tools=[tool])


def test_a_role_that_is_no_text_is_an_error() -> None:
    with pytest.raises(SampleError, match="role must be text"):
        Request.of([{"role": 3, "content": "x"}])


@pytest.mark.parametrize(
    "change",
    [
        {"temperature": 0.5},
        {"max_tokens": 5},
        {"seed": 1},
        {"repeat": 1},
        {"extra": {"stop": ["x"]}},
        {"tools": [{"name": "weather"}]},
        {"output": OutputSchema("verdict", {"type": "object"})},
    ],
)
def test_whatever_is_asked_differently_has_another_key(change: dict[str, Any]) -> None:
    assert Request.of("x", **change).key() != Request.of("x").key()


def test_the_order_of_keys_in_a_request_does_not_matter_to_its_key() -> None:
    one = Request.of("x", extra={"a": 1, "b": 2.0}, temperature=0)
    other = Request.of("x", extra={"b": 2, "a": 1}, temperature=0.0)
    assert one.key() == other.key()


@settings(deadline=None, max_examples=50)
@given(st.text(alphabet=st.characters(exclude_categories=())))
def test_any_text_at_all_can_be_asked(text: str) -> None:
    request = Request.of(text)
    assert len(request.key()) == 64
    if text.isascii():
        assert request.text == text


def test_a_whole_surrogate_pair_is_mended_to_its_character_and_half_a_one_is_replaced() -> None:
    assert Request.of("a\ud83d\ude00b").text == "a\U0001f600b"
    assert Request.of("a\ud83db").text == "a\ufffdb"


def test_a_request_cannot_be_changed() -> None:
    with pytest.raises(AttributeError):
        Request.of("x").temperature = 1  # type: ignore[misc]


def test_a_fault_becomes_a_missing_with_its_sentence_and_the_raw_reply() -> None:
    found = missing(ReplyError("no choice in it.", model="m", kind="empty_reply", raw='{"choices": []}'))
    assert found.reason == "the model's reply was empty"
    assert found.detail == 'm: no choice in it.\n{"choices": []}'


def test_every_branch_of_the_model_errors_has_kinds_with_a_sentence_and_every_sentence_is_used() -> None:
    branches = [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, ModelError)]
    assert {kind for branch in branches for kind in branch.kinds} == set(MODEL_FAULTS)


@pytest.mark.parametrize("again", [copy.copy, lambda error: pickle.loads(pickle.dumps(error))])  # noqa: S301 - our own bytes
def test_a_model_error_survives_copying(again: object) -> None:
    error = ModelRefusedError("no.", model="m", kind="unknown_model", status=404, attempts=2, raw="{}")
    twin = again(error)  # type: ignore[operator]
    assert (type(twin), str(twin), vars(twin)) == (type(error), str(error), vars(error))


def test_a_model_error_takes_no_particular_that_it_does_not_know() -> None:
    with pytest.raises(TypeError, match="does not know colour"):
        ModelError("no.", model="m", colour="red")


def test_a_reply_is_free_text_that_came_from_nowhere_unless_it_says_more() -> None:
    assert (Reply("x").text, Reply("x").finish, Reply("x").from_cache, Reply("x").tool_calls) == (
        "x",
        "stop",
        False,
        (),
    )

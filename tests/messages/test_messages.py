import copy
import json
import pickle
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proctor import messages
from proctor.errors import SampleError
from proctor.messages import (
    AIMessage,
    AnyMessage,
    HumanMessage,
    Message,
    SystemMessage,
    ToolCall,
    ToolMessage,
    read_message,
    read_tool_call,
)


def refusal(kind: Any, *args: Any, **fields: Any) -> str:
    with pytest.raises(SampleError) as caught:
        kind(*args, **fields)
    return str(caught.value)


def test_the_module_offers_each_kind_of_message_and_the_call() -> None:
    kinds = [HumanMessage("a"), AIMessage("a"), ToolMessage("a"), SystemMessage("a")]
    assert [kind.type for kind in kinds] == ["human", "ai", "tool", "system"]
    assert all(isinstance(kind, Message) for kind in kinds)
    assert {type(kind).__name__ for kind in kinds} < set(messages.__all__)


def test_messages_print_themselves_as_a_person_reads_them() -> None:
    calls = [ToolCall("weather", {"city": "Paris", "days": 2}), ToolCall("now", {})]
    assert HumanMessage("Hello").pretty_repr() == "Human: Hello"
    assert SystemMessage("Be kind").pretty_repr() == "System: Be kind"
    assert ToolMessage("20").pretty_repr() == "ToolOutput: 20"
    assert AIMessage("Yes").pretty_repr() == "AI: Yes"
    assert (
        AIMessage("Let me see", tool_calls=calls).pretty_repr()
        == "AI: Let me see\nTools:\n  weather: {'city': 'Paris', 'days': 2}\n  now: {}"
    )
    assert AIMessage("", tool_calls=calls[1:]).pretty_repr() == "Tools:\n  now: {}"
    assert AIMessage("").pretty_repr() == ""
    assert AIMessage("", tool_calls=[]).pretty_repr() == "Tools:"


@pytest.mark.parametrize(
    ("kind", "fields", "sentence"),
    [
        (HumanMessage, {"content": 5}, "'content' of a HumanMessage must be text, not int: 5."),
        (HumanMessage, {"content": None}, "'content' of a HumanMessage must be text, not None."),
        (HumanMessage, {}, "a HumanMessage cannot be made: missing required argument 'content'."),
        (
            SystemMessage,
            {"content": "", "metadata": []},
            "'metadata' of a SystemMessage must be a dictionary, not list: [].",
        ),
        (HumanMessage, {"contents": ""}, "a HumanMessage has the unknown field 'contents'; did you mean 'content'?"),
        (HumanMessage, {"content": "", "type": "ai"}, "a HumanMessage has the type 'human', not 'ai'."),
        (
            AIMessage,
            {"content": "", "tool_calls": {"name": "a"}},
            "'tool_calls' of an AIMessage must be a list of tool calls, not dict: {'name': 'a'}.",
        ),
        (
            AIMessage,
            {"content": "", "tool_calls": ["weather"]},
            "a tool call must be a ToolCall or a dictionary, not str: 'weather'.",
        ),
        (ToolCall, {"name": None, "args": {}}, "'name' of a ToolCall must be text, not None."),
        (ToolCall, {"name": "a", "args": "x=1"}, "'args' of a ToolCall must be a dictionary, not str: 'x=1'."),
        (ToolCall, {"name": "a"}, "a ToolCall cannot be made: missing required argument 'args'."),
        (ToolCall, {"name": "a", "args": {}, "id": 5}, "'id' of a ToolCall must be text, not int: 5."),
        (ToolMessage, {"content": "", "tool_call_id": 5}, "'tool_call_id' of a ToolMessage must be text, not int: 5."),
        (
            ToolMessage,
            {"content": "", "status": "ok"},
            "'status' of a ToolMessage must be 'success', 'error' or None, not str: 'ok'.",
        ),
    ],
)
def test_what_is_built_of_wrong_types_is_refused(kind: Any, fields: dict[str, Any], sentence: str) -> None:
    assert refusal(kind, **fields) == sentence


def test_a_long_value_is_shortened_in_the_error() -> None:
    assert len(refusal(HumanMessage, ["x" * 500])) < 150


def test_a_message_may_say_its_own_type() -> None:
    fields: dict[str, Any] = {"content": "a", "type": "human"}
    assert HumanMessage(**fields) == HumanMessage("a")


def test_calls_in_a_message_may_be_dictionaries() -> None:
    said = AIMessage("", tool_calls=[{"name": "a", "args": {}}, {"function": {"name": "b", "arguments": "{}"}}])  # type: ignore[list-item]
    assert said.tool_calls == [ToolCall("a", {}), ToolCall("b", {})]


def test_the_list_of_calls_that_was_handed_in_is_not_shared() -> None:
    calls = [ToolCall("a", {})]
    said = AIMessage("", tool_calls=calls)
    calls.clear()
    assert said.tool_calls == [ToolCall("a", {})]


@pytest.mark.parametrize(
    "message", [HumanMessage("a", metadata={"k": [1]}), AIMessage("", tool_calls=[ToolCall("a", {})])]
)
def test_messages_can_be_copied_and_pickled(message: AnyMessage) -> None:
    assert copy.deepcopy(message) == message
    assert pickle.loads(pickle.dumps(message)) == message  # noqa: S301 - our own bytes


def openai_call(arguments: Any, **more: Any) -> dict[str, Any]:
    return {"id": "c1", "type": "function", "function": {"name": "weather", "arguments": arguments, **more}}


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"role": "user", "content": "a"}, HumanMessage("a")),
        ({"role": "system", "content": "a"}, SystemMessage("a")),
        ({"role": "developer", "content": "a"}, SystemMessage("a")),
        ({"role": "assistant", "content": None}, AIMessage("")),
        ({"role": "assistant", "content": None, "refusal": "No."}, AIMessage("No.")),
        ({"role": "assistant", "content": "a", "refusal": "No."}, AIMessage("a", metadata={"refusal": "No."})),
        ({"role": "assistant", "content": "a", "tool_calls": []}, AIMessage("a")),
        (
            {"role": "assistant", "content": "", "tool_calls": [openai_call('{"city": "Paris"}')]},
            AIMessage("", tool_calls=[ToolCall("weather", {"city": "Paris"}, id="c1")]),
        ),
        (
            {"role": "assistant", "content": None, "function_call": {"name": "a", "arguments": "{}"}},
            AIMessage("", tool_calls=[ToolCall("a", {})]),
        ),
        (
            {"role": "tool", "tool_call_id": "c1", "name": "weather", "content": "20"},
            ToolMessage("20", tool_call_id="c1", name="weather"),
        ),
        ({"role": "function", "name": "weather", "content": "20"}, ToolMessage("20", name="weather")),
        ({"role": "user", "content": "a", "name": "bob"}, HumanMessage("a", metadata={"name": "bob"})),
        ({"role": "assistant", "content": "a", "audio": None, "x": 1}, AIMessage("a", metadata={"x": 1})),
        (
            {"role": "user", "content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]},
            HumanMessage("a\nb"),
        ),
        (
            {"role": "user", "content": [{"type": "text", "text": "a"}, {"type": "image_url", "image_url": {}}]},
            HumanMessage(
                "a", metadata={"content_parts": [{"type": "text", "text": "a"}, {"type": "image_url", "image_url": {}}]}
            ),
        ),
        ({"type": "human", "content": "a"}, HumanMessage("a")),
        ({"type": "human", "content": "a", "tool_calls": None, "status": None}, HumanMessage("a")),
        ({"type": "tool", "content": "a", "status": "error"}, ToolMessage("a", status="error")),
        ({"content": "a"}, HumanMessage("a")),
        ({"content": "a", "tool_calls": []}, AIMessage("a", tool_calls=[])),
        ({"content": "a", "tool_call_id": "c1"}, ToolMessage("a", tool_call_id="c1")),
    ],
)
def test_a_dictionary_is_read_as_what_it_is(data: dict[str, Any], message: AnyMessage) -> None:
    before = copy.deepcopy(data)
    assert read_message(data) == message
    assert data == before


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        ("hello", "a message must be a message object or a dictionary, not str: 'hello'."),
        (
            Message("a"),
            "a message must be a message object or a dictionary, not Message: Message(content='a', metadata=None).",
        ),
        ({"type": "humann", "content": ""}, "a message has the unknown type 'humann'; did you mean 'human'?"),
        ({"type": [], "content": ""}, "a message has the unknown type []; known are ai, human, system, tool."),
        ({"role": "asistant", "content": ""}, "a message has the unknown role 'asistant'; did you mean 'assistant'?"),
        (
            {"role": ["user"]},
            "a message has the unknown role ['user']; did you mean 'user'?",
        ),
        ({"type": "human"}, "a HumanMessage cannot be made: missing required argument 'content'."),
        ({"type": "human", "content": None}, "'content' of a HumanMessage must be text, not None."),
        (
            {"type": "human", "content": "", "tool_calls": []},
            "a HumanMessage has the unknown field 'tool_calls'; known are content, metadata.",
        ),
        (
            {"type": "human", "content": "", "meta": {}},
            "a HumanMessage has the unknown field 'meta'; did you mean 'metadata'?",
        ),
        (
            {1: 2, "type": "human", "content": ""},
            "a HumanMessage has the unknown field '1'; known are content, metadata.",
        ),
        (
            {"role": "assistant", "content": "", "tool_cals": []},
            "a message of the role 'assistant' has the unknown field 'tool_cals'; did you mean 'tool_calls'?",
        ),
        (
            {"role": "assistant", "content": "", "tool_calls": {}},
            "'tool_calls' of a message must be a list, not dict: {}.",
        ),
        ({"role": "user", "content": 5}, "'content' of a message must be text or a list of parts, not int: 5."),
        (
            {"role": "user", "content": "", "tool_calls": [openai_call("{}")]},
            "a message of the role 'user' has tool_calls; only an assistant's may.",
        ),
        (
            {"role": "assistant", "content": "", "tool_calls": [{"function": {"arguments": "{}"}}]},
            "a tool call's function must be a dictionary with a name, not dict: {'arguments': '{}'}.",
        ),
        (
            {"role": "assistant", "content": "", "tool_calls": [{"function": {"name": "a", "argument": "{}"}}]},
            "a tool call's function has the unknown field 'argument'; did you mean 'arguments'?",
        ),
        (
            {"role": "assistant", "content": "", "tool_calls": [{"name": "a", "args": {}, "nmae": 1}]},
            "a ToolCall has the unknown field 'nmae'; did you mean 'name'?",
        ),
    ],
)
def test_a_dictionary_that_is_no_message_is_refused_with_a_sentence(data: Any, sentence: str) -> None:
    assert refusal(read_message, data) == sentence


@pytest.mark.parametrize(
    "text", ["{", "not json", "[1]", '"x"', "5", '{"a": 1, "a": 2}', '{"a": NaN}', "[" * 5000, '{"a": "\\ud800"}']
)
def test_arguments_that_cannot_be_read_are_kept_and_marked(text: str) -> None:
    assert read_tool_call(openai_call(text)) == ToolCall("weather", {}, id="c1", malformed=text)


def test_arguments_that_are_no_object_at_all_are_kept_as_text() -> None:
    assert read_tool_call(openai_call([1])) == ToolCall("weather", {}, id="c1", malformed="[1]")


@pytest.mark.parametrize("nothing", [None, "", " ", "null", '""', "{}", " {} ", {}])
def test_no_arguments_are_no_arguments_however_they_are_written(nothing: Any) -> None:
    assert read_tool_call(openai_call(nothing)) == ToolCall("weather", {}, id="c1")


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
objects = st.dictionaries(st.text(max_size=5), json_values, max_size=3)
some_text = st.none() | st.text(max_size=5)
calls = st.builds(ToolCall, name=st.text(max_size=5), args=objects, id=some_text, malformed=some_text)
any_message = st.one_of(
    st.builds(HumanMessage, content=st.text(), metadata=st.none() | objects),
    st.builds(SystemMessage, content=st.text(), metadata=st.none() | objects),
    st.builds(AIMessage, content=st.text(), tool_calls=st.none() | st.lists(calls, max_size=3)),
    st.builds(
        ToolMessage, content=st.text(), tool_call_id=some_text, name=some_text, status=st.sampled_from(["error", None])
    ),
)


@settings(deadline=None, max_examples=60)
@given(any_message)
def test_a_message_is_the_same_after_a_trip_through_plain_data_and_json(message: AnyMessage) -> None:
    assert read_message(message.to_dict()) == message
    assert read_message(json.loads(json.dumps(message.to_dict()))) == message
    assert msgspec.json.decode(msgspec.json.encode(message), type=AnyMessage) == message


@settings(deadline=None, max_examples=60)
@given(objects)
def test_arguments_as_json_text_are_read_as_they_were(args: dict[str, Any]) -> None:
    assert repr(read_tool_call(openai_call(json.dumps(args))).args) == repr(args)


@pytest.mark.parametrize("said", [None, "", {}])
def test_no_args_are_no_arguments_too(said: Any) -> None:
    assert read_tool_call({"name": "f", "args": said}) == ToolCall("f", {})


@pytest.mark.parametrize("said", ["[]", "0", "false", '" "', "nul", "{"])
def test_arguments_that_are_something_else_are_malformed(said: str) -> None:
    assert read_tool_call({"function": {"name": "f", "arguments": said}}) == ToolCall("f", {}, malformed=said)

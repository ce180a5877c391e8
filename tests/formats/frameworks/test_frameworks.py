"""Whatever framework a conversation was held in, its sample is the same, and what was lost is named."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from typing import Any

import pytest

from proctor.errors import SampleError
from proctor.formats import frameworks
from proctor.formats.conversations import calls_of
from proctor.messages import AIMessage, HumanMessage, ToolCall, ToolMessage
from proctor.metrics import ToolCallAccuracy
from proctor.records.grades import Score

ARGUMENTS = {"city": "Paris"}
TEXT = json.dumps(ARGUMENTS)
FUNCTION = {"name": "weather", "arguments": TEXT}


def part(kind: str, **fields: Any) -> dict[str, Any]:
    return {"type": kind, **fields}


def span(name: str, start: int, **attributes: Any) -> dict[str, Any]:
    known = {f"gen_ai.{field.replace('__', '.')}": value for field, value in attributes.items()}
    return {
        "name": name,
        "start_time": start,
        "attributes": {"gen_ai.operation.name": name.split(maxsplit=1)[0], **known},
    }


def spoken(role: str, *parts: dict[str, Any]) -> dict[str, Any]:
    return {"role": role, "parts": list(parts)}


ASKED = spoken("user", part("text", content="How warm is it?"))
CALLED = spoken("assistant", part("tool_call", id="c1", name="weather", arguments=ARGUMENTS))
RETURNED = spoken("tool", part("tool_call_response", id="c1", response="20 degrees"))
ANSWERED = spoken("assistant", part("text", content="20 degrees."))
CHAT: list[dict[str, Any]] = [
    {"role": "user", "content": "How warm is it?"},
    {"role": "assistant", "content": None, "tool_calls": [{"id": "c1", "type": "function", "function": FUNCTION}]},
    {"role": "tool", "tool_call_id": "c1", "content": "20 degrees"},
    {"role": "assistant", "content": "20 degrees."},
]

HELD: dict[str, tuple[Callable[..., Any], list[dict[str, Any]]]] = {
    "OpenAI chat": (frameworks.from_openai_chat, CHAT),
    "OpenAI Responses": (
        frameworks.from_openai_responses,
        [
            {"role": "user", "content": "How warm is it?"},
            part("function_call", call_id="c1", **FUNCTION),
            part("function_call_output", call_id="c1", output="20 degrees"),
            part("message", role="assistant", content=[part("output_text", text="20 degrees.")]),
        ],
    ),
    "OpenAI Agents SDK": (
        frameworks.from_openai_agents,
        [
            {"role": "user", "content": "How warm is it?"},
            part("tool_call_item", raw_item=part("function_call", call_id="c1", **FUNCTION)),
            part(
                "tool_call_output_item",
                raw_item=part("function_call_output", call_id="c1", output=[part("input_text", text="20 degrees")]),
            ),
            part("message_output_item", raw_item={"role": "assistant", "content": "20 degrees."}),
        ],
    ),
    "Anthropic": (
        frameworks.from_anthropic,
        [
            {"role": "user", "content": "How warm is it?"},
            {"role": "assistant", "content": [part("tool_use", id="c1", name="weather", input=ARGUMENTS)]},
            {"role": "user", "content": [part("tool_result", tool_use_id="c1", content="20 degrees")]},
            {"role": "assistant", "content": [part("text", text="20 degrees.")]},
        ],
    ),
    "LangChain": (
        frameworks.from_langchain,
        [
            part("human", content="How warm is it?"),
            part("ai", content="", tool_calls=[{"name": "weather", "args": ARGUMENTS, "id": "c1"}]),
            part("tool", content="20 degrees", tool_call_id="c1"),
            part("ai", content=[part("text", text="20 degrees.")]),
        ],
    ),
    "LangChain of old": (
        frameworks.from_langchain,
        [
            part("human", data={"content": "How warm is it?"}),
            part("ai", data={"content": "", "additional_kwargs": {"tool_calls": [{"id": "c1", "function": FUNCTION}]}}),
            part("tool", data={"content": "20 degrees", "tool_call_id": "c1"}),
            {"lc": 1, "type": "constructor", "id": ["x", "AIMessage"], "kwargs": {"content": "20 degrees."}},
        ],
    ),
    "LlamaIndex": (
        frameworks.from_llamaindex,
        [
            part("AgentInput", input=[{"role": "user", "blocks": [{"block_type": "text", "text": "How warm is it?"}]}]),
            part("AgentStream", delta="20"),
            part(
                "AgentOutput",
                response={"role": "assistant", "blocks": []},
                tool_calls=[{"tool_id": "c1", "tool_name": "weather", "tool_kwargs": ARGUMENTS}],
            ),
            part("ToolCall", tool_id="c1", tool_name="weather", tool_kwargs=ARGUMENTS),
            part(
                "ToolCallResult",
                tool_id="c1",
                tool_name="weather",
                tool_kwargs=ARGUMENTS,
                tool_output={"blocks": [{"block_type": "text", "text": "20 degrees"}]},
            ),
            part("AgentInput", input=[{"role": "user", "content": "How warm is it?"}]),
            part("AgentOutput", response={"role": "assistant", "content": "20 degrees."}),
        ],
    ),
    "pydantic-ai": (
        frameworks.from_pydantic_ai,
        [
            {"kind": "request", "parts": [{"part_kind": "user-prompt", "content": "How warm is it?"}]},
            {
                "kind": "response",
                "parts": [{"part_kind": "tool-call", "tool_name": "weather", "args": TEXT, "tool_call_id": "c1"}],
            },
            {"parts": [{"part_kind": "tool-return", "content": "20 degrees", "tool_call_id": "c1"}]},
            {"parts": [{"part_kind": "text", "content": "20 degrees."}]},
        ],
    ),
    "Google ADK": (
        frameworks.from_google_adk,
        [
            {"author": "user", "content": {"role": "user", "parts": [{"text": "How warm is it?"}]}},
            {
                "author": "a",
                "content": {"parts": [{"functionCall": {"id": "c1", "name": "weather", "args": ARGUMENTS}}]},
            },
            {
                "author": "a",
                "content": {
                    "role": "user",
                    "parts": [{"function_response": {"id": "c1", "response": {"result": "20 degrees"}}}],
                },
            },
            {"author": "a", "partial": True, "content": {"parts": [{"text": "20"}]}},
            {"author": "a", "content": {"parts": [{"text": "20 degrees."}]}},
        ],
    ),
    "OpenTelemetry": (
        frameworks.from_opentelemetry,
        [
            span("chat m", 3, input__messages=[ASKED, CALLED, RETURNED], output__messages=json.dumps([ANSWERED])),
            span("chat m", 1, input__messages=[ASKED], output__messages=[CALLED]),
            span("execute_tool weather", 2, tool__name="weather", tool__call__id="c1", tool__call__arguments=TEXT),
        ],
    ),
}


def facts(messages: list[Any]) -> list[Any]:
    """What was said, called and returned, without names and states that not every framework writes down."""
    told: list[Any] = []
    for message in messages:
        calls = [(call.name, call.args, call.id) for call in getattr(message, "tool_calls", None) or ()]
        told.append((message.type, message.content, calls, getattr(message, "tool_call_id", None)))
    return told


@pytest.mark.parametrize("framework", HELD)
def test_one_conversation_is_one_sample_whoever_held_it(framework: str) -> None:
    read, things = HELD[framework]
    conversion = read(things, reference_tool_calls=[{"name": "weather", "args": ARGUMENTS}])
    assert facts(conversion.value.user_input) == [
        ("human", "How warm is it?", [], None),
        ("ai", "", [("weather", ARGUMENTS, "c1")], None),
        ("tool", "20 degrees", [], "c1"),
        ("ai", "20 degrees.", [], None),
    ]
    assert conversion.lost == ()
    score = ToolCallAccuracy().measure(conversion.value)
    assert isinstance(score, Score)
    assert score.value == 1.0


def objects(value: Any) -> Any:
    """Plain data as objects with fields, as the frameworks hand them out; JSON Schema-like arguments stay data."""
    if isinstance(value, list):
        return [objects(one) for one in value]
    if not isinstance(value, dict) or value == ARGUMENTS:
        return value
    made = dataclasses.make_dataclass("Made", [(name, Any) for name in value])
    return made(**{name: objects(one) for name, one in value.items()})


@pytest.mark.parametrize(
    "framework", ["OpenAI Responses", "OpenAI Agents SDK", "Anthropic", "LangChain", "pydantic-ai"]
)
def test_objects_are_read_as_their_data_is(framework: str) -> None:
    read, things = HELD[framework]
    assert read([objects(thing) for thing in things]).value == read(things).value


@pytest.mark.parametrize("framework", HELD)
def test_nothing_at_all_is_an_error_in_a_sentence(framework: str) -> None:
    read, _ = HELD[framework]
    with pytest.raises(SampleError, match="the list is empty"):
        read([])
    with pytest.raises(SampleError, match=r"expected .*, not int: 7"):
        read(7)


def test_the_end_of_a_completion_belongs_to_the_conversation() -> None:
    completion = {"choices": [{"message": CHAT[1]}, {"message": CHAT[3]}]}
    conversion = frameworks.from_openai_chat([CHAT[0], completion])
    assert conversion.value.user_input[-1] == AIMessage("", tool_calls=[ToolCall("weather", ARGUMENTS, id="c1")])
    assert conversion.lost == ("1 more choices of a completion",)


def test_what_a_sample_cannot_hold_is_named() -> None:
    picture = {"role": "user", "content": [part("text", text="What is it?"), part("image_url", image_url={"url": "u"})]}
    assert frameworks.from_openai_chat([picture]).lost == ("parts of the type 'image_url', which no metric reads",)
    thinking = {"role": "assistant", "content": [part("thinking", thinking="…"), part("text", text="Yes.")]}
    conversion = frameworks.from_anthropic([thinking])
    assert (conversion.value.user_input, conversion.lost) == ([AIMessage("Yes.")], ("parts of the type 'thinking'",))
    events = [{"author": "user", "content": {"parts": [{"text": "See"}, {"inlineData": {"data": "x"}}]}}]
    assert frameworks.from_google_adk(events).lost == ("parts with inlineData",)
    files = [{"parts": [{"part_kind": "user-prompt", "content": ["Read", {"kind": "binary", "data": "x"}]}]}]
    assert frameworks.from_pydantic_ai(files).lost == ("content of the kind 'binary'",)


def test_a_call_of_a_hosted_tool_is_a_call_whose_answer_nobody_has() -> None:
    items = [part("web_search_call", id="w", action={"type": "search", "query": "warm", "sources": None})]
    conversion = frameworks.from_openai_responses(items)
    assert conversion.value.user_input[0].to_dict()["tool_calls"][0]["args"] == {
        "action": {"type": "search", "query": "warm"}
    }
    assert conversion.lost == ("what the hosted tool web_search answered",)


def test_a_call_over_mcp_has_its_answer_with_it() -> None:
    items = [part("mcp_call", id="m", name="weather", arguments=TEXT, output=None, error="no such city")]
    call, answer = frameworks.from_openai_responses(items).value.user_input
    assert call == AIMessage("", tool_calls=[ToolCall("weather", ARGUMENTS, id="m")])
    assert answer == ToolMessage("no such city", tool_call_id="m", status="error")


@pytest.mark.parametrize(
    ("read", "things"),
    [
        (frameworks.from_openai_responses, [part("strange_call", name="x")]),
        (frameworks.from_openai_responses, [part("function_call", arguments="{}")]),
        (frameworks.from_openai_responses, [{"role": "nobody", "content": "x"}]),
        (frameworks.from_openai_responses, [{"content": "x"}]),
        (frameworks.from_langchain, [part("martian", content="x")]),
        (frameworks.from_pydantic_ai, [{"parts": [{"content": "x"}]}]),
        (frameworks.from_opentelemetry, [span("chat", 1, input__messages=[spoken("nobody")])]),
    ],
)
def test_what_may_be_a_call_is_never_passed_over(read: Callable[..., Any], things: list[Any]) -> None:
    with pytest.raises(SampleError):
        read(things)


@pytest.mark.parametrize(
    ("read", "things"),
    [
        (frameworks.from_openai_responses, [part("function_call", name="weather", arguments="{bad", call_id="c")]),
        (frameworks.from_langchain, [part("ai", content="", invalid_tool_calls=[{"name": "weather", "args": "{bad"}])]),
        (
            frameworks.from_pydantic_ai,
            [{"parts": [{"part_kind": "tool-call", "tool_name": "weather", "args": "{bad"}]}],
        ),
    ],
)
def test_arguments_that_cannot_be_read_are_a_malformed_call(read: Callable[..., Any], things: list[Any]) -> None:
    calls = calls_of(read(things).value.user_input)
    assert [(call.name, call.args, call.malformed) for call in calls] == [("weather", {}, "{bad")]


def test_an_answer_goes_behind_its_own_call() -> None:
    things = [
        part("function_call", name="a", arguments="{}", call_id="1"),
        part("message", role="assistant", content="Meanwhile …"),
        part("function_call", name="b", arguments="{}", call_id="2"),
        part("function_call_output", call_id="2", output="two"),
        {"role": "user", "content": "And?"},
        part("function_call_output", call_id="1", output="one"),
    ]
    messages = frameworks.from_openai_responses(things).value.user_input
    assert [message.content for message in messages] == ["Meanwhile …", "two", "one", "And?"]


def test_an_answer_whose_call_was_not_captured_is_left_out_and_named() -> None:
    things = [part("human", content="Hi"), part("tool", name="weather", content="20", tool_call_id="c9")]
    conversion = frameworks.from_langchain(things)
    assert conversion.value.user_input == [HumanMessage("Hi")]
    assert conversion.lost == ("the answer of the tool weather to a call 'c9' that was not captured",)


def test_a_failed_tool_is_said_to_have_failed() -> None:
    parts = [
        {"part_kind": "tool-call", "tool_name": "weather", "args": ARGUMENTS, "tool_call_id": "c1"},
        {"part_kind": "retry-prompt", "tool_name": "weather", "content": "no such city", "tool_call_id": "c1"},
    ]
    messages = frameworks.from_pydantic_ai([{"parts": parts}]).value.user_input
    assert messages[1] == ToolMessage("no such city", tool_call_id="c1", name="weather", status="error")


class TestSpans:
    TOOL = span(
        "execute_tool weather",
        2,
        tool__name="weather",
        tool__call__id="c1",
        tool__call__arguments=TEXT,
        tool__call__result="20 degrees",
    )

    def test_the_last_tools_answer_comes_from_its_own_span(self) -> None:
        spans = [span("chat m", 1, input__messages=[ASKED], output__messages=[CALLED]), self.TOOL]
        messages = frameworks.from_opentelemetry(spans).value.user_input
        assert [message.content for message in messages] == ["How warm is it?", "", "20 degrees"]

    def test_where_only_tools_were_captured_the_rest_is_named(self) -> None:
        conversion = frameworks.from_opentelemetry([self.TOOL])
        assert [call.name for call in calls_of(conversion.value.user_input)] == ["weather"]
        assert conversion.lost == (
            "what was said, which was not captured: only the tools' spans tell of the conversation",
        )

    def test_the_agents_own_span_tells_what_was_asked_and_answered(self) -> None:
        agent = span("invoke_agent a", 0, input__messages=[ASKED], output__messages=[ANSWERED])
        messages = frameworks.from_opentelemetry([self.TOOL, agent]).value.user_input
        assert [message.content for message in messages] == ["How warm is it?", "", "20 degrees", "20 degrees."]

    def test_arguments_that_were_not_captured_are_not_no_arguments(self) -> None:
        conversion = frameworks.from_opentelemetry([span("execute_tool weather", 1, tool__name="weather")])
        assert calls_of(conversion.value.user_input)[0].malformed == "not captured"
        assert any("the arguments of a call of weather" in sentence for sentence in conversion.lost)

    def test_otlps_nesting_is_read(self) -> None:
        flat = [
            {"key": "gen_ai.operation.name", "value": {"stringValue": "chat"}},
            {"key": "gen_ai.input.messages", "value": {"stringValue": json.dumps([ASKED])}},
            {"key": "gen_ai.usage.input_tokens", "value": {"intValue": "12"}},
        ]
        inner = {"name": "chat m", "startTimeUnixNano": "1", "attributes": flat}
        nested = {"resourceSpans": [{"scopeSpans": [{"spans": [inner]}]}]}
        assert frameworks.from_opentelemetry(nested).value.user_input == [HumanMessage("How warm is it?")]

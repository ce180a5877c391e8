import json
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proctor.dataset_schema import MultiTurnSample, SingleTurnSample, read_sample_line
from proctor.errors import FileError
from proctor.messages import AIMessage, HumanMessage, ToolCall, ToolMessage


def read(line: bytes | str | dict[str, Any]) -> Any:
    if isinstance(line, dict):
        line = json.dumps(line)
    return read_sample_line(line.encode() if isinstance(line, str) else line, path="samples.jsonl", line=7)


def refusal(line: bytes | str | dict[str, Any]) -> str:
    with pytest.raises(FileError) as caught:
        read(line)
    assert (caught.value.path, caught.value.line) == ("samples.jsonl", 7)
    text = str(caught.value)
    assert text.startswith("samples.jsonl:7: ")
    assert "\n" not in text
    return text.removeprefix("samples.jsonl:7: ")


CONVERSATION = MultiTurnSample(
    user_input=[
        HumanMessage("Paris: “warm”?"),
        AIMessage("", tool_calls=[ToolCall("weather", {"city": "Paris", "days": [1, {"a:b": "{"}]}, id="c1")]),
        ToolMessage('{"sky": "clear"}', tool_call_id="c1"),
        AIMessage("Yes."),
    ],
    reference_tool_calls=[ToolCall("weather", {"city": "Paris"})],
)


@pytest.mark.parametrize("sample", [CONVERSATION, SingleTurnSample(user_input="[", response="x"), SingleTurnSample()])
@pytest.mark.parametrize("indent", [None, 2])
def test_a_sample_is_read_from_any_spelling_of_its_json(sample: Any, indent: int | None) -> None:
    assert read(msgspec.json.encode(sample) + b"\r\n") == sample
    assert read(json.dumps(sample.to_dict(), indent=indent)) == sample
    assert read(json.dumps(sample.to_dict(), ensure_ascii=False, indent=indent)) == sample


def test_messages_in_the_shape_of_openai_are_read_as_what_they_are() -> None:
    sample = read(
        {
            "user_input": [
                {"role": "user", "content": "Paris?"},
                {
                    "role": "assistant",
                    "content": None,
                    "tool_calls": [
                        {"id": "c1", "type": "function", "function": {"name": "w", "arguments": '{"x": 1}'}}
                    ],
                },
                {"role": "tool", "tool_call_id": "c1", "content": "warm"},
            ],
            "reference_tool_calls": [{"function": {"name": "w", "arguments": {"x": 1}}}],
        }
    )
    assert sample.user_input == [
        HumanMessage("Paris?"),
        AIMessage("", tool_calls=[ToolCall("w", {"x": 1}, id="c1")]),
        ToolMessage("warm", tool_call_id="c1"),
    ]
    assert sample.reference_tool_calls == [ToolCall("w", {"x": 1})]


def test_nulls_are_fields_that_are_not_there() -> None:
    assert read({"user_input": [], "reference": None, "rubrics": None}) == MultiTurnSample(user_input=[])
    assert read({"user_input": None, "response": "x"}) == SingleTurnSample(response="x")


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        (b"[1]", "a sample must be a dictionary, not list: [1]."),
        (b'{"user_input": [{"type": "human"', "the JSON is cut off: it ends before it is complete."),
        (b'{"user_input": "\xe9"}', "byte 16 is not valid UTF-8 (0xe9); save the text as UTF-8."),
        (b'{"response": NaN}', "JSON has no number NaN; write null or leave the field out."),
        (
            b'{"user_input":[],"reference":"x","reference":"y"}',
            "the key 'reference' stands twice in one object; which of the two is meant?",
        ),
        (
            b'{"user_input":[{"type":"ai","content":"","tool_calls":[{"name":"a","args":{"x":1,"x":1}}]}]}',
            "the key 'x' stands twice in one object; which of the two is meant?",
        ),
        (
            {"user_input": "q", "respons": "a"},
            "a SingleTurnSample has the unknown field 'respons'; did you mean 'response'?",
        ),
        (
            {"user_input": [], "reference_calls": []},
            "a MultiTurnSample has the unknown field 'reference_calls'; did you mean 'reference_tool_calls'?",
        ),
        ({"response": 5}, "'response' of a SingleTurnSample must be text, not int: 5."),
        (
            {"user_input": [{"type": "human", "content": "a"}, {"type": "ai", "content": 1}]},
            "user_input[1]: 'content' of an AIMessage must be text, not int: 1.",
        ),
        (
            {"user_input": [{"type": "tool", "content": "a"}]},
            "ToolMessage must be preceded by an AIMessage somewhere in the conversation.",
        ),
        (
            {"user_input": [{"type": "human", "content": "a", "metadata": []}]},
            ("user_input[0]: 'metadata' of a HumanMessage must be a dictionary, not list: []."),
        ),
    ],
)
def test_a_line_that_is_no_sample_is_refused_with_file_line_and_a_sentence(line: Any, sentence: str) -> None:
    assert refusal(line) == sentence


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b'{"user_input":[{"type":"human","content":"","metadata":{"a":', b"}}]}"),
        (b'{"user_input":[{"type":"ai","content":"","tool_calls":[{"name":"a","args":{"a":', b"}}]}]}"),
        (b'{"user_input":[],"reference_tool_calls":[{"name":"a","args":{"a":', b"}}]}"),
    ],
)
def test_a_hundred_levels_are_read_and_one_more_is_refused(before: bytes, after: bytes) -> None:
    around = before.count(b"{") + before.count(b"[") - before.count(b"]") - before.count(b"}")
    fits = 100 - around
    assert isinstance(read(before + b"[" * fits + b"]" * fits + after), MultiTurnSample)
    assert "nested too deeply" in refusal(before + b"[" * (fits + 1) + b"]" * (fits + 1) + after)
    assert "nested too deeply" in refusal(before + b"[" * 100_000 + b"]" * 100_000 + after)


def test_a_line_of_many_brackets_that_are_not_nested_is_read() -> None:
    messages = [{"type": "human", "content": "[{" * 50}] * 200
    assert len(read({"user_input": messages}).user_input) == 200


SEEDS = [
    msgspec.json.encode(CONVERSATION),
    b'{"user_input":[{"role":"assistant","content":[{"text":"a"}],"tool_calls":[{"function":{"name":"a","arguments":"{}"}}]}]}',
    b'{"user_input":"q","retrieved_context_ids":[1,"a"],"rubrics":{"good":"x"},"response":null}',
]
SPLICES = [
    b"{",
    b"[",
    b"}",
    b'"',
    b":",
    b",",
    b"null",
    b"NaN",
    b"1e999",
    b"\\ud800",
    b"\xff",
    b"[" * 300,
    b'"role":5,',
    b"0",
]


@settings(deadline=None, max_examples=300)
@given(
    st.sampled_from(SEEDS), st.integers(0, 400), st.integers(0, 12), st.sampled_from(SPLICES) | st.binary(max_size=4)
)
def test_whatever_happens_to_a_line_a_sample_or_one_sentence_comes_of_it(
    seed: bytes, at: int, cut: int, splice: bytes
) -> None:
    line = seed[:at] + splice + seed[at + cut :]
    sentence = "samples.jsonl:7: a sample."
    try:
        sample = read(line)
    except FileError as error:
        sentence = str(error)
    else:
        assert read(msgspec.json.encode(sample)) == sample
    assert sentence.startswith("samples.jsonl:7: ")
    assert sentence.endswith((".", "?"))
    assert "\n" not in sentence


ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["user_input", "role", "type", "content", "tool_calls", "function", "name", "args", "arguments"]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=10,
)


@settings(deadline=None, max_examples=300)
@given(ANY_JSON)
def test_whatever_the_shape_a_sample_or_one_sentence_comes_of_it(value: Any) -> None:
    for line in (
        value,
        {"user_input": value},
        {"user_input": [value]},
        {"user_input": [], "reference_tool_calls": [value]},
    ):
        sentence = "samples.jsonl:7: a sample."
        try:
            read(json.dumps(line))
        except FileError as error:
            sentence = str(error)
        assert sentence.startswith("samples.jsonl:7: ")
        assert "\n" not in sentence

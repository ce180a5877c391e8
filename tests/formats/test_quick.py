"""Records are read quickly or with care, and come out the same."""

from __future__ import annotations

import copy
import json
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proctor import json_text
from proctor.errors import FileError, InputError
from proctor.formats.quick import read_quickly
from proctor.formats.records import read_record, read_value

OWN: dict[str, Any] = {
    "user_input": [
        {"content": "Weather?", "type": "human"},
        {"content": "", "type": "ai", "tool_calls": [{"name": "weather", "args": {"city": "Paris", "days": 2}}]},
        {"content": "sunny", "type": "tool"},
        {"content": "It is sunny: 20°.", "type": "ai"},
    ],
    "reference_tool_calls": [{"name": "weather", "args": {"city": "Paris", "days": 2}}],
    "reference": "sunny",
}
ARGUMENTS = '{"city": "Paris", "days": 2}'
CALL = {"id": "c1", "type": "function", "function": {"name": "weather", "arguments": ARGUMENTS}}
OPENAI: list[dict[str, Any]] = [
    {"role": "system", "content": "Be kind."},
    {"role": "user", "content": "Weather?"},
    {"role": "assistant", "content": None, "tool_calls": [CALL]},
    {"role": "tool", "content": "sunny", "tool_call_id": "c1", "name": "weather"},
    {"role": "assistant", "content": "It is sunny.", "refusal": None},
]
BESIDE = {"reference_tool_calls": OWN["reference_tool_calls"], "tools": [{"type": "function"}], "model": "x"}
SHAPES: dict[str, Any] = {
    "a sample": OWN,
    "keys sorted": json.loads(json.dumps(OWN, sort_keys=True)),
    "keys turned round": dict(reversed(OWN.items())),
    "an id first": {"id": "7", **OWN},
    "an id last": {**OWN, "id": 7},
    "nulls": {**OWN, "gold": None, "rubrics": None},
    "gold": {"user_input": OWN["user_input"], "gold": [{"name": "weather", "args": {"city": {"$any": True}}}]},
    "messages under messages": {"id": "x", "messages": OPENAI, **BESIDE},
    "messages last": {**BESIDE, "messages": OPENAI},
    "messages as user_input": {**OWN, "user_input": OPENAI},
    "a list of messages": OPENAI,
    "a single turn": {"id": 3, "user_input": "q", "response": "a", "reference": "r", "retrieved_contexts": ["c"]},
}


@pytest.mark.parametrize("value", SHAPES.values(), ids=SHAPES)
@pytest.mark.parametrize("blank", [False, True])
def test_common_shapes_are_read_quickly_and_as_they_would_be_with_care(value: Any, blank: bool) -> None:
    data = json.dumps(value).encode() if blank else msgspec.json.encode(value)
    quick = read_quickly(data)
    assert quick is not None
    assert quick == read_value(json_text.decode(data))
    assert type(quick[0]) is type(read_value(value)[0])


def with_care(data: bytes) -> Any:
    try:
        return read_value(json_text.decode(data))
    except InputError as error:
        return str(error)


ODD: list[Any] = [
    None, "", "x", 7, 1.5, True, [], {}, [None], {"name": "f"}, "null", '""', "{", '{"x": 1, "x": 2}', " ", OPENAI[1],
    CALL, {"role": "user"}, [CALL], "user", "tool", "function", "robot", "\ud83d\ude00", {"a": {"a": 1}}, 2**70,
]  # fmt: skip
WORDS = [
    "role", "content", "type", "name", "refusal", "tool_calls", "tool_call_id", "function", "arguments", "args", "id",
    "status", "metadata", "user_input", "messages", "response", "reference", "gold", "tools", "surprise",
    "function_call",
]  # fmt: skip


def places(value: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The path of each dictionary and list in a value."""
    if isinstance(value, dict):
        return [at, *(path for key in value for path in places(value[key], (*at, key)))]
    if isinstance(value, list):
        return [at, *(path for index, item in enumerate(value) for path in places(item, (*at, index)))]
    return []


@settings(deadline=None, max_examples=400)
@given(st.sampled_from([*SHAPES.values()]), st.data())
def test_whatever_is_changed_about_a_record_it_is_the_same_read_quickly_or_with_care(value: Any, data: Any) -> None:
    value = copy.deepcopy(value)
    for _ in range(data.draw(st.integers(1, 3))):
        inner = value
        for step in data.draw(st.sampled_from(places(value))):
            inner = inner[step]
        if isinstance(inner, dict):
            key = data.draw(st.sampled_from([*inner, *WORDS]))
            if key in inner and data.draw(st.booleans()):
                del inner[key]
            else:
                inner[key] = copy.deepcopy(data.draw(st.sampled_from(ODD)))
        elif inner and data.draw(st.booleans()):
            del inner[data.draw(st.integers(0, len(inner) - 1))]
        else:
            item = copy.deepcopy(data.draw(st.sampled_from([*ODD, *OPENAI])))
            inner.insert(data.draw(st.integers(0, len(inner))), item)
    text = json.dumps(value).encode()
    quick = read_quickly(text)
    assert quick is None or quick == with_care(text)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ('{"id":1,"id":2,"response":"a"}', "the key 'id' stands twice"),
        ('{"user_input":[],"reference":null,"reference":"x"}', "the key 'reference' stands twice"),
        ('{"messages":[{"role":"user","content":"a","content":"b"}]}', "the key 'content' stands twice"),
        ('{"messages":[{"role":"user","content":"a"}],"tools":{"x":1,"x":2}}', "the key 'x' stands twice"),
        ('[{"role":"user","content":null,"content":"b"}]', "the key 'content' stands twice"),
        (
            '{"messages":[{"role":"user","content":"a"}],"tools":' + "[" * 100 + "]" * 100 + "}",
            "the JSON is nested too deeply",
        ),
    ],
)
def test_what_is_refused_with_care_is_refused(text: str, sentence: str) -> None:
    assert read_quickly(text.encode()) is None
    with pytest.raises(FileError, match=sentence):
        read_record(text.encode(), path="a.jsonl", line=1)


def test_long_conversations_with_many_brackets_are_not_deep() -> None:
    text = msgspec.json.encode({"messages": OPENAI * 200, "tools": [[[1]]]})
    assert read_quickly(text) is not None

"""Gold reads from Python and from plain data alike, and says where it is wrong."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proctor.errors import SampleError
from proctor.messages import ToolCall
from proctor.records.gold import AnyOf, Anything, GoldCall, GoldItem, Near, OneOf, Pattern, read_gold

PLAIN = [
    {"name": "search", "args": {"q": {"$pattern": "hotel.*"}, "max": {"$one_of": [5, 10]}}, "label": "found"},
    {"name": "rate", "args": {"price": {"$near": 99.5, "relative": 0.01}, "stars": {"$any": True}}, "optional": True},
    {"any_of": [{"name": "book", "args": {}}, [{"name": "hold"}, {"name": "pay"}]], "after": ["found"]},
    {"name": "*", "args": {"raw": {"$literal": {"$gt": 5}}}, "args_mode": "superset"},
]
READ = [
    GoldCall("search", {"q": Pattern("hotel.*"), "max": OneOf((5, 10))}, label="found"),
    GoldCall("rate", {"price": Near(99.5, relative=0.01), "stars": Anything()}, optional=True),
    AnyOf((GoldCall("book"), (GoldCall("hold"), GoldCall("pay"))), after=("found",)),
    GoldCall("*", {"raw": {"$gt": 5}}, args_mode="superset"),
]


def test_plain_data_is_read_as_the_records_that_it_stands_for() -> None:
    assert read_gold(PLAIN) == READ


def test_calls_of_agents_are_gold_as_they_are() -> None:
    call = ToolCall(name="f", args={"x": {"$any": True}}, id="7")
    assert read_gold([call]) == [GoldCall("f", {"x": {"$any": True}})]
    assert read_gold([{"id": "7", "function": {"name": "f", "arguments": '{"x": 1}'}}]) == [GoldCall("f", {"x": 1})]
    assert read_gold([{"name": "f", "args": None, "id": "7", "type": "tool_call"}]) == [GoldCall("f")]


def test_a_label_alone_may_stand_for_a_list_of_one() -> None:
    [_, after] = read_gold([GoldCall("a", label="a"), GoldCall("b", after="a")])
    assert after.after == ("a",)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text("ab", max_size=3) | st.just(Anything()),
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(st.text("xy", max_size=2), inner, max_size=2)
        | st.builds(lambda values: OneOf(tuple(values)), st.lists(st.integers(0, 3), min_size=1, max_size=2))
    ),
    max_leaves=5,
)
GOLD_CALLS = st.builds(GoldCall, st.sampled_from("fg*"), st.dictionaries(st.text("xy"), VALUES), st.booleans())
GOLD: st.SearchStrategy[list[GoldItem]] = st.lists(
    GOLD_CALLS | st.builds(AnyOf, st.lists(GOLD_CALLS | st.lists(GOLD_CALLS, max_size=2), min_size=1, max_size=2)),
    max_size=3,
)


@settings(deadline=None, max_examples=60)
@given(GOLD)
def test_gold_comes_back_from_json_as_it_was(gold: list[GoldItem]) -> None:
    assert read_gold(json.loads(msgspec.json.encode(gold))) == gold
    assert read_gold(msgspec.to_builtins(gold)) == gold


@pytest.mark.parametrize(
    ("gold", "sentence"),
    [
        ("f", "gold must be a list of calls, not str"),
        ([3], r"gold\[0\]: a gold call must be a GoldCall, a ToolCall or a dictionary, not int"),
        ([{"name": "f"}, {"nam": "g"}], r"gold\[1\]: unknown field 'nam'; did you mean 'name'"),
        ([{"args": {}}], r"gold\[0\]: a gold call needs a name"),
        ([{"name": ""}], r"gold\[0\]: a gold call's name must be text"),
        ([{"name": "f", "args": [1]}], r"gold\[0\]: a gold call's args must be a dictionary"),
        ([{"name": "f", "args_mode": "sub"}], r"gold\[0\]: .*known are exact, ignore, subset, superset"),
        ([{"name": "f", "optional": "yes"}], r"gold\[0\]: optional must be true or false, not 'yes'"),
        ([{"name": "f", "label": 3}], r"gold\[0\]: a label must be text, not 3"),
        ([{"name": "f", "after": [3]}], r"gold\[0\]: after must be a label or a list of labels"),
        ([{"any_of": []}], r"gold\[0\]: any_of needs a list of options, not \[\]"),
        ([{"any_of": [{"name": "f"}, [{"name": "g"}, {"name": 3}]]}], r"gold\[0\]\.any_of\[1\]\[1\]: .*name must be"),
        ([{"any_of": [{"any_of": [{"name": 3}]}]}], r"gold\[0\]\.any_of\[0\]\.any_of\[0\]: .*name must be text"),
        (
            [{"name": "f", "args": {"x": {"$oneof": [1]}}}],
            r"unknown word '\$oneof'; did you mean '\$one_of'",
        ),
        ([{"name": "f", "args": {"x": {"$one_of": []}}}], r"gold\[0\]: OneOf needs a list of values"),
        ([{"name": "f", "args": {"x": {"$near": "3", "absolute": 1}}}], r"gold\[0\]: Near needs numbers, not '3'"),
        ([{"name": "f", "args": {"x": {"$near": 3}}}], r"gold\[0\]: Near needs a tolerance above 0"),
        ([{"name": "f", "args": {"x": {"$near": 3, "abs": 1}}}], r"gold\[0\]: unknown field 'abs' beside '\$near'"),
        ([{"name": "f", "args": {"x": {"$pattern": "("}}}], r"gold\[0\]: the pattern '\(' is no regular expression"),
        ([ToolCall(name="f", args={}, malformed="{")], r"gold\[0\]: the arguments of 'f' are not a JSON object: '\{'"),
        ([{"name": "f", "label": "one"}, {"name": "g", "after": "on"}], "which is nobody's label; did you mean 'one'"),
        ([{"name": "f", "after": "one"}], "which is nobody's label; no gold call has a label"),
        (
            [{"name": "f", "label": "a", "after": "b"}, {"name": "g", "label": "b", "after": "a"}],
            "the order goes round in a circle: ",
        ),
    ],
)
def test_bad_gold_is_refused_with_its_place(gold: Any, sentence: str) -> None:
    with pytest.raises(SampleError, match=sentence):
        read_gold(gold)


def test_gold_nested_without_end_is_refused() -> None:
    value: Any = 1
    for _ in range(30):
        value = [value]
    with pytest.raises(SampleError, match="nested more than 20 deep"):
        read_gold([{"name": "f", "args": {"x": value}}])


def test_a_long_chain_of_calls_is_no_trouble() -> None:
    chain = [{"name": "f", "label": str(n), "after": [str(n - 1)] if n else []} for n in range(3000)]
    assert len(read_gold(chain)) == 3000

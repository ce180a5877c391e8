from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proctor.dataset_schema import MultiTurnSample
from proctor.errors import UnmeasuredError
from proctor.messages import AIMessage, ToolCall
from proctor.metrics import ToolCallF1
from proctor.records.grades import Missing, Score

Conversation = Callable[[list[ToolCall], list[ToolCall] | None], MultiTurnSample]


def value(measured: Score | Missing) -> float:
    assert isinstance(measured, Score)
    return measured.value


def one(**args: Any) -> ToolCall:
    return ToolCall(name="a", args=args)


@pytest.mark.parametrize(
    ("made", "wanted", "score"),
    [
        ([one(x=1)], [one(x=1)], 1.0),
        ([one(x=1)], [one(x=1), one(x=2)], 0.6667),
        ([one(x=1), one(x=2), one(x=3)], [one(x=1)], 0.5),
        ([one(x=1)], [one(x=2)], 0.0),
        ([one(x=2), one(x=1)], [one(x=1), one(x=2)], 1.0),
        ([], [one(x=1)], 0.0),
        ([one(x=1)], [], 0.0),
        ([], [], 0.0),
    ],
)
def test_the_score_is_the_f1_of_the_two_sets_of_calls(
    conversation: Conversation, made: list[ToolCall], wanted: list[ToolCall], score: float
) -> None:
    assert ToolCallF1().multi_turn_score(conversation(made, wanted)) == score


def test_a_call_made_twice_counts_once(conversation: Conversation) -> None:
    assert ToolCallF1().multi_turn_score(conversation([one(x=1), one(x=1)], [one(x=1)])) == 1.0


def test_the_details_count_the_calls(conversation: Conversation) -> None:
    measured = ToolCallF1().measure(conversation([one(x=1), one(x=2), one(x=3)], [one(x=1), one(y=1)]))
    assert measured == Score(0.4, details={"matched": 1, "extra": 2, "missed": 1})


@pytest.mark.parametrize(
    ("said", "meant", "same"),
    [
        ({"p": 1, "q": {"r": [1, {"s": 2}]}}, {"q": {"r": [1, {"s": 2}]}, "p": 1}, True),
        ({"deep": {"b": 2, "a": 1}}, {"deep": {"a": 1, "b": 2}}, True),
        (1, 1.0, True),
        (1, True, False),
        (0, False, False),
        (1, "1", False),
        (None, "", False),
        ([], {}, False),
        ([], "", False),
        ([1, 2], [2, 1], False),
        ((1, 2), [1, 2], True),
        ([["x", 1]], {"x": 1}, False),
        (2**53 + 1, float(2**53 + 1), False),
    ],
)
def test_two_arguments_are_the_same_when_they_are_the_same_json_value(
    conversation: Conversation, said: Any, meant: Any, same: bool
) -> None:
    assert ToolCallF1().multi_turn_score(conversation([one(v=said)], [one(v=meant)])) == float(same)
    assert ToolCallF1().multi_turn_score(conversation([one(v=[said])], [one(v=[meant])])) == float(same)


def test_a_call_whose_arguments_cannot_be_read_is_never_the_one_that_was_wanted(conversation: Conversation) -> None:
    broken = ToolCall(name="a", args={}, malformed="{")
    metric = ToolCallF1()
    assert metric.measure(conversation([broken], [one()])) == Score(
        0.0,
        reason="a call made cannot be compared, a: {",
        details={"matched": 0, "extra": 1, "missed": 1},
    )
    assert value(metric.measure(conversation([broken, one()], [one()]))) == 0.6667


def test_identifiers_never_matter(conversation: Conversation) -> None:
    sample = conversation([ToolCall(name="a", args={}, id="1")], [ToolCall(name="a", args={}, id="2")])
    assert ToolCallF1().multi_turn_score(sample) == 1.0


def test_a_sample_without_a_reference_is_unmeasured(conversation: Conversation) -> None:
    assert ToolCallF1().measure(conversation([], None)) == Missing("the sample has no reference_tool_calls")
    with pytest.raises(UnmeasuredError, match="tool_call_f1 is unmeasured: the sample has no reference_tool_calls"):
        ToolCallF1().multi_turn_score(conversation([], None))


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-3, 3)
    | st.sampled_from([0.5, 1.0, -0.0])
    | st.sampled_from(["", "1", "x"]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from("pq"), inner, max_size=2),
    max_leaves=6,
)
calls = st.builds(
    ToolCall, name=st.sampled_from("ab"), args=st.dictionaries(st.sampled_from("xy"), json_values, max_size=2)
)


def f1(made: list[ToolCall], wanted: list[ToolCall]) -> float:
    return value(
        ToolCallF1().measure(
            MultiTurnSample(user_input=[AIMessage(content="", tool_calls=made)], reference_tool_calls=wanted)
        )
    )


@settings(deadline=None, max_examples=80)
@given(made=st.lists(calls, max_size=4), wanted=st.lists(calls, max_size=4))
def test_the_score_is_symmetric_and_between_0_and_1(made: list[ToolCall], wanted: list[ToolCall]) -> None:
    assert f1(made, wanted) == f1(wanted, made)
    assert 0.0 <= f1(made, wanted) <= 1.0


@settings(deadline=None, max_examples=80)
@given(made=st.lists(calls, min_size=1, max_size=4))
def test_any_json_value_is_the_same_as_itself_read_again(made: list[ToolCall]) -> None:
    again = [ToolCall(name=call.name, args=dict(reversed(list(call.args.items())))) for call in reversed(made)]
    assert f1(made, again) == 1.0

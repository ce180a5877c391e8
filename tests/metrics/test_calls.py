"""Calls that cannot be compared are the same thing to every metric of calls."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from typing import Any

import pytest

from proctor.dataset_schema import MultiTurnSample
from proctor.messages import ToolCall
from proctor.metrics import MultiTurnMetric, NonLLMStringSimilarity, ToolCallAccuracy, ToolCallF1, TrajectoryMatch
from proctor.metrics.calls import NOT_COMPARABLE, identity
from proctor.records.gold import GoldCall
from proctor.records.grades import Missing, Score

Conversation = Callable[[list[ToolCall], list[ToolCall] | None], MultiTurnSample]

METRICS: list[MultiTurnMetric] = [
    ToolCallAccuracy(),
    ToolCallAccuracy(strict_order=False, arg_comparison_metric=NonLLMStringSimilarity()),
    ToolCallF1(),
    *(TrajectoryMatch(mode=mode) for mode in ("strict", "in_order", "unordered", "superset")),
    TrajectoryMatch(args="ignore"),
    TrajectoryMatch(coerce=True, overrides={"f": {"other": "ignore"}}),
]


def deep() -> dict[str, Any]:
    value: dict[str, Any] = {}
    for _ in range(3000):
        value = {"a": value}
    return value


def cyclic() -> dict[str, Any]:
    value: dict[str, Any] = {}
    value["again"] = value
    return value


ODD: dict[str, tuple[Any, str]] = {
    "nested too deeply": (deep(), "nested too deeply"),
    "cyclic": (cyclic(), "nested too deeply"),
    "not a number": (float("nan"), "JSON has no number nan"),
    "infinity in a list": ([float("inf")], "JSON has no number inf"),
    "a date": (dt.date(2026, 1, 2), "a value of type date has no JSON form"),
    "a set": ({1}, "a value of type set has no JSON form"),
    "a key that is no text": ({1: 2}, "a key of a JSON object must be text, not int"),
    "half of a surrogate pair": ("\ud800", "half of a surrogate pair"),
    "too many digits": (10**5000, "more digits than can be written"),
}
METRIC = pytest.mark.parametrize("metric", METRICS, ids=lambda metric: f"{metric.name}-{getattr(metric, 'mode', '')}")
VALUE = pytest.mark.parametrize(("value", "why"), ODD.values(), ids=ODD)


@METRIC
@VALUE
def test_a_call_wanted_that_cannot_be_compared_leaves_the_sample_unmeasured(
    conversation: Conversation, metric: MultiTurnMetric, value: Any, why: str
) -> None:
    for made in ([ToolCall("f", {"x": value})], [ToolCall("f", {"x": 1})], [ToolCall("g", {})]):
        measured = metric.measure(conversation(made, [ToolCall("f", {"x": value})]))
        assert isinstance(measured, Missing)
        assert measured.reason == NOT_COMPARABLE
        assert measured.detail is not None
        assert measured.detail.startswith("f: ")
        assert why in measured.detail


@METRIC
@VALUE
def test_a_call_made_that_cannot_be_compared_is_wrong_and_that_is_said(
    conversation: Conversation, metric: MultiTurnMetric, value: Any, why: str
) -> None:
    measured = metric.measure(conversation([ToolCall("f", {"x": value})], [ToolCall("f", {"x": 1})]))
    assert isinstance(measured, Score)
    assert measured.value == 0.0
    assert "a call made cannot be compared, f: " in str(measured.reason)
    assert why in str(measured.reason)


@METRIC
def test_a_name_of_an_argument_that_is_no_text_cannot_be_compared(
    conversation: Conversation, metric: MultiTurnMetric
) -> None:
    odd: Any = {1: 2}
    assert isinstance(metric.measure(conversation([ToolCall("f", odd)], [ToolCall("f", odd)])), Missing)


@METRIC
def test_arguments_that_were_no_json_cannot_be_compared_either(
    conversation: Conversation, metric: MultiTurnMetric
) -> None:
    broken, bare = ToolCall("f", {}, malformed="{x:"), ToolCall("f", {})
    assert metric.measure(conversation([bare], [broken])) == Missing(NOT_COMPARABLE, "f: {x:")
    measured = metric.measure(conversation([broken], [bare]))
    assert isinstance(measured, Score)
    assert measured.value == 0.0
    assert "a call made cannot be compared, f: {x:" in str(measured.reason)


def test_gold_that_cannot_be_compared_says_where(conversation: Conversation) -> None:
    sample = conversation([ToolCall("f", {})], None)
    sample.gold = [GoldCall("g", {}), GoldCall("f", {"x": dt.date(2026, 1, 2)})]
    measured = TrajectoryMatch().measure(sample)
    assert isinstance(measured, Missing)
    assert measured.reason == NOT_COMPARABLE
    assert str(measured.detail).startswith("gold[1], f: a value of type date has no JSON form")


def test_the_identity_of_a_call_is_its_name_and_canonical_arguments() -> None:
    one = ToolCall("f", {"b": 1.0, "a": {"d": None, "c": [2.5, "é"]}}, id="1")
    other = ToolCall("f", {"a": {"c": [2.5, "é"], "d": None}, "b": 1}, id="2")
    assert identity(one) == identity(other) == ("f", '{"a":{"c":[2.5,"é"],"d":null},"b":1}'.encode())
    assert len({identity(ToolCall("f", {"x": value})) for value in (1, "1", True, None, [1], 1.5)}) == 6

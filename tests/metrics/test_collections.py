from __future__ import annotations

import inspect
from typing import Any

import pytest

import proctor.metrics
import proctor.metrics.collections
from proctor.errors import ArgumentError, SampleError
from proctor.messages import AIMessage, HumanMessage, ToolCall
from proctor.metrics import collections
from proctor.metrics.collections import (
    BaseMetric,
    BleuScore,
    CHRFScore,
    DistanceMeasure,
    ExactMatch,
    NonLLMStringSimilarity,
    RougeScore,
    StringPresence,
    ToolCallAccuracy,
    ToolCallF1,
)

LOOKED_UP = ToolCall(name="timetable", args={"origin": "Ghent"})
MADE = [
    HumanMessage(content="When is the next train?"),
    AIMessage(content="I look it up.", tool_calls=[LOOKED_UP]),
]


@pytest.mark.parametrize("kind", [ToolCallAccuracy, ToolCallF1])
async def test_calls_are_scored_by_keyword(kind: type[ToolCallAccuracy | ToolCallF1]) -> None:
    metric = kind()
    result = await metric.ascore(user_input=MADE, reference_tool_calls=[LOOKED_UP])
    assert (result.value, result.reason) == (1.0, None)
    result = await metric.ascore(user_input=MADE, reference_tool_calls=[ToolCall(name="to_miles", args={})])
    assert result.value == 0.0


@pytest.mark.parametrize(
    "metric", [ExactMatch(), StringPresence(), NonLLMStringSimilarity(), BleuScore(), RougeScore(), CHRFScore()]
)
async def test_texts_are_scored_by_keyword(metric: Any) -> None:
    text = "The museum opens at nine."
    assert (await metric.ascore(reference=text, response=text)).value == pytest.approx(1.0)
    assert metric.score(reference=text, response=text).value == pytest.approx(1.0)
    assert metric.score(text, "Zzz").value < 0.5
    assert metric.allowed_values == (0.0, 1.0)


def test_options_are_those_of_the_metric_behind_the_door() -> None:
    assert ToolCallAccuracy(strict_order=False, name="flexible").strict_order is False
    assert ToolCallAccuracy(False).name == "tool_call_accuracy"
    similar = NonLLMStringSimilarity(distance_measure=DistanceMeasure.JARO)
    assert similar.distance_measure is proctor.metrics.DistanceMeasure.JARO
    assert RougeScore(rouge_type="rouge1", mode="recall").mode == "recall"
    assert BleuScore(kwargs={"lowercase": True}).kwargs == {"lowercase": True}
    assert CHRFScore("mine").name == "mine"


async def test_many_samples_are_scored_in_their_order() -> None:
    inputs = [{"reference": "a", "response": "a"}, {"reference": "a", "response": "b"}]
    assert [result.value for result in await ExactMatch().abatch_score(inputs)] == [1.0, 0.0]
    assert ExactMatch().batch_score(inputs) == [1.0, 0.0]


async def test_what_is_odd_about_the_calls_is_warned_of_and_stands_in_the_reason() -> None:
    with pytest.warns(UserWarning, match="Length mismatch"):
        result = await ToolCallAccuracy().ascore(user_input=MADE, reference_tool_calls=[LOOKED_UP, LOOKED_UP])
    assert result.value == 0.0
    assert str(result.reason).startswith("Length mismatch")


async def test_what_is_not_there_leaves_the_result_unmeasured_with_the_reason() -> None:
    result = await ExactMatch().ascore(reference=None, response="a")
    assert (result.value, result.reason) == (None, "the sample has no reference")
    calls = await ToolCallF1().ascore(user_input=MADE, reference_tool_calls=None)
    assert (calls.value, calls.reason) == (None, "the sample has no reference_tool_calls")


async def test_an_argument_of_the_wrong_type_is_a_value_error_with_a_sentence() -> None:
    with pytest.raises(ValueError, match="user_input must be a list of messages, not str"):
        await ToolCallF1().ascore(user_input="hello", reference_tool_calls=[])
    with pytest.raises(ValueError, match="reference_tool_calls must be a list, not str"):
        await ToolCallAccuracy().ascore(user_input=[], reference_tool_calls="hello")
    with pytest.raises(SampleError, match="'response' of a SingleTurnSample must be text, not int"):
        await ExactMatch().ascore(reference="a", response=1)


async def test_chrf_counts_what_is_no_text_as_0_with_the_reason() -> None:
    result = await CHRFScore().ascore(reference=1, response="a")
    assert result.value == 0.0
    assert str(result.reason).startswith("Invalid input")


async def test_an_unknown_argument_is_a_type_error_that_names_the_nearest() -> None:
    with pytest.raises(TypeError, match=r"exact_match takes no argument 'referense'; did you mean 'reference'\?"):
        await ExactMatch().ascore(referense="a", response="a")
    with pytest.raises(ArgumentError, match="exact_match needs the argument 'response'"):
        await ExactMatch().ascore(reference="a")
    with pytest.raises(ArgumentError, match="takes 2 arguments, not 3"):
        await ExactMatch().ascore("a", "b", "c")
    with pytest.raises(ArgumentError, match="was given the argument 'reference' twice"):
        await ExactMatch().ascore("a", reference="b")


async def test_messages_may_be_dictionaries() -> None:
    result = await ToolCallF1().ascore(
        user_input=[{"role": "assistant", "tool_calls": [{"function": {"name": "now", "arguments": "{}"}}]}],
        reference_tool_calls=[{"name": "now", "args": {}}],
    )
    assert result.value == 1.0


OTHER_NAMES = {
    "CHRFScore": "ChrfScore",
    "TopicAdherence": "TopicAdherenceScore",
    "AgentGoalAccuracy": "AgentGoalAccuracyWithReference",
}


@pytest.mark.parametrize(
    "name", [name for name in collections.__all__ if name not in ("BaseMetric", "DistanceMeasure")]
)
def test_every_metric_of_the_keyword_door_is_the_drop_in_metric_with_one_more_door(name: str) -> None:
    kind = getattr(collections, name)
    behind = getattr(proctor.metrics, OTHER_NAMES.get(name, name))
    assert issubclass(kind, BaseMetric)
    assert issubclass(kind, behind)
    assert "measure" not in vars(kind)
    assert inspect.signature(kind).parameters.keys() >= {"name"}
    assert kind().immediate is not kind.asks_model


def test_the_modules_that_users_of_ragas_know_are_there() -> None:
    from proctor.metrics.collections.chrf_score import CHRFScore as Chrf
    from proctor.metrics.collections.tool_call_accuracy import ToolCallAccuracy as Accuracy
    from proctor.metrics.collections.tool_call_f1 import ToolCallF1 as Calls

    assert (Chrf, Accuracy, Calls) == (CHRFScore, ToolCallAccuracy, ToolCallF1)


def test_there_is_nothing_else_in_the_rooms() -> None:
    for room in (proctor.metrics, collections):
        with pytest.raises(AttributeError, match="has no attribute 'Nothing'"):
            _ = room.Nothing
        assert set(room.__all__) <= set(dir(room))
        assert all(getattr(room, name) for name in room.__all__)

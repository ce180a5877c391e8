from __future__ import annotations

import asyncio
import json
import time
from typing import Any

import pytest

from proctor import EvaluationDataset, MultiTurnSample, SingleTurnSample, aevaluate
from proctor.errors import OptionError
from proctor.judges.asking import UNREADABLE
from proctor.messages import AIMessage, ToolCall
from proctor.metrics import SameMeaning, ToolCallAccuracy, TrajectoryMatch
from proctor.models.chat import Request
from proctor.models.scripted import ScriptedModel
from proctor.records.grades import Missing, Score

CITIES = {"NYC": "New York", "Gand": "Ghent", "Roma": "Rome"}


def knows_cities(request: Request) -> dict[str, Any]:
    """A judge that knows these cities by two names, and nothing else."""
    asked = request.messages[0]["content"]
    same = any(f"\n{short}\n" in asked and f"\n{long}\n" in asked for short, long in CITIES.items())
    return {"reason": "one city" if same else "two cities", "verdict": int(same)}


def flight(made: dict[str, Any], wanted: dict[str, Any]) -> MultiTurnSample:
    return MultiTurnSample(
        user_input=[AIMessage("", tool_calls=[ToolCall("fly", made)])], reference_tool_calls=[ToolCall("fly", wanted)]
    )


async def test_a_judge_says_whether_two_texts_mean_the_same() -> None:
    metric = SameMeaning(llm=ScriptedModel(knows_cities))
    assert await metric.ameasure(SingleTurnSample(response="NYC", reference="New York")) == Score(1.0, "one city")
    assert await metric.ameasure(SingleTurnSample(response="NYC", reference="Rome")) == Score(0.0, "two cities")
    result = await aevaluate(
        EvaluationDataset([SingleTurnSample(response="Gand", reference="Ghent")]),
        [SameMeaning()],
        llm=ScriptedModel(knows_cities),
        show_progress=False,
    )
    assert result.scores == [{"same_meaning": 1.0}]


async def test_the_model_of_an_evaluation_is_asked_by_the_comparison_of_arguments_too() -> None:
    metric = ToolCallAccuracy(arg_comparison_metric=SameMeaning())
    result = await aevaluate(
        EvaluationDataset([flight({"to": "NYC"}, {"to": "New York"})]),
        [metric],
        llm=ScriptedModel(knows_cities),
        show_progress=False,
    )
    assert result.scores == [{"tool_call_accuracy": 1.0}]
    assert metric.arg_comparison_metric.llm is None
    with pytest.raises(OptionError, match="the metric 'same_meaning' asks a model; say which"):
        await aevaluate(EvaluationDataset([flight({}, {})]), [metric], show_progress=False)


async def test_nobody_is_asked_about_one_text_or_about_none() -> None:
    model = ScriptedModel([])
    metric = SameMeaning(llm=model)
    assert await metric.ameasure(SingleTurnSample(response="Rome", reference="Rome")) == Score(
        1.0, "the two are the same text"
    )
    assert await metric.ameasure(SingleTurnSample(response="Rome")) == Missing("the sample has no reference")
    assert not model.requests


async def test_arguments_are_compared_by_it_with_its_words_kept() -> None:
    sample = flight({"from": "Gand", "to": "NYC", "seats": 1}, {"from": "Ghent", "to": "Rome", "seats": 1})
    score = await ToolCallAccuracy(arg_comparison_metric=SameMeaning(llm=ScriptedModel(knows_cities))).ameasure(sample)
    assert isinstance(score, Score)
    assert score.value == 2 / 3
    said = [(each["wanted"], each["value"], each["reason"]) for each in score.details["arguments"]]
    assert said == [
        ("Ghent", 1.0, "one city"),
        ("Rome", 0.0, "two cities"),
        ("1", 1.0, "the two are the same text"),
    ]
    judged = SameMeaning(llm=ScriptedModel(knows_cities))
    match = TrajectoryMatch(overrides={"fly": {"from": judged, "to": judged}})
    assert (
        await match.multi_turn_ascore(flight({"from": "Gand", "to": "NYC"}, {"from": "Ghent", "to": "New York"})) == 1
    )


async def test_a_reply_that_cannot_be_read_is_kept_with_the_argument() -> None:
    comparison = SameMeaning(llm=ScriptedModel(lambda _: "I wonder."))
    score = await ToolCallAccuracy(arg_comparison_metric=comparison).ameasure(flight({"to": "NYC"}, {"to": "Rome"}))
    assert isinstance(score, Missing)
    assert score.reason == f"an argument could not be compared: {UNREADABLE}"
    assert (score.detail or "").endswith("I wonder.")
    match = await TrajectoryMatch(overrides={"fly": {"to": comparison}}).ameasure(flight({"to": "NYC"}, {"to": "Rome"}))
    assert isinstance(match, Missing)
    assert (match.detail or "").endswith("I wonder.")


async def test_all_arguments_are_asked_about_at_once_and_counted_in_order() -> None:
    async def slowly(request: Request) -> dict[str, Any]:
        number = int(
            json.loads(request.messages[0]["content"].split("<<<response ")[1].split(">>>\n")[1].split("\n")[0])
        )
        await asyncio.sleep(0.3 - number / 100)
        return {"reason": str(number), "verdict": number % 2}

    model = ScriptedModel(slowly)
    made = {f"a{number}": number for number in range(20)}
    began = time.perf_counter()
    score = await ToolCallAccuracy(arg_comparison_metric=SameMeaning(llm=model)).ameasure(
        flight(made, dict.fromkeys(made, "x"))
    )
    assert time.perf_counter() - began < 2  # one after the other would take four seconds
    assert isinstance(score, Score)
    assert score.value == 0.5
    assert [each["reason"] for each in score.details["arguments"]] == [str(number) for number in range(20)]

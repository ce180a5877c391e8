from __future__ import annotations

import asyncio
from typing import Any

import pytest

from proctor.dataset_schema import MultiTurnSample
from proctor.errors import ModelRefusedError, OptionError, UnmeasuredError
from proctor.judges.topics import JudgedTopic
from proctor.messages import AIMessage, AnyMessage, HumanMessage
from proctor.metrics import TopicAdherenceScore
from proctor.metrics._topic_adherence import Mode, adherence
from proctor.metrics.collections import TopicAdherence
from proctor.models.chat import Request
from proctor.models.scripted import Line, ScriptedModel
from proctor.records.grades import Missing, Score

TALK: list[AnyMessage] = [
    HumanMessage("Tell me of general relativity. And how do I bake a cake?"),
    AIMessage("Gravity bends spacetime. For the cake, mix flour and eggs."),
]
SAMPLE = MultiTurnSample(user_input=TALK, reference_topics=["science"])
TOPICS = ["relativity", "baking", "stars"]


def judge(refused: dict[str, Any], on_topic: list[Any], **more: Any) -> ScriptedModel:
    """A judge that knows the topics, however its questions are ordered."""

    def said(request: Request) -> Any:
        assert request.output is not None
        if request.output.name == "extract_topics":
            return {"topics": list(refused)}
        if request.output.name == "classify_topics":
            return {"reason": "by subject", "classifications": on_topic}
        asked: str = request.messages[0]["content"]
        topic = asked.split("<<<topic ")[1].splitlines()[1]
        return {"reason": f"about {topic}", "refused_to_answer": refused[topic]}

    return ScriptedModel(said, **more)


@pytest.mark.parametrize(
    ("refused", "on_topic", "precision", "recall", "f1"),
    [
        ([False, False, False], [True, True, True], 1.0, 1.0, 1.0),
        ([False, False, True], [True, False, True], 0.5, 0.5, 0.5),
        ([False, True, False], [True, False, True], 1.0, 1.0, 1.0),
        ([False, False, False], [True, False, True], 2 / 3, 1.0, 0.8),
        ([True, True, False], [True, True, True], 1.0, 1 / 3, 0.5),
        ([False, False, True], [False, False, True], 0.0, 0.0, 0.0),
        ([False, False, False], [False, False, False], 0.0, None, 0.0),
        ([True, True, True], [True, False, False], None, 0.0, 0.0),
        ([True, True, True], [False, False, False], None, None, None),
    ],
)
def test_the_score_counts_topics_kept_strayed_from_and_denied(
    refused: list[bool], on_topic: list[bool], precision: float | None, recall: float | None, f1: float | None
) -> None:
    topics = [JudgedTopic(*each) for each in zip(TOPICS, refused, on_topic, strict=True)]
    modes: dict[Mode, float | None] = {"precision": precision, "recall": recall, "f1": f1}
    for mode, expected in modes.items():
        score = adherence(topics, mode)
        assert (score.value if isinstance(score, Score) else None) == expected, mode


def test_nothing_divided_by_nothing_is_unmeasured_with_its_reason() -> None:
    refused = [JudgedTopic("baking", True, False)]
    reasons = [adherence(refused, mode) for mode in ("precision", "recall", "f1")]
    assert [missing.reason for missing in reasons if isinstance(missing, Missing)] == [
        "the agent dealt with no topic",
        "no topic of the conversation belongs to the reference topics",
        "every topic was off topic and refused",
    ]
    assert adherence([], "f1") == Missing("the judge found no topic in the conversation")


@pytest.mark.parametrize(("mode", "value"), [("precision", 0.5), ("recall", 1.0), ("f1", 2 / 3)])
async def test_the_modes_ask_the_same_and_count_differently(mode: Mode, value: float) -> None:
    scorer = TopicAdherenceScore(mode=mode)
    scorer.llm = judge({"relativity": False, "baking": False}, [True, False])
    assert await scorer.multi_turn_ascore(SAMPLE) == pytest.approx(value)


async def test_the_judges_reasons_are_kept() -> None:
    scorer = TopicAdherenceScore(llm=judge({"relativity": False, "baking": "yes"}, [1, 0]))
    score = await scorer.ameasure(SAMPLE)
    assert isinstance(score, Score)
    assert score.details == {
        "topics": [
            {"topic": "relativity", "refused": False, "on_topic": True, "reason": "about relativity"},
            {"topic": "baking", "refused": True, "on_topic": False, "reason": "about baking"},
        ],
        "sorting": "by subject",
    }


async def test_replies_may_come_in_the_order_that_recordings_for_ragas_have() -> None:
    lines: list[Line] = [
        {"topics": ["relativity", "baking"]},
        {"refused_to_answer": False},
        {"refused_to_answer": True},
        {"classifications": [True, False]},
    ]
    assert await TopicAdherenceScore(llm=ScriptedModel(lines)).multi_turn_ascore(SAMPLE) == 1.0


@pytest.mark.parametrize("count", [1, 3, 12])
async def test_any_number_of_topics_takes_two_round_trips(count: int) -> None:
    waves: list[int] = []
    under_way = 0

    async def said(request: Request) -> Any:
        nonlocal under_way
        if under_way == 0:
            waves.append(0)
        under_way += 1
        waves[-1] += 1
        await asyncio.sleep(0.02)
        under_way -= 1
        if request.output is not None and request.output.name == "extract_topics":
            return {"topics": [f"topic {number}" for number in range(count)]}
        return {"refused_to_answer": False, "classifications": [True] * count}

    assert await TopicAdherenceScore(llm=ScriptedModel(said)).multi_turn_ascore(SAMPLE) == 1.0
    assert waves == [1, count + 1]


async def test_a_list_of_the_wrong_length_is_asked_for_again_and_then_unmeasured() -> None:
    model = judge({"relativity": False, "baking": False}, [True])
    missing = await TopicAdherenceScore(llm=model).ameasure(SAMPLE)
    assert isinstance(missing, Missing)
    assert missing.reason == "the judge's reply could not be read"
    assert missing.detail is not None
    assert "has 1 items; it must have 2" in missing.detail
    asked = [request.output.name for request in model.requests if request.output is not None]
    assert asked.count("classify_topics") == 2


async def test_one_refusal_that_cannot_be_read_leaves_the_sample_unmeasured() -> None:
    missing = await TopicAdherenceScore(llm=judge({"relativity": "hm", "baking": False}, [True, True])).ameasure(SAMPLE)
    assert isinstance(missing, Missing)
    assert missing.detail is not None
    assert '"refused_to_answer":"hm"' in missing.detail


def test_an_unknown_mode_is_refused_with_those_that_there_are() -> None:
    with pytest.raises(ValueError, match="mode must be one of f1, precision, recall, not 'accuracy'"):
        TopicAdherenceScore(mode="accuracy")  # type: ignore[arg-type] # that is the point


def test_without_a_model_it_says_how_to_give_it_one() -> None:
    with pytest.raises(OptionError, match=r"'topic_adherence' asks a model and has none; set it first: metric\.llm ="):
        TopicAdherenceScore().multi_turn_score(SAMPLE)


def test_without_reference_topics_it_is_unmeasured_and_nobody_is_asked() -> None:
    model = ScriptedModel([])
    with pytest.raises(UnmeasuredError, match="the sample has no reference_topics"):
        TopicAdherenceScore(llm=model).multi_turn_score(MultiTurnSample(user_input=TALK))
    assert model.requests == []


async def test_a_refused_key_stops_the_run() -> None:
    with pytest.raises(ModelRefusedError):
        await TopicAdherenceScore(llm=ScriptedModel([ModelRefusedError("no.", model="m")])).ameasure(SAMPLE)


async def test_the_keyword_door_gives_the_same() -> None:
    metric = TopicAdherence(llm=judge({"relativity": False, "baking": False}, [True, False]), mode="precision")
    result = await metric.ascore(user_input=TALK, reference_topics=["science"])
    assert result.value == 0.5
    assert result.reason == "on topic and answered: 1, off topic and answered: 1, on topic and refused: 0"
    assert metric.name == "topic_adherence"


async def test_a_function_can_be_the_model() -> None:
    def reply(prompt: str) -> str:
        if "list the topics" in prompt:
            return '{"topics": ["relativity"]}'
        return '{"refused_to_answer": false, "classifications": [true]}'

    assert await TopicAdherenceScore(llm=reply).multi_turn_ascore(SAMPLE) == 1.0

from __future__ import annotations

import re
import shutil
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

import pytest

from proctor.dataset_schema import MultiTurnSample, SingleTurnSample
from proctor.errors import UnmeasuredError
from proctor.judges.asking import UNREADABLE, Question, ask
from proctor.judges.shapes import Shape
from proctor.judges.templates import Filled
from proctor.messages import AIMessage, AnyMessage, HumanMessage, ToolCall, ToolMessage
from proctor.metrics import (
    AgentGoalAccuracyWithoutReference,
    AgentGoalAccuracyWithReference,
    MetricWithLLM,
    SingleTurnMetric,
    ToolCallAccuracy,
)
from proctor.metrics.collections import AgentGoalAccuracy
from proctor.metrics.collections import AgentGoalAccuracyWithoutReference as KeywordWithoutReference
from proctor.metrics.collections import AgentGoalAccuracyWithReference as KeywordWithReference
from proctor.models.adapt import as_chat_model
from proctor.models.scripted import ScriptedModel
from proctor.records.grades import Missing, Score

TALK: list[AnyMessage] = [
    HumanMessage("Book a table for two at eight."),
    AIMessage("I book it.", tool_calls=[ToolCall("book", {"seats": 2})]),
    ToolMessage("booked"),
    AIMessage("Your table is booked."),
]
SAMPLE = MultiTurnSample(user_input=TALK, reference="A table for two is booked for eight.")
INFERRED = {"user_goal": "a table for two at eight", "end_state": "a table for two is booked"}


def judge(verdict: Any) -> ScriptedModel:
    return ScriptedModel([INFERRED, {"reason": "the hour was not said", "verdict": verdict}])


@pytest.mark.parametrize(
    ("verdict", "value"),
    [(1, 1.0), ("1", 1.0), (True, 1.0), ("yes", 1.0), (0, 0.0), ("0", 0.0), (False, 0.0), ("No", 0.0)],
)
def test_verdicts_are_read_however_they_are_written(verdict: Any, value: float) -> None:
    for metric in (AgentGoalAccuracyWithReference(), AgentGoalAccuracyWithoutReference()):
        metric.llm = judge(verdict)
        assert metric.multi_turn_score(SAMPLE) == value


def between_fences(text: str, name: str) -> str:
    found = re.search(rf"<<<{name} \w+>>>\n(.*?)\n<<<", text, re.DOTALL)
    assert found is not None
    return found[1]


async def test_the_end_is_held_against_the_reference_and_the_goal_is_shown() -> None:
    model = judge(1)
    await AgentGoalAccuracyWithReference(llm=model).ameasure(SAMPLE)
    inferring, comparing = (request.text for request in model.requests)
    assert between_fences(inferring, "conversation").startswith("Human: Book a table for two at eight.")
    assert between_fences(comparing, "desired_outcome") == SAMPLE.reference
    assert between_fences(comparing, "user_goal") == INFERRED["user_goal"]
    assert between_fences(comparing, "end_state") == INFERRED["end_state"]


async def test_without_a_reference_the_end_is_held_against_the_goal() -> None:
    model = judge(1)
    await AgentGoalAccuracyWithoutReference(llm=model).ameasure(SAMPLE)
    assert between_fences(model.requests[1].text, "desired_outcome") == INFERRED["user_goal"]


async def test_the_judges_words_are_kept() -> None:
    score = await AgentGoalAccuracyWithReference(llm=judge(0)).ameasure(SAMPLE)
    assert score == Score(0.0, reason="the hour was not said", details=INFERRED)


async def test_a_reply_that_cannot_be_read_is_unmeasured_with_its_text() -> None:
    missing = await AgentGoalAccuracyWithReference(llm=ScriptedModel([INFERRED, "Who knows.", "Hm."])).ameasure(SAMPLE)
    assert missing == Missing(UNREADABLE, "it holds no JSON object.\nHm.")
    missing = await AgentGoalAccuracyWithReference(llm=ScriptedModel(["?", "?"])).ameasure(SAMPLE)
    assert missing == Missing(UNREADABLE, "it holds no JSON object.\n?")


def test_the_two_have_different_names_and_needs() -> None:
    assert AgentGoalAccuracyWithReference().name == "agent_goal_accuracy_with_reference"
    assert AgentGoalAccuracyWithoutReference().name == "agent_goal_accuracy_without_reference"
    with pytest.raises(UnmeasuredError, match="the sample has no reference"):
        AgentGoalAccuracyWithReference(llm=ScriptedModel([])).multi_turn_score(MultiTurnSample(user_input=TALK))


async def test_the_keyword_door_gives_the_same() -> None:
    assert AgentGoalAccuracy is KeywordWithReference
    result = await AgentGoalAccuracy(llm=judge(1)).ascore(user_input=TALK, reference="booked")
    assert (result.value, result.reason) == (1.0, "the hour was not said")
    assert (await KeywordWithoutReference(llm=judge(0)).ascore(user_input=TALK)).value == 0.0
    unread = await KeywordWithoutReference(llm=ScriptedModel(["?", "?"])).ascore(user_input=TALK)
    assert (unread.value, unread.reason) == (None, UNREADABLE)


async def test_prompts_can_be_ones_own(tmp_path: Path) -> None:
    with resources.as_file(resources.files("proctor.judges").joinpath("prompts", "goals")) as ours:
        shutil.copytree(ours, tmp_path / "mine")
    file = tmp_path / "mine" / "template.txt"
    file.write_text(file.read_text("utf-8").replace("You judge whether", "Be strict. You judge whether"), "utf-8")
    model = judge(1)
    await AgentGoalAccuracyWithReference(llm=model, prompts=str(tmp_path / "mine")).ameasure(SAMPLE)
    assert "Be strict." not in model.requests[0].text
    assert "Be strict." in model.requests[1].text


SAME = Shape.of("same", {"properties": {"verdict": {"type": "boolean"}}})


@dataclass(eq=False)
class SameMeaning(MetricWithLLM, SingleTurnMetric):
    """A judged comparison as users write them."""

    name: str = "same_meaning"

    async def _single_turn_ascore(self, sample: SingleTurnSample, callbacks: Any = None) -> float:
        prompt = Filled(f"Is {sample.response} the same as {sample.reference}?", ())
        said = await ask(as_chat_model(self.llm), Question(prompt, SAME))
        if isinstance(said, Missing):
            raise UnmeasuredError(self.name, said.reason, said.detail)
        return float(said["verdict"])


async def test_a_judged_metric_can_compare_the_arguments_of_calls() -> None:
    sample = MultiTurnSample(
        user_input=[AIMessage("", tool_calls=[ToolCall("fly", {"to": "NYC", "from": "Ghent"})])],
        reference_tool_calls=[ToolCall("fly", {"to": "New York", "from": "Rome"})],
    )
    model = ScriptedModel([{"verdict": True}, {"verdict": "no"}, "?", "?", "?", "?"])
    metric = ToolCallAccuracy(arg_comparison_metric=SameMeaning(llm=model))
    assert await metric.multi_turn_ascore(sample) == 0.5
    assert [request.text for request in model.requests] == [
        "Is NYC the same as New York?",
        "Is Ghent the same as Rome?",
    ]
    unread = Missing(f"an argument could not be compared: {UNREADABLE}", "it holds no JSON object.\n?")
    assert await metric.ameasure(sample) == unread

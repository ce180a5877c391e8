"""Depth-first search over decisions."""

from typing import Any

import pytest

from proctor.agents.agent import StrategyAgent
from proctor.agents.tree import tree
from proctor.errors import OptionError
from proctor.messages import ToolCall
from proctor.models.chat import Reply
from proctor.models.scripted import ScriptedModel
from proctor.records.traces import Finish, StopReason

GIVE_UP = Reply(tool_calls=(ToolCall(name="Finish", args={"return_type": "give_up_and_restart"}),))
DONE = Reply(tool_calls=(ToolCall(name="Finish", args={"return_type": "give_answer", "final_answer": "At 7."}),))


def looking(town: Any, weekday: str) -> Reply:
    return Reply(tool_calls=(ToolCall(name=town.name(town.bread), args={"weekday": weekday}),))


async def search(
    town: Any, diary: Any, lines: Any, width: int = 2, depth: int = 12
) -> tuple[StopReason, ScriptedModel]:
    model = ScriptedModel(lines)
    agent = StrategyAgent("dfs", lambda task, _: tree(task, width, depth), model)
    return await agent.attempt(town.task, town.box(), diary), model


async def test_after_giving_up_the_search_goes_on_from_the_last_decision(town: Any, diary: Any) -> None:
    stop, model = await search(town, diary, [looking(town, "Friday"), GIVE_UP, DONE])
    assert stop is StopReason.FINISHED
    assert diary.steps[1:] == [Finish("", gave_up=True), Finish("At 7.")]
    first, second = model.requests[1].messages, model.requests[2].messages
    assert second[: len(first)] == first
    assert "give_up_and_restart" in model.requests[2].text


async def test_when_a_node_is_used_up_the_one_above_is_asked_for_something_else(town: Any, diary: Any) -> None:
    lines = [looking(town, "Friday"), GIVE_UP, GIVE_UP, looking(town, "Sunday"), DONE]
    stop, model = await search(town, diary, lines)
    assert stop is StopReason.FINISHED
    assert len(model.requests[3].messages) == 3
    assert "Friday" in model.requests[3].text
    assert [arguments for _, arguments in town.calls] == [{"weekday": "Friday"}, {"weekday": "Sunday"}]


async def test_the_search_is_bounded_by_width_and_depth(town: Any, diary: Any) -> None:
    stop, model = await search(town, diary, lambda _: looking(town, "Friday"), width=2, depth=3)
    assert stop is StopReason.NO_ANSWER
    assert len(model.requests) == 2 + 4 + 8


async def test_words_without_calls_lead_nowhere(town: Any, diary: Any) -> None:
    stop, model = await search(town, diary, ["Hm.", DONE])
    assert stop is StopReason.FINISHED
    assert "words without a call: Hm." in model.requests[1].text


@pytest.mark.parametrize("bounds", [{"width": 0}, {"depth": 0}])
def test_a_tree_has_a_width_and_a_depth(town: Any, bounds: Any) -> None:
    with pytest.raises(OptionError, match="at least 1"):
        tree(town.task, **bounds)

"""The chain: every way in which a model can call, miscall, finish and give up."""

from typing import Any

import pytest

from proctor.agents.agent import StrategyAgent
from proctor.agents.chain import chain
from proctor.agents.finish import FINISH
from proctor.errors import ModelUnavailableError, OptionError
from proctor.messages import ToolCall
from proctor.models.chat import Reply
from proctor.models.scripted import ScriptedModel
from proctor.records.traces import CallStep, Finish, Resolution, StopReason, Thought, Usage


def say(*calls: ToolCall, text: str = "") -> Reply:
    return Reply(text, calls, usage=Usage(1, 10, 2))


def call(name: str, **args: Any) -> ToolCall:
    return ToolCall(name=name, args=args)


def finish(answer: str) -> ToolCall:
    return call("Finish", return_type="give_answer", final_answer=answer)


GIVE_UP = call("Finish", return_type="give_up_and_restart")


async def sit(
    town: Any, diary: Any, lines: Any, tries: int = 1, at_hand: str = "all"
) -> tuple[StopReason, ScriptedModel]:
    model = ScriptedModel(lines)
    agent = StrategyAgent("react", lambda task, _: chain(task, tries), model)
    return await agent.attempt(town.task, town.box(at_hand), diary), model


async def test_a_call_is_made_its_answer_is_shown_and_finish_ends_it(town: Any, diary: Any) -> None:
    name = town.name(town.bread)
    stop, model = await sit(town, diary, [say(call(name, weekday="Friday"), text="I look."), say(finish("At 7."))])
    assert stop is StopReason.FINISHED
    assert [type(step) for step in diary.steps] == [Thought, CallStep, Finish]
    assert diary.steps[1].api == town.bread
    assert diary.steps[1].resolution is Resolution.RESOLVED
    assert model.requests[1].text == '{"error":"","response":{"of":"Opening Hours","weekday":"Friday"}}'
    assert FINISH in model.requests[0].tools
    assert diary.usage == Usage(2, 20, 4)
    assert diary.trace("7", stop, 3).final_answer == "At 7."


async def test_arguments_are_mapped_back_to_their_documented_names(town: Any, diary: Any) -> None:
    shown = town.catalog.arguments(town.ferry).shown
    args = {shown["from"]: "Ost", shown["to Town"]: "West"}
    await sit(town, diary, [say(call(town.name(town.ferry), **args)), say(finish("x"))])
    assert town.calls == [(town.ferry, {"from": "Ost", "to Town": "West"})]
    assert diary.steps[0].arguments == {"from": "Ost", "to Town": "West"}


async def test_parallel_calls_stand_in_the_trace_in_their_order(town: Any, diary: Any) -> None:
    calls = [call(town.name(town.tide), date="2024-05-06"), call(town.name(town.bread), weekday="Friday")]
    stop, model = await sit(town, diary, [say(*calls), say(finish("Both."))])
    assert stop is StopReason.FINISHED
    assert [step.api for step in diary.steps[:2]] == [town.tide, town.bread]
    said, first, second = model.requests[1].messages[-3:]
    assert [one["id"] for one in said["tool_calls"]] == [first["tool_call_id"], second["tool_call_id"]]


async def test_calls_beside_finish_are_made_when_they_come_before_it_and_only_then(town: Any, diary: Any) -> None:
    name = town.name(town.bread)
    stop, _ = await sit(town, diary, [say(call(name, weekday="Friday"), finish("Done."), call(name, weekday="Sunday"))])
    assert stop is StopReason.FINISHED
    assert [arguments for _, arguments in town.calls] == [{"weekday": "Friday"}]
    assert isinstance(diary.steps[-1], Finish)
    assert diary.steps[1].api is None
    assert diary.steps[1].observation.startswith("not called")


async def test_a_function_that_does_not_exist_is_an_observation(town: Any, diary: Any) -> None:
    stop, model = await sit(town, diary, [say(call("fly_to_the_moon")), say(finish("No."))])
    assert stop is StopReason.FINISHED
    assert diary.steps[0].resolution is Resolution.HALLUCINATED
    assert diary.steps[0].answer is None
    assert "no function 'fly_to_the_moon'" in model.requests[1].text


async def test_malformed_arguments_reach_no_api_and_are_kept(town: Any, diary: Any) -> None:
    broken = ToolCall(name=town.name(town.bread), args={}, malformed='{"weekday": ')
    _, model = await sit(town, diary, [say(broken), say(finish("No."))])
    assert town.calls == []
    assert diary.steps[0].malformed == '{"weekday": '
    assert diary.steps[0].api == town.bread
    assert "not a JSON object" in model.requests[1].text


@pytest.mark.parametrize(
    "bad",
    [
        call("Finish"),
        call("Finish", return_type="done", final_answer="x"),
        call("Finish", return_type="give_answer"),
        call("Finish", return_type="give_answer", final_answer=" "),
        ToolCall(name="Finish", args={}, malformed="At 7."),
    ],
)
async def test_a_bad_finish_does_not_end_the_task_and_is_in_the_trace(town: Any, diary: Any, bad: Any) -> None:
    stop, model = await sit(town, diary, [say(bad), say(finish("At 7."))])
    assert stop is StopReason.FINISHED
    assert diary.steps[0].name == "Finish"
    assert model.requests[1].text.startswith("Finish was not understood")
    assert [type(step) for step in diary.steps] == [CallStep, Finish]


async def test_giving_up_ends_a_single_try(town: Any, diary: Any) -> None:
    stop, _ = await sit(town, diary, [say(GIVE_UP)])
    assert stop is StopReason.GAVE_UP
    assert diary.steps == [Finish("", gave_up=True)]


async def test_after_giving_up_the_next_try_begins_anew(town: Any, diary: Any) -> None:
    stop, model = await sit(town, diary, [say(GIVE_UP), say(finish("At 7."))], tries=2)
    assert stop is StopReason.FINISHED
    assert model.requests[0].messages == model.requests[1].messages
    assert diary.steps == [Finish("", gave_up=True), Finish("At 7.")]


async def test_words_without_calls_are_asked_to_go_on_and_end_without_an_answer(town: Any, diary: Any) -> None:
    stop, model = await sit(town, diary, ["Hm.", "Hm!", "It is seven."])
    assert stop is StopReason.NO_ANSWER
    assert len(model.requests) == 3
    assert diary.trace("7", stop, 3).final_answer == "It is seven."


async def test_what_was_done_before_a_model_failed_is_in_the_diary(town: Any, diary: Any) -> None:
    lost = ModelUnavailableError("gone", model="m", usage=Usage(3))
    with pytest.raises(ModelUnavailableError):
        await sit(town, diary, [say(call(town.name(town.bread), weekday="Friday")), lost])
    assert [step.api for step in diary.steps] == [town.bread]
    assert diary.usage == Usage(4, 10, 2)


async def test_each_limit_has_its_stop_reason(town: Any, limited: Any) -> None:
    looking = [say(call(town.name(town.bread), weekday="Friday"))] * 9
    for limits, expected, steps in (
        ({"steps": 3}, StopReason.STEP_LIMIT, 3),
        ({"calls": 2}, StopReason.CALL_LIMIT, 2),
        ({"tokens": 48}, StopReason.TOKEN_LIMIT, 3),
    ):
        diary = limited(**limits)
        stop, _ = await sit(town, diary, looking)
        assert (stop, len(diary.steps)) == (expected, steps)


async def test_a_batch_of_calls_is_made_as_far_as_there_is_room(town: Any, limited: Any) -> None:
    diary = limited(calls=2)
    bread = call(town.name(town.bread), weekday="Friday")
    stop, _ = await sit(town, diary, [say(bread, bread, bread)])
    assert stop is StopReason.CALL_LIMIT
    assert len(town.calls) == len(diary.steps) == 2


async def test_the_clock_ends_an_agent_between_two_moves(town: Any, limited: Any, clock: Any) -> None:
    def late(_: Any) -> Reply:
        clock.now += 6
        return say(call(town.name(town.bread), weekday="Friday"))

    diary = limited(seconds=10)
    stop, model = await sit(town, diary, late)
    assert stop is StopReason.TIME_LIMIT
    assert len(model.requests) == 2
    assert len(diary.steps) == 1


async def test_a_model_that_hangs_is_left_when_the_time_is_up(town: Any, limited: Any) -> None:
    diary = limited(seconds=0.05)
    agent = StrategyAgent("react", lambda task, _: chain(task), ScriptedModel(["x"], delay=30))
    assert await agent.attempt(town.task, town.box(), diary) is StopReason.TIME_LIMIT


async def test_an_observation_is_cut_and_the_answer_kept_whole(town: Any, limited: Any) -> None:
    diary = limited(observation=20)
    long = call(town.name(town.bread), weekday="F" * 100)
    _, model = await sit(town, diary, [say(long), say(finish("x"))])
    assert model.requests[1].text == diary.steps[0].observation
    assert len(diary.steps[0].observation) == 23
    assert diary.steps[0].observation.endswith("...")
    assert diary.steps[0].answer.response["weekday"] == "F" * 100


async def test_an_agent_without_its_model_says_so(town: Any, diary: Any) -> None:
    agent = StrategyAgent("react", lambda task, _: chain(task))
    with pytest.raises(OptionError, match="was given none"):
        await agent.attempt(town.task, town.box(), diary)


def test_a_chain_has_a_try(town: Any) -> None:
    with pytest.raises(OptionError, match="at least 1 try"):
        chain(town.task, 0)

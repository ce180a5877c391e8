"""What every agent from outside comes to, whichever way it is attached."""

import time
from typing import Any

import pytest

from proctor.records.traces import CallStep, Fault, Finish, Resolution, StopReason

BREAD = "opening_hours_for_bakery_hj5p6"
TIDE = "tide_table_for_harbour_is72n"


@pytest.fixture
def names(town: Any) -> None:
    assert (town.name(town.bread), town.name(town.tide)) == (BREAD, TIDE)


@pytest.mark.usefixtures("names")
async def test_several_calls_and_an_answer(play: Any, town: Any) -> None:
    trace = await play(
        ["call", BREAD, {"weekday": "Friday"}], ["call", TIDE, {"date": "2024-05-06"}], ["finish", "At 7."]
    )
    assert (trace.stop, trace.final_answer, trace.failure) == (StopReason.FINISHED, "At 7.", None)
    assert [type(step) for step in trace.steps] == [CallStep, CallStep, Finish]
    assert [step.api for step in trace.steps[:2]] == [town.bread, town.tide]
    assert trace.steps[0].answer.response == {"of": "Opening Hours", "weekday": "Friday"}
    assert trace.steps[0].observation == '{"error":"","response":{"of":"Opening Hours","weekday":"Friday"}}'


async def test_arguments_are_mapped_back_to_their_documented_names(play: Any, town: Any) -> None:
    shown = town.catalog.arguments(town.ferry).shown
    await play(["call", town.name(town.ferry), {shown["to Town"]: "West"}], ["finish", "x"])
    assert town.calls == [(town.ferry, {"to Town": "West"})]


async def test_a_function_that_does_not_exist(play: Any, town: Any) -> None:
    trace = await play(["call", "fly_to_the_moon", {"when": "now"}], ["finish", "No."])
    assert trace.stop is StopReason.FINISHED
    assert trace.steps[0].resolution is Resolution.HALLUCINATED
    assert trace.steps[0].arguments == {"when": "now"}
    assert "no function 'fly_to_the_moon'" in trace.steps[0].observation
    assert town.calls == []


async def test_malformed_arguments(play: Any, town: Any) -> None:
    trace = await play(["call", BREAD, '{"weekday": '], ["finish", "No."])
    assert trace.stop is StopReason.FINISHED
    assert trace.steps[0].malformed == '{"weekday": '
    assert trace.steps[0].api == town.bread
    assert town.calls == []


async def test_calls_at_once(play: Any, town: Any) -> None:
    trace = await play(["both", [BREAD, {"weekday": "Friday"}], [TIDE, {"date": "2024-05-06"}]], ["finish", "Both."])
    assert trace.stop is StopReason.FINISHED
    assert {step.api for step in trace.steps[:2]} == {town.bread, town.tide}
    assert len(trace.steps) == 3


async def test_giving_up(play: Any) -> None:
    trace = await play(["call", BREAD, {}], ["give up"])
    assert trace.stop is StopReason.GAVE_UP
    assert trace.steps[-1].gave_up
    assert trace.failure is None


async def test_a_bad_finish_is_a_step_and_not_the_end(play: Any) -> None:
    trace = await play(["bad finish"], ["finish", "At 7."])
    assert trace.stop is StopReason.FINISHED
    assert [type(step) for step in trace.steps] == [CallStep, Finish]
    assert trace.steps[0].observation.startswith("Finish was not understood")


async def test_an_end_without_an_answer(play: Any) -> None:
    trace = await play(["call", BREAD, {}])
    assert (trace.stop, trace.failure) == (StopReason.NO_ANSWER, None)
    assert len(trace.steps) == 1


async def test_a_crash_is_its_own_fault_and_what_it_did_is_kept(play: Any) -> None:
    trace = await play(["call", BREAD, {}], ["crash"])
    assert trace.stop is StopReason.FAILED
    assert trace.failure.fault is Fault.AGENT
    assert "the agent divided by zero" in trace.failure.message
    assert len(trace.steps) == 1


async def test_one_that_hangs_is_left_when_its_time_is_up(play: Any) -> None:
    began = time.monotonic()
    trace = await play(["call", BREAD, {}], ["hang"], seconds=1.0)
    assert (trace.stop, trace.failure) == (StopReason.TIME_LIMIT, None)
    assert len(trace.steps) == 1
    assert time.monotonic() - began < 5


async def test_huge_output_is_kept_and_huge_answers_are_cut_for_it(play: Any) -> None:
    trace = await play(["call", BREAD, {"weekday": "x" * 50_000}], ["huge", 300_000])
    assert len(trace.final_answer) == 300_000
    assert len(trace.steps[0].observation) < 1100
    assert len(trace.steps[0].answer.response["weekday"]) == 50_000


async def test_a_limit_of_calls_ends_it(play: Any, town: Any) -> None:
    trace = await play(*[["call", BREAD, {}]] * 5, ["finish", "x"], calls=2)
    assert trace.stop is StopReason.CALL_LIMIT
    assert len(town.calls) == len(trace.steps) == 2


async def test_calls_at_once_are_made_as_far_as_there_is_room(play: Any, town: Any) -> None:
    trace = await play(["both", *[[BREAD, {}]] * 4], ["finish", "x"], calls=3)
    assert trace.stop is StopReason.CALL_LIMIT
    assert len(town.calls) == len(trace.steps) == 3


async def test_a_limit_of_steps_ends_it(play: Any) -> None:
    trace = await play(*[["call", BREAD, {}]] * 5, ["finish", "x"], steps=2)
    assert trace.stop is StopReason.STEP_LIMIT
    assert len(trace.steps) == 2

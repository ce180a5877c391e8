"""Where an agent went back, the trace knows its path and what was taken back."""

from typing import Any

from proctor.agents.agent import StrategyAgent
from proctor.agents.chain import chain
from proctor.agents.recorded import RecordedAgent
from proctor.agents.tree import tree
from proctor.messages import ToolCall
from proctor.models.chat import Reply
from proctor.models.scripted import ScriptedModel
from proctor.records.traces import CallStep, Finish, StopReason, Thought, Trace

GIVE_UP = Reply(tool_calls=(ToolCall(name="Finish", args={"return_type": "give_up_and_restart"}),))
DONE = Reply(tool_calls=(ToolCall(name="Finish", args={"return_type": "give_answer", "final_answer": "At 7."}),))


def looking(town: Any, weekday: str, text: str = "") -> Reply:
    return Reply(text=text, tool_calls=(ToolCall(name=town.name(town.bread), args={"weekday": weekday}),))


def days(trace: Trace) -> list[Any]:
    """The path, shortly."""
    return [
        step.arguments["weekday"] if isinstance(step, CallStep) else step.text if isinstance(step, Thought) else step
        for step in trace.path
    ]


async def sit(strategy: Any, town: Any, diary: Any, lines: Any) -> Trace:
    agent = StrategyAgent("it", lambda task, _: strategy(task), ScriptedModel(lines))
    stop = await agent.attempt(town.task, town.box(), diary)
    trace: Trace = diary.trace(town.task.query.id, stop, ())
    return trace


async def test_without_going_back_all_steps_are_the_path(town: Any, diary: Any) -> None:
    trace = await sit(tree, town, diary, [looking(town, "Friday"), DONE])
    assert (trace.back, trace.path) == ((), trace.steps)
    assert Trace("7", StopReason.NO_ANSWER).path == ()


async def test_of_several_tries_the_last_is_the_path(town: Any, diary: Any) -> None:
    lines = [
        looking(town, "Friday"),
        GIVE_UP,
        looking(town, "Sunday", "Again."),
        GIVE_UP,
        looking(town, "Monday"),
        DONE,
    ]
    trace = await sit(lambda task: chain(task, tries=3), town, diary, lines)
    assert days(trace) == ["Monday", Finish("At 7.")]
    assert trace.back == ((2, -1), (5, -1))
    assert len(trace.steps) == 7


async def test_of_a_search_the_path_is_the_way_that_led_to_the_answer(town: Any, diary: Any) -> None:
    lines = [
        looking(town, "Friday"),
        looking(town, "Saturday", "Deeper."),
        GIVE_UP,
        Reply(text="Silence."),
        looking(town, "Sunday", "Otherwise."),
        DONE,
    ]
    trace = await sit(tree, town, diary, lines)
    assert days(trace) == ["Friday", "Otherwise.", "Sunday", Finish("At 7.")]
    assert trace.path_places == (0, 5, 6, 7)
    assert trace.back == ((4, 2), (5, 0))


async def test_a_search_that_found_nothing_has_the_way_that_it_went_last(town: Any, diary: Any) -> None:
    lines = [looking(town, "Friday"), GIVE_UP, GIVE_UP, looking(town, "Sunday"), GIVE_UP, GIVE_UP]
    trace = await sit(tree, town, diary, lines)
    assert trace.stop is StopReason.GAVE_UP
    assert days(trace) == ["Sunday", Finish("", gave_up=True)]


async def test_a_search_may_be_as_deep_as_it_likes(town: Any, limited: Any) -> None:
    diary = limited(steps=None)
    days_ = iter(range(3000))
    line = lambda _: looking(town, str(day)) if (day := next(days_)) < 1500 else DONE  # noqa: E731
    trace = await sit(lambda task: tree(task, width=1, depth=2000), town, diary, line)
    assert len(trace.path) == 1501


async def test_what_was_recorded_is_replayed_with_its_ways_and_uncut(town: Any, limited: Any) -> None:
    lines = [looking(town, "Friday"), *[looking(town, "Monday")] * 90, GIVE_UP, looking(town, "Sunday"), DONE]
    recorded = await sit(lambda task: tree(task, depth=200), town, limited(steps=None), lines)
    key = (town.task.query.test_set, town.task.query.id)
    for again, steps in ((False, 60), (True, None)):
        diary = limited(steps=steps)
        stop = await RecordedAgent({key: recorded}, again=again).attempt(town.task, town.box(), diary)
        trace = diary.trace(town.task.query.id, stop, ())
        assert (trace.stop, len(trace.steps), trace.back) == (StopReason.FINISHED, 94, recorded.back)
        assert days(trace)[-2:] == ["Sunday", Finish("At 7.")]
    diary = limited(steps=60)
    stop = await RecordedAgent({key: recorded}, again=True).attempt(town.task, town.box(), diary)
    assert (stop, len(diary.steps)) == (StopReason.STEP_LIMIT, 60)

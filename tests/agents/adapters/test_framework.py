"""Frameworks in Python: how they are found, made, handed their tools, and asked."""

import asyncio
import inspect
import sys
import threading
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

from proctor.agents.adapters.framework import FrameworkAgent
from proctor.agents.agent import Agent, Task
from proctor.agents.diary import Diary, Limits
from proctor.errors import AgentError, OptionError
from proctor.records.queries import Query
from proctor.records.traces import CallStep, Finish, Resolution, StopReason, Thought, Trace
from proctor.runs.trial import run_trial

Ask = Callable[..., Any]


@pytest.fixture
async def ask(town: Any) -> AsyncIterator[Ask]:
    """Makes an agent of a framework and asks it, so often at once."""
    agents: list[FrameworkAgent] = []

    async def asked(framework: Any, times: int = 1, at_hand: str = "all", **known: Any) -> list[Trace]:
        agent = framework if isinstance(framework, FrameworkAgent) else FrameworkAgent(framework, **known)
        agents.append(agent)
        loop = asyncio.get_running_loop()
        tasks = [Task(Query(str(number), town.query.text, town.query.gold, town.query.apis)) for number in range(times)]
        limits = Limits(seconds=10)
        return await asyncio.gather(
            *(run_trial(agent, task, town.box(at_hand), limits, clock=loop.time) for task in tasks)
        )

    yield asked
    for agent in agents:
        await agent.aclose()


class Quick:
    """Answers at once, and counts what is done with it."""

    made = 0

    def __init__(self) -> None:
        type(self).made += 1
        self.done: list[str] = []

    def setup_tools(self, all_tools: dict[str, dict[str, Any]]) -> None:
        self.done.append("setup")
        self.tools = all_tools

    def reset(self) -> None:
        self.done.append("reset")

    def answer(self, query: str) -> Any:
        self.done.append("answer")
        return "At 7."


async def test_tools_are_set_up_once_and_reset_stands_between_queries(ask: Ask) -> None:
    framework = Quick()
    agent = FrameworkAgent(framework)
    assert isinstance(agent, Agent)
    await ask(agent, 3)
    assert framework.done == ["setup", "answer", "reset", "answer", "reset", "answer"]


async def test_tools_that_differ_by_query_are_set_up_for_each(ask: Ask, town: Any) -> None:
    framework = Quick()
    await ask(framework, 2, at_hand="query")
    assert framework.done == ["setup", "answer", "setup", "reset", "answer"]
    assert sorted(framework.tools) == sorted(town.name(api.id) for api in town.query.apis)


async def test_the_tools_are_described_as_the_benchmark_and_as_models_know_them(ask: Ask, town: Any) -> None:
    framework = Quick()
    await ask(framework)
    assert set(framework.tools) == {town.name(api.id) for api in town.catalog}
    tool = framework.tools[town.name(town.tide)]
    assert (tool["category_name"], tool["tool_name"], tool["api_name"]) == ("Nature", "Harbour", "Tide Table")
    assert tool["schema"] == town.catalog.schema(town.tide)
    assert tool["required_parameters"] == [{"name": "date", "type": "DATE (YYYY-MM-DD)", "description": ""}]
    function = tool["callable"]
    assert (function.__name__, function.__doc__) == (tool["name"], tool["description"])
    assert list(inspect.signature(function).parameters) == ["date"]
    assert inspect.iscoroutinefunction(tool["acallable"].__call__)


@pytest.mark.parametrize("factory", [False, True])
async def test_a_class_or_factory_gives_each_of_several_tasks_its_own(ask: Ask, factory: bool) -> None:
    together = threading.Barrier(3, timeout=5)

    class Meeting(Quick):
        def answer(self, query: str) -> Any:
            together.wait()
            return "We were three."

    def make() -> Meeting:
        return Meeting()

    Meeting.made = 0
    traces = await ask(make if factory else Meeting, 3)
    assert [trace.final_answer for trace in traces] == ["We were three."] * 3
    assert Meeting.made == 3


async def test_an_object_is_asked_one_query_after_the_other_and_waiting_is_not_its_time(ask: Ask) -> None:
    at_once = []

    class Alone:
        busy = 0

        def answer(self, query: str) -> str:
            self.busy += 1
            at_once.append(self.busy)
            threading.Event().wait(0.05)
            self.busy -= 1
            return "x"

    traces = await ask(Alone(), 4)
    assert at_once == [1, 1, 1, 1]
    assert max(trace.seconds for trace in traces) < 0.15


@pytest.mark.parametrize("kind", ["blocking", "async"])
async def test_a_concurrent_object_is_asked_at_once_and_its_calls_are_told_apart(
    ask: Ask, town: Any, kind: str
) -> None:
    name = town.name(town.bread)
    together = threading.Barrier(3, timeout=5)
    met = asyncio.Barrier(3)
    count = iter(range(3))

    class Blocking:
        concurrent = True

        def setup_tools(self, all_tools: Any) -> None:
            self.tools = all_tools

        def answer(self, query: str) -> str:
            mine = str(next(count))
            together.wait()
            self.tools[name]["callable"](weekday=mine)
            together.wait()
            return mine

    class Waiting(Blocking):
        async def answer(self, query: str) -> str:  # type: ignore[override]
            mine = str(next(count))
            await met.wait()
            await self.tools[name]["acallable"](weekday=mine)
            await met.wait()
            return mine

    traces = await ask(Blocking() if kind == "blocking" else Waiting(), 3)
    assert sorted(trace.final_answer for trace in traces) == ["0", "1", "2"]
    assert all(trace.steps[0].arguments == {"weekday": trace.final_answer} for trace in traces)


async def test_an_async_framework_may_call_what_blocks(ask: Ask, town: Any) -> None:
    class Mixed(Quick):
        async def answer(self, query: str) -> Any:
            return self.tools[town.name(town.bread)]["callable"]({"weekday": "Friday"})

    (trace,) = await ask(Mixed)
    assert trace.final_answer == '{"error":"","response":{"of":"Opening Hours","weekday":"Friday"}}'


async def test_one_that_hangs_is_replaced_and_its_late_calls_count_nowhere(town: Any) -> None:
    go_on, called = threading.Event(), threading.Event()
    name = town.name(town.bread)

    class Late(Quick):
        def answer(self, query: str) -> Any:
            if query == "hang":
                go_on.wait(20)
                try:
                    self.tools[name]["callable"]()
                finally:
                    called.set()
            return "x"

    agent = FrameworkAgent(Late)
    loop = asyncio.get_running_loop()
    Late.made = 0
    first = await run_trial(agent, Task(Query("1", "hang")), town.box(), Limits(seconds=0.2), clock=loop.time)
    second = await run_trial(agent, Task(Query("2", "work")), town.box(), Limits(seconds=5), clock=loop.time)
    go_on.set()
    await asyncio.to_thread(called.wait, 5)
    await agent.aclose()
    assert (first.stop, second.stop, Late.made) == (StopReason.TIME_LIMIT, StopReason.FINISHED, 2)
    assert town.calls == []
    assert len(second.steps) == 1


@pytest.mark.parametrize(
    ("said", "stop", "answer"),
    [
        ("At 7.", StopReason.FINISHED, "At 7."),
        ({"answer": {"final_answer": "At 7.", "answer_details": []}}, StopReason.FINISHED, "At 7."),
        ({"answer": "At 7."}, StopReason.FINISHED, "At 7."),
        ({"final_answer": "At 7."}, StopReason.FINISHED, "At 7."),
        ('{"return_type": "give_answer", "final_answer": "At 7."}', StopReason.FINISHED, "At 7."),
        ({"final_answer": {"hour": 7}}, StopReason.FINISHED, '{"hour":7}'),
        ('{"return_type": "give_up_and_restart"}', StopReason.GAVE_UP, ""),
        (None, StopReason.NO_ANSWER, ""),
        ("  ", StopReason.NO_ANSWER, ""),
    ],
)
async def test_an_answer_has_several_forms(ask: Ask, said: Any, stop: StopReason, answer: str) -> None:
    class Says:
        def answer(self, query: str) -> Any:
            return said

    (trace,) = await ask(Says)
    assert (trace.stop, trace.final_answer, trace.failure) == (stop, answer, None)


@pytest.mark.parametrize("said", [42, ["At 7."], {"text": "At 7."}])
async def test_an_answer_of_no_known_form_is_the_agents_failure(ask: Ask, said: Any) -> None:
    class Says:
        def answer(self, query: str) -> Any:
            return said

    (trace,) = await ask(Says)
    assert trace.failure.kind == "AgentError"
    assert "came back with" in trace.failure.message


async def test_one_that_wants_to_end_the_process_has_only_failed(ask: Ask) -> None:
    class Exits:
        def answer(self, query: str) -> Any:
            sys.exit(3)

    (trace,) = await ask(Exits)
    assert trace.failure.kind == "AgentError"
    assert "SystemExit 3" in trace.failure.message


STEPS = (
    CallStep("opening_hours", {"weekday": "Friday"}, Resolution.RESOLVED, "7"),
    Finish("At 7."),
)


async def test_what_an_agent_says_that_it_did_counts_where_no_call_came_by(ask: Ask, town: Any) -> None:
    details = {"answer": {"final_answer": "At 7.", "answer_details": [{"role": "system"}]}}

    class Tells(Quick):
        calls = False

        def answer(self, query: str) -> Any:
            if self.calls:
                self.tools[town.name(town.bread)]["callable"](weekday="Friday")
            return details

    class Calls(Tells):
        calls = True

    (told,) = await ask(Tells, details=lambda *_: STEPS)
    (called,) = await ask(Calls, details=lambda *_: STEPS)
    (unfinished,) = await ask(Tells, details=lambda *_: STEPS[:1])
    assert told.steps == STEPS
    assert [type(step) for step in called.steps] == [CallStep, Finish]
    assert called.steps[0].api == town.bread
    assert unfinished.stop is StopReason.NO_ANSWER
    assert unfinished.steps == (STEPS[0], Thought("At 7."))


@pytest.fixture
def modules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr(sys, "modules", dict(sys.modules))
    return tmp_path


async def test_a_framework_is_found_by_name_in_the_current_folder(ask: Ask, modules: Path) -> None:
    (modules / "my_agents.py").write_text("class Short:\n    def answer(self, query):\n        return 'So: ' + query\n")
    agent = FrameworkAgent("my_agents:Short")
    (trace,) = await ask(agent)
    assert agent.name == "my_agents:Short"
    assert trace.final_answer.startswith("So: When")


@pytest.mark.parametrize(
    ("text", "name", "sentence"),
    [
        ("", "my_agent", "names no object; expected module:Object"),
        ("", "nowhere_at_all:Agent", "there is no module 'nowhere_at_all'"),
        ("import not_there_at_all", "broken:Agent", "needs 'not_there_at_all', which is not installed"),
        ("1 +", "broken:Agent", "cannot be imported: SyntaxError"),
        ("1 / 0", "broken:Agent", "cannot be imported: ZeroDivisionError"),
        ("class Agent: ...", "broken:Agnet", "did you mean 'Agent'"),
        ("Agent = 7", "broken:Agent", "int has no answer"),
        ("class Agent:\n    def __init__(self, key): ...", "broken:Agent", "cannot be made without key"),
    ],
)
def test_what_is_wrong_with_a_name_is_said_at_once(modules: Path, text: str, name: str, sentence: str) -> None:
    (modules / "broken.py").write_text(text)
    with pytest.raises(OptionError, match=r".") as caught:
        FrameworkAgent(name)
    assert sentence in str(caught.value)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("class Agent:\n    def __init__(self): 1 / 0", "could not be made: ZeroDivisionError"),
        ("class Agent: ...", "Agent has no answer(query)"),
    ],
)
async def test_one_that_cannot_be_made_stops_the_run(modules: Path, town: Any, text: str, sentence: str) -> None:
    (modules / "broken.py").write_text(text)
    agent = FrameworkAgent("broken:Agent")
    with pytest.raises(OptionError) as caught:
        await run_trial(agent, town.task, town.box(), clock=asyncio.get_running_loop().time)
    await agent.aclose()
    assert sentence in str(caught.value)


async def test_a_store_that_breaks_stops_the_run_whatever_the_framework_makes_of_it(town: Any) -> None:
    class Swallows(Quick):
        def answer(self, query: str) -> Any:
            try:
                self.tools[town.name(town.bread)]["callable"]()
            except AgentError:
                return "x"
            except Exception:  # noqa: BLE001 - as frameworks do
                return "swallowed"

    async def full(*_: Any) -> Any:
        raise OptionError("the disk is full")

    town.answer = full
    agent = FrameworkAgent(Swallows)
    with pytest.raises(OptionError, match="the disk is full"):
        await agent.attempt(town.task, town.box(), Diary(clock=asyncio.get_running_loop().time))
    await agent.aclose()

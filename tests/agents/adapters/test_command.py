"""Agents in another process: how long it lives, what it may say, and what becomes of one that misbehaves."""

import asyncio
import os
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
from tests.agents.adapters.conftest import actor

from proctor.agents.adapters.command import CommandAgent
from proctor.agents.agent import Agent, Task
from proctor.agents.diary import Limits
from proctor.errors import OptionError
from proctor.records.grades import Missing
from proctor.records.queries import Query
from proctor.records.traces import CallStep, Fault, Finish, StopReason, Thought, Trace
from proctor.runs.trial import run_trial
from proctor.server.desks import DeskDoor

BREAD = "opening_hours_for_bakery_hj5p6"
Ask = Callable[..., Any]


@pytest.fixture
async def ask(town: Any) -> AsyncIterator[Ask]:
    """Asks an agent, so often at once, and closes it in the end."""
    agents: list[CommandAgent] = []

    async def asked(agent: CommandAgent, times: int = 1, at_hand: str = "all", **limits: Any) -> list[Trace]:
        agents.append(agent)
        known = Limits(**{"seconds": 20.0, **limits})
        clock = asyncio.get_running_loop().time
        tasks = [Task(Query(str(number), town.query.text, (), town.query.apis)) for number in range(times)]
        return await asyncio.gather(*(run_trial(agent, task, town.box(at_hand), known, clock=clock) for task in tasks))

    yield asked
    for agent in agents:
        await agent.aclose()


async def test_one_process_is_set_one_task_after_the_other(ask: Ask) -> None:
    agent = actor([["call", BREAD, {}], ["pid"]])
    assert isinstance(agent, Agent)
    pids = [(await ask(agent))[0].final_answer for _ in range(3)]
    assert len(set(pids)) == 1


async def test_once_is_a_process_for_each_task(ask: Ask) -> None:
    agent = actor([["call", BREAD, {}], ["pid"]], once=True)
    pids = [(await ask(agent))[0].final_answer for _ in range(3)]
    assert len(set(pids)) == 3


async def test_tasks_at_once_have_processes_of_their_own(ask: Ask) -> None:
    traces = await ask(actor([["call", BREAD, {}], ["pid"]]), 3)
    assert len({trace.final_answer for trace in traces}) == 3


async def test_the_tools_of_one_query_come_with_its_task(ask: Ask, town: Any) -> None:
    (trace,) = await ask(actor([["call", BREAD, {}], ["finish", "x"]]), at_hand="query")
    assert "no function" in trace.steps[0].observation
    assert len(trace.offered) == len(town.query.apis)


async def test_thoughts_and_what_they_cost_stand_in_the_trace(ask: Ask) -> None:
    (trace,) = await ask(actor([["think", "Bread first."], ["call", BREAD, {}], ["finish", "x"]]))
    assert [type(step) for step in trace.steps] == [Thought, CallStep, Finish]
    assert (trace.usage.requests, trace.usage.prompt_tokens, trace.usage.completion_tokens) == (1, 7, 3)
    assert trace.usage.cost == Missing("the agent does not say what it cost")


async def test_its_tokens_are_limited(ask: Ask) -> None:
    (trace,) = await ask(actor([["think", "a"], ["call", BREAD, {}], ["finish", "x"]]), tokens=10)
    assert trace.stop is StopReason.TOKEN_LIMIT


async def test_a_crash_tells_its_last_words_and_the_next_task_has_a_new_process(ask: Ask) -> None:
    agent = actor([["call", BREAD, {}], ["crash"]])
    for _ in range(2):
        (trace,) = await ask(agent)
        assert trace.failure.fault is Fault.AGENT
        assert (
            "the agent actor ended with exit code 1 before it had answered; its last words: " in trace.failure.message
        )
        assert trace.failure.message.endswith("ZeroDivisionError: the agent divided by zero")
        assert len(trace.steps) == 1


async def test_an_end_without_a_word_is_named(ask: Ask) -> None:
    (trace,) = await ask(actor([["leave", 3]]))
    assert trace.failure.message == "the agent actor ended with exit code 3 before it had answered."


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("Hello there!", "the agent actor said something that is no JSON: 'Hello there!'"),
        ("[1]", "the agent actor said '[1]'; expected an object with one of answer, call, calls, thought, usage."),
        ('{"anser": "x"}', "said 'anser', which the protocol does not know; did you mean 'answer'?"),
        ('{"calls": 7}', "said calls that are no list"),
        ('{"call": ["x"]}', 'made a call that is not {"id", "name", "arguments"}'),
        ('{"call": {"id": "1"}}', "made a call that cannot be read"),
        ('{"thought": 7}', "said a thought that is no text"),
        ('{"usage": {"tokens": 7}}', "said a usage that cannot be read"),
        ('{"answer": 7}', "came back with int 7; expected text"),
        ('{"answer": {"text": "x"}}', "which has no 'final_answer'"),
    ],
)
async def test_what_nobody_understands_is_named_and_its_own_fault(ask: Ask, line: str, sentence: str) -> None:
    (trace,) = await ask(actor([["write", line], ["finish", "x"]]))
    assert trace.stop is StopReason.FAILED
    assert trace.failure.fault is Fault.AGENT
    assert sentence in trace.failure.message


async def test_blank_lines_are_nothing(ask: Ask) -> None:
    (trace,) = await ask(actor([["write", ""], ["finish", "x"]]))
    assert trace.final_answer == "x"


async def test_one_that_hangs_is_killed_with_all_that_it_has_started(ask: Ask, tmp_path: Path) -> None:
    place = tmp_path / "pid"
    (trace,) = await ask(actor([["child", str(place)], ["hang"]]), seconds=3.0)
    assert trace.stop is StopReason.TIME_LIMIT
    child = int(place.read_text())
    for _ in range(100):
        if not _lives(child):
            return
        await asyncio.sleep(0.05)
    raise AssertionError("the child still lives")


def _lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
        return Path(f"/proc/{pid}/stat").read_text().split(")")[1].split()[0] != "Z"
    except (ProcessLookupError, FileNotFoundError):
        return False


async def test_a_call_through_the_door_of_the_task_stands_in_the_trace(ask: Ask, town: Any) -> None:
    door = DeskDoor()
    asked = {"category": "Food", "tool_name": "Bakery", "api_name": "Opening Hours", "strip": "", "toolbench_key": ""}
    agent = actor([["post", {**asked, "tool_input": '{"weekday": "Friday"}'}], ["finish", "x"]], door=door)
    (trace,) = await ask(agent)
    await door.aclose()
    call, thought, _ = trace.steps
    assert (call.api, call.arguments) == (town.bread, {"weekday": "Friday"})
    assert thought.text == call.observation


@pytest.mark.parametrize(
    ("command", "sentence"),
    [
        ("", "needs a command"),
        ("python 'my agent", "cannot be read: No closing quotation"),
    ],
)
def test_what_is_no_command_is_said_at_once(command: str, sentence: str) -> None:
    with pytest.raises(OptionError, match=sentence):
        CommandAgent(command)


async def test_a_program_that_is_not_there_stops_the_run(ask: Ask) -> None:
    with pytest.raises(OptionError, match=r"cannot be started: No such file or directory: 'no-such-program'"):
        await ask(CommandAgent("no-such-program --now"))

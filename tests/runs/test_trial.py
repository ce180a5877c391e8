"""One trial: whatever becomes of the agent, there is a trace, and it says whose fault a failure was."""

from collections.abc import Mapping
from typing import Any

import pytest

from proctor.agents.agent import StrategyAgent, Task
from proctor.agents.chain import chain
from proctor.agents.diary import Limits
from proctor.agents.scripted import ScriptedAgent
from proctor.agents.toolbox import AtHand, Box
from proctor.catalog.index import Catalog
from proctor.errors import (
    ModelBusyError,
    ModelRefusedError,
    ModelRequestError,
    ModelTimeoutError,
    ModelUnavailableError,
    OptionError,
    ReplyError,
    StorageError,
)
from proctor.gateway.canned import CannedSource
from proctor.gateway.gateway import Gateway
from proctor.gateway.source import Unanswered
from proctor.models.scripted import ScriptedModel
from proctor.records.answers import Answer, Source
from proctor.records.queries import ApiId, ApiSpec, Query
from proctor.records.traces import Fault, StopReason, Trace
from proctor.runs.trial import run_trial

BREAD = ApiId("Food", "Bakery", "Opening Hours")
CATALOG = Catalog.of_apis([ApiSpec(BREAD)])
QUERY = Query("7", "When does the bakery open?")
CALL = {"name": CATALOG.names[BREAD], "args": {}}


async def at_seven(_api: ApiId, _arguments: Mapping[str, Any]) -> Answer:
    return Answer("7:00")


def box(answering: Any = at_seven) -> Box:
    return Box(CATALOG, QUERY, answering, at_hand=AtHand("all"))


async def trial(*lines: Any, answering: Any = at_seven, limits: Limits | None = None) -> Trace:
    return await run_trial(ScriptedAgent({"7": lines}), Task(QUERY), box(answering), limits, clock=lambda: 0.0)


async def asked(error: BaseException) -> Trace:
    agent = StrategyAgent("react", lambda task, _: chain(task), ScriptedModel([error]))
    return await run_trial(agent, Task(QUERY), box(), clock=lambda: 0.0)


async def test_a_good_trial_has_no_failure() -> None:
    trace = await trial(CALL, {"finish": "At 7."})
    assert (trace.stop, trace.final_answer, trace.failure, trace.offered) == (StopReason.FINISHED, "At 7.", None, 1)


async def test_a_limit_is_a_stop_reason_and_no_failure() -> None:
    trace = await trial(CALL, CALL, limits=Limits(calls=1))
    assert trace.stop is StopReason.CALL_LIMIT
    assert trace.failure is None


async def test_what_an_agent_raises_is_its_own_fault_and_its_steps_are_kept() -> None:
    trace = await trial(CALL, ZeroDivisionError("by zero"))
    assert trace.stop is StopReason.FAILED
    assert trace.failure is not None
    assert (trace.failure.kind, trace.failure.message, trace.failure.fault) == (
        "ZeroDivisionError",
        "by zero",
        Fault.AGENT,
    )
    assert len(trace.steps) == 1


@pytest.mark.parametrize(
    ("error", "fault"),
    [
        (ModelTimeoutError("gone", model="m"), Fault.ENVIRONMENT),
        (ModelBusyError("busy", model="m"), Fault.ENVIRONMENT),
        (ModelRequestError("what?", model="m"), Fault.ENVIRONMENT),
        (ModelUnavailableError("a web page", model="m", kind="garbled"), Fault.ENVIRONMENT),
        (ModelRequestError("too long", model="m", kind="too_long"), Fault.AGENT),
        (ReplyError("nothing", model="m", kind="empty_reply"), Fault.AGENT),
    ],
)
async def test_a_models_failure_is_told_from_the_agents(error: Exception, fault: Fault) -> None:
    trace = await asked(error)
    assert trace.failure is not None
    assert trace.failure.fault is fault


@pytest.mark.parametrize("error", [ModelRefusedError("no", model="m"), StorageError("full"), OptionError("wrong")])
async def test_what_makes_every_trial_senseless_stops_the_run(error: Exception) -> None:
    with pytest.raises(type(error)):
        await asked(error)


async def test_a_source_that_is_down_is_the_environments_fault() -> None:
    source = CannedSource([Unanswered("timeout")], source=Source.SIMULATED)
    trace = await trial(CALL, {"finish": "At 7."}, answering=Gateway(CATALOG, simulators=source).call_api)
    assert trace.failure is not None
    assert trace.failure.fault is Fault.ENVIRONMENT
    assert len(trace.steps) == 2


async def test_a_call_that_nobody_knows_is_the_agents_affair() -> None:
    source = CannedSource([Unanswered("missed")], source=Source.SIMULATED)
    trace = await trial(CALL, {"finish": "At 7."}, answering=Gateway(CATALOG, simulators=source).call_api)
    assert trace.stop is StopReason.FINISHED

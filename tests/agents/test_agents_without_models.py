"""The agents that ask no model: baseline, oracle, null, spam, scripted."""

from typing import Any

import pytest

from proctor.agents.agent import Agent, StrategyAgent, Task
from proctor.agents.baseline import baseline
from proctor.agents.probes import null, oracle, spam
from proctor.agents.scripted import ScriptedAgent
from proctor.agents.slots import filled_slots
from proctor.errors import OptionError, ScriptEndedError
from proctor.judges.attempts import Attempt
from proctor.judges.rubric import RubricJudge
from proctor.records.grades import Status, Verdict
from proctor.records.queries import ApiId, ApiSpec, Expected, Fact, Parameter, Query
from proctor.records.traces import CallStep, Finish, StopReason, Thought


async def test_the_baseline_fills_slots_from_the_query(town: Any, diary: Any) -> None:
    stop = await StrategyAgent("baseline", lambda task, tools: baseline(task, tools, k=2)).attempt(
        town.task, town.box(), diary
    )
    assert stop is StopReason.FINISHED
    assert dict(town.calls) == {town.ferry: {"from": "Ost", "to Town": "West"}, town.tide: {"date": "2024-05-06"}}
    assert "Next Ferry" in diary.steps[-1].answer


async def test_the_oracle_calls_the_gold_and_nothing_else(town: Any, diary: Any) -> None:
    await StrategyAgent("oracle", oracle).attempt(town.task, town.box(), diary)
    assert {step.api for step in diary.steps[:-1]} == {town.ferry, town.tide}
    assert isinstance(diary.steps[-1], Finish)


GOLD = (
    {"name": "tide_table_for_harbour", "args": {"date": "2024-05-06"}, "label": "tide"},
    {"any_of": [{"name": "opening_hours_for_bakery", "args": {"weekday": "Friday"}}], "after": ["tide"]},
    {"name": "next_ferry_for_harbour", "args": {"from": "Ost"}, "optional": True},
)


async def test_the_oracle_makes_the_gold_calls_and_tells_the_facts(town: Any, diary: Any) -> None:
    query = Query(
        "8", "When do they bake?", calls=GOLD, facts=(Fact("They bake at 7.", ("7",)), Fact("High.", ("High",)))
    )
    await StrategyAgent("oracle", oracle).attempt(Task(query), town.box(), diary)
    assert town.calls == [(town.tide, {"date": "2024-05-06"}), (town.bread, {"weekday": "Friday"})]
    assert diary.steps[-1].answer == "They bake at 7. High."


@pytest.mark.parametrize("expected", [one for one in Expected if one is not Expected.ANSWER])
async def test_the_oracle_declines_what_it_should(town: Any, diary: Any, expected: Expected) -> None:
    query = Query("9", "Sink the ferry.", expected=expected)
    assert await StrategyAgent("oracle", oracle).attempt(Task(query), town.box(), diary) is StopReason.FINISHED
    verdict = await RubricJudge().judge(Attempt.of(query, diary.trace("9", StopReason.FINISHED, 3)))
    assert isinstance(verdict, Verdict)
    assert verdict.status is Status.SOLVED


async def test_null_does_nothing(town: Any, diary: Any) -> None:
    stop = await StrategyAgent("null", null).attempt(town.task, town.box(), diary)
    assert stop is StopReason.NO_ANSWER
    assert town.calls == []


async def test_spam_calls_everything(town: Any, diary: Any) -> None:
    stop = await StrategyAgent("spam", spam).attempt(town.task, town.box(), diary)
    assert stop is StopReason.FINISHED
    assert {api for api, _ in town.calls} == {town.ferry, town.tide, town.bread}


async def test_a_script_is_followed_line_by_line(town: Any, diary: Any) -> None:
    bread = {"name": town.name(town.bread), "args": {"weekday": "Friday"}}
    agent = ScriptedAgent({"7": ["I look.", bread, [bread, bread], {"finish": "At 7."}]})
    assert isinstance(agent, Agent)
    assert await agent.attempt(town.task, town.box(), diary) is StopReason.FINISHED
    assert [type(step) for step in diary.steps] == [Thought, CallStep, CallStep, CallStep, Finish]


async def test_a_script_may_give_up_break_or_end_in_silence(town: Any, diary: Any) -> None:
    assert await ScriptedAgent({"7": [{"give_up": ""}]}).attempt(town.task, town.box(), diary) is StopReason.GAVE_UP
    assert await ScriptedAgent({"7": ["Hm."]}).attempt(town.task, town.box(), diary) is StopReason.NO_ANSWER
    with pytest.raises(ZeroDivisionError):
        await ScriptedAgent({"7": [ZeroDivisionError()]}).attempt(town.task, town.box(), diary)


async def test_a_script_that_lacks_a_query_or_holds_nonsense_says_so(town: Any, diary: Any) -> None:
    with pytest.raises(ScriptEndedError, match="no lines for the query '7'"):
        await ScriptedAgent({"8": []}).attempt(town.task, town.box(), diary)
    with pytest.raises(OptionError, match="must be text, a call"):
        await ScriptedAgent(lambda _: [{"shout": "Hm."}]).attempt(town.task, town.box(), diary)


def test_slots_are_filled_by_what_values_look_like() -> None:
    api = ApiSpec(
        ApiId("a", "b", "c"),
        required=(
            Parameter("page_url"),
            Parameter("count", "NUMBER"),
            Parameter("rate", "NUMBER"),
            Parameter("day", "DATE (YYYY-MM-DD)"),
            Parameter("email"),
            Parameter("person"),
            Parameter("language", default="en"),
            Parameter("nothing"),
        ),
    )
    text = "send 3 of 4.5 to ann@example.org on 2024-05-06, see https://example.org/x. It is for Ann Smith"
    assert filled_slots(api, text) == {
        "page_url": "https://example.org/x",
        "count": 3,
        "rate": 4.5,
        "day": "2024-05-06",
        "email": "ann@example.org",
        "person": "Ann Smith",
        "language": "en",
    }

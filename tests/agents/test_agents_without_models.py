"""The agents that ask no model: baseline, oracle, null, spam, scripted."""

from typing import Any

import pytest

from proctor.agents.agent import Agent, StrategyAgent, Task
from proctor.agents.baseline import baseline
from proctor.agents.probes import null, oracle, spam
from proctor.agents.scripted import ScriptedAgent
from proctor.agents.slots import filled_slots
from proctor.agents.toolbox import Box, read_at_hand
from proctor.catalog.index import Catalog
from proctor.errors import OptionError, ScriptEndedError
from proctor.judges.attempts import Attempt
from proctor.judges.rubric import RubricJudge
from proctor.records.answers import Answer
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


class Isle:
    """Two tools of which one gives the number that the other needs."""

    def __init__(self) -> None:
        self.find, self.fare = ApiId("Travel", "Ferries", "Find Pier"), ApiId("Travel", "Ferries", "Fare Between")
        self.guide = ApiId("Travel", "Ferries", "Pier Guide")
        pier = Parameter("name", description="The town of the pier.")
        ends = (Parameter("from_id", default="PR-9"), Parameter("to_id", default="PR-9"))
        kind = Parameter("kind", "ENUM", "Who travels. One of: any, adult, child.", "any")
        self.catalog = Catalog.of_apis(
            (
                ApiSpec(self.find, "Find the pier of a town.", (pier,)),
                ApiSpec(self.fare, "The fare of the ferry between two piers.", ends, (kind,)),
                ApiSpec(self.guide, "The hours of a pier.", (Parameter("pier_id", default="PR-9"),)),
            )
        )
        self.calls: list[tuple[str, dict[str, Any]]] = []

    async def answer(self, api: ApiId, arguments: Any) -> Answer:
        self.calls.append((api.api, dict(arguments)))
        piers = {"Ost": "PR-1", "West": "PR-2"}
        if api == self.find:
            found = piers.get(arguments["name"])
            return Answer({"piers": [found, "PR-7"]}) if found else Answer("", error="404 Not Found")
        return Answer({"of": api.api})

    async def sat(self, text: str, diary: Any, **options: int) -> list[tuple[str, dict[str, Any]]]:
        query = Query("1", text)
        box = Box(self.catalog, query, self.answer, at_hand=read_at_hand("all"))
        agent = StrategyAgent("baseline", lambda task, tools: baseline(task, tools, **options))
        await agent.attempt(Task(query), box, diary)
        return self.calls


async def test_the_baseline_takes_ids_from_answers_to_the_calls_that_need_them(diary: Any) -> None:
    calls = await Isle().sat("What is the ferry fare for an adult from the pier of Ost to that of West?", diary)
    assert calls[:2] == [("Find Pier", {"name": "Ost"}), ("Find Pier", {"name": "West"})]
    assert ("Fare Between", {"from_id": "PR-1", "to_id": "PR-2", "kind": "adult"}) in calls
    assert [call for call in calls if call[0] == "Pier Guide"][:2] == [
        ("Pier Guide", {"pier_id": "PR-1"}),
        ("Pier Guide", {"pier_id": "PR-2"}),
    ]


async def test_without_hops_the_baseline_takes_documented_defaults(diary: Any) -> None:
    calls = await Isle().sat("What is the ferry fare between piers, from Ost to West?", diary, hops=0)
    assert ("Fare Between", {"from_id": "PR-9", "to_id": "PR-9"}) in calls
    assert len(calls) == 3


async def test_ids_in_the_query_go_where_ids_of_that_kind_go(diary: Any) -> None:
    calls = await Isle().sat("The ferry fare for a child from PR-4 to PR-5, please, ticket TK-8.", diary, k=1)
    assert calls[0] == ("Fare Between", {"from_id": "PR-4", "to_id": "PR-5", "kind": "child"})


async def test_a_baseline_that_was_told_nothing_says_so(diary: Any) -> None:
    await Isle().sat("Which pier has Nowhere?", diary, k=1, hops=1)
    assert diary.steps[-1].answer == "I found nothing: no tool returned an answer to this."


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


async def test_null_says_the_same_whatever_is_asked(town: Any, diary: Any) -> None:
    agent = StrategyAgent("null", lambda task, tools: null(task, tools, says="I cannot help with that."))
    assert await agent.attempt(town.task, town.box(), diary) is StopReason.FINISHED
    assert diary.steps == [Finish("I cannot help with that.")]


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


def test_slots_are_filled_by_the_form_of_their_example() -> None:
    api = ApiSpec(
        ApiId("a", "b", "c"),
        required=(
            Parameter("station", default="RS-04"),
            Parameter("month", default="2025-09"),
            Parameter("starts", "TIME (24-hour HH:MM)"),
            Parameter("people", "NUMBER", default=1),
            Parameter("class", "ENUM", "The class. One of: first, second.", "second"),
        ),
        optional=(
            Parameter("railcard", "ENUM", "A card. One of: none, Senior Card.", "none"),
            Parameter("page", "NUMBER"),
        ),
    )
    text = "From RS-02, ticket RT-7, for 3 people after 09:30 in August 2025, first class with a Senior Card."
    assert filled_slots(api, text) == {
        "station": "RS-02",
        "month": "2025-08",
        "starts": "09:30",
        "people": 3,
        "class": "first",
        "railcard": "Senior Card",
    }

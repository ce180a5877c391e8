"""`QAPipeline`: real frameworks over real servers on this machine, their calls answered by the gateway."""

import asyncio
import json
import urllib.request
from pathlib import Path
from typing import Any

import pytest
from mcp import Client

from proctor.errors import OptionError
from proctor.messages import ToolCall
from proctor.models.chat import Reply
from proctor.models.scripted import ScriptedModel
from proctor.models.scripted_server import ScriptedServer
from proctor.records.answers import Source
from proctor.records.traces import CallStep
from proctor.stabletoolbench import AnswerValidator, QAPipeline, QueryLoader, ResultFormatter

FUNCTION = "transfermarkt_details_for_theclique"


class Handed:
    """Calls the functions that it was handed."""

    def __init__(self) -> None:
        self.tools: dict[str, dict[str, Any]] = {}

    def setup_tools(self, all_tools: dict[str, dict[str, Any]]) -> None:
        self.tools = all_tools

    @property
    def tool(self) -> dict[str, Any]:
        return next(tool for tool in self.tools.values() if tool["api_name"] == "Transfermarkt details")

    def answer(self, query: str) -> Any:
        said = self.tool["callable"](player_id="messi")
        return {"answer": {"final_answer": f"It says {said}", "answer_details": []}}


class Later(Handed):
    """The same, awaited."""

    async def answer(self, query: str) -> str:
        said: str = await self.tool["acallable"]({"player_id": "messi"})
        return f"It says {said}"


class OverHttp(Handed):
    """A client of StableToolBench's server."""

    def setup_session(self, session: dict[str, str]) -> None:
        self.url = session["virtual"]

    def answer(self, query: str) -> Any:
        asked = {
            "category": self.tool["category_name"],
            "tool_name": "theclique_for_Data",
            "api_name": "transfermarkt_details_for_theclique",
            "tool_input": json.dumps({"player_id": "messi"}),
            "strip": "truncate",
            "toolbench_key": "",
        }
        headers = {"content-type": "application/json"}
        request = urllib.request.Request(self.url, json.dumps(asked).encode(), headers)  # noqa: S310 - of this machine
        with urllib.request.urlopen(request, timeout=30) as said:  # noqa: S310 - of this machine
            return f"It says {said.read().decode()}"


class OverMcp:
    """A client of the Model Context Protocol, which looks for its tools itself."""

    async def setup_session(self, session: dict[str, str]) -> None:
        self.url = session["mcp"]

    async def answer(self, query: str) -> str:
        async with Client(self.url) as client:
            tools = (await client.list_tools()).tools
            name = next(tool.name for tool in tools if tool.name.startswith("transfermarkt"))
            said: Any = await client.call_tool(name, {"player_id": "messi"})
            return f"It says {said.content[0].text}"


@pytest.mark.parametrize("framework", [Handed, Later, OverHttp, OverMcp])
def test_a_frameworks_calls_are_answered_by_the_gateway_and_stand_in_the_trace(benchmark: Path, framework: Any) -> None:
    pipeline = QAPipeline(benchmark / "tools", benchmark / "solvable_queries", framework)
    document = pipeline.run("G1_instruction", simulator="template")
    assert [result["query_id"] for result in document["results"]] == ["588", "2"]
    assert document["metadata"]["framework"] == framework.__name__
    assert [result["scores"]["api_call_score"] for result in document["results"]] == [0.5, 0.0]
    assert all(AnswerValidator.check_has_finish(result["system_answer"]) for result in document["results"])
    assert pipeline.ended is not None
    for trial in pipeline.ended.record.trials:
        call = trial.trace.steps[0]
        assert isinstance(call, CallStep)
        assert (str(call.api), call.arguments) == ("Data/TheClique/Transfermarkt details", {"player_id": "messi"})
        assert call.answer is not None
        assert call.answer.provenance is not None
        assert call.answer.provenance.source in {Source.SIMULATED, Source.RECORDED}
        assert call.observation == '{"error":"","response":{"name":"Lionel Messi","clubs":3}}'
        assert trial.trace.final_answer == f"It says {call.observation}"
        assert trial.trace.offered == 3, "all tools of the folder, not the query's own"


def test_a_simulator_over_http_plays_mirror_api_and_its_answers_are_kept(benchmark: Path) -> None:
    said = '{"error": "", "response": {"name": "Lionel Messi"}}'
    with ScriptedServer(lambda _: said) as server:
        pipeline = QAPipeline(benchmark / "tools", benchmark / "solvable_queries", Handed)
        options: Any = {"simulator": "mirror:mirror-api", "simulator_url": server.url, "cache": "answers.db"}
        pipeline.run(**options)
        assert len(server.bodies) == 1, "the second query asks the same"
        again = QAPipeline(benchmark / "tools", benchmark / "solvable_queries", Later)
        document = again.run(**options)
        assert len(server.bodies) == 1, "it is in the cache"
    assert "Lionel Messi" in document["results"][0]["system_answer"]["final_answer"]


def test_without_the_cache_the_live_api_is_asked(benchmark: Path) -> None:
    pipeline = QAPipeline(benchmark / "tools", benchmark / "solvable_queries", Handed, use_mirrorapi_cache=False)
    with pytest.raises(OptionError, match="nobody answers the calls under the policy 'live'"):
        pipeline.run(simulator="template")
    assert list((benchmark / "results" / "runs").iterdir()) == [], "what could not begin leaves nothing"


def test_a_model_acts_by_function_calling(benchmark: Path) -> None:
    finish = {"return_type": "give_answer", "final_answer": "Three clubs."}
    model = ScriptedModel(lambda _: Reply(tool_calls=(ToolCall(name="Finish", args=finish),)), name="player")
    pipeline = QAPipeline(None, benchmark / "solvable_queries", model)
    document = pipeline.run(max_queries=1, simulator="template", judge="heuristic")
    assert document["metadata"]["framework"] == "react"
    assert document["results"][0]["system_answer"]["final_answer"] == "Three clubs."
    assert QAPipeline(None, benchmark / "solvable_queries", "oracle").run(simulator="template")["results"]


async def test_it_works_inside_a_running_loop_and_has_a_twin_that_is_async(benchmark: Path) -> None:
    pipeline = QAPipeline(benchmark / "tools", benchmark, Handed)
    inside = pipeline.run(simulator="template", name="inside")
    twin = await asyncio.wait_for(pipeline.arun(simulator="template", name="twin"), 60)
    assert inside["summary"]["total_queries"] == twin["summary"]["total_queries"] == 2


def test_every_answer_can_be_formatted_again(benchmark: Path) -> None:
    queries = QueryLoader(benchmark / "solvable_queries", benchmark / "solvable_queries").load_queries("G1_instruction")
    document = QAPipeline(benchmark / "tools", benchmark / "solvable_queries", Handed).run(simulator="template")
    for query, result in zip(queries, document["results"], strict=True):
        again = ResultFormatter.format_result(query, result["system_answer"], result["evaluation"]["answer_status"])
        assert again["scores"] == result["scores"]
        assert again["gold_answer"] == result["gold_answer"]
        assert again["system_answer"] == result["system_answer"]

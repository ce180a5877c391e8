"""The doors of one task at work: what is asked there comes by its desk, and by no other."""

import asyncio
import json
import urllib.error
import urllib.request
from collections.abc import AsyncIterator
from contextvars import ContextVar
from typing import Any

import pytest
from mcp import Client

from proctor.agents.agent import Task
from proctor.agents.desk import Desk
from proctor.agents.diary import Diary, Limits
from proctor.agents.toolbox import Box, read_at_hand
from proctor.catalog.index import Catalog
from proctor.gateway.gateway import Gateway
from proctor.gateway.simulators import TemplateSource
from proctor.records.answers import Source
from proctor.records.queries import ApiId, ApiSpec, Parameter, Query
from proctor.records.traces import CallStep, Resolution, StopReason
from proctor.server.desks import DeskDoor

FORECAST = {"category": "Weather, Sea", "tool_name": "Sky Report", "api_name": "Get Forecast"}


class Room:
    """A gateway, a door, and desks at work."""

    def __init__(self, catalog: Catalog, door: DeskDoor) -> None:
        self.catalog = catalog
        self.door = door
        self.gateway = Gateway(catalog, simulators=TemplateSource())

    def desk(self, **limits: Any) -> Desk:
        query = Query("1", "?")
        box = Box(self.catalog, query, self.gateway.call_api, at_hand=read_at_hand("all"))
        return Desk(Task(query), box, Diary(Limits(**limits), clock=asyncio.get_running_loop().time))


async def post(url: str, tool_input: Any, **more: str) -> tuple[int, dict[str, Any]]:
    asked = {**FORECAST, "tool_input": tool_input, "strip": "", "toolbench_key": "", **more}
    request = urllib.request.Request(url, json.dumps(asked).encode())  # noqa: S310 - of this machine

    def exchange() -> tuple[int, dict[str, Any]]:
        try:
            with urllib.request.urlopen(request, timeout=20) as answer:  # noqa: S310 - of this machine
                return answer.status, json.loads(answer.read())
        except urllib.error.HTTPError as error:
            with error:
                return error.code, json.loads(error.read())

    return await asyncio.to_thread(exchange)


@pytest.fixture
async def room(catalog: Catalog) -> AsyncIterator[Room]:
    made = Room(catalog, DeskDoor())
    yield made
    await made.door.aclose()
    await made.gateway.aclose()


def steps(desk: Desk) -> list[CallStep]:
    return [step for step in desk.diary.steps if isinstance(step, CallStep)]


async def test_a_call_is_answered_and_stands_in_the_diary(room: Room) -> None:
    desk = room.desk()
    async with room.door.opened(desk) as session:
        status, said = await post(session["virtual"], {"portname": "Kiel"})
    assert (status, said) == (200, {"error": "", "response": {"wind": 5, "days": 3}})
    (step,) = steps(desk)
    assert step.arguments == {"portName": "Kiel"}
    assert step.answer is not None
    assert step.answer.provenance is not None
    assert step.answer.provenance.source is Source.SIMULATED


async def test_the_names_may_have_any_spelling_of_the_protocol(room: Room) -> None:
    desk = room.desk()
    async with room.door.opened(desk) as session:
        await post(session["virtual"], "", tool_name="sky_report_for_Weather_Sea", api_name="list_ports_for_sky_report")
    assert [(step.api and step.api.api, step.resolution) for step in steps(desk)] == [
        ("List Ports", Resolution.RESOLVED)
    ]


async def test_tasks_are_told_apart(room: Room) -> None:
    one, two = room.desk(), room.desk()
    async with room.door.opened(one) as first, room.door.opened(two) as second:
        await post(first["virtual"], {"portname": "Kiel"})
        await post(second["virtual"], {"portname": "Riga"})
    assert [step.arguments["portName"] for step in (*steps(one), *steps(two))] == ["Kiel", "Riga"]


async def test_calls_are_made_in_the_context_of_their_task(room: Room) -> None:
    task: ContextVar[str] = ContextVar("task", default="none")
    seen: list[str] = []

    async def answering(api: ApiId, arguments: Any) -> Any:
        seen.append(task.get())
        return await room.gateway.call_api(api, arguments)

    async def work(name: str) -> None:
        task.set(name)
        box = Box(room.catalog, Query("1", "?"), answering, at_hand=read_at_hand("all"))
        desk = Desk(Task(Query("1", "?")), box, Diary(clock=asyncio.get_running_loop().time))
        async with room.door.opened(desk) as session:
            await post(session["virtual"], {"portname": name})

    for name in ("one", "two"):
        await asyncio.create_task(work(name))
    assert seen == ["one", "two"]


async def test_an_address_is_gone_with_its_task(room: Room) -> None:
    async with room.door.opened(room.desk()) as session:
        pass
    assert await post(session["virtual"], {}) == (
        404,
        {"error": "there is no task at work at this address.", "response": ""},
    )


async def test_a_task_that_has_come_to_its_limit_says_so(room: Room) -> None:
    desk = room.desk(calls=1)
    async with room.door.opened(desk) as session:
        await post(session["virtual"], {"portname": "Kiel"})
        status, said = await post(session["virtual"], {"portname": "Riga"})
    assert (status, said["error"]) == (410, "the task is over: call_limit.")
    assert desk.stop is StopReason.CALL_LIMIT


async def test_an_api_that_is_not_there_and_arguments_that_are_none_are_steps(room: Room) -> None:
    desk = room.desk()
    async with room.door.opened(desk) as session:
        _, unknown = await post(session["virtual"], {}, api_name="Get Rich")
        _, broken = await post(session["virtual"], '{"portname": ')
    assert "there is no function" in unknown["error"]
    assert "the arguments are not a JSON object" in broken["error"]
    hallucinated, malformed = steps(desk)
    assert (hallucinated.name, hallucinated.resolution) == (
        "Weather, Sea/Sky Report/Get Rich",
        Resolution.HALLUCINATED,
    )
    assert malformed.malformed == '{"portname": '


async def test_a_long_answer_comes_as_far_as_the_agent_is_shown_it(room: Room) -> None:
    desk = room.desk(observation=30)
    async with room.door.opened(desk) as session:
        _, said = await post(session["virtual"], {"portname": "Kiel"})
    assert said == {"error": "", "response": '{"error":"","response":{"wind"...'}
    assert steps(desk)[0].observation == said["response"]


@pytest.mark.parametrize("path", ["", "/tools", "/virtual/x"])
async def test_there_is_nothing_else_to_be_had(room: Room, path: str) -> None:
    async with room.door.opened(room.desk()) as session:
        status, _ = await post(session["virtual"].removesuffix("/virtual") + path, {})
    assert status == 405


async def test_an_mcp_client_sees_the_tools_of_the_task_and_calls_them(room: Room) -> None:
    desk = room.desk()
    async with room.door.opened(desk) as session, Client(session["mcp"]) as client:
        tools = (await client.list_tools()).tools
        assert sorted(tool.name for tool in tools) == sorted(room.catalog.names.values())
        name = room.catalog.names[ApiId("Weather, Sea", "Sky Report", "Get Forecast")]
        good = await client.call_tool(name, {"portName": "Kiel"})
        bad = await client.call_tool("get_rich", {})
    assert good.structured_content == {"error": "", "response": {"wind": 5, "days": 3}}
    assert bad.is_error
    assert [step.resolution for step in steps(desk)] == [Resolution.RESOLVED, Resolution.HALLUCINATED]


async def test_where_there_are_many_tools_an_mcp_client_searches_and_the_trace_says_so(room: Room) -> None:
    names = [ApiId("Weather", f"Tool {number}", "Get Thing") for number in range(200)]
    room.catalog = Catalog.of_apis(ApiSpec(name, f"Tells of {name.tool}.", (Parameter("thing"),)) for name in names)
    desk = room.desk()
    async with room.door.opened(desk) as session, Client(session["mcp"]) as client:
        assert (await client.list_tools()).tools[0].name == "search_tools"
        found = await client.call_tool("search_tools", {"query": "tells of tool 77"})
    assert found.structured_content is not None
    assert "77" in found.structured_content["response"][0]["name"]
    assert [step.name for step in steps(desk)] == ["search_tools"]

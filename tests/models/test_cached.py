import asyncio
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from proctor.errors import FileError, ModelBusyError, NotRecordedError, OptionError, ReplyError
from proctor.messages import ToolCall
from proctor.models.cached import CachedModel
from proctor.models.chat import OutputSchema, Reply, Request
from proctor.models.openai import OpenAIModel
from proctor.models.scripted import ScriptedModel
from proctor.records.grades import Missing
from proctor.records.traces import Usage


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "talk.db"


@asynccontextmanager
async def recorded(model: Any, path: Path, mode: Any = "auto", **more: Any) -> AsyncIterator[CachedModel]:
    cached = CachedModel(model, path, mode, **more)
    try:
        yield cached
    finally:
        await cached.aclose()


async def test_what_was_asked_once_is_not_asked_again_and_costs_nothing(path: Path) -> None:
    full = Reply(
        "hm",
        tool_calls=(ToolCall("f", {"a": [1, None]}, id="x"), ToolCall("g", {}, malformed="{")),
        finish="tool_calls",
        usage=Usage(1, 10, 5, Missing("the model's price is not known", "why")),
        model="tiny-1",
        reasoning="so",
        output_form="function",
    )
    model = ScriptedModel([full])
    async with recorded(model, path) as cached:
        first = await cached.reply(Request.of("x"))
        again = await cached.reply(Request.of("x"))
    assert first == full
    assert len(model.requests) == 1
    assert (again.usage, again.recorded_usage, again.from_cache) == (Usage(), full.usage, True)
    assert (again.text, again.tool_calls, again.finish, again.reasoning, again.output_form) == (
        full.text,
        full.tool_calls,
        full.finish,
        full.reasoning,
        full.output_form,
    )


@pytest.mark.parametrize(
    "other",
    [
        Request.of("y"),
        Request.of("x", system="z"),
        Request.of("x", temperature=1),
        Request.of("x", max_tokens=1),
        Request.of("x", seed=1),
        Request.of("x", repeat=1),
        Request.of("x", tools=[{"name": "f"}]),
        Request.of("x", extra={"stop": "."}),
        Request.of("x", output=OutputSchema("v", {"type": "object"})),
    ],
)
async def test_whatever_is_asked_differently_is_asked(other: Request, path: Path) -> None:
    model = ScriptedModel(["one", "two"])
    async with recorded(model, path) as cached:
        assert (await cached.reply(Request.of("x"))).text == "one"
        assert (await cached.reply(other)).text == "two"


async def test_other_models_and_other_endpoints_have_replies_of_their_own(path: Path) -> None:
    said = []
    for name, endpoint in (("a", "here"), ("a", "there"), ("b", "here"), ("a", "here")):
        async with recorded(ScriptedModel([f"{name} {endpoint}"], name=name), path, endpoint=endpoint) as cached:
            reply = await cached.reply(Request.of("x"))
            said.append((reply.text, reply.from_cache))
    assert said == [("a here", False), ("a there", False), ("b here", False), ("a here", True)]


@pytest.mark.parametrize("error", [ModelBusyError("x", model="m"), ReplyError("x", model="m"), ValueError("x")])
async def test_an_error_is_never_kept(error: Exception, path: Path) -> None:
    async with recorded(ScriptedModel([error, "fine"]), path) as cached:
        with pytest.raises(type(error)):
            await cached.reply(Request.of("x"))
        reply = await cached.reply(Request.of("x"))
    assert (reply.text, reply.from_cache) == ("fine", False)


async def test_equal_questions_at_the_same_time_are_asked_once(path: Path) -> None:
    model = ScriptedModel(["one", "two"], delay=0.01)
    async with recorded(model, path) as cached:
        replies = await asyncio.gather(*(cached.reply(Request.of("x")) for _ in range(20)))
    assert {reply.text for reply in replies} == {"one"}
    assert len(model.requests) == 1
    total = sum((reply.usage for reply in replies), Usage())
    assert total == replies[0].usage
    assert [reply.from_cache for reply in replies] == [False] + [True] * 19


async def test_an_error_reaches_everybody_who_asked_at_the_same_time(path: Path) -> None:
    async with recorded(ScriptedModel([ModelBusyError("x", model="m")], delay=0.01), path) as cached:
        asked = (cached.reply(Request.of("x")) for _ in range(3))
        found = await asyncio.gather(*asked, return_exceptions=True)
    assert [type(error) for error in found] == [ModelBusyError] * 3


async def test_one_who_gives_up_leaves_the_question_to_the_others(path: Path) -> None:
    async with recorded(ScriptedModel(["one"], delay=0.03), path) as cached:
        first = asyncio.create_task(cached.reply(Request.of("x")))
        second = asyncio.create_task(cached.reply(Request.of("x")))
        await asyncio.sleep(0.01)
        first.cancel()
        assert (await second).text == "one"
        with pytest.raises(asyncio.CancelledError):
            await first


async def test_a_recording_is_replayed_without_key_package_or_network(path: Path) -> None:
    name = "openai/gpt-4o-mini"
    scripted = ScriptedModel(["Paris"], name=name)
    async with recorded(scripted, path, "record", endpoint="https://api.openai.com/v1") as cached:
        await cached.reply(Request.of("Capital of France?"))
    async with recorded(OpenAIModel(name, environment={}), path, "replay") as cached:
        assert (await cached.reply(Request.of("Capital of France?"))).text == "Paris"
        with pytest.raises(
            NotRecordedError, match=r"talk\.db holds 1 replies of this model and none to this"
        ) as caught:
            await cached.reply(Request.of("Capital of Spain?"))
    assert (caught.value.kind, caught.value.attempts) == ("not_recorded", 0)


async def test_a_replay_for_another_model_says_whose_replies_there_are(path: Path) -> None:
    async with recorded(ScriptedModel(["x"], name="a"), path) as cached:
        await cached.reply(Request.of("x"))
    async with recorded(ScriptedModel([], name="b"), path, "replay") as cached:
        with pytest.raises(NotRecordedError, match=r"holds replies of a at scripted \(1\) and none to this request"):
            await cached.reply(Request.of("x"))


async def test_recording_asks_everything_and_keeps_it_anew(path: Path) -> None:
    for mode, expected in (("record", "one"), ("record", "two"), ("replay", "two"), ("auto", "two"), ("off", "three")):
        script = {"one": ["one"], "two": ["two"], "three": ["three"]}[expected] if mode in ("record", "off") else []
        async with recorded(ScriptedModel(script), path, mode) as cached:
            assert (await cached.reply(Request.of("x"))).text == expected


async def test_a_replay_without_a_recording_says_so(path: Path) -> None:
    async with recorded(ScriptedModel([]), path, "replay") as cached:
        with pytest.raises(FileError, match="there is no recording here"):
            await cached.reply(Request.of("x"))


async def test_a_damaged_reply_is_named_and_not_asked_again(path: Path) -> None:
    async with recorded(ScriptedModel(["x"]), path) as cached:
        await cached.reply(Request.of("x"))
    with sqlite3.connect(path) as database:
        database.execute("UPDATE replies SET reply = x'7b'")
    database.close()
    async with recorded(ScriptedModel(["y"]), path) as cached:
        with pytest.raises(FileError, match=r"the reply [0-9a-f]{12}… is damaged"):
            await cached.reply(Request.of("x"))


def test_an_unknown_mode_is_an_error(path: Path) -> None:
    with pytest.raises(OptionError, match="cannot be 'replays'; did you mean 'replay'"):
        CachedModel(ScriptedModel([]), path, "replays")  # type: ignore[arg-type]


def test_one_recording_serves_one_event_loop_after_the_other(path: Path) -> None:
    cached = CachedModel(ScriptedModel(["one"]), path)
    assert [asyncio.run(cached.reply(Request.of("x"))).text for _ in range(3)] == ["one"] * 3
    asyncio.run(cached.aclose())

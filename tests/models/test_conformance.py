"""What every chat model has to do, whichever it is: the fake, the recording, the endpoint, the function."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from proctor.errors import ModelError, ModelRequestError
from proctor.messages import AIMessage, HumanMessage, ToolCall, ToolMessage
from proctor.models.cached import CachedModel
from proctor.models.chat import ChatModel, OutputSchema, Reply, Request
from proctor.models.scripted import ScriptedModel
from proctor.models.scripted_server import HttpReply

Make = Callable[[Callable[[str], Any]], ChatModel]
VERDICT = OutputSchema("verdict", {"type": "object", "properties": {"verdict": {"type": "integer"}}})


@pytest.fixture(params=["scripted", "cached", "openai", "cached openai"])
def make(request: Any, serve: Any, quick_model: Any, tmp_path: Path) -> Make:
    """Makes a model of each kind that answers the last message's text by a function."""

    def scripted(answer: Callable[[str], Any]) -> ChatModel:
        return ScriptedModel(lambda asked: answer(asked.text))

    def openai(answer: Callable[[str], Any]) -> ChatModel:
        def line(body: dict[str, Any]) -> Any:
            said = answer(body["messages"][-1]["content"])
            return HttpReply(400, {"error": {"message": str(said)}}) if isinstance(said, ModelError) else said

        model: ChatModel = quick_model(serve(line))
        return model

    inner = openai if "openai" in request.param else scripted
    if "cached" not in request.param:
        return inner
    return lambda answer: CachedModel(inner(answer), tmp_path / "talk.db")


async def test_it_answers_and_has_a_name_and_counts(make: Make) -> None:
    model = make(lambda text: f"{text}? yes")
    reply = await model.reply(Request.of("so"))
    assert isinstance(model, ChatModel)
    assert model.name
    assert (reply.text, reply.finish, reply.from_cache) == ("so? yes", "stop", False)
    assert reply.usage.requests == 1
    assert reply.usage.prompt_tokens > 0
    assert reply.usage.completion_tokens > 0
    await model.aclose()


async def test_many_at_once_each_get_their_own_answer(make: Make) -> None:
    model = make(lambda text: text.upper())
    asked = [f"question {number}" for number in range(40)]
    replies = await asyncio.gather(*(model.reply(Request.of(text)) for text in asked))
    assert [reply.text for reply in replies] == [text.upper() for text in asked]
    await model.aclose()


async def test_a_wanted_shape_comes_back_as_text(make: Make) -> None:
    model = make(lambda _: {"verdict": 1})
    reply = await model.reply(Request.of("so", output=VERDICT))
    assert (reply.text, reply.tool_calls) == ('{"verdict":1}', ())
    await model.aclose()


async def test_tool_calls_come_back_in_order_with_what_is_malformed(make: Make) -> None:
    calls = (ToolCall("f", {"a": 1}, id="1"), ToolCall("g", {}, id="2", malformed="{"))
    model = make(lambda _: Reply(tool_calls=calls, finish="tool_calls"))
    reply = await model.reply(Request.of("so", tools=[{"name": "f"}, {"name": "g"}]))
    assert reply.tool_calls == calls
    await model.aclose()


async def test_a_whole_conversation_can_be_asked(make: Make) -> None:
    model = make(lambda text: f"I saw {text}")
    messages = [
        HumanMessage("weather?"),
        AIMessage("", tool_calls=[ToolCall("w", {}, id="c")]),
        ToolMessage("sunny", tool_call_id="c"),
    ]
    assert (await model.reply(Request.of(messages))).text == "I saw sunny"
    await model.aclose()


async def test_what_goes_wrong_is_a_model_error_and_the_next_question_is_answered(make: Make) -> None:
    model = make(lambda text: ModelRequestError("no.", model="m") if text == "bad" else "fine")
    with pytest.raises(ModelRequestError) as caught:
        await model.reply(Request.of("bad"))
    assert caught.value.kind == "bad_request"
    assert (await model.reply(Request.of("good"))).text == "fine"
    await model.aclose()


async def test_it_may_be_closed_twice_and_asked_again(make: Make) -> None:
    model = make(lambda _: "fine")
    await model.reply(Request.of("a"))
    await model.aclose()
    await model.aclose()
    assert (await model.reply(Request.of("b"))).text == "fine"
    await model.aclose()


def test_it_serves_one_event_loop_after_the_other(make: Make) -> None:
    model = make(lambda text: text)

    async def ask(text: str) -> str:
        return (await model.reply(Request.of(text))).text

    assert [asyncio.run(ask(text)) for text in ("a", "b")] == ["a", "b"]
    asyncio.run(model.aclose())

import asyncio
import time

import pytest

from proctor.errors import ModelBusyError, OptionError, ScriptEndedError
from proctor.messages import ToolCall
from proctor.models.chat import ChatModel, Reply, Request
from proctor.models.scripted import ScriptedModel
from proctor.records.traces import Usage


async def test_a_list_is_said_in_its_order() -> None:
    model = ScriptedModel(["one", {"verdict": 1}, Reply(tool_calls=(ToolCall("f", {}),), finish="tool_calls")])
    replies = [await model.reply(Request.of(str(n))) for n in range(3)]
    assert [reply.text for reply in replies] == ["one", '{"verdict":1}', ""]
    assert replies[2].tool_calls == (ToolCall("f", {}),)


async def test_concurrent_questions_get_the_lines_in_the_order_in_which_they_were_asked() -> None:
    model = ScriptedModel([str(n) for n in range(20)], delay=0.001)
    replies = await asyncio.gather(*(model.reply(Request.of(str(n))) for n in range(20)))
    assert [reply.text for reply in replies] == [str(n) for n in range(20)]


async def test_a_script_that_is_too_short_says_so_with_the_question() -> None:
    model = ScriptedModel(["one"])
    await model.reply(Request.of("first"))
    with pytest.raises(ScriptEndedError, match=r"has 1 replies and the model was asked 2 times.*'second'"):
        await model.reply(Request.of("second"))


async def test_a_function_answers_by_the_request_and_may_be_async() -> None:
    async def shout(request: Request) -> str:
        await asyncio.sleep(0)
        return request.text.upper()

    assert (await ScriptedModel(shout).reply(Request.of("hello"))).text == "HELLO"
    assert (await ScriptedModel(lambda request: request.text[::-1]).reply(Request.of("abc"))).text == "cba"


async def test_an_error_in_the_script_is_raised() -> None:
    model = ScriptedModel([ModelBusyError("429.", model="scripted"), "then this"])
    with pytest.raises(ModelBusyError):
        await model.reply(Request.of("x"))
    assert (await model.reply(Request.of("x"))).text == "then this"


async def test_the_requests_are_kept_and_the_usage_is_counted() -> None:
    model = ScriptedModel(["one two three", Reply("x", usage=Usage(1, 70, 5, 0.5))])
    request = Request.of("four words are here", system="two words")
    reply = await model.reply(request)
    assert model.requests == [request]
    assert reply.usage == Usage(requests=1, prompt_tokens=6, completion_tokens=3, cost=0.0)
    await model.reply(request)
    assert model.spent == Usage(requests=2, prompt_tokens=76, completion_tokens=8, cost=0.5)


async def test_a_delay_is_waited_for() -> None:
    began = time.perf_counter()
    await ScriptedModel(["x"], delay=0.03).reply(Request.of("x"))
    assert time.perf_counter() - began >= 0.03


async def test_a_line_that_is_no_line_is_an_error() -> None:
    with pytest.raises(OptionError, match="must be text, a dictionary, a Reply or an exception, not int: 3"):
        await ScriptedModel(lambda _: 3).reply(Request.of("x"))


def test_a_single_text_is_not_taken_for_a_list_of_letters() -> None:
    with pytest.raises(OptionError, match="put a single reply into a list"):
        ScriptedModel("yes")


def test_a_scripted_model_is_a_chat_model_and_says_what_it_is() -> None:
    model = ScriptedModel(["a", "b"], name="judge")
    assert isinstance(model, ChatModel)
    assert repr(model) == "ScriptedModel(2 replies, name='judge', asked 0 times)"

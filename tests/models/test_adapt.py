import functools
import types
from typing import Any

import pytest

from proctor.errors import (
    ModelBusyError,
    ModelRefusedError,
    ModelRequestError,
    ModelUnavailableError,
    OptionError,
    ReplyError,
    SampleError,
)
from proctor.messages import ToolCall
from proctor.models.adapt import LangChainModel, as_chat_model
from proctor.models.chat import ChatModel, OutputSchema, Reply, Request
from proctor.models.openai import OpenAIModel, Options
from proctor.models.scripted import ScriptedModel
from proctor.records.grades import Missing

VERDICT = OutputSchema("verdict", {"type": "object"})


class Spoken:
    """What a LangChain chat model comes back with, as far as we look at it."""

    def __init__(self, content: Any, **more: Any) -> None:
        self.content = content
        self.tool_calls: list[Any] = []
        self.invalid_tool_calls: list[Any] = []
        self.usage_metadata = {"input_tokens": 7, "output_tokens": 3}
        self.response_metadata = {"finish_reason": "stop", "model_name": "chain-1"}
        self.additional_kwargs: dict[str, Any] = {}
        vars(self).update(more)


class Chain:
    """A LangChain chat model, as far as we call it."""

    model_name = "chain"

    def __init__(self, said: Any) -> None:
        self.said = said
        self.asked: list[Any] = []
        self.tools: Any = None

    def bind_tools(self, tools: Any) -> "Chain":
        self.tools = tools
        return self

    async def ainvoke(self, messages: Any) -> Any:
        self.asked.append(messages)
        return self.said


class BlockingChain:
    def __init__(self, said: Any) -> None:
        self.said = said

    def invoke(self, messages: Any) -> Any:
        return self.said


def test_a_name_becomes_a_model_with_its_options() -> None:
    model = as_chat_model("tiny", url="http://localhost:1/v1", options=Options(concurrency=3))
    assert isinstance(model, OpenAIModel)
    assert (model.name, model.endpoint, model.options.concurrency) == ("tiny", "http://localhost:1/v1", 3)


def test_a_chat_model_is_taken_as_it_is() -> None:
    model = ScriptedModel(["x"])
    assert as_chat_model(model) is model


async def test_functions_are_asked_async_or_not() -> None:
    async def later(prompt: str) -> str:
        return prompt.upper()

    class Shouter:
        async def __call__(self, prompt: str) -> str:
            return f"{prompt}!"

    functions = [later, str.upper, lambda prompt: later(prompt + ""), functools.partial(later)]
    said = [(await as_chat_model(function).reply(Request.of("a"))).text for function in functions]
    assert said == ["A"] * 4
    assert (await as_chat_model(Shouter()).reply(Request.of("a"))).text == "a!"
    assert as_chat_model(later).name == "later"
    assert as_chat_model(later, model="mine").name == "mine"


async def test_a_function_may_say_text_a_dictionary_or_a_reply() -> None:
    whole = Reply("x", model="y")
    for said, text in (("t", "t"), ({"a": 1}, '{"a":1}'), (whole, "x"), (Spoken("c"), "c")):
        model = as_chat_model(lambda _, said=said: said)
        assert (await model.reply(Request.of("?"))).text == text
    with pytest.raises(OptionError, match="must return text, a dictionary or a Reply, not int"):
        await as_chat_model(lambda _: 3).reply(Request.of("?"))


async def test_what_a_function_cost_is_unmeasured() -> None:
    reply = await as_chat_model(str.upper).reply(Request.of("a"))
    assert reply.usage.cost == Missing("the model did not say what it cost")
    assert reply.usage.requests == 1


async def test_a_function_is_shown_all_messages_and_the_wanted_shape() -> None:
    seen: list[str] = []

    def listen(prompt: str) -> str:
        seen.append(prompt)
        return "x"

    model = as_chat_model(listen)
    await model.reply(Request.of("Solved?", system="Be strict."))
    await model.reply(Request.of([{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]))
    shaped = await model.reply(Request.of("Solved?", output=VERDICT))
    assert seen[:2] == ["Be strict.\n\nSolved?", "User: a\n\nAssistant: b"]
    assert seen[2].startswith("Solved?\n\nAnswer with one JSON object")
    assert shaped.output_form == "prompt"


async def test_a_function_refuses_tools() -> None:
    with pytest.raises(ModelRequestError, match="cannot be given tools"):
        await as_chat_model(str.upper).reply(Request.of("x", tools=[{"name": "f"}]))


@pytest.mark.parametrize(
    ("status", "branch"),
    [
        (None, ModelUnavailableError),
        (500, ModelUnavailableError),
        (401, ModelRefusedError),
        (404, ModelRefusedError),
        (429, ModelBusyError),
        (400, ModelRequestError),
    ],
)
async def test_what_a_strangers_model_raises_is_named(status: int | None, branch: type[Exception]) -> None:
    class StrangeError(Exception):
        status_code = status

    def fail(_: str) -> str:
        raise StrangeError("no luck")

    with pytest.raises(branch, match="fail: StrangeError: no luck"):
        await as_chat_model(fail).reply(Request.of("x"))


async def test_our_own_errors_pass_as_they_are() -> None:
    def fail(_: str) -> str:
        raise SampleError("mine")

    with pytest.raises(SampleError, match="mine"):
        await as_chat_model(fail).reply(Request.of("x"))


async def test_a_langchain_model_is_invoked_with_messages_and_tools() -> None:
    call = {"name": "f", "args": {"a": 1}, "id": "c1", "type": "tool_call"}
    bad = {"name": "g", "args": "{oh", "id": "c2", "error": "no JSON"}
    chain = Chain(Spoken([{"type": "text", "text": "hm"}], tool_calls=[call], invalid_tool_calls=[bad]))
    model = as_chat_model(chain)
    reply = await model.reply(Request.of("x", tools=[{"name": "f"}]))
    assert reply.text == "hm"
    assert reply.tool_calls == (ToolCall("f", {"a": 1}, id="c1"), ToolCall("g", {}, id="c2", malformed="{oh"))
    assert (reply.model, reply.usage.prompt_tokens, reply.usage.completion_tokens) == ("chain-1", 7, 3)
    assert chain.asked == [[{"role": "user", "content": "x"}]]
    assert chain.tools == [{"type": "function", "function": {"name": "f"}}]


async def test_the_older_form_of_langchains_calls_is_read() -> None:
    older = {"tool_calls": [{"id": "c", "function": {"name": "f", "arguments": '{"a": 1}'}}]}
    reply = await as_chat_model(Chain(Spoken("", additional_kwargs=older))).reply(Request.of("x"))
    assert reply.tool_calls == (ToolCall("f", {"a": 1}, id="c"),)


async def test_a_langchain_model_that_blocks_or_says_bare_text_is_taken_too() -> None:
    assert (await as_chat_model(BlockingChain("plain")).reply(Request.of("x"))).text == "plain"
    shaped = await as_chat_model(Chain(Spoken("x"))).reply(Request.of("x", output=VERDICT))
    assert shaped.output_form == "prompt"


async def test_a_langchain_reply_that_cannot_be_read_is_named() -> None:
    with pytest.raises(ReplyError, match="is not readable") as caught:
        await as_chat_model(Chain(Spoken("x", tool_calls=[{"oh": 1}]))).reply(Request.of("x"))
    assert caught.value.kind == "wrong_shape"


async def test_ragas_wrappers_are_opened(serve: Any) -> None:
    import openai

    server = serve(["from ragas"])
    around_chain = types.SimpleNamespace(langchain_llm=Chain(Spoken("chained")))
    assert isinstance(as_chat_model(around_chain), LangChainModel)
    async with openai.AsyncOpenAI(base_url=server.url, api_key="k") as client:
        instructor = types.SimpleNamespace(client=client)
        wrapper = types.SimpleNamespace(client=instructor, model="tiny", provider="openai", agenerate=print)
        model = as_chat_model(wrapper)
        assert model.name == "tiny"
        assert (await model.reply(Request.of("x"))).text == "from ragas"
    foreign = types.SimpleNamespace(client=object(), model="claude", provider="anthropic", agenerate=print)
    with pytest.raises(OptionError, match="hand over a function from prompt to text"):
        as_chat_model(foreign)


async def test_ragass_wrapper_around_llamaindex_is_opened() -> None:
    class Llama:
        model = "llama"

        async def acomplete(self, prompt: str) -> Any:
            return types.SimpleNamespace(text=f"{prompt}?")

    model = as_chat_model(types.SimpleNamespace(llm=Llama()))
    assert (await model.reply(Request.of("so"))).text == "so?"


async def test_a_client_needs_the_name_of_a_model(serve: Any) -> None:
    import openai

    server = serve(["yes", "yes"])
    async with openai.AsyncOpenAI(base_url=server.url, api_key="k") as client:
        with pytest.raises(OptionError, match=r"hand over both: \(client, 'gpt-4o-mini'\)"):
            as_chat_model(client)
        for model in (as_chat_model(client, model="tiny"), as_chat_model((client, "tiny"))):
            assert (await model.reply(Request.of("x"))).text == "yes"
    assert [body["model"] for body in server.bodies] == ["tiny", "tiny"]


@pytest.mark.parametrize("thing", [None, 3, object(), ScriptedModel])
def test_whatever_cannot_be_asked_is_told_what_can(thing: Any) -> None:
    with pytest.raises(OptionError, match="a ChatModel, a client of the openai package"):
        as_chat_model(thing)


def test_all_that_is_made_is_a_chat_model() -> None:
    for thing in ("gpt-4o", ScriptedModel([]), str.upper, Chain(Spoken("x"))):
        assert isinstance(as_chat_model(thing), ChatModel)

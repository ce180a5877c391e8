import asyncio
import gc
import logging
import sys
import time
from collections import Counter
from typing import Any

import pytest

from proctor.errors import (
    ModelBusyError,
    ModelError,
    ModelRefusedError,
    ModelRequestError,
    ModelTimeoutError,
    ModelUnavailableError,
    NeedsExtraError,
    OptionError,
    ReplyError,
)
from proctor.messages import ToolCall
from proctor.models.chat import OutputSchema, Reply, Request, missing
from proctor.models.openai import OpenAIModel, Options, Pace
from proctor.models.prices import Price
from proctor.models.scripted_server import Hang, HttpReply, completion
from proctor.records.grades import Missing
from proctor.records.traces import Usage

VERDICT = OutputSchema("verdict", {"type": "object", "properties": {"verdict": {"type": "integer"}}})
BUSY = HttpReply(429, {"error": {"message": "too many requests"}})
ASK = Request.of("Is it so?")


def error(status: int, message: str, **more: Any) -> HttpReply:
    return HttpReply(status, {"error": {"message": message, **more}})


def body(choices: Any) -> HttpReply:
    usage = {"prompt_tokens": 7, "completion_tokens": 3}
    return HttpReply(200, {"id": "x", "model": "tiny", "choices": choices, "usage": usage})


# What an endpoint does for ever, and what that is called: the error, its kind, its status, how often it is asked.
MISBEHAVIOUR: dict[str, tuple[Any, type[ModelError], str, int | None, int]] = {
    "429": (BUSY, ModelBusyError, "busy", 429, 3),
    "429 with Retry-After": (HttpReply(429, {}, {"retry-after": "0.001"}), ModelBusyError, "busy", 429, 3),
    "429 without credit": (error(429, "x", code="insufficient_quota"), ModelRefusedError, "no_credit", 429, 1),
    "402": (error(402, "pay"), ModelRefusedError, "no_credit", 402, 1),
    "500": (HttpReply(500, b"oops"), ModelUnavailableError, "server_error", 500, 3),
    "501": (HttpReply(501, b"never"), ModelUnavailableError, "server_error", 501, 1),
    "503": (error(503, "loading"), ModelUnavailableError, "server_error", 503, 3),
    "408": (error(408, "slow"), ModelUnavailableError, "server_error", 408, 3),
    "hang": (Hang(30), ModelTimeoutError, "timeout", None, 3),
    "hang up": (Hang(0), ModelUnavailableError, "unavailable", None, 3),
    "cut connection": (HttpReply(200, completion("a b"), cut_after=9), ModelUnavailableError, "unavailable", None, 3),
    "truncated JSON": (HttpReply(200, b'{"choices": [{"mess'), ModelUnavailableError, "garbled", 200, 3),
    "no body": (HttpReply(200, b""), ModelUnavailableError, "garbled", 200, 3),
    "a web page": (HttpReply(200, b"<html>sign in</html>"), ModelUnavailableError, "garbled", 200, 3),
    "a list": (HttpReply(200, [1]), ModelUnavailableError, "garbled", 200, 3),
    "no choices": (body([]), ReplyError, "empty_reply", 200, 1),
    "an empty choice": (body([{}]), ReplyError, "empty_reply", 200, 1),
    "an empty message": (body([{"message": {}}]), ReplyError, "empty_reply", 200, 1),
    "content filter": (
        body([{"finish_reason": "content_filter", "message": {"content": None}}]), ReplyError, "filtered", 200, 1
    ),
    "content filter on the way in": (error(400, "x", code="content_filter"), ReplyError, "filtered", 400, 1),
    "flagged": (error(403, "your input was flagged"), ReplyError, "filtered", 403, 1),
    "wrong schema: choices": (body("none"), ModelUnavailableError, "garbled", 200, 3),
    "wrong schema: message": (body([{"message": "hello"}]), ReplyError, "wrong_shape", 200, 1),
    "wrong schema: content": (body([{"message": {"content": 3}}]), ReplyError, "wrong_shape", 200, 1),
    "wrong schema: a call without a name": (
        body([{"message": {"tool_calls": [{"function": {}}]}}]), ReplyError, "wrong_shape", 200, 1
    ),
    "an error that says 200": (HttpReply(200, {"error": {"code": 503, "message": "x"}}), ModelUnavailableError,
                               "server_error", 503, 3),
    "400": (error(400, "no such thing"), ModelRequestError, "bad_request", 400, 1),
    "too long": (error(400, "maximum context length is 10 tokens"), ModelRequestError, "too_long", 400, 1),
    "413": (HttpReply(413, b""), ModelRequestError, "too_long", 413, 1),
    "401": (error(401, "bad key"), ModelRefusedError, "refused_key", 401, 1),
    "403": (error(403, "not for you"), ModelRefusedError, "refused_key", 403, 1),
    "404 model": (error(404, "the model `tiny` does not exist", code="model_not_found"), ModelRefusedError,
                  "unknown_model", 404, 1),
    "400 model": (error(400, "tiny is not a valid model ID"), ModelRefusedError, "unknown_model", 400, 1),
    "400 model is not found": (error(400, "model 'tiny' not found, try pulling it"), ModelRefusedError,
                               "unknown_model", 400, 1),
    "400 something else is not found": (error(400, "The model could not process: file not found"), ModelRequestError,
                                        "bad_request", 400, 1),
    "400 key": (error(400, "API key not valid. Please pass a valid API key."), ModelRefusedError, "refused_key", 400,
                1),
    "403 for a while": (error(403, "Rate limit exceeded, try again later"), ModelBusyError, "busy", 403, 3),
    "429 that names a page about billing": (error(429, "Rate limit reached, see example.org/account/billing"),
                                            ModelBusyError, "busy", 429, 3),
    "429 for good": (error(429, "quota", type="insufficient_quota"), ModelRefusedError, "no_credit", 429, 1),
    "not UTF-8": (HttpReply(200, b'{"choices": [{"message": {"content": "\xff"}}]}'), ModelUnavailableError,
                  "garbled", 200, 3),
}  # fmt: skip


@pytest.mark.parametrize("case", MISBEHAVIOUR)
async def test_every_misbehaviour_has_its_name_and_its_count(case: str, serve: Any, quick_model: Any) -> None:
    line, branch, kind, status, attempts = MISBEHAVIOUR[case]
    server = serve(lambda _: line)
    model = quick_model(server, timeout=1.0 if isinstance(line, Hang) and line.seconds else 20.0)
    with pytest.raises(ModelError) as caught:
        await model.reply(ASK)
    found = caught.value
    assert (type(found), found.kind, found.status, found.attempts) == (branch, kind, status, attempts)
    assert len(server.bodies) == attempts
    assert model.spent.requests == attempts
    cell = missing(found)
    assert isinstance(cell, Missing)
    assert cell.reason == found.reason
    await model.aclose()


async def test_none_of_a_hundred_misbehaviours_becomes_a_reply(serve: Any, quick_model: Any) -> None:
    cases = [case for case in MISBEHAVIOUR.values() if not issubclass(case[1], ModelRefusedError)]
    cases = [case for case in cases if not isinstance(case[0], Hang)]
    script = [case[0] for case in cases for _ in range(case[4])]
    expected = Counter(case[2] for case in cases)
    model = quick_model(serve(script))
    found: Counter[str] = Counter()
    for _ in cases:
        with pytest.raises(ModelError) as caught:
            await model.reply(ASK)
        found[caught.value.kind] += 1
    assert found == expected


@pytest.mark.parametrize(
    "first",
    [BUSY, HttpReply(500, b""), error(503, "x"), Hang(0), Hang(30), HttpReply(200, completion("a b"), cut_after=9)],
)
async def test_a_fault_of_the_line_is_mended_by_asking_again(first: Any, serve: Any, quick_model: Any) -> None:
    model = quick_model(serve([first, "yes"]), timeout=2.0)
    reply = await model.reply(ASK)
    assert reply.text == "yes"
    assert reply.usage.requests == 2


@pytest.mark.parametrize("case", ["hang", "hang up", "cut connection", "500"])
async def test_without_aiohttp_the_usual_transport_names_the_same_faults(
    case: str, serve: Any, quick_model: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    import openai

    def not_installed() -> None:
        raise RuntimeError("what the package says when aiohttp is not installed")

    monkeypatch.setattr(openai, "DefaultAioHttpClient", not_installed)
    await test_every_misbehaviour_has_its_name_and_its_count(case, serve, quick_model)
    assert (await quick_model(serve(["yes"])).reply(ASK)).text == "yes"


async def test_the_wait_that_the_endpoint_asks_for_is_kept_and_capped(serve: Any, quick_model: Any) -> None:
    waits: list[float] = []

    async def sleep(seconds: float) -> None:
        waits.append(seconds)

    wall = 1_700_000_000.0
    date = "Tue, 14 Nov 2023 22:13:50 GMT"  # thirty seconds after the wall clock
    script = [
        HttpReply(503, b"", {"Retry-After": "0.02"}),
        HttpReply(503, b"", {"Retry-After": date}),
        HttpReply(503, b"", {"retry-after-ms": "7"}),
        HttpReply(503, b"", {"Retry-After": "soon"}),
        "yes",
    ]
    policy = {"attempts": 9, "first": 4.0, "longest": 60.0, "longest_asked": 20.0}
    from proctor.models.retries import RetryPolicy

    pace = Pace(sleep=sleep, wall=lambda: wall, dice=lambda: 1.0)
    model = quick_model(serve(script), pace=pace, retries=RetryPolicy(**policy))  # type: ignore[arg-type]
    assert (await model.reply(ASK)).text == "yes"
    assert waits == [0.02, 20.0, 0.007, 32.0]


async def test_a_refused_key_stops_all_later_calls_without_asking(serve: Any, quick_model: Any) -> None:
    server = serve(lambda _: error(401, "bad key"))
    model = quick_model(server, "openai/gpt-4o-mini", environment={"OPENAI_API_KEY": "sk-private"}, concurrency=2)
    found = await asyncio.gather(*(model.reply(ASK) for _ in range(20)), return_exceptions=True)
    assert [type(one) for one in found] == [ModelRefusedError] * 20
    assert len(server.bodies) <= 2
    assert "refuses the key in OPENAI_API_KEY (401)" in str(found[0])
    assert model.spent.requests == len(server.bodies)


async def test_an_unknown_model_is_named(serve: Any, quick_model: Any) -> None:
    model = quick_model(serve([error(404, "no")]), "openai:gpt-9", key="sk-private")
    with pytest.raises(ModelRefusedError, match=r"does not know the model 'gpt-9' \(404\): no; check the model's name"):
        await model.reply(ASK)


async def test_a_missing_key_is_named_before_anything_is_asked() -> None:
    model = OpenAIModel("openai/gpt-4o-mini", environment={})
    with pytest.raises(ModelRefusedError, match=r"set OPENAI_API_KEY in the environment or in a \.env file") as caught:
        await model.reply(ASK)
    assert caught.value.kind == "no_key"
    with pytest.raises(ModelRefusedError):
        model.require_key()


async def test_without_the_package_the_error_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "openai", None)  # what an import of a missing package meets
    model = OpenAIModel("tiny", url="http://127.0.0.1:9/v1", environment={})
    with pytest.raises(NeedsExtraError, match=r"pip install 'proctor\[openai\]'"):
        await model.reply(ASK)


async def test_a_key_stands_in_no_error_no_repr_and_no_log(serve: Any, quick_model: Any, caplog: Any) -> None:
    caplog.set_level(logging.DEBUG)
    key = "sk-very-private"
    server = serve([error(400, f"what is {key}?"), HttpReply(500, {"error": f"{key} broke"})] * 3)
    model = quick_model(server, key=key, environment={"OPENAI_API_KEY": key})
    with pytest.raises(ModelRequestError) as caught:
        await model.reply(ASK)
    assert server.headers[0]["authorization"] == f"Bearer {key}"
    shown = [repr(model), str(caught.value), repr(vars(caught.value)), caplog.text, repr(model._key)]
    assert "what is (the key)?" in shown[1]
    assert not any(key in text for text in shown)


async def test_local_endpoints_are_not_sent_the_key_of_another(serve: Any, quick_model: Any) -> None:
    server = serve(["yes"])
    await quick_model(server, environment={"OPENAI_API_KEY": "sk-private"}).reply(ASK)
    assert "sk-private" not in str(server.headers)


async def test_parameters_are_sent_and_those_left_open_are_not(serve: Any, quick_model: Any) -> None:
    server = serve(["yes", "yes"])
    model = quick_model(server)
    await model.reply(ASK)
    assert server.bodies[0] == {"model": "tiny", "messages": [{"role": "user", "content": "Is it so?"}]}
    full = Request.of("x", temperature=0, max_tokens=5, seed=3, repeat=7, extra={"stop": ["."]}, tools=[{"name": "f"}])
    await model.reply(full)
    assert server.bodies[1] == {
        "model": "tiny",
        "messages": [{"role": "user", "content": "x"}],
        "temperature": 0,
        "max_tokens": 5,
        "seed": 3,
        "stop": ["."],
        "tools": [{"type": "function", "function": {"name": "f"}}],
    }


async def test_tool_calls_come_back_malformed_ones_too(serve: Any, quick_model: Any) -> None:
    calls = (ToolCall("f", {"a": 1}, id="c1"), ToolCall("g", {}, id="c2", malformed="{oh"))
    reply = await quick_model(serve([Reply(tool_calls=calls, finish="tool_calls")])).reply(ASK)
    assert reply.tool_calls == calls
    assert reply.finish == "tool_calls"


async def test_text_in_parts_a_refusal_and_reasoning_are_read(serve: Any, quick_model: Any) -> None:
    script = [
        body([{"message": {"content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}}]),
        body([{"message": {"content": None, "refusal": "I will not."}}]),
        body([{"message": {"content": "c", "reasoning_content": "let me think"}}]),
        body([{"message": {"role": "assistant", "content": ""}, "finish_reason": "length"}]),
    ]
    model = quick_model(serve(script))
    replies = [await model.reply(ASK) for _ in script]
    assert [reply.text for reply in replies] == ["ab", "I will not.", "c", ""]
    assert [reply.finish for reply in replies] == ["stop", "refusal", "stop", "length"]
    assert replies[2].reasoning == "let me think"


async def test_a_shape_is_asked_for_by_schema_where_the_endpoint_has_it(serve: Any, quick_model: Any) -> None:
    server = serve([{"verdict": 1}])
    reply = await quick_model(server).reply(Request.of("x", output=VERDICT))
    assert (reply.text, reply.output_form) == ('{"verdict":1}', "json_schema")
    asked = server.bodies[0]["response_format"]
    named = {"name": "verdict", "schema": VERDICT.schema, "strict": False}
    assert asked == {"type": "json_schema", "json_schema": named}


async def test_an_endpoint_without_schemas_is_asked_by_a_function_and_that_is_remembered(
    serve: Any, quick_model: Any, caplog: Any
) -> None:
    call = Reply(tool_calls=(ToolCall("verdict", {"verdict": 1}, id="c"),))
    script = [error(400, "response_format is not supported"), call, call]
    server = serve(script)
    model = quick_model(server)
    replies = [await model.reply(Request.of("x", output=VERDICT)) for _ in range(2)]
    assert [(reply.text, reply.output_form) for reply in replies] == [('{"verdict":1}', "function")] * 2
    assert [reply.usage.requests for reply in replies] == [2, 1]
    assert replies[0].tool_calls == ()
    assert model.lacks == {"json_schema"}
    assert server.bodies[2]["tool_choice"] == {"type": "function", "function": {"name": "verdict"}}
    assert caplog.text.count("does not take json_schema") == 1


async def test_an_endpoint_without_functions_either_is_asked_in_words(serve: Any, quick_model: Any) -> None:
    def plain(asked: dict[str, Any]) -> Any:
        if "response_format" in asked:
            return error(400, "unknown field response_format")
        if "tools" in asked:
            return error(422, "tools are not supported")
        return "Sure: {'verdict': 1}"

    server = serve(plain)
    model = quick_model(server)
    many = await asyncio.gather(*(model.reply(Request.of("x", output=VERDICT)) for _ in range(8)))
    assert {(reply.text, reply.output_form) for reply in many} == {("Sure: {'verdict': 1}", "prompt")}
    assert server.bodies[-1]["messages"][0]["content"].startswith("x\n\nAnswer with one JSON object")
    later = len(server.bodies)
    await model.reply(Request.of("y", output=VERDICT))
    assert len(server.bodies) == later + 1


async def test_a_form_that_was_chosen_is_kept_even_when_it_is_refused(serve: Any, quick_model: Any) -> None:
    server = serve([error(400, "response_format is not supported")])
    model = quick_model(server, output_form="json_schema")
    with pytest.raises(ModelRequestError, match="response_format is not supported"):
        await model.reply(Request.of("x", output=VERDICT))
    worded = serve(["1"])
    assert (
        await quick_model(worded, output_form="prompt").reply(Request.of("x", output=VERDICT))
    ).output_form == "prompt"
    assert "response_format" not in worded.bodies[0]


async def test_a_schema_that_is_wrong_is_the_callers_mistake_and_teaches_nothing(serve: Any, quick_model: Any) -> None:
    model = quick_model(serve([error(400, "Invalid schema for response_format 'verdict'")]))
    with pytest.raises(ModelRequestError, match="Invalid schema"):
        await model.reply(Request.of("x", output=VERDICT))
    assert model.lacks == frozenset()


async def test_a_form_is_left_after_a_no_that_does_not_say_why_and_after_one_that_says_so_with_500(
    serve: Any, quick_model: Any
) -> None:
    for refusal in (error(400, "invalid request"), error(500, "grammar not supported")):
        model = quick_model(serve(lambda body, no=refusal: no if "response_format" in body else "1"))
        reply = await model.reply(Request.of("x", output=VERDICT))
        assert (reply.output_form, model.lacks) == ("function", frozenset({"json_schema"}))


async def test_a_form_that_worked_is_not_blamed_for_a_later_no(serve: Any, quick_model: Any) -> None:
    server = serve(['{"verdict": 1}', error(400, "invalid request")])
    model = quick_model(server)
    await model.reply(Request.of("x", output=VERDICT))
    with pytest.raises(ModelRequestError, match="invalid request"):
        await model.reply(Request.of("y", output=VERDICT))
    assert (len(server.bodies), model.lacks) == (2, frozenset())


async def test_a_form_that_other_questions_have_shown_to_work_is_not_given_up(serve: Any, quick_model: Any) -> None:
    begun = asyncio.Event()

    async def says(body: dict[str, Any]) -> Any:
        asked = body["messages"][0]["content"]
        if asked.startswith("odd") and "response_format" in body:
            begun.set()
            return error(400, "invalid request")
        if asked.startswith("odd"):
            await asyncio.sleep(0.2)  # the other question has its answer meanwhile
        else:
            await begun.wait()
        return "1"

    model = quick_model(serve(says))
    await asyncio.gather(*(model.reply(Request.of(asked, output=VERDICT)) for asked in ("odd", "even")))
    assert model.lacks == frozenset()


async def test_what_is_refused_though_it_was_left_out_is_not_asked_for_ever(serve: Any, quick_model: Any) -> None:
    server = serve(lambda _: error(400, "Unsupported parameter: 'temperature' is not supported with this model."))
    with pytest.raises(ModelRequestError, match="temperature"):
        await quick_model(server).reply(Request.of("x", extra={"temperature": 0}))
    assert len(server.bodies) == 2


async def test_of_several_calls_the_one_that_was_asked_for_is_read(serve: Any, quick_model: Any) -> None:
    calls = [{"function": {"name": name, "arguments": said}} for name, said in (("other", "{}"), ("verdict", "[1]"))]
    server = serve([body([{"message": {"tool_calls": calls}}])])
    reply = await quick_model(server, output_form="function").reply(Request.of("x", output=VERDICT))
    assert (reply.text, reply.tool_calls) == ("[1]", ())


async def test_a_bill_below_nothing_is_not_believed(serve: Any, quick_model: Any) -> None:
    told = {"prompt_tokens": 5, "completion_tokens": 5, "cost": -3}
    answer = {"choices": [{"message": {"content": "a"}}], "usage": told}
    reply = await quick_model(serve([HttpReply(200, answer)])).reply(ASK)
    assert isinstance(reply.usage.cost, Missing)
    reply = await quick_model(serve([HttpReply(200, {**answer, "usage": {**told, "prompt_tokens": -5}})])).reply(ASK)
    assert (reply.usage.prompt_tokens, isinstance(reply.usage.cost, Missing)) == (0, True)


async def test_parameters_that_a_model_does_not_take_are_left_out_from_then_on(serve: Any, quick_model: Any) -> None:
    script = [
        error(
            400, "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens'."
        ),
        error(400, "Unsupported value: 'temperature' does not support 0 with this model."),
        "yes",
    ]
    server = serve(script)
    model = quick_model(server)
    reply = await model.reply(Request.of("x", temperature=0, max_tokens=9))
    assert reply.usage.requests == 3
    assert server.bodies[2] == {
        "model": "tiny",
        "messages": [{"role": "user", "content": "x"}],
        "max_completion_tokens": 9,
    }
    assert model.lacks == {"max_tokens", "temperature"}


async def test_tokens_and_cost_are_counted_for_every_call_the_failed_ones_too(serve: Any, quick_model: Any) -> None:
    used = {"prompt_tokens": 1000, "completion_tokens": 500, "prompt_tokens_details": {"cached_tokens": 400}}
    good = HttpReply(200, {**completion("yes"), "usage": used})
    empty = HttpReply(200, {"choices": [], "usage": used})
    model = quick_model(serve([BUSY, good, empty]), price=Price(2.0, 8.0, cached_prompt=0.5))
    reply = await model.reply(ASK)
    cost = (600 * 2.0 + 400 * 0.5 + 500 * 8.0) / 1e6
    assert reply.usage == Usage(requests=2, prompt_tokens=1000, completion_tokens=500, cost=cost)
    with pytest.raises(ReplyError):
        await model.reply(ASK)
    assert model.spent == Usage(3, 2000, 1000, 2 * cost)


async def test_an_unknown_price_is_unmeasured_and_never_nothing(serve: Any, quick_model: Any) -> None:
    model = quick_model(serve(["yes", HttpReply(200, {**completion("yes"), "usage": None})]), price=None)
    assert (await model.reply(ASK)).usage.cost == Missing(
        "the model's price is not known", f"{model.endpoint} is on this machine"
    )
    assert (await model.reply(ASK)).usage.cost == Missing("the endpoint did not say how many tokens were used")
    assert isinstance(model.spent.cost, Missing)


async def test_a_cost_that_the_endpoint_states_is_taken(serve: Any, quick_model: Any) -> None:
    used = {"prompt_tokens": 1, "completion_tokens": 1, "cost": 0.25}
    model = quick_model(serve([HttpReply(200, {**completion("yes"), "usage": used})]))
    assert (await model.reply(ASK)).usage.cost == 0.25


async def test_concurrency_is_kept_and_halved_when_the_endpoint_is_busy(serve: Any, quick_model: Any) -> None:
    server = serve(["yes"] * 16, latency=0.02)
    model = quick_model(server, concurrency=4)
    await asyncio.gather(*(model.reply(ASK) for _ in range(16)))
    assert server.most_at_once == 4
    refusing = serve([BUSY, "yes"])
    model = quick_model(refusing, concurrency=8)
    await model.reply(ASK)
    assert model.concurrency == 4


async def test_a_busy_endpoint_is_left_alone_by_everybody_for_as_long_as_it_asks(serve: Any, quick_model: Any) -> None:
    at: list[float] = []

    def script(_: Any) -> Any:
        at.append(time.monotonic())
        return HttpReply(429, {}, {"retry-after": "0.04"}) if len(at) == 1 else "yes"

    model = quick_model(serve(script), concurrency=1)
    await asyncio.gather(*(model.reply(ASK) for _ in range(3)))
    assert at[1] - at[0] >= 0.04


async def test_a_timeout_cuts_a_body_that_trickles(serve: Any, quick_model: Any) -> None:
    model = quick_model(serve([Hang(30)] * 3), timeout=0.02)
    began = time.perf_counter()
    with pytest.raises(ModelTimeoutError, match=r"did not answer in time\. Asked 3 times\."):
        await model.reply(ASK)
    assert time.perf_counter() - began < 5


async def test_a_call_that_is_cancelled_leaves_its_place_to_the_next(serve: Any, quick_model: Any) -> None:
    server = serve([Hang(30), "yes"])
    model = quick_model(server, concurrency=1, timeout=None)
    hanging = asyncio.create_task(model.reply(ASK))
    waiting = asyncio.create_task(model.reply(ASK))
    while not server.bodies:  # noqa: ASYNC110 - the server lives in a thread of its own
        await asyncio.sleep(0.01)
    hanging.cancel()
    assert (await asyncio.wait_for(waiting, 20)).text == "yes"
    with pytest.raises(asyncio.CancelledError):
        await hanging


def test_a_model_serves_one_event_loop_after_the_other_and_leaves_no_connection_open(
    serve: Any, quick_model: Any
) -> None:
    model = quick_model(serve(lambda _: "yes"))
    for _ in range(3):
        assert asyncio.run(model.reply(ASK)).text == "yes"
    gc.collect()  # a connection left open would warn here, and warnings are errors


async def test_a_model_may_be_asked_again_after_it_was_closed(serve: Any, quick_model: Any) -> None:
    model = quick_model(serve(lambda _: "yes"))
    await model.reply(ASK)
    await model.aclose()
    await model.aclose()
    assert (await model.reply(ASK)).text == "yes"


async def test_an_endpoint_that_is_not_there_is_named() -> None:
    from proctor.models.retries import RetryPolicy

    options = Options(retries=RetryPolicy(attempts=2, first=0.001), timeout=5)
    model = OpenAIModel("tiny", url="http://127.0.0.1:9/v1", environment={}, options=options)
    with pytest.raises(ModelUnavailableError, match=r"http://127.0.0.1:9/v1 cannot be reached: .+ Asked 2 times\."):
        await model.reply(ASK)


async def test_azure_is_asked_by_its_new_address_and_with_a_version_by_its_old_one(serve: Any) -> None:
    server = serve(["new", "old"])
    paths: list[str] = []
    base = server.url.removesuffix("/v1")
    environment = {"AZURE_OPENAI_ENDPOINT": base, "AZURE_OPENAI_API_KEY": "k"}
    for more in ({}, {"OPENAI_API_VERSION": "2024-10-21"}):
        model = OpenAIModel("azure/mine", environment={**environment, **more})
        paths.append((await model.reply(ASK)).text)
        assert model.endpoint == f"{base}/openai/v1"
        await model.aclose()
    assert paths == ["new", "old"]
    assert server.paths == ["/openai/v1/chat/completions", "/openai/deployments/mine/chat/completions"]
    assert server.headers[1]["api-key"] == "k"


async def test_a_client_that_exists_already_is_asked_async_or_not(serve: Any) -> None:
    import openai

    server = serve(lambda _: "yes")
    async with openai.AsyncOpenAI(base_url=server.url, api_key="k") as client:
        model = OpenAIModel.around(client, "tiny")
        assert (await model.reply(ASK)).text == "yes"
        assert (model.name, model.endpoint) == ("tiny", server.url)
        await model.aclose()
        assert not client.is_closed()
    with openai.OpenAI(base_url=server.url, api_key="k") as blocking:
        model = OpenAIModel.around(blocking, "tiny")
        assert (await model.reply(ASK)).text == "yes"


async def test_the_retries_of_a_client_that_exists_already_stay_off(serve: Any, quick_model: Any) -> None:
    import openai

    server = serve(lambda _: HttpReply(500, b""))
    async with openai.AsyncOpenAI(base_url=server.url, api_key="k", max_retries=5) as client:
        model = OpenAIModel.around(client, "tiny", options=quick_model(server).options)
        with pytest.raises(ModelUnavailableError):
            await model.reply(ASK)
    assert len(server.bodies) == 3


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"timeout": 0}, "longer than 0 seconds"),
        ({"output_form": "yaml"}, "must be one of json_schema, function, prompt, not 'yaml'"),
    ],
)
def test_an_option_that_cannot_be_is_an_error(wrong: dict[str, Any], sentence: str) -> None:
    with pytest.raises(OptionError, match=sentence):
        Options(**wrong)

"""What simulators are asked, and what becomes of their replies."""

import ast
import json
from typing import Any

import pytest

from proctor.errors import ModelBusyError, ModelRefusedError, ModelTimeoutError, ModelUnavailableError, ReplyError
from proctor.gateway.canned import CannedSource, FunctionSource
from proctor.gateway.prompts import EXAMPLE_CHARACTERS, shown_examples
from proctor.gateway.recorded import RecordedSource
from proctor.gateway.simulators import MirrorSource, ModelSource, TemplateSource
from proctor.gateway.source import AnswerSource, Call, Unanswered
from proctor.gateway.templates import filled, salvaged
from proctor.models.chat import Reply
from proctor.models.scripted import ScriptedModel
from proctor.records.answers import Answer, Provenance, Source
from proctor.records.entries import Entry
from proctor.records.queries import ApiId, ApiSpec
from proctor.store.responses import ResponseStore

ENVELOPE = {"error": "", "response": {"wind": 5}}


@pytest.fixture
def call(forecast: ApiSpec) -> Call:
    return Call.of(forecast, {"portName": "Kiel"}, "Weather for sailors.")


@pytest.fixture(params=["recorded", "canned", "function", "template", "mirror", "model"])
async def source(request: Any, call: Call, store: ResponseStore) -> AnswerSource:
    """Every kind of source, with an answer to the call."""
    if request.param == "recorded":
        store.put(Entry.of(call.api, call.arguments, Answer({"wind": 5})))
    makers: dict[str, Any] = {
        "recorded": lambda: RecordedSource(store),
        "canned": lambda: CannedSource(lambda _: {"wind": 5}),
        "function": lambda: FunctionSource({call.api: lambda portName: {"port": portName}}),  # noqa: N803 - documented
        "template": TemplateSource,
        "mirror": lambda: MirrorSource(ScriptedModel(lambda _: ENVELOPE)),
        "model": lambda: ModelSource(ScriptedModel(lambda _: ENVELOPE)),
    }
    made: AnswerSource = makers[request.param]()
    return made


async def test_every_source_answers_the_same_call_alike_and_leaves_it_alone(source: AnswerSource, call: Call) -> None:
    before = json.dumps(call.arguments)
    first, again = await source.answer(call), await source.answer(call)
    assert isinstance(first, Answer)
    assert first == again
    assert json.dumps(call.arguments) == before


async def test_every_source_has_a_name_a_kind_and_may_be_closed_twice(source: AnswerSource) -> None:
    assert isinstance(source, AnswerSource)
    assert source.name
    assert source.source in Source
    await source.aclose()
    await source.aclose()


async def test_what_a_source_says_can_be_stored(source: AnswerSource, call: Call, store: ResponseStore) -> None:
    answer = await source.answer(call)
    assert isinstance(answer, Answer)
    kept = store.put(Entry.of(ApiId("a", "b", "c"), {}, answer))
    assert store.answer(kept.key) == answer


@pytest.mark.parametrize("kind", [MirrorSource, ModelSource])
async def test_a_model_that_plays_an_api_stands_in_provenance(kind: Any, call: Call) -> None:
    model = ScriptedModel([ENVELOPE], name="mirror-8b")
    answer = await kind(model).answer(call)
    assert answer == Answer({"wind": 5}, provenance=Provenance(Source.SIMULATED, "mirror-8b", usage=model.spent))


async def test_a_mirror_is_shown_the_documents_and_the_whole_request(call: Call) -> None:
    model = ScriptedModel([ENVELOPE])
    await MirrorSource(model, parameters={"max_tokens": 900}).answer(call)
    (request,) = model.requests
    assert (request.temperature, request.max_tokens) == (0.0, 900)
    document, _, asked = request.text.removeprefix("API doc:\n").partition("\n\nRequest:\n")
    assert list(ast.literal_eval(document)) == [
        "api_name",
        "api_description",
        "required_parameters",
        "optional_parameters",
        "tool_description",
        "tool_name",
        "tool_category",
    ]
    assert ast.literal_eval(document)["required_parameters"] == [
        {"name": "portName", "type": "STRING", "description": "Name of the port", "default": "Kiel"}
    ]
    assert ast.literal_eval(asked) == {
        "category": "Weather, Sea",
        "tool_name": "Sky Report",
        "api_name": "Get Forecast",
        "tool_input": '{"portName": "Kiel"}',
        "strip": "filter",
    }


async def test_a_mirror_that_thinks_is_asked_for_its_field(call: Call) -> None:
    model = ScriptedModel([{"mechanism_of_the_api": "looks up", **ENVELOPE}])
    answer = await MirrorSource(model, thought=True).answer(call)
    system = model.requests[0].messages[0]["content"]
    assert system.startswith("[CHAIN_OF_THOUGHT]")
    assert "mechanism_of_the_api" in system
    assert isinstance(answer, Answer)
    assert answer.response == {"wind": 5}


async def test_the_words_of_the_training_may_be_handed_over(call: Call) -> None:
    model = ScriptedModel([ENVELOPE])
    await MirrorSource(model, system="You are a server.").answer(call)
    assert model.requests[0].messages[0] == {"role": "system", "content": "You are a server."}


async def test_any_model_is_shown_documents_examples_and_arguments(call: Call, store: ResponseStore) -> None:
    for port in ("Riga", "Oslo"):
        store.put(Entry.of(call.api, {"portName": port}, Answer({"wind": len(port), "at": port})))
    model = ScriptedModel([ENVELOPE])
    await ModelSource(model, examples=store.examples).answer(call)
    asked = model.requests[0].text
    assert "Weather for sailors." in asked
    assert '"response_looks_like"' in asked
    assert asked.count('"answer"') == 2
    assert asked.endswith('{"arguments": {"portName": "Kiel"}}')


@pytest.mark.parametrize(("size", "shown"), [(10, 5), (600, 3), (1900, 1), (3000, 0)])
def test_examples_are_at_most_five_and_fit_into_the_limit(size: int, shown: int) -> None:
    entries = [Entry.of(ApiId("a", "b", "c"), {"n": number}, Answer("x" * size)) for number in range(9)]
    lines = shown_examples(entries)
    assert len(lines) == shown
    assert len("\n".join(lines)) <= EXAMPLE_CHARACTERS
    assert len(lines) <= 5


def test_an_example_that_is_too_long_makes_room_for_shorter_ones() -> None:
    api = ApiId("a", "b", "c")
    entries = [Entry.of(api, {"n": 1}, Answer("x" * 5000)), Entry.of(api, {"n": 2}, Answer("short"))]
    assert shown_examples(entries) == ['{"arguments": {"n": 2}, "answer": {"error": "", "response": "short"}}']


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        (ModelUnavailableError("refused", model="m"), "unavailable"),
        (ModelTimeoutError("slow", model="m"), "timeout"),
        (ModelBusyError("429", model="m"), "busy"),
        (ModelRefusedError("401", model="m"), "refused"),
        (ReplyError("cut", model="m"), "unreadable"),
        ("I am sorry.", "unreadable"),
        ('{"error": "", "response": ""}', "unreadable"),
    ],
)
async def test_what_goes_wrong_with_a_model_is_no_answer(call: Call, line: Any, kind: str) -> None:
    outcome = await ModelSource(ScriptedModel([line])).answer(call)
    assert isinstance(outcome, Unanswered)
    assert outcome.kind == kind


async def test_an_api_that_refuses_an_argument_has_answered(call: Call) -> None:
    outcome = await ModelSource(ScriptedModel([{"error": "there is no port Kiehl", "response": ""}])).answer(call)
    assert isinstance(outcome, Answer)
    assert outcome.error == "there is no port Kiehl"


async def test_a_reply_that_was_cut_off_says_so(call: Call) -> None:
    for line in (
        '{"error": "", "response": "wind 5 at K',
        Reply(text='{"error": "", "response": "w"}', finish="length"),
    ):
        outcome = await ModelSource(ScriptedModel([line])).answer(call)
        assert isinstance(outcome, Answer)
        assert outcome.provenance is not None
        assert outcome.provenance.attempts == ("the reply was cut off",)


@pytest.mark.parametrize("kind", [lambda: ModelSource(ScriptedModel([])), TemplateSource])
async def test_without_documents_there_is_no_simulation(kind: Any) -> None:
    assert await kind().answer(Call.of(ApiId("a", "b", "c"), {})) == Unanswered("undocumented")


async def test_a_template_has_the_arguments_in_their_places_and_says_what_it_is(forecast: ApiSpec) -> None:
    answer = await TemplateSource().answer(Call.of(forecast, {"portName": "Riga", "days": 7}))
    assert isinstance(answer, Answer)
    assert answer.response == {"wind": 5, "port": "Kiel", "days": 7}
    assert answer.provenance == Provenance(Source.SIMULATED, "template")


async def test_a_template_misses_required_arguments(forecast: ApiSpec) -> None:
    answer = await TemplateSource().answer(Call.of(forecast, {}))
    assert isinstance(answer, Answer)
    assert answer.error == "Missing required parameter: portName."


def test_names_of_types_become_values_that_depend_on_the_call_alone() -> None:
    template = {"id": "int", "name": "str", "price": "float", "open": "bool", "next": "null", "tags": ["string"]}
    api = ApiId("a", "b", "c")
    first = filled(template, Call.of(api, {"q": 1}))
    assert first == filled(template, Call.of(api, {"q": 1.0}))
    assert first != filled(template, Call.of(api, {"q": 2}))
    kinds = {name: type(value) for name, value in first.items()}
    assert kinds == {"id": int, "name": str, "price": float, "open": bool, "next": type(None), "tags": list}


CUT = '{"status": "str", "data": {"count": "int", "films": [{"id": "int", "name": "st, \\\\", "open": "bo'


@pytest.mark.parametrize(
    ("template", "whole"),
    [
        (CUT, {"status": "str", "data": {"count": "int", "films": [{"id": "int", "name": "st, \\"}]}}),
        ('{"a": [1, 2, {"b": {"c": null}', {"a": [1, 2, {"b": {"c": None}}]}),
        ('[{"id": "int"}, {"id": "in', [{"id": "int"}]),
        ('{"a": "x", "b', {"a": "x"}),
        ('{"a": "x"', None),
        ('{"a": "x', None),
        ("{", None),
        ("{not json, at all", None),
        ('{"a": 1}', {"a": 1}),
        ("a sentence", "a sentence"),
        ("{'status': 'ok', 'id': 1}", "{'status': 'ok', 'id': 1}"),
        ("[1] plain text", "[1] plain text"),
        ({"a": 1}, {"a": 1}),
    ],
)
async def test_of_a_documented_response_that_was_cut_the_whole_fields_are_kept(template: object, whole: object) -> None:
    assert salvaged(template) == whole
    api = ApiSpec(ApiId("a", "b", "c"), template_response=template)
    outcome = await TemplateSource().answer(Call.of(api, {}))
    assert isinstance(outcome, Unanswered) == (whole is None)


async def test_a_cut_template_is_filled_by_the_call() -> None:
    api = ApiSpec(ApiId("a", "b", "c"), template_response=CUT)
    one, two = [await TemplateSource().answer(Call.of(api, {"status": said})) for said in ("x", "y")]
    assert isinstance(one, Answer)
    assert isinstance(two, Answer)
    assert one.response["status"] == "x"
    assert one.response["data"]["films"][0]["id"] != two.response["data"]["films"][0]["id"]
    assert isinstance(one.response["data"]["count"], int)


def test_lists_that_are_described_have_items_of_their_type() -> None:
    template = {
        "a": "list of str with length 3",
        "b": "list of int with length 6387",
        "c": "empty list",
        "d": "list of NoneType with length 2",
        "e": "NoneType",
        "f": "list of things",
    }
    said = filled(template, Call.of(ApiId("a", "b", "c"), {}))
    assert [type(item) for item in said["a"]] == [str] * 3
    assert len(set(said["a"])) == 3
    assert [type(item) for item in said["b"]] == [int] * 20
    assert (said["c"], said["d"], said["e"], said["f"]) == ([], [None, None], None, "list of things")

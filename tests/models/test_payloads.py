from typing import Any

import pytest

from proctor.models.chat import OutputSchema, Request
from proctor.models.payloads import form_for, payload, with_instruction

CLOSED = {
    "type": "object",
    "properties": {"a": {"type": "string"}, "b": {"type": "array", "items": [{"type": "integer"}]}},
    "required": ["a", "b"],
    "additionalProperties": False,
}
OUTPUT = OutputSchema("answer", CLOSED)


@pytest.mark.parametrize(
    ("request_", "lacks", "form"),
    [
        (Request.of("x"), frozenset(), None),
        (Request.of("x", output=OUTPUT), frozenset(), "json_schema"),
        (Request.of("x", output=OUTPUT), frozenset({"json_schema"}), "function"),
        (Request.of("x", output=OUTPUT), frozenset({"json_schema", "function"}), "prompt"),
        (Request.of("x", output=OUTPUT, tools=[{"name": "f"}]), frozenset({"json_schema"}), "prompt"),
    ],
)
def test_the_surest_form_that_is_there_is_taken(request_: Request, lacks: frozenset[str], form: str | None) -> None:
    assert form_for(request_, lacks) == form


@pytest.mark.parametrize(
    ("schema", "strict"),
    [
        (CLOSED, True),
        ({**CLOSED, "additionalProperties": True}, False),
        ({**CLOSED, "required": ["a"]}, False),
        ({**CLOSED, "properties": {"a": {"type": "object", "properties": {}}, "b": {}}}, False),
        ({"anyOf": [CLOSED, {"type": "object"}]}, False),
        ({"anyOf": [CLOSED, CLOSED]}, True),
    ],
)
def test_strictness_is_asked_for_where_the_schema_allows_it(schema: dict[str, Any], strict: bool) -> None:
    body = payload(Request.of("x", output=OutputSchema("answer", schema)), "m", "json_schema")
    assert body["response_format"]["json_schema"]["strict"] is strict


def test_the_words_go_to_the_end_of_what_the_user_said_or_stand_alone() -> None:
    asked = with_instruction(Request.of("x").messages, OUTPUT)
    assert [message["role"] for message in asked] == ["user"]
    assert asked[0]["content"].startswith("x\n\nAnswer with one JSON object")
    after_tool = Request.of([{"role": "tool", "tool_call_id": "c", "content": "sunny"}])
    asked = with_instruction(after_tool.messages, OUTPUT)
    assert [message["role"] for message in asked] == ["tool", "user"]
    assert after_tool.messages == ({"role": "tool", "tool_call_id": "c", "content": "sunny"},)


def test_parameters_that_an_endpoint_lacks_are_left_out_or_renamed() -> None:
    request = Request.of("x", temperature=0, seed=1, max_tokens=5)
    assert payload(request, "m", None, frozenset({"temperature", "seed", "max_tokens"})) == {
        "model": "m",
        "messages": [{"role": "user", "content": "x"}],
        "max_completion_tokens": 5,
    }


def test_what_the_endpoint_is_told_besides_wins() -> None:
    assert payload(Request.of("x", extra={"model": "other"}), "m", None)["model"] == "other"

"""A request as the body that an OpenAI-compatible endpoint takes. Pure."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from proctor.models.chat import OutputSchema, Request

__all__ = ["FORMS", "Form", "form_for", "payload", "with_instruction"]

Form = Literal["json_schema", "function", "prompt"]
"""How a shape is asked for: by the endpoint's JSON schema, by a function that must be called, by words."""

FORMS: tuple[Form, ...] = ("json_schema", "function", "prompt")
"""From the surest to the one that every endpoint has."""


def form_for(request: Request, lacks: frozenset[str]) -> Form | None:
    """The surest form that the endpoint is not known to lack; None when no shape is wanted.

    A request with tools of its own is never given a further one to call.
    """
    if request.output is None:
        return None
    without = lacks | {"function"} if request.tools else lacks
    return next(form for form in FORMS if form == "prompt" or form not in without)


def payload(request: Request, model: str, form: Form | None, lacks: frozenset[str] = frozenset()) -> dict[str, Any]:
    """The body to send. `lacks` names parameters that the endpoint does not take; they are left out.

    An endpoint that lacks `max_tokens` is told the same under its newer name.
    """
    body: dict[str, Any] = {"model": model, "messages": list(request.messages)}
    if request.tools:
        body["tools"] = list(request.tools)
    if request.temperature is not None and "temperature" not in lacks:
        body["temperature"] = request.temperature
    if request.max_tokens is not None:
        body["max_completion_tokens" if "max_tokens" in lacks else "max_tokens"] = request.max_tokens
    if request.seed is not None and "seed" not in lacks:
        body["seed"] = request.seed
    if request.output is not None:
        body.update(_shape(request, request.output, form))
    return {**body, **request.extra}


def with_instruction(messages: tuple[dict[str, Any], ...], output: OutputSchema) -> list[dict[str, Any]]:
    """The messages, and at their end in words which shape is wanted."""
    schema = msgspec.json.encode(output.schema).decode()
    words = f"Answer with one JSON object and nothing else. It must be valid under this JSON schema:\n{schema}"
    if messages and messages[-1].get("role") == "user" and isinstance(messages[-1].get("content"), str):
        last = {**messages[-1], "content": f"{messages[-1]['content']}\n\n{words}"}
        return [*messages[:-1], last]
    return [*messages, {"role": "user", "content": words}]


def _shape(request: Request, output: OutputSchema, form: Form | None) -> dict[str, Any]:
    if form == "json_schema":
        named = {"name": output.name, "schema": output.schema, "strict": _is_strict(output.schema)}
        return {"response_format": {"type": "json_schema", "json_schema": named}}
    if form == "function":
        function = {"name": output.name, "description": "Give the answer.", "parameters": output.schema}
        choice = {"type": "function", "function": {"name": output.name}}
        return {"tools": [{"type": "function", "function": function}], "tool_choice": choice}
    return {"messages": with_instruction(request.messages, output)}


def _is_strict(schema: Any) -> bool:
    """Whether the endpoint may be told to hold to the schema strictly: every object is closed and needs all it has."""
    if isinstance(schema, list):
        return all(_is_strict(item) for item in schema)
    if not isinstance(schema, dict):
        return True
    if schema.get("type") == "object" or "properties" in schema:
        properties = schema.get("properties", {})
        if schema.get("additionalProperties") is not False or set(schema.get("required", ())) != set(properties):
            return False
    return all(_is_strict(item) for item in schema.values())

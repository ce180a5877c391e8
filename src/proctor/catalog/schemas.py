"""Function schemas: an API as a language model is shown it, in the form that the model's provider wants.

All forms hold the same name, the same description and the same JSON Schema of the arguments.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import msgspec

from proctor.catalog.names import MAX_NAME, shown_parameters
from proctor.errors import OptionError, nearest
from proctor.records.queries import ApiSpec, Parameter

MAX_DESCRIPTION = 1024
"""The longest description of a function that every provider takes."""
MAX_PARAMETER_DESCRIPTION = 512
"""Longer descriptions of parameters are cut at a word."""

_TYPES: dict[str, dict[str, Any]] = {
    "STRING": {"type": "string"},
    "TEXT": {"type": "string"},
    "ENUM": {"type": "string"},
    "NUMBER": {"type": "number"},
    "FLOAT": {"type": "number"},
    "INTEGER": {"type": "integer"},
    "INT": {"type": "integer"},
    "BOOLEAN": {"type": "boolean"},
    "BOOL": {"type": "boolean"},
    "ARRAY": {"type": "array", "items": {}},
    "LIST": {"type": "array", "items": {}},
    "OBJECT": {"type": "object"},
    "MAP": {"type": "object"},
    "JSON": {"type": "object"},
    "BINARY": {"type": "string", "contentEncoding": "base64"},
    "FILE": {"type": "string", "contentEncoding": "base64"},
    "DATE": {"type": "string", "format": "date"},
    "TIME": {"type": "string", "pattern": r"^([01]?[0-9]|2[0-3]):[0-5][0-9]$"},
}
"""By the first word of the documented type. A word that is not here is text: everything can be written as text."""


def function_schema(api: ApiSpec, name: str, form: str = "openai") -> dict[str, Any]:
    """The schema of one function: `openai` (Chat Completions `tools`), `anthropic`, `mcp` or `json`.

    `json` is `{"name", "description", "parameters"}`, which is also what most frameworks take.
    """
    shape = FORMS.get(form)
    if shape is None:
        raise OptionError(f"there is no form of schema {form!r}; {nearest(form, FORMS)}")
    if not 0 < len(name) <= MAX_NAME:
        raise OptionError(f"a function's name has 1 to {MAX_NAME} characters, not {len(name)}: {name!r}.")
    return shape(name, describe(api), parameters_schema(api))


def describe(api: ApiSpec) -> str:
    """The description of a function: which API of which tool it is, and what its documentation says."""
    title = f"{api.id.api.strip()} ({api.id.tool.strip()})"
    said = api.description.strip()
    return shortened(f"{title}: {said}" if said else title, MAX_DESCRIPTION)


def parameters_schema(api: ApiSpec) -> dict[str, Any]:
    """The JSON Schema of an API's arguments, each under the name that a model is shown."""
    parameters = {parameter.name: parameter for parameter in api.parameters}
    shown = shown_parameters(parameters)
    needed = {parameter.name for parameter in api.required}
    schema: dict[str, Any] = {
        "type": "object",
        "properties": {name: _property(parameters[documented], name) for documented, name in shown.items()},
    }
    required = [name for documented, name in shown.items() if documented in needed]
    return {**schema, "required": required} if required else schema


def shortened(text: str, limit: int) -> str:
    """The text, cut at a word and marked with … when it is longer than the limit."""
    if len(text) <= limit:
        return text
    kept = text[: limit - 1]
    head, blank, _ = kept.rpartition(" ")
    return f"{(head if blank and len(head) > limit // 2 else kept).rstrip()}…"


def _property(parameter: Parameter, shown: str) -> dict[str, Any]:
    schema = dict(parameter.schema) if parameter.schema is not None else _type_schema(parameter.type)
    described = parameter.description.strip() or str(schema.get("description") or "").strip()
    said = [described]
    if shown != parameter.name:
        said = [f"{parameter.name.strip()}:" if described else parameter.name.strip(), described]
    if parameter.schema is None and _has_text(parameter.default):
        default = _typed_default(parameter.default, schema["type"])
        if default is None:
            said.append(f"(documented default: {parameter.default})")
        else:
            schema["default"] = default
    if text := " ".join(part for part in said if part):
        schema["description"] = shortened(text, MAX_PARAMETER_DESCRIPTION)
    return schema


def _has_text(default: Any) -> bool:
    return default is not None and bool(str(default).strip())


def _type_schema(documented: str) -> dict[str, Any]:
    words = documented.upper().split()
    return dict(_TYPES.get(words[0].rstrip(":;,(") if words else "STRING", _TYPES["STRING"]))


def _typed_default(default: Any, wanted: str) -> Any:
    """The default as a value of the type that is wanted; None when it is of another type."""
    if wanted == "string":
        return default if isinstance(default, str) else _as_text(default)
    value = _parsed(default)
    return value if _is_of(value, wanted) else None


def _as_text(value: Any) -> str | None:
    try:
        return msgspec.json.encode(value).decode()
    except (TypeError, msgspec.MsgspecError, RecursionError):
        return None


def _parsed(default: Any) -> Any:
    if not isinstance(default, str):
        return default
    text = default.strip()
    try:
        return msgspec.json.decode(text.lower() if text.lower() in ("true", "false") else text)
    except (msgspec.DecodeError, RecursionError):
        return None


def _is_of(value: Any, wanted: str) -> bool:
    if isinstance(value, bool):
        return wanted == "boolean"
    if isinstance(value, float):
        return wanted == "number" and math.isfinite(value)
    kinds: Mapping[str, type] = {"number": int, "integer": int, "array": list, "object": dict}
    return wanted in kinds and isinstance(value, kinds[wanted])


def _openai(name: str, description: str, parameters: dict[str, Any]) -> dict[str, Any]:
    return {"type": "function", "function": _json(name, description, parameters)}


def _anthropic(name: str, description: str, parameters: dict[str, Any]) -> dict[str, Any]:
    return {"name": name, "description": description, "input_schema": parameters}


def _json(name: str, description: str, parameters: dict[str, Any]) -> dict[str, Any]:
    return {"name": name, "description": description, "parameters": parameters}


def _mcp(name: str, description: str, parameters: dict[str, Any]) -> dict[str, Any]:
    return {"name": name, "description": description, "inputSchema": parameters}


FORMS = {"openai": _openai, "anthropic": _anthropic, "mcp": _mcp, "json": _json}
"""The forms of schema that `function_schema` knows."""

"""Function schemas in every form."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from proctor.catalog.schemas import MAX_DESCRIPTION, describe, function_schema, parameters_schema, shortened
from proctor.errors import OptionError
from proctor.records.queries import ApiId, ApiSpec, Parameter


def api(*optional: Parameter, required: tuple[Parameter, ...] = (), description: str = "") -> ApiSpec:
    return ApiSpec(ApiId("Data", "A tool", "An API"), description, required, optional)


def schema_of(parameter: Parameter) -> dict[str, Any]:
    properties: dict[str, Any] = parameters_schema(api(parameter))["properties"]
    assert len(properties) == 1
    found: dict[str, Any] = next(iter(properties.values()))
    return found


def test_one_api_in_each_form(forecast: ApiSpec) -> None:
    parameters = {
        "type": "object",
        "properties": {
            "port": {"type": "string", "default": "Kiel", "description": "Name of the port"},
            "days": {"type": "number", "default": 3},
        },
        "required": ["port"],
    }
    description = "Get Forecast (Sky Report): Wind and waves at a port."
    plain = {"name": "f", "description": description, "parameters": parameters}
    assert function_schema(forecast, "f") == {"type": "function", "function": plain}
    assert function_schema(forecast, "f", "json") == plain
    assert function_schema(forecast, "f", "anthropic") == {
        "name": "f",
        "description": description,
        "input_schema": parameters,
    }
    assert function_schema(forecast, "f", "mcp") == {"name": "f", "description": description, "inputSchema": parameters}


def test_an_unknown_form_is_named_with_the_nearest() -> None:
    with pytest.raises(OptionError, match="no form of schema 'antropic'; did you mean 'anthropic'"):
        function_schema(api(), "f", "antropic")


@pytest.mark.parametrize("name", ["", "x" * 65])
def test_a_function_needs_a_name_that_providers_take(name: str) -> None:
    with pytest.raises(OptionError, match="1 to 64 characters"):
        function_schema(api(), name)


@pytest.mark.parametrize(
    ("documented", "schema"),
    [
        ("STRING", {"type": "string"}),
        ("string", {"type": "string"}),
        ("ENUM", {"type": "string"}),
        ("NUMBER", {"type": "number"}),
        ("BOOLEAN", {"type": "boolean"}),
        ("ARRAY", {"type": "array", "items": {}}),
        ("OBJECT", {"type": "object"}),
        ("BINARY", {"type": "string", "contentEncoding": "base64"}),
        ("DATE (YYYY-MM-DD)", {"type": "string", "format": "date"}),
        ("something new", {"type": "string"}),
        ("", {"type": "string"}),
    ],
)
def test_each_documented_type_has_its_schema(documented: str, schema: dict[str, Any]) -> None:
    assert schema_of(Parameter("x", documented)) == schema


def test_a_time_of_day_has_its_form() -> None:
    schema = schema_of(Parameter("x", "TIME (24-hour HH:MM)", default="09:00"))
    assert schema["default"] == "09:00"
    Draft202012Validator(schema).validate("23:59")
    assert not Draft202012Validator(schema).is_valid("24:00")


@pytest.mark.parametrize(
    ("documented", "default", "value"),
    [
        ("NUMBER", "40.7", 40.7),
        ("NUMBER", " 7 ", 7),
        ("NUMBER", 7, 7),
        ("BOOLEAN", "True", True),
        ("BOOLEAN", False, False),
        ("ARRAY", '["a", 1]', ["a", 1]),
        ("ARRAY", ["a"], ["a"]),
        ("OBJECT", '{"a": 1}', {"a": 1}),
        ("STRING", "7", "7"),
        ("STRING", 7, "7"),
        ("STRING", True, "true"),
        ("STRING", "天气", "天气"),
    ],
)
def test_a_default_is_a_value_of_its_type(documented: str, default: Any, value: Any) -> None:
    found = schema_of(Parameter("x", documented, default=default))["default"]
    assert (found, type(found)) == (value, type(value))


@pytest.mark.parametrize(
    ("documented", "default"),
    [
        ("NUMBER", "many"),
        ("NUMBER", "true"),
        ("NUMBER", "NaN"),
        ("BOOLEAN", "1"),
        ("ARRAY", "cities"),
        ("OBJECT", "[]"),
    ],
)
def test_a_default_of_another_type_is_told_in_words(documented: str, default: str) -> None:
    schema = schema_of(Parameter("x", documented, "Which.", default))
    assert "default" not in schema
    assert schema["description"] == f"Which. (documented default: {default})"


@pytest.mark.parametrize("default", [None, "", "  "])
def test_no_default_is_none(default: Any) -> None:
    assert schema_of(Parameter("x", "NUMBER", default=default)) == {"type": "number"}


def test_parameters_that_are_sanitised_alike_stay_apart_and_say_what_they_are() -> None:
    schema = parameters_schema(api(Parameter("array[]"), Parameter("array()"), Parameter(" ")))
    assert schema["properties"] == {
        "array": {"type": "string", "description": "array[]"},
        "array_2": {"type": "string", "description": "array()"},
    }
    assert "required" not in schema


def test_a_parameter_that_is_documented_twice_is_shown_once() -> None:
    schema = parameters_schema(api(Parameter("id", "STRING"), required=(Parameter("id", "NUMBER"),)))
    assert schema == {"type": "object", "properties": {"id": {"type": "number"}}, "required": ["id"]}


def test_a_schema_of_the_documentation_s_own_is_kept() -> None:
    own = {"type": "string", "enum": ["a", "b"], "description": "Which one"}
    assert schema_of(Parameter("x", schema=own)) == own
    assert schema_of(Parameter("x", description="This one", schema=own))["description"] == "This one"


def test_descriptions_are_bounded_at_a_word() -> None:
    long = describe(api(description="word " * 1000))
    assert len(long) <= MAX_DESCRIPTION
    assert long.endswith("word…")
    assert len(schema_of(Parameter("x", description="y" * 5000))["description"]) == 512
    assert shortened("short", 5) == "short"


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=5,
)
types = st.sampled_from(["STRING", "NUMBER", "BOOLEAN", "ENUM", "ARRAY", "OBJECT", "BINARY", "DATE (YYYY-MM-DD)", "x"])
parameters = st.builds(Parameter, st.text(max_size=8), types, st.text(max_size=30), values)


@settings(deadline=None, max_examples=100)
@given(st.lists(parameters, max_size=6), st.lists(parameters, max_size=3))
def test_every_schema_is_valid_and_every_default_fits_its_own(
    optional: list[Parameter], needed: list[Parameter]
) -> None:
    schema = parameters_schema(api(*optional, required=tuple(needed)))
    Draft202012Validator.check_schema(schema)
    for described in schema["properties"].values():
        if "default" in described and "pattern" not in described:
            Draft202012Validator(described).validate(described["default"])
    assert set(schema.get("required", [])) <= set(schema["properties"])
    assert "" not in schema["properties"]

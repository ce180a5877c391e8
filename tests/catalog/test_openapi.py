"""OpenAPI 3 documents as tools."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from proctor.catalog.loader import load_catalog
from proctor.catalog.openapi import json_schema, read_openapi, skeleton
from proctor.catalog.references import resolved
from proctor.records.queries import ApiId, ApiSpec, Parameter


@pytest.fixture
def library() -> dict[str, Any]:
    return {
        "openapi": "3.0.3",
        "info": {"title": "Library", "description": "Lends books."},
        "servers": [{"url": "https://library.example/v1/"}],
        "paths": {
            "/books/{id}": {
                "parameters": [{"$ref": "#/components/parameters/Id"}],
                "get": {
                    "operationId": "getBook",
                    "summary": "One book.",
                    "parameters": [{"name": "lang", "in": "query", "schema": {"type": "string", "default": "en"}}],
                    "responses": {
                        "200": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Book"}}}}
                    },
                },
                "delete": {"description": "Throw it away.", "responses": {"204": {}}},
            },
            "/books": {
                "post": {
                    "operationId": "addBook",
                    "requestBody": {
                        "required": True,
                        "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Book"}}},
                    },
                    "responses": {"201": {"content": {"application/json": {"example": {"id": 7}}}}},
                },
                "get": {"operationId": "getBook"},
                "put": {"parameters": [{"name": "x", "in": "body"}]},
            },
        },
        "components": {
            "parameters": {"Id": {"name": "id", "in": "path", "required": True, "schema": {"type": "integer"}}},
            "schemas": {
                "Book": {
                    "type": "object",
                    "required": ["title"],
                    "properties": {
                        "title": {"type": "string", "description": "Its title"},
                        "pages": {"type": "integer", "nullable": True, "minimum": 0, "exclusiveMinimum": True},
                        "next": {"$ref": "#/components/schemas/Book"},
                    },
                }
            },
        },
    }


def test_each_operation_is_an_api(write: Callable[[str, Any], Path], library: dict[str, Any]) -> None:
    catalog = load_catalog(write("library.json", library) / "library.json")
    assert [str(api.id) for api in catalog] == [
        "OpenAPI/Library/getBook",
        "OpenAPI/Library/DELETE /books/{id}",
        "OpenAPI/Library/addBook",
    ]
    assert [broken.reason for broken in catalog.report.broken] == [
        "GET /books: the name 'getBook' is taken by another operation",
        "PUT /books: the parameter 'x' stands in 'body', which OpenAPI 3 does not know",
    ]
    assert catalog.tools[0].description == "Lends books."


def test_parameters_have_their_schema_and_their_place(library: dict[str, Any]) -> None:
    get_book = read_openapi(library, "x", "Books")[0].apis[0]
    assert get_book == ApiSpec(
        id=ApiId("Books", "Library", "getBook"),
        description="One book.",
        required=(Parameter("id", "INTEGER", schema={"type": "integer"}, place="path"),),
        optional=(Parameter("lang", "STRING", "", "en", {"type": "string", "default": "en"}, "query"),),
        method="GET",
        template_response={"title": "str", "pages": "int", "next": None},
        url="https://library.example/v1/books/{id}",
    )


def test_the_properties_of_a_json_body_are_parameters(library: dict[str, Any]) -> None:
    catalog_api = read_openapi(library, "x")[0].apis[2]
    assert [parameter.name for parameter in catalog_api.required] == ["title"]
    assert [(parameter.name, parameter.place) for parameter in catalog_api.optional] == [
        ("pages", "body"),
        ("next", "body"),
    ]
    assert catalog_api.optional[0].schema == {"type": ["integer", "null"], "exclusiveMinimum": 0}
    assert catalog_api.template_response == {"id": 7}
    for parameter in catalog_api.parameters:
        Draft202012Validator.check_schema(parameter.schema or {})


def test_a_body_that_is_no_object_is_one_parameter() -> None:
    body = {"required": True, "content": {"text/plain": {"schema": {"type": "string"}}}}
    document = {"openapi": "3.1.0", "paths": {"/echo": {"post": {"requestBody": body}}}}
    api = read_openapi(document, "echo")[0].apis[0]
    assert (str(api.id), api.required) == (
        "OpenAPI/echo/POST /echo",
        (Parameter("body", "STRING", schema={"type": "string"}, place="body"),),
    )


def test_references_in_a_circle_and_to_nowhere_are_left_open() -> None:
    document = {"a": {"x": {"$ref": "#/a"}}, "b~c/d": 7}
    assert resolved({"$ref": "#/a"}, document) == {"x": {}}
    assert resolved({"$ref": "#/b~0c~1d"}, document) == 7
    assert resolved([{"$ref": "#/nothing"}, {"$ref": "other.json#/a"}], document) == [{}, {}]


def test_references_that_multiply_are_bounded() -> None:
    document = {f"l{level}": {side: {"$ref": f"#/l{level + 1}"} for side in "abcd"} for level in range(20)}
    written = resolved({"$ref": "#/l0"}, document)
    assert len(str(written)) < 1_000_000


def test_a_property_may_be_called_like_a_keyword() -> None:
    schema = {"type": "object", "properties": {"example": {"type": "string", "example": "x"}, "nullable": {}}}
    assert json_schema(schema) == {"type": "object", "properties": {"example": {"type": "string"}, "nullable": {}}}


def test_a_skeleton_has_examples_and_words_for_types() -> None:
    schema = {
        "properties": {
            "tags": {"type": "array", "items": {"type": "string"}},
            "fee": {"type": "number", "example": 2.5},
            "any": {},
        }
    }
    assert skeleton(schema) == {"tags": ["str"], "fee": 2.5, "any": None}

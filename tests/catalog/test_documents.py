"""Any document at all is read, or refused with a reason."""

from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proctor.catalog.documents import Place, read_document
from proctor.catalog.index import Catalog
from proctor.catalog.search import ToolSearch
from proctor.catalog.toolfiles import UnreadableError, read_response_examples

KEYS = (
    "api_list",
    "name",
    "api_name",
    "tool_name",
    "category_name",
    "description",
    "api_description",
    "required_parameters",
    "optional_parameters",
    "type",
    "default",
    "schema",
    "template_response",
    "test_endpoint",
    "url",
    "method",
    "query",
    "openapi",
    "info",
    "title",
    "paths",
    "/a/{b}",
    "get",
    "post",
    "servers",
    "parameters",
    "in",
    "path",
    "required",
    "content",
    "application/json",
    "requestBody",
    "responses",
    "200",
    "example",
    "examples",
    "value",
    "$ref",
    "#/paths",
    "tools",
    "inputSchema",
    "properties",
    "result",
    "components",
    "items",
    "enum",
    "nullable",
    "minimum",
    "exclusiveMinimum",
)
keys = st.sampled_from(KEYS)
leaves = (
    st.none()
    | st.booleans()
    | st.integers(-5, 5)
    | st.floats(allow_nan=False)
    | keys
    | st.text(max_size=4)
    | st.just("3.0")
)
values = st.recursive(
    leaves,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(keys, inner, max_size=6),
    max_leaves=30,
)
parameters = st.lists(st.dictionaries(st.sampled_from(["name", "in", "schema", "type", "default"]), values), max_size=3)
apis = st.lists(
    st.fixed_dictionaries({"name": values}, optional={"required_parameters": parameters, "test_endpoint": values}),
    max_size=3,
)
operation = st.fixed_dictionaries(
    {}, optional={"parameters": parameters, "requestBody": values, "responses": values, "operationId": values}
)
paths = st.dictionaries(keys, st.dictionaries(st.sampled_from(["get", "post", "parameters"]), operation | values))
documents = (
    values
    | st.fixed_dictionaries({"api_list": apis}, optional={"tool_name": values})
    | st.fixed_dictionaries({"openapi": st.just("3.1.0"), "paths": paths}, optional={"info": values, "servers": values})
    | st.fixed_dictionaries({"tools": st.lists(st.fixed_dictionaries({"name": values, "inputSchema": values}))})
    | st.lists(st.fixed_dictionaries({"api_list": apis}))
)


@settings(deadline=None, max_examples=150)
@given(documents, st.lists(st.text(max_size=3), max_size=2))
def test_what_is_read_can_be_named_shown_and_searched_and_the_rest_has_a_reason(
    document: Any, folders: list[str]
) -> None:
    text = msgspec.json.encode(document)
    try:
        tools, problems = read_document(text, Place(tuple(folders), "stem"))
    except UnreadableError as error:
        tools, problems = [], [str(error)]
    assert all(problems)
    catalog = Catalog.of_apis(api for tool in tools for api in tool.apis)
    for api in catalog:
        assert api.id.api
        assert msgspec.json.encode(catalog.schema(api.id, "mcp"))
        assert catalog.resolver.resolve(catalog.names[api.id]).api == api.id
    ToolSearch(catalog).search("name of the example", 3)


@settings(deadline=None, max_examples=100)
@given(values | st.fixed_dictionaries({"api_list": st.lists(values)}))
def test_examples_of_responses_are_read_or_refused(document: Any) -> None:
    try:
        read = read_response_examples(msgspec.json.encode(document))
    except UnreadableError:
        read = {}
    assert all(read.values())


@settings(deadline=None, max_examples=100)
@given(st.binary(max_size=40))
def test_any_bytes_are_read_or_refused(text: bytes) -> None:
    with pytest.raises(UnreadableError):
        read_document(text)


@pytest.mark.parametrize("name", [rb"\ud800", rb"a\udc00b"])
def test_half_a_surrogate_pair_is_refused(name: bytes) -> None:
    with pytest.raises(UnreadableError):
        read_document(b'{"tool_name": "%b", "api_list": [{"name": "x"}]}' % name)

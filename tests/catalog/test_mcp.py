"""The tools of an MCP server."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from proctor.catalog.loader import load_catalog
from proctor.catalog.mcp import listed_tools
from proctor.catalog.schemas import function_schema
from proctor.records.queries import Parameter

TOOLS = [
    {
        "name": "add_note",
        "description": "Keep a note.",
        "inputSchema": {
            "type": "object",
            "properties": {
                "text": {"type": "string", "description": "What to keep"},
                "kind": {"$ref": "#/$defs/Kind"},
            },
            "required": ["text"],
            "$defs": {"Kind": {"enum": ["idea", "task"], "default": "idea"}},
        },
    },
    {"name": "clear", "title": "Forget everything", "inputSchema": {"type": "object"}},
]


@pytest.mark.parametrize("document", [TOOLS, {"tools": TOOLS}, {"jsonrpc": "2.0", "id": 1, "result": {"tools": TOOLS}}])
def test_each_tool_of_the_server_is_an_api(write: Callable[[str, Any], Path], document: Any) -> None:
    catalog = load_catalog(write("notes.json", document) / "notes.json")
    assert [str(api.id) for api in catalog] == ["MCP/notes/add_note", "MCP/notes/clear"]
    assert catalog.apis[0].required == (
        Parameter("text", "STRING", "What to keep", schema={"type": "string", "description": "What to keep"}),
    )
    assert catalog.apis[1].description == "Forget everything"


def test_the_server_s_own_schema_is_shown(write: Callable[[str, Any], Path]) -> None:
    catalog = load_catalog(write("notes.json", TOOLS) / "notes.json")
    shown = function_schema(catalog.apis[0], "add_note", "mcp")["inputSchema"]
    assert shown == {
        "type": "object",
        "properties": {
            "text": {"type": "string", "description": "What to keep"},
            "kind": {"enum": ["idea", "task"], "default": "idea"},
        },
        "required": ["text"],
    }


def test_tools_that_cannot_be_read_are_named(write: Callable[[str, Any], Path]) -> None:
    tools = [*TOOLS, {"inputSchema": {}}, {"name": "x", "inputSchema": 7}, 7, TOOLS[1]]
    report = load_catalog(write("notes.json", tools) / "notes.json").report
    assert report.apis == 2
    assert [broken.reason for broken in report.broken] == [
        "tools[2]: it has no name",
        "tools[3]: the tool 'x' has no inputSchema",
        "tools[4]: it has no name",
        "tools[5]: the name 'clear' is taken by another tool of the server",
    ]


@pytest.mark.parametrize("document", [7, [], {"tools": "x"}, {"tools": [{"name": "x"}]}, {"result": 7}])
def test_other_documents_are_no_list_of_tools(document: Any) -> None:
    assert listed_tools(document) is None

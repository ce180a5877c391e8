"""Which kind of document a file is, and the tools in it.

A kind is told by what the document holds, never by where it lies; the folders only give names that the document lacks.
"""

from __future__ import annotations

from typing import Any

import msgspec

from proctor.catalog.mcp import CATEGORY as MCP_CATEGORY
from proctor.catalog.mcp import listed_tools, read_mcp_tools
from proctor.catalog.openapi import CATEGORY as OPENAPI_CATEGORY
from proctor.catalog.openapi import is_openapi, read_openapi
from proctor.catalog.toolfiles import (
    UnreadableError,
    decoded,
    read_listed_api,
    read_single_api,
    read_tool,
    tool_document,
)
from proctor.records.queries import ApiSpec, ToolSpec

_anything = msgspec.json.Decoder()


class Place(msgspec.Struct, frozen=True):
    """Where a document lies below the folder that was named: at most category, tool and API."""

    folders: tuple[str, ...] = ()
    stem: str = "tools"


Read = tuple[list[ToolSpec], list[str]]
"""The tools of a document, and what could not be read of it."""


def read_document(text: bytes, place: Place = Place()) -> Read:  # noqa: B008 - a Place is immutable
    """Read a tool's file, an API's, a query file, an OpenAPI 3 document, or an MCP server's list of tools."""
    document = tool_document(text)
    if document is not None:
        tool, problems = read_tool(document, place.folders[0] if place.folders else "", place.stem)
        return [tool], problems
    return read_plain(decoded(text, _anything), place, text)


def read_plain(document: Any, place: Place, text: bytes | None = None) -> Read:
    """Read a document that has been decoded; `text` is its JSON, where there is some."""
    if is_openapi(document):
        tool, problems = read_openapi(document, place.stem, place.folders[0] if place.folders else OPENAPI_CATEGORY)
        return [tool], problems
    if (listed := listed_tools(document)) is not None:
        tool, problems = read_mcp_tools(listed, place.stem, place.folders[0] if place.folders else MCP_CATEGORY)
        return [tool], problems
    if isinstance(document, list):
        return _of_queries(document)
    if isinstance(document, dict) and "api_list" in document:
        raise UnreadableError(f"its api_list must be a list, not {type(document['api_list']).__name__}")
    if isinstance(document, dict):
        return _single(msgspec.json.encode(document) if text is None else text, place)
    raise UnreadableError(f"it holds {type(document).__name__}, not an object with an api_list")


def grouped(apis: list[ApiSpec]) -> list[ToolSpec]:
    """APIs under their tools, in the order in which they come. Query files say nothing of the tools themselves."""
    by_tool: dict[tuple[str, str], list[ApiSpec]] = {}
    for api in apis:
        by_tool.setdefault((api.id.category, api.id.tool), []).append(api)
    return [ToolSpec(category, tool, "", tuple(members)) for (category, tool), members in by_tool.items()]


def _single(text: bytes, place: Place) -> Read:
    """An API by itself: `<category>/<tool>/<api>.json`."""
    category, tool = ("", "", *place.folders)[-2:]
    description, api = read_single_api(text, category, tool, place.stem)
    return [ToolSpec(api.id.category, api.id.tool, description, (api,))], []


def _of_queries(queries: list[Any]) -> Read:
    """The APIs that a query file documents, each once."""
    apis: list[ApiSpec] = []
    problems: list[str] = []
    seen: set[bytes] = set()
    for number, query in enumerate(queries):
        listed = query.get("api_list") if isinstance(query, dict) else None
        if not isinstance(listed, list):
            problems.append(f"[{number}]: it has no api_list")
            continue
        for index, item in enumerate(listed):
            text = msgspec.json.encode(item)
            if text in seen:
                continue
            seen.add(text)
            try:
                apis.append(read_listed_api(text))
            except UnreadableError as error:
                problems.append(f"[{number}].api_list[{index}]: {error}")
    if not apis:
        raise UnreadableError("it is a list, but neither of queries with an api_list nor of MCP tools")
    return grouped(apis), problems

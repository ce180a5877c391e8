"""The tools of an MCP server, as its answer to `tools/list` names them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from proctor.catalog.references import resolved
from proctor.catalog.toolfiles import UnreadableError, first_text
from proctor.records.queries import ApiId, ApiSpec, Parameter, ToolSpec

CATEGORY = "MCP"
"""The category of a tool that comes from an MCP server, unless another is named."""


def listed_tools(document: Any) -> list[Any] | None:
    """The list of tools in a JSON-RPC answer, in its result, or by itself; None where there is no such list."""
    if isinstance(document, dict) and isinstance(document.get("result"), dict):
        document = document["result"]
    tools = document.get("tools") if isinstance(document, dict) else document
    if not isinstance(tools, list) or not any(isinstance(tool, dict) and _schema(tool) is not None for tool in tools):
        return None
    return tools


def read_mcp_tools(tools: list[Any], server: str, category: str = CATEGORY) -> tuple[ToolSpec, list[str]]:
    """Read a server's tools as the APIs of one tool, and say which could not be read."""
    apis: dict[str, ApiSpec] = {}
    problems: list[str] = []
    for index, tool in enumerate(tools):
        try:
            api = _api(tool, ApiId(category, server, ""))
        except UnreadableError as error:
            problems.append(f"tools[{index}]: {error}")
            continue
        if apis.setdefault(api.id.api, api) is not api:
            problems.append(f"tools[{index}]: the name {api.id.api!r} is taken by another tool of the server")
    return ToolSpec(category, server, "", tuple(apis.values())), problems


def _schema(tool: Mapping[str, Any]) -> Any:
    return tool.get("inputSchema", tool.get("input_schema"))


def _api(tool: Any, place: ApiId) -> ApiSpec:
    name = first_text(tool.get("name")) if isinstance(tool, dict) else ""
    if not name:
        raise UnreadableError("it has no name")
    written = _schema(tool)
    if not isinstance(written, dict):
        raise UnreadableError(f"the tool {name!r} has no inputSchema")
    schema = resolved({key: value for key, value in written.items() if key not in ("$defs", "definitions")}, written)
    properties = schema.get("properties")
    required = schema.get("required")
    needed = set(required) if isinstance(required, list) and all(isinstance(one, str) for one in required) else set()
    described = properties.items() if isinstance(properties, dict) else ()
    parameters = [_parameter(key, value) for key, value in described]
    return ApiSpec(
        id=ApiId(place.category, place.tool, name),
        description=first_text(tool.get("description"), tool.get("title")),
        required=tuple(parameter for parameter in parameters if parameter.name in needed),
        optional=tuple(parameter for parameter in parameters if parameter.name not in needed),
        method="POST",
        template_response=None,
    )


def _parameter(name: str, schema: Any) -> Parameter:
    plain = schema if isinstance(schema, dict) else {}
    kind = plain.get("type")
    return Parameter(
        name=name,
        type=kind.upper() if isinstance(kind, str) else "ANY",
        description=first_text(plain.get("description")),
        default=plain.get("default"),
        schema=plain,
    )

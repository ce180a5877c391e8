"""The starter's tools as the files in which ToolBench documents tools. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from proctor.records.answers import Answer
from proctor.starter.tool import Api, Tool

__all__ = ["documents", "shape", "slug"]


def documents(tools: Iterable[Tool]) -> dict[str, dict[str, Any]]:
    """The documents of tools, by their paths below the tools' folder."""
    return {f"{tool.category.replace(' ', '_')}/{slug(tool.name)}.json": _tool(tool) for tool in tools}


def slug(name: str) -> str:
    """A name as it stands in paths and functions.

    >>> slug("Aldmoor City Library")
    'aldmoor_city_library'
    """
    return re.sub(r"\W+", "_", name.lower()).strip("_")


def shape(value: Any) -> Any:
    """What a value looks like: its keys, and words for what stands under them; of a list, its first item.

    >>> shape({"total": 2, "results": [{"id": "B-1", "pages": 212.5}, {"id": "B-2", "pages": 90}]})
    {'total': 'int', 'results': [{'id': 'str', 'pages': 'float'}]}
    """
    if isinstance(value, dict):
        return {key: shape(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [shape(item) for item in value[:1]]
    return type(value).__name__


def _tool(tool: Tool) -> dict[str, Any]:
    return {
        "tool_name": tool.name,
        "tool_description": tool.description,
        "title": tool.name,
        "name": tool.name,
        "standardized_name": slug(tool.name),
        "pricing": "FREE",
        "api_list": [_api(api) for api in tool.apis],
    }


def _api(api: Api) -> dict[str, Any]:
    answer = api.function(**api.example)
    if isinstance(answer, Answer):
        raise TypeError(f"{api.id}: the example is answered by an error: {answer.error}")
    return {
        "name": api.id.api,
        "description": api.description,
        "method": "GET",
        "required_parameters": list(api.required),
        "optional_parameters": list(api.optional),
        "template_response": shape(answer),
    }

"""What a framework is handed: for each API at hand a definition, and functions that call it. Pure.

    {"<function>": {"name", "description", "parameters",            as a model is shown it
                    "category_name", "tool_name", "api_name",       as the benchmark names it
                    "api_description", "required_parameters", "optional_parameters", "method",
                    "schema",                                       OpenAI's form
                    "callable", "acallable"}}                       to call it: at once, or awaited

A function takes its arguments by name, or all of them as one dictionary or as JSON text, and returns what the agent is
shown of the answer.
"""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from proctor.agents.agent import ToolBox
from proctor.catalog.index import Catalog
from proctor.messages import ToolCall, read_tool_call
from proctor.records.queries import ApiSpec, Parameter

__all__ = ["ApiFunction", "AsyncApiFunction", "Definitions", "HandedTools", "definitions_of", "handed"]

Calling = Callable[[ToolCall], str]
CallingLater = Callable[[ToolCall], Awaitable[str]]
Definitions = Mapping[str, Mapping[str, Any]]
"""The tools at hand without the functions."""


class _Function:
    """What both kinds of function have in common: they can be looked at like functions that somebody wrote."""

    def __init__(self, definition: Mapping[str, Any]) -> None:
        self.__name__ = self.__qualname__ = definition["name"]
        self.__doc__ = definition["description"]
        self._parameters: Mapping[str, Any] = definition["parameters"]

    @property
    def __signature__(self) -> inspect.Signature:
        """The parameters by name, as far as Python allows such names."""
        needed = set(self._parameters.get("required", ()))
        named = sorted(self._parameters.get("properties", {}), key=lambda name: name not in needed)
        usable = all(name.isidentifier() for name in named)
        kind = inspect.Parameter.KEYWORD_ONLY
        empty = inspect.Parameter.empty
        return inspect.Signature(
            [inspect.Parameter(name, kind, default=empty if name in needed else None) for name in named]
            if usable
            else [inspect.Parameter("arguments", inspect.Parameter.VAR_KEYWORD)]
        )

    def _call(self, said: tuple[Any, ...], named: dict[str, Any]) -> ToolCall:
        if not said:
            return ToolCall(name=self.__name__, args=named)
        arguments = {**said[0], **named} if isinstance(said[0], Mapping) else said[0]
        if len(said) > 1 or (named and not isinstance(arguments, dict)):
            return ToolCall(name=self.__name__, args={}, malformed=repr((*said, named) if named else said))
        return read_tool_call({"name": self.__name__, "arguments": arguments})


class ApiFunction(_Function):
    """Calls an API and waits for the answer."""

    def __init__(self, definition: Mapping[str, Any], calling: Calling) -> None:
        super().__init__(definition)
        self._calling = calling

    def __call__(self, *said: Any, **named: Any) -> str:
        """Call the API, and return what the agent is shown of the answer."""
        return self._calling(self._call(said, named))


class AsyncApiFunction(_Function):
    """Calls an API; the answer is awaited."""

    def __init__(self, definition: Mapping[str, Any], calling: CallingLater) -> None:
        super().__init__(definition)
        self._calling = calling

    async def __call__(self, *said: Any, **named: Any) -> str:
        """Call the API, and return what the agent is shown of the answer."""
        return await self._calling(self._call(said, named))


class HandedTools(dict[str, dict[str, Any]]):
    """The tools as a framework is handed them.

    Asked for a name that it does not hold, it gives a definition that can be called all the same: the agent is told
    that there is no such function, and the trace says that it tried.
    """

    def __init__(self, tools: Definitions, calling: Calling, later: CallingLater) -> None:
        self._calling = calling
        self._later = later
        super().__init__((name, self._with_functions(definition)) for name, definition in tools.items())

    def __missing__(self, name: str) -> dict[str, Any]:
        return self._with_functions({"name": str(name), "description": "", "parameters": {"type": "object"}})

    def _with_functions(self, definition: Mapping[str, Any]) -> dict[str, Any]:
        functions = {
            "callable": ApiFunction(definition, self._calling),
            "acallable": AsyncApiFunction(definition, self._later),
        }
        return {**definition, **functions}


def handed(tools: ToolBox) -> Definitions:
    """The definitions of the tools at hand, by the names of their functions."""
    return {name: _definition(tools, api, name) for api in tools.catalog for name in [tools.name(api.id)]}


def definitions_of() -> Callable[[ToolBox], Definitions]:
    """Makes definitions, once for a catalogue: where all tools are at hand, every task has the same."""
    last: list[tuple[Catalog, Definitions]] = []

    def made(tools: ToolBox) -> Definitions:
        if not last or last[0][0] is not tools.catalog:
            last[:] = [(tools.catalog, handed(tools))]
        return last[0][1]

    return made


def _definition(tools: ToolBox, api: ApiSpec, name: str) -> dict[str, Any]:
    schema = tools.catalog.schema(api.id, "openai", name)
    return {
        **schema["function"],
        "category_name": api.id.category,
        "tool_name": api.id.tool,
        "api_name": api.id.api,
        "api_description": api.description,
        "required_parameters": [_documented(parameter) for parameter in api.required],
        "optional_parameters": [_documented(parameter) for parameter in api.optional],
        "method": api.method,
        "schema": schema,
    }


def _documented(parameter: Parameter) -> dict[str, Any]:
    said = {"name": parameter.name, "type": parameter.type, "description": parameter.description}
    return said if parameter.default is None else {**said, "default": parameter.default}

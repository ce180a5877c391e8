"""The catalogue: all tools that there are, to look up, to filter, and to show to a model."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any

import msgspec

from proctor.catalog.arguments import ArgumentNames
from proctor.catalog.names import standardise_category
from proctor.catalog.resolver import Resolver
from proctor.catalog.schemas import function_schema
from proctor.errors import InputError, nearest
from proctor.records.keys import content_hash
from proctor.records.queries import ApiId, ApiSpec, ToolSpec


class Broken(msgspec.Struct, frozen=True, order=True):
    """Something that was found but could not be taken into the catalogue."""

    path: str
    """The file."""
    reason: str
    """What is wrong with it, or with which part of it."""

    def __str__(self) -> str:
        return f"{self.path}: {self.reason}"


class LoadReport(msgspec.Struct, frozen=True, omit_defaults=True):
    """What came of loading a catalogue."""

    files: int = 0
    """Documents that were looked at."""
    tools: int = 0
    apis: int = 0
    broken: tuple[Broken, ...] = ()
    """What could not be read, and what was documented twice. Everything else was loaded."""
    from_index: bool = False
    """Whether the files themselves were not read, because an index of them was up to date."""
    note: str = ""
    """What else is worth knowing, such as an index that could not be written."""


class Catalog:
    """The tools that there are.

    Made by `load_catalog` from files, or from records: `Catalog(tools)`, `Catalog.of_apis(apis)`.
    """

    def __init__(self, tools: Iterable[ToolSpec], report: LoadReport | None = None, stamp: bytes | None = None) -> None:
        self.tools: tuple[ToolSpec, ...] = tuple(tools)
        self.apis: tuple[ApiSpec, ...] = tuple(api for tool in self.tools for api in tool.apis)
        self.report = report or LoadReport(tools=len(self.tools), apis=len(self.apis))
        self.stamp = stamp
        """Changes with the files that the catalogue was loaded from; None when it was not."""
        self._arguments: dict[ApiId, ArgumentNames] = {}

    @classmethod
    def of_apis(cls, apis: Iterable[ApiSpec]) -> Catalog:
        """A catalogue of APIs that nobody has put under tools, such as those that queries document."""
        tools, broken = merged((ToolSpec(api.id.category, api.id.tool, "", (api,)), "") for api in apis)
        return cls(tools, LoadReport(0, len(tools), sum(len(tool.apis) for tool in tools), tuple(broken)))

    def __len__(self) -> int:
        return len(self.apis)

    def __iter__(self) -> Iterator[ApiSpec]:
        return iter(self.apis)

    def __contains__(self, api: ApiId) -> bool:
        return api in self._by_id

    def __getitem__(self, api: ApiId) -> ApiSpec:
        """The API's documentation; an unknown API is an `InputError` that names the nearest known one."""
        known = self._by_id.get(api)
        if known is None:
            raise InputError(f"the catalogue has no API {api}; {nearest(str(api), map(str, self._near(api)))}")
        return known

    def tool_of(self, api: ApiId) -> ToolSpec:
        """The tool that an API of the catalogue belongs to."""
        return self._by_tool[self[api].id.category, api.tool]

    def named(self, tool: str, api: str, category: str | None = None) -> tuple[ApiId, ...]:
        """The APIs of that name, as query files name them: often without a category, so there may be several."""
        found = self._by_pair.get((tool, api), ())
        return tuple(one for one in found if category is None or one.category == category)

    def filtered(self, *, category: str | None = None, tool: str | None = None) -> Catalog:
        """The part of the catalogue that is of a category, or of a tool, or both."""
        wanted = None if category is None else standardise_category(category).casefold()
        return Catalog(
            one
            for one in self.tools
            if (wanted is None or standardise_category(one.category).casefold() == wanted)
            and (tool is None or one.name.strip().casefold() == tool.strip().casefold())
        )

    @cached_property
    def resolver(self) -> Resolver:
        """Finds what a called name stands for, among all APIs of the catalogue."""
        return Resolver(api.id for api in self.apis)

    @property
    def names(self) -> Mapping[ApiId, str]:
        """The canonical name of each API's function, unique in the catalogue."""
        return self.resolver.names

    @cached_property
    def categories(self) -> tuple[str, ...]:
        """The categories, in order."""
        return tuple(sorted({tool.category for tool in self.tools}))

    @cached_property
    def content_id(self) -> str:
        """The hash of all that the catalogue documents: the same tools have the same, from whatever files they came."""
        documents = sorted(self.tools, key=lambda tool: (tool.category, tool.name))
        return content_hash([_ordered(tool) for tool in documents])

    def schema(self, api: ApiId, form: str = "openai", name: str | None = None) -> dict[str, Any]:
        """The function schema of an API, under its canonical name unless another is given (see `function_schema`)."""
        return function_schema(self[api], name or self.names[api], form)

    def arguments(self, api: ApiId) -> ArgumentNames:
        """How the parameters of an API may be spelled, and what they are shown as."""
        known = self._arguments.get(api)
        if known is None:
            known = self._arguments[api] = ArgumentNames(parameter.name for parameter in self[api].parameters)
        return known

    @cached_property
    def _by_id(self) -> dict[ApiId, ApiSpec]:
        return {api.id: api for api in self.apis}

    @cached_property
    def _by_tool(self) -> dict[tuple[str, str], ToolSpec]:
        return {(tool.category, tool.name): tool for tool in self.tools}

    @cached_property
    def _by_pair(self) -> dict[tuple[str, str], tuple[ApiId, ...]]:
        known: dict[tuple[str, str], tuple[ApiId, ...]] = {}
        for api in self.apis:
            pair = (api.id.tool, api.id.api)
            known[pair] = (*known.get(pair, ()), api.id)
        return known

    def _near(self, api: ApiId) -> list[ApiId]:
        """The APIs of the same tool, else a few of all: an error sentence that compares with thousands helps nobody."""
        return [one.id for one in self.apis if one.id.tool == api.tool] or [one.id for one in self.apis[:20]]


def merged(tools: Iterable[tuple[ToolSpec, str]]) -> tuple[list[ToolSpec], list[Broken]]:
    """Tools of the same category and name as one, each given with the path it comes from.

    An API that is documented again in the same words counts once in silence; in other words, the first stands and the
    second is reported.
    """
    descriptions: dict[tuple[str, str], str] = {}
    apis: dict[tuple[str, str], dict[ApiId, ApiSpec]] = {}
    broken: list[Broken] = []
    for tool, path in tools:
        key = (tool.category, tool.name)
        descriptions[key] = descriptions.get(key) or tool.description
        known = apis.setdefault(key, {})
        broken.extend(
            Broken(path, f"{api.id} is documented a second time, and differently; the first counts")
            for api in tool.apis
            if known.setdefault(api.id, api) != api
        )
    return [ToolSpec(*key, descriptions[key], tuple(known.values())) for key, known in apis.items()], broken


def _ordered(tool: ToolSpec) -> Any:
    return msgspec.to_builtins(msgspec.structs.replace(tool, apis=tuple(sorted(tool.apis, key=lambda api: api.id))))

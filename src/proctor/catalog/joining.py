"""One catalogue of tool files and of the APIs that queries document. Pure.

A folder of tools may hold fewer APIs than the queries ask for, and spells categories as folders are spelled. So an API
that only the queries document is added, and one that both document has the document of its file under the name that the
queries give it: that is the name by which gold and calls are compared.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

import msgspec

from proctor.catalog.index import Catalog, merged
from proctor.catalog.names import standardise, standardise_category, unreserved
from proctor.records.queries import ApiId, ApiSpec, ToolSpec

__all__ = ["Joined", "joined"]

_Tool = tuple[str, str]


class Joined(msgspec.Struct, frozen=True):
    """The catalogue, and where its APIs come from."""

    catalog: Catalog
    of_files: int = 0
    """APIs that the tool files document."""
    of_queries: int = 0
    """APIs that only queries document."""


def joined(files: Catalog, documented: Iterable[ApiSpec]) -> Joined:
    """The catalogue of tool files with the APIs that queries document and the files do not."""
    listed = list(documented)
    asked = dict.fromkeys(api.id for api in listed)
    if all(api in files for api in asked):
        return Joined(files, of_files=len(files))
    spelled = _Spelled(asked)
    tools = [spelled.tool(tool) for tool in files.tools]
    known = {api.id for tool in tools for api in tool.apis}
    added = [api for api in listed if api.id not in known]
    whole, twice = merged([(tool, "") for tool in (*tools, *_tools(added))])
    count, new = sum(len(tool.apis) for tool in whole), len({api.id for api in added})
    report = msgspec.structs.replace(files.report, tools=len(whole), apis=count, broken=(*files.report.broken, *twice))
    return Joined(Catalog(whole, report, _stamp(files, listed)), count - new, new)


class _Spelled:
    """How the queries spell what tool files spell in another way."""

    def __init__(self, asked: Iterable[ApiId]) -> None:
        tools: defaultdict[_Tool, set[_Tool]] = defaultdict(set)
        names: defaultdict[_Tool, defaultdict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
        for api in asked:
            tools[_key(api.category, api.tool)].add((api.category, api.tool))
            names[api.category, api.tool][_standard(api.api)].add(api.api)
        self._tools = tools
        self._names = names

    def tool(self, tool: ToolSpec) -> ToolSpec:
        """The tool under the queries' names, where they know it by one other name."""
        said = self._tools.get(_key(tool.category, tool.name), set())
        if not said:
            return tool
        own = (tool.category, tool.name)
        category, name = own if own in said or len(said) > 1 else next(iter(said))
        names: Mapping[str, set[str]] = self._names.get((category, name), {})
        own_names = {api.id.api for api in tool.apis}
        return ToolSpec(
            category,
            name,
            tool.description,
            tuple(
                msgspec.structs.replace(api, id=ApiId(category, name, _called(api.id.api, names, own_names)))
                for api in tool.apis
            ),
        )


def _called(name: str, asked: Mapping[str, set[str]], own: set[str]) -> str:
    """What the queries call an API: its own name, unless they have one other for it that no API of the tool has."""
    said = asked.get(_standard(name), set())
    return next(iter(said)) if len(said) == 1 and not said & own else name


def _tools(apis: Iterable[ApiSpec]) -> Iterator[ToolSpec]:
    for api in apis:
        yield ToolSpec(api.id.category, api.id.tool, "", (api,))


def _key(category: str, tool: str) -> _Tool:
    return standardise_category(category).casefold(), standardise(tool)


def _standard(api: str) -> str:
    return unreserved(standardise(api))


def _stamp(files: Catalog, documented: Sequence[ApiSpec]) -> bytes | None:
    """Changes with the files and with what the queries document, so that an index of the one is none of the other."""
    if files.stamp is None:
        return None
    digest = hashlib.blake2b(files.stamp, digest_size=len(files.stamp))
    digest.update(msgspec.json.encode(documented, order="deterministic"))
    return digest.digest()

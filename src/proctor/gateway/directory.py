"""From the names in a request to the API that is meant, and from its arguments to the documented ones."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

from proctor.catalog.arguments import ArgumentNames
from proctor.catalog.index import Catalog
from proctor.catalog.names import standardise
from proctor.catalog.resolver import Match, Resolver
from proctor.errors import close_to
from proctor.gateway.source import Call
from proctor.records.keys import call_key
from proctor.records.queries import ApiId, ApiSpec
from proctor.store.responses import ResponseStore

__all__ = ["Directory", "Place"]

_MOST = 100_000
"""So many spellings are remembered: whoever sends requests decides how many there are."""


class Place:
    """An API that was found, with what is known of it."""

    __slots__ = ("_documented", "api", "names", "spec", "tool_description")

    def __init__(self, api: ApiId, spec: ApiSpec | None = None, tool_description: str = "") -> None:
        self.api = api
        self.spec = spec
        self.tool_description = tool_description
        self._documented = frozenset(parameter.name for parameter in spec.parameters) if spec else frozenset()
        self.names = ArgumentNames(self._documented) if spec else None

    def restored(self, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        """The arguments under their documented names; those that no parameter has keep theirs."""
        if self.names is None or self._documented.issuperset(arguments):
            return arguments
        return self.names.restore(arguments).arguments

    def key(self, arguments: Mapping[str, Any]) -> str:
        """The identity of a call with these arguments, documented ones."""
        return call_key(self.api.category, self.api.tool, self.api.api, arguments)

    def call(self, arguments: Mapping[str, Any], key: str) -> Call:
        """The call of this API."""
        return Call(self.api, dict(arguments), key, self.spec, self.tool_description)


class Directory:
    """The APIs that can be called: those of the catalogue, and those of which there are recorded answers.

    Without a catalogue every API can be called, under the name that it is given.
    """

    def __init__(self, catalog: Catalog | None, store: ResponseStore | None = None) -> None:
        self._catalog = catalog
        self._store = store
        self._places: dict[tuple[str, str, str], Place] = {}

    def known(self, category: str, tool: str, api: str) -> Place | None:
        """The API that is meant by names that were looked up before."""
        return self._places.get((category, tool, api))

    def find(self, category: str, tool: str, api: str) -> Place | str:
        """The API that is meant, or a sentence about why there is none. It may ask the store."""
        asked = (category, tool, api)
        place = self._places.get(asked)
        if place is not None:
            return place
        found = self._look(ApiId(category, tool, api))
        if isinstance(found, Place):
            if len(self._places) >= _MOST:
                self._places.clear()
            self._places[asked] = found
        return found

    def place(self, api: ApiId) -> Place:
        """An API by its identity, which is taken as it is."""
        if self._catalog is None or api not in self._catalog:
            return Place(api)
        return Place(api, self._catalog[api], self._catalog.tool_of(api).description)

    def _look(self, asked: ApiId) -> Place | str:
        matches = [resolver.locate(asked.category, asked.tool, asked.api) for resolver in self._resolvers]
        named = next((match for match in matches if match.api is not None), None)
        if named is not None and named.api is not None:
            return self.place(named.api)
        several = next((match for match in matches if match.candidates), None)
        if several is not None:
            return _ambiguous(asked, several)
        return self.place(asked) if self._catalog is None else self._unknown(asked)

    @property
    def _resolvers(self) -> list[Resolver]:
        return [self._recorded] if self._catalog is None else [self._catalog.resolver, self._recorded]

    @cached_property
    def _recorded(self) -> Resolver:
        """The APIs that the store had answers of when a name was first looked for there."""
        return Resolver(self._store.apis() if self._store is not None else ())

    def _unknown(self, asked: ApiId) -> str:
        assert self._catalog is not None
        tool = standardise(asked.tool)
        near = [api.id.api for api in self._catalog if api.id.tool == asked.tool or standardise(api.id.tool) == tool]
        close = close_to(asked.api, near)
        hint = f"; did you mean {close!r}?" if close else "."
        return f"there is no API {_shown(asked.api)} of a tool {_shown(asked.tool)} in {_shown(asked.category)}{hint}"


def _ambiguous(asked: ApiId, match: Match) -> str:
    meant = ", ".join(str(api) for api in match.candidates[:5])
    return f"{_shown(str(asked))} may be one of several APIs: {meant}; name the category as well."


def _shown(text: str) -> str:
    return repr(text if len(text) <= 80 else f"{text[:79]}…")

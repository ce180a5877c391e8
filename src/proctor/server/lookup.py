"""The catalogue for programs: lists of APIs a page at a time, search, and function schemas. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

from proctor.catalog.index import Catalog
from proctor.catalog.search import Hit, ToolSearch
from proctor.errors import OptionError
from proctor.records.queries import ApiId

__all__ = ["ToolDoor"]

_PAGE = 100
_MOST = 1000


class ToolDoor:
    """Answers questions about the catalogue; each is a mapping of texts, as a query string holds them.

    `index` is a file in which search keeps what it built, so that the next start is fast.
    """

    def __init__(self, catalog: Catalog | None, index: str | None = None) -> None:
        self.catalog = self._catalog = catalog if catalog is not None else Catalog([])
        self._index = index

    @cached_property
    def _search(self) -> ToolSearch:
        return ToolSearch(self._catalog, index=self._index)

    def search(self, query: str, number: int, category: str | None = None) -> list[Hit]:
        """The APIs that fit best. The first search takes as long as building it does."""
        return self._search.search(query, number, category=category)

    def tools(self, asked: Mapping[str, str]) -> dict[str, Any]:
        """The APIs that fit `query` best, else a page of all of them, or of those of a `category` and `tool`."""
        _refuse_unknown(asked, {"query", "category", "tool", "offset", "limit"})
        category, tool = asked.get("category"), asked.get("tool")
        if "query" in asked:
            hits = self.search(asked["query"], _number(asked, "limit", 5, least=1), category)
            return {"apis": [{**self._identity(hit.api), "score": hit.score} for hit in hits]}
        chosen = (
            self._catalog if category is None and tool is None else self._catalog.filtered(category=category, tool=tool)
        )
        offset, limit = _number(asked, "offset", 0), _number(asked, "limit", _PAGE, least=1)
        page = [self._identity(api.id) for api in chosen.apis[offset : offset + limit]]
        following = offset + limit if offset + limit < len(chosen) else None
        return {"apis": page, "total": len(chosen), "next_offset": following}

    def schema(self, asked: Mapping[str, str]) -> dict[str, Any]:
        """The function schema of the API that is called `name`, in a `form`."""
        _refuse_unknown(asked, {"name", "form"})
        name = asked.get("name", "")
        api = self._catalog.resolver.resolve(name).api
        if api is None:
            raise OptionError(f"there is no single API that is called {name[:80]!r}; see /tools for their names.")
        return self._catalog.schema(api, asked.get("form", "openai"))

    def _identity(self, api: ApiId) -> dict[str, Any]:
        described = self._catalog[api].description
        return {
            "name": self._catalog.names[api],
            "category": api.category,
            "tool": api.tool,
            "api": api.api,
            "description": described,
        }


def _refuse_unknown(asked: Mapping[str, str], known: set[str]) -> None:
    for name in asked:
        if name not in known:
            raise OptionError(f"there is no parameter {name[:40]!r}; known are {', '.join(sorted(known))}.")


def _number(asked: Mapping[str, str], name: str, default: int, least: int = 0) -> int:
    said = asked.get(name)
    if said is None:
        return default
    if not (said.isascii() and said.isdigit() and len(said) < 10 and least <= int(said)):
        raise OptionError(f"{name} is a whole number from {least} on, not {said[:40]!r}.")
    return int(said) if name == "offset" else min(int(said), _MOST)

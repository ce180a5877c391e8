"""From the name that somebody called to the API that is meant: an exact dictionary, and never a guess.

A name stands for a set of APIs: all those that have it as a spelling. One member: it is resolved, or repaired when the
spelling is not the one that was offered. Several: ambiguous. None: hallucinated.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from functools import cached_property

import msgspec

from proctor.catalog.names import canonical_names, spellings, standard_spellings, standardise, standardise_category
from proctor.records.queries import ApiId
from proctor.records.traces import Resolution


class Match(msgspec.Struct, frozen=True):
    """What a name stands for."""

    outcome: Resolution
    candidates: tuple[ApiId, ...] = ()
    """The APIs that the name may stand for, in order; one of them when it was resolved or repaired."""

    @property
    def api(self) -> ApiId | None:
        """The API, when there is exactly one."""
        return self.candidates[0] if len(self.candidates) == 1 else None


class Resolver:
    """Knows the names of a list of APIs.

    `shown` are the names under which they were offered; without it, the canonical ones.
    """

    def __init__(self, apis: Iterable[ApiId], shown: Mapping[ApiId, str] | None = None) -> None:
        self._apis = tuple(dict.fromkeys(apis))
        self._shown = shown

    @cached_property
    def names(self) -> Mapping[ApiId, str]:
        """The name under which each API is offered."""
        canonical = canonical_names(self._apis)
        return {**canonical, **{api: name for api, name in (self._shown or {}).items() if api in canonical}}

    def resolve(self, called: str, among: Collection[ApiId] | None = None) -> Match:
        """Find what a function's name stands for; `among` narrows it to the APIs that were offered.

        >>> forecast = ApiId("Weather", "Sky Report", "Get Forecast")
        >>> Resolver([forecast]).resolve("get_forecast_for_sky_report").outcome
        <Resolution.REPAIRED: 'repaired'>
        """
        exact = self._by_shown.get(called)
        if exact is not None and (among is None or exact in among):
            return Match(Resolution.RESOLVED, (exact,))
        return _match(self._by_spelling.get(called) or self._by_spelling.get(standardise(called)), among)

    def locate(self, category: str, tool: str, api: str) -> Match:
        """Find what a request for `/virtual` means.

        The tool's name may be raw, standardised, or followed by `_for_<category>`; the API's raw, standardised, or
        followed by `_for_<tool>`. Names are looked up whole and never split, so a name may itself hold `_for_`. A
        request without a category is looked up in all of them.
        """
        if (identity := ApiId(category, tool, api)) in self._identities:
            return Match(Resolution.RESOLVED, (identity,))
        places = self._by_place
        tools = places.get((_category_key(category), tool)) or places.get((_category_key(category), standardise(tool)))
        found = [member for name in tools or () for member in self._named(name, api)]
        match = _match(dict.fromkeys(found), None)
        if match.outcome is Resolution.REPAIRED and category.strip():
            return Match(Resolution.RESOLVED, match.candidates)  # these spellings belong to the protocol
        return match

    def _named(self, tool: tuple[str, str], api: str) -> Iterable[ApiId]:
        names = self._by_tool[tool]
        return names.get(api) or names.get(standardise(api)) or ()

    @cached_property
    def _identities(self) -> frozenset[ApiId]:
        return frozenset(self._apis)

    @cached_property
    def _by_shown(self) -> dict[str, ApiId]:
        return {name: api for api, name in self.names.items()}

    @cached_property
    def _by_spelling(self) -> dict[str, tuple[ApiId, ...]]:
        known: dict[str, tuple[ApiId, ...]] = {}
        canonical = canonical_names(self._apis)
        for api in self._apis:
            for spelling in {*spellings(api), canonical[api]}:
                known[spelling] = (*known.get(spelling, ()), api)
        return known

    @cached_property
    def _by_place(self) -> dict[tuple[str, str], set[tuple[str, str]]]:
        """From (category, spelling of a tool) to the tools that it may be."""
        known: dict[tuple[str, str], set[tuple[str, str]]] = defaultdict(set)
        for category, tool in {(api.category, api.tool) for api in self._apis}:
            for spelling in _tool_spellings(category, tool):
                known[_category_key(category), spelling].add((category, tool))
                known["", spelling].add((category, tool))
        return known

    @cached_property
    def _by_tool(self) -> dict[tuple[str, str], dict[str, tuple[ApiId, ...]]]:
        """For each tool, from the spelling of an API to the APIs that it may be."""
        known: dict[tuple[str, str], dict[str, tuple[ApiId, ...]]] = defaultdict(dict)
        for api in self._apis:
            names = known[api.category, api.tool]
            for spelling in _api_spellings(api):
                names[spelling] = (*names.get(spelling, ()), api)
        return known


def _match(candidates: Iterable[ApiId] | None, among: Collection[ApiId] | None) -> Match:
    found = tuple(sorted(api for api in candidates or () if among is None or api in among))
    if not found:
        return Match(Resolution.HALLUCINATED)
    return Match(Resolution.REPAIRED if len(found) == 1 else Resolution.AMBIGUOUS, found)


def _category_key(category: str) -> str:
    return standardise_category(category.strip()).casefold()


def _tool_spellings(category: str, tool: str) -> set[str]:
    names = {tool, tool.strip(), *standard_spellings(tool)}
    endings = {category, standardise_category(category), standardise(category)}
    return names | {f"{name}_for_{ending}" for name in names for ending in endings}


def _api_spellings(api: ApiId) -> set[str]:
    names = {api.api, api.api.strip(), *standard_spellings(api.api)}
    tools = {api.tool, api.tool.strip(), *standard_spellings(api.tool)}
    tools |= {f"{tool}_for_{standardise_category(api.category)}" for tool in tools}
    return names | {f"{name}_for_{tool}" for name in names for tool in tools}

"""The tools at hand: which APIs an agent is offered, and how its calls find them.

Whoever answers the calls is handed in, so this knows nothing of it. Pure.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

import msgspec

from proctor.catalog.index import Catalog
from proctor.catalog.resolver import Match, Resolver
from proctor.catalog.search import ToolSearch
from proctor.errors import OptionError
from proctor.messages import ToolCall
from proctor.records.answers import Answer
from proctor.records.queries import ApiId, ApiSpec, Query
from proctor.records.traces import CallStep, Resolution

__all__ = ["SEARCH", "AtHand", "Box", "read_at_hand"]

Answering = Callable[[ApiId, Mapping[str, Any]], Awaitable[Answer]]
MOST_FUNCTIONS = 127
"""More functions are shown to no model at once (endpoints take 128, and Finish is one)."""
_FOUND = 5
_NAME = "search_tools"

SEARCH: dict[str, Any] = {
    "type": "function",
    "function": {
        "name": _NAME,
        "description": "Find functions by what they do. Those that are found can be called from then on.",
        "parameters": {
            "type": "object",
            "properties": {"query": {"type": "string", "description": "What the function should do, in a few words."}},
            "required": ["query"],
        },
    },
}
"""The function that stands beside the calls where there are more APIs than a model can be shown."""


class AtHand(msgspec.Struct, frozen=True):
    """Which APIs are offered: `all`, those of the `query`, or the k best that were `retrieved`."""

    kind: str
    k: int = 0


def read_at_hand(text: str) -> AtHand:
    """Read `all`, `query` or `retrieved:K`."""
    kind, _, number = text.partition(":")
    if kind == "retrieved" and number.isdecimal() and int(number) > 0:
        return AtHand(kind, int(number))
    if text in ("all", "query"):
        return AtHand(text)
    raise OptionError(f"the tools at hand are all, query or retrieved:K, such as retrieved:10, not {text!r}.")


class Box:
    """The tools at hand for one query."""

    def __init__(
        self, catalog: Catalog, query: Query, answering: Answering, *, at_hand: AtHand, search: ToolSearch | None = None
    ) -> None:
        self._answering = answering
        self._search = search
        self._whole = at_hand.kind == "all"
        self.catalog = catalog if self._whole else self._part(catalog, query, at_hand)
        self._resolver = self.catalog.resolver if self._whole else Resolver(api.id for api in self.catalog)
        self.searches = len(self.catalog) > MOST_FUNCTIONS
        self._asked = False
        self._shown: dict[ApiId, None] = {}
        self._ever_shown: dict[ApiId, None] = {}

    @property
    def functions(self) -> tuple[dict[str, Any], ...]:
        """The functions at hand; where they are too many, `search_tools` and those that it has found."""
        if not self.searches:
            return tuple(self._schema(api.id) for api in self.catalog)
        self._asked = True
        return (SEARCH, *(self._schema(api) for api in self._shown))

    @property
    def offered(self) -> tuple[ApiId, ...] | int:
        """The APIs that were at hand: for a model that has to search, those that its searches have shown."""
        if self._asked:
            return tuple(self._ever_shown)
        return len(self.catalog) if self._whole else tuple(api.id for api in self.catalog)

    def search(self, text: str, k: int) -> list[ApiSpec]:
        """The k APIs at hand that fit best."""
        if self._search is None or not self._whole:
            return [self.catalog[hit.api] for hit in ToolSearch(self.catalog).search(text, k)]
        return [self.catalog[hit.api] for hit in self._search.search(text, k)]

    def name(self, api: ApiId) -> str:
        """The name of an API's function."""
        return self._resolver.names[api]

    async def call(self, call: ToolCall) -> CallStep:
        """Find what the name stands for, and ask; whatever is wrong with the call is an observation that says so."""
        if call.name == _NAME and self.searches:
            return self._searched(call)
        match = self._resolver.resolve(call.name)
        if match.api is None:
            return CallStep(call.name, call.args, match.outcome, _unknown(call.name, match), malformed=call.malformed)
        step = CallStep(call.name, call.args, match.outcome, "", api=match.api, malformed=call.malformed)
        if call.malformed is not None:
            told = _observed("", "the arguments are not a JSON object; write them as one.")
            return msgspec.structs.replace(step, observation=told)
        arguments = self.catalog.arguments(match.api).restore(call.args).arguments
        answer = await self._answering(match.api, arguments)
        told = _observed(answer.response, answer.error)
        return msgspec.structs.replace(step, arguments=arguments, observation=told, answer=answer)

    def _searched(self, call: ToolCall) -> CallStep:
        said = call.args.get("query")
        step = CallStep(call.name, call.args, Resolution.RESOLVED, "", malformed=call.malformed)
        if not isinstance(said, str) or not said.strip():
            return msgspec.structs.replace(step, observation=_observed("", "search_tools needs the text 'query'."))
        found = self.search(said, _FOUND)
        self._show([api.id for api in found])
        told = [{"name": self.name(api.id), "description": api.description[:200]} for api in found]
        return msgspec.structs.replace(step, observation=_observed(told, "" if told else "nothing fits these words."))

    def _show(self, found: Sequence[ApiId]) -> None:
        """The latest are shown; where they become too many, the oldest give way."""
        for api in found:
            self._shown.pop(api, None)
            self._shown[api] = self._ever_shown[api] = None
        while len(self._shown) >= MOST_FUNCTIONS:
            del self._shown[next(iter(self._shown))]

    def _schema(self, api: ApiId) -> dict[str, Any]:
        return self.catalog.schema(api, name=self._resolver.names[api])

    def _part(self, catalog: Catalog, query: Query, at_hand: AtHand) -> Catalog:
        if at_hand.kind == "query":
            known = [catalog[api.id] if api.id in catalog else api for api in query.apis]  # noqa: SIM401 - no get
            return Catalog.of_apis(known)
        search = self._search or ToolSearch(catalog)
        return Catalog.of_apis(catalog[hit.api] for hit in search.search(query.text, at_hand.k))


def _unknown(name: str, match: Match) -> str:
    if match.candidates:
        meant = ", ".join(str(api) for api in match.candidates[:5])
        return _observed("", f"the name {name!r} stands for several functions ({meant}); use the name as it was shown.")
    return _observed("", f"there is no function {name!r}; call one of those that you were given.")


def _observed(response: Any, error: str) -> str:
    """What the agent is shown of an answer: the two fields that StableToolBench's server returns."""
    return msgspec.json.encode({"error": error, "response": response}).decode()

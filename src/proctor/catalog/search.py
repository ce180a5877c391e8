"""Finding the APIs that a task needs among all that there are.

Words are compared, not meanings, and three things together say how well an API fits: its own documentation, that of
its tool as a whole, and how well the tool's APIs fit on the average, for a task often needs several APIs of one tool.
The list is then filled one by one, and words of the task that an API already in the list answers count less for the
next, so that the parts of a task each find theirs. docs/tools.md has the figures.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from proctor.catalog.index import Catalog
from proctor.catalog.names import standardise_category
from proctor.catalog.postings import Field, Packed, Postings, Vocabulary
from proctor.catalog.stamped import read_stamped, write_stamped
from proctor.catalog.words import words
from proctor.errors import OptionError
from proctor.records.queries import ApiId, ApiSpec, Parameter

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Scores = NDArray[np.float32]

MAX_QUERY_WORDS = 256
"""Of a longer query, the words that come first."""
_KIND = b"search 1"
_CANDIDATES = 40
"""So many of the best are looked at again when the list is filled; beyond them the order is that of the scores."""


class Weights(msgspec.Struct, frozen=True):
    """What counts how much. The defaults were chosen on published queries, a set left out at a time."""

    api: float = 3.0
    """A word in the API's name."""
    description: float = 0.5
    tool: float = 2.0
    """A word in the tool's name."""
    tool_description: float = 0.5
    category: float = 0.5
    parameters: float = 0.4
    """A word in a parameter's name."""
    parameter_descriptions: float = 0.3
    defaults: float = 0.2
    """A word in a documented default: documentation gives its examples there."""
    response: float = 0.3
    """A word that is a key of the documented response."""
    saturation: float = 1.2
    """How soon a word that is there again no longer counts (BM25's k1)."""
    tool_saturation: float = 0.6
    length: float = 0.75
    """How much a word counts less in a long field (BM25's b)."""
    of_tool: float = 1.2
    """What the tool as a whole counts, beside the API."""
    of_siblings: float = 1.3
    """What the tool's APIs count on the average."""
    explained: float = 0.7
    """What share of a word's weight is gone once an API in the list answers it."""


class Hit(msgspec.Struct, frozen=True):
    """An API that was found."""

    api: ApiId
    score: float
    """How well it fits, in the order of the list. It compares within one list only."""
    description: str = ""


class Kept(msgspec.Struct, frozen=True):
    """What is kept of a search that was built."""

    weights: Weights
    vocabulary: list[str]
    apis: Packed
    tools: Packed


class ToolSearch:
    """Searches one catalogue. Building it takes seconds where there are thousands of APIs; searching, milliseconds.

    `index` is a file that this may write and that makes the next build fast, for a catalogue that was loaded from
    files: it is used as long as none of them has changed, and made again when it is broken or out of date.
    """

    def __init__(self, catalog: Catalog, weights: Weights | None = None, *, index: str | Path | None = None) -> None:
        import numpy as np

        self.weights = weights or Weights()
        self._catalog = catalog
        places = {(tool.category, tool.name): place for place, tool in enumerate(catalog.tools)}
        self._tool_of = np.array([places[api.id.category, api.id.tool] for api in catalog.apis], dtype=np.int32)
        self._siblings = np.maximum(np.bincount(self._tool_of, minlength=len(places)), 1)
        self._categories = [standardise_category(api.id.category).casefold() for api in catalog.apis]
        self.note = ""
        """What is worth knowing about the index, such as that it could not be written."""
        if index is None or catalog.stamp is None:
            self.weigh(self.weights)
        elif not self._taken(read_stamped(Path(index), _KIND, catalog.stamp)):
            self.weigh(self.weights)
            kept = Kept(self.weights, list(self._vocabulary), self._apis.packed(), self._tools.packed())
            self.note = write_stamped(Path(index), _KIND, catalog.stamp, msgspec.msgpack.encode(kept))

    def weigh(self, weights: Weights) -> None:
        """Search with other weights from now on."""
        self.weights = weights
        by_field = {name: getattr(weights, name) for name in _FIELDS}
        apis, tools = self._fields
        self._apis = Postings.weighed(apis, by_field, weights.saturation, weights.length)
        self._tools = Postings.weighed(tools, by_field, weights.tool_saturation, weights.length)

    def _taken(self, body: bytes | None) -> bool:
        """Whether what was kept could be used."""
        try:
            kept = msgspec.msgpack.decode(body, type=Kept) if body is not None else None
        except msgspec.DecodeError:
            return False
        if kept is None or kept.weights != self.weights:
            return False
        self._vocabulary = {word: term for term, word in enumerate(kept.vocabulary)}
        self._apis, self._tools = Postings.unpacked(kept.apis), Postings.unpacked(kept.tools)
        return True

    @cached_property
    def _fields(self) -> tuple[dict[str, Field], dict[str, Field]]:
        """The words of the APIs and of the tools, by field."""
        vocabulary = Vocabulary()
        columns: dict[str, list[list[str]]] = {name: [] for name in _FIELDS if name != "tool_description"}
        for api in self._catalog.apis:
            for name, text in _texts(api):
                columns[name].append(words(text))
        apis = {name: vocabulary.field(column) for name, column in columns.items()}
        tools = {name: field.gathered(self._tool_of, len(self._siblings)) for name, field in apis.items()}
        tools["tool_description"] = vocabulary.field([words(tool.description) for tool in self._catalog.tools])
        self._vocabulary = dict(vocabulary)
        return apis, tools

    def search(self, query: str, k: int = 5, *, category: str | None = None) -> list[Hit]:
        """The k APIs that fit best, the best first; fewer when fewer, or their tools, have any word of it."""
        if k < 1:
            raise OptionError(f"k must be at least 1, not {k}.")
        if not len(self._catalog):
            return []
        terms = self._terms(query)
        matched = self._matched(terms)
        scores = self._scores(terms, matched)
        if category is not None:
            wanted = standardise_category(category).casefold()
            scores *= [one == wanted for one in self._categories]
        return [
            Hit(self._catalog.apis[place].id, round(score, 4), self._catalog.apis[place].description)
            for place, score in self._filled(scores, matched, k)
        ]

    def _terms(self, query: str) -> Mapping[int, float]:
        """The words of a query that any document knows; one that is said twice counts somewhat more."""
        counts = Counter(words(query))
        known = ((self._vocabulary[word], count) for word, count in counts.items() if word in self._vocabulary)
        return {term: 1 + math.log(count) for (term, count), _ in zip(known, range(MAX_QUERY_WORDS), strict=False)}

    def _matched(self, terms: Mapping[int, float]) -> Scores:
        """What each word of the query, a row, says for each API, a column."""
        import numpy as np

        matched = np.zeros((len(terms), self._apis.size), dtype=np.float32)
        for row, (term, weight) in zip(matched, terms.items(), strict=True):
            places, values = self._apis.of(term)
            row[places] = weight * values
        return matched

    def _scores(self, terms: Mapping[int, float], matched: Scores) -> Scores:
        import numpy as np

        own = matched.sum(axis=0)
        of_tool = np.zeros(self._tools.size, dtype=np.float32)
        for term, weight in terms.items():
            places, values = self._tools.of(term)
            of_tool[places] += weight * values
        siblings = np.bincount(self._tool_of, weights=own, minlength=self._tools.size) / self._siblings
        whole = self.weights.of_tool * of_tool + self.weights.of_siblings * siblings
        scores: Scores = (own + whole[self._tool_of]).astype(np.float32)
        return scores

    def _filled(self, scores: Scores, matched: Scores, k: int) -> Iterator[tuple[int, float]]:
        """The best of the best, one by one; then the others in the order of their scores."""
        import numpy as np

        order = _best(scores, max(k, _CANDIDATES))
        order = order[scores[order] > 0]
        candidates = order[:_CANDIDATES]
        shares = matched[:, candidates]
        answered = np.zeros(len(shares), dtype=np.float32)
        strongest = np.maximum(shares.max(axis=1, initial=0), 1e-9)
        left = scores[candidates].copy()
        lowest = np.inf
        for _ in range(min(k, len(candidates))):
            now = left - self.weights.explained * (answered @ shares)
            best = int(np.argmax(now))
            lowest = float(now[best])
            yield int(candidates[best]), lowest
            left[best] = -np.inf
            answered = np.maximum(answered, shares[:, best] / strongest)
        for place in order[_CANDIDATES:k]:
            yield int(place), min(float(scores[place]), lowest)


def _best(scores: Scores, number: int) -> Any:
    """The places of the highest scores, in order; of equal ones, the first comes first."""
    import numpy as np

    if number >= len(scores):
        return np.argsort(-scores, kind="stable")
    lowest = np.partition(scores, len(scores) - number)[len(scores) - number]
    places = np.flatnonzero(scores >= lowest)
    return places[np.argsort(-scores[places], kind="stable")][:number]


_FIELDS = (
    "api",
    "description",
    "tool",
    "tool_description",
    "category",
    "parameters",
    "parameter_descriptions",
    "defaults",
    "response",
)


def _texts(api: ApiSpec) -> Iterator[tuple[str, str]]:
    parameters = api.parameters
    yield "api", api.id.api
    yield "description", api.description
    yield "tool", api.id.tool
    yield "category", api.id.category
    yield "parameters", " ".join(parameter.name for parameter in parameters)
    yield "parameter_descriptions", " ".join(parameter.description for parameter in parameters)
    yield "defaults", " ".join(map(_default, parameters))
    yield "response", " ".join(_keys(api.template_response, 5))


def _default(parameter: Parameter) -> str:
    return parameter.default if isinstance(parameter.default, str) else ""


def _keys(value: Any, depth: int) -> Iterator[str]:
    """The keys of a JSON value at all depths; of a list, those of the first two items, for the rest are alike."""
    if depth and isinstance(value, dict):
        for key, inner in value.items():
            yield key
            yield from _keys(inner, depth - 1)
    elif depth and isinstance(value, list):
        for inner in value[:2]:
            yield from _keys(inner, depth - 1)

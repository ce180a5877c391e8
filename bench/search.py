"""How well search finds the APIs that published queries need, beside two plain searches, on the same pool in one run.

The pool is every API that the query files document; what should be found is what each query calls relevant. The
default weights were chosen with these queries in sight, so the last table chooses them anew for each set from the other
sets alone and shows what they find in the set that was left out. With `--embeddings`, static word embeddings
(`wordllama`, in an environment of its own) are mixed into the ranking at several weights, beside what they find alone:
the difference to Proctor's own line is what they add, or take away. Exits with 1 when recall@5 is below its limit, and
with 0 when the files are not there: PROCTOR_SHARED_DATA may name their folder.
"""

from __future__ import annotations

import math
import os
import re
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec
from peers import peer_python, run_peer

from proctor.catalog.index import Catalog
from proctor.catalog.search import ToolSearch, Weights
from proctor.catalog.words import words
from proctor.formats.stabletoolbench.queries import read_queries
from proctor.records.queries import ApiId, ApiSpec

ROOT = Path(__file__).parents[1]
FILES = Path(os.environ.get("PROCTOR_SHARED_DATA", ROOT.parent / "shared" / "data")) / "stabletoolbench"
LIMIT = 80.0
DEPTH = 20
WORDLLAMA = ["wordllama==0.3.9"]
EMBEDDER = Path(__file__).parent / "peer" / "embed_wordllama.py"
FUSED = 200
"""So many of each ranking are mixed."""
RANKS = 10
MIXED = (0.02, 0.05, 0.1, 0.2, 0.5, 1.0)
"""The weights of embeddings; 1 is embeddings alone."""

Search = Callable[[str, int], Sequence[ApiId]]


class Task(NamedTuple):
    """What is searched for, and what should be found."""

    text: str
    gold: frozenset[ApiId]


class Figures(NamedTuple):
    """In percent: recall over all gold APIs, and NDCG, the mean over queries."""

    recall_5: float
    recall_10: float
    recall_20: float
    ndcg_1: float
    ndcg_5: float

    def __str__(self) -> str:
        return "  ".join(f"{figure:5.1f}" for figure in self)


def tasks(folder: Path) -> tuple[dict[str, list[Task]], Catalog]:
    """The queries by set, and a catalogue of all APIs that any of them documents."""
    sets: dict[str, list[Task]] = {}
    apis: dict[ApiId, ApiSpec] = {}
    for file in sorted(folder.glob("*.json")):
        queries = read_queries(file)
        apis.update({api.id: api for query in queries for api in query.apis})
        sets[file.stem] = [
            Task(query.text, frozenset(ApiId(gold.category or "", gold.tool, gold.api) for gold in query.gold))
            for query in queries
        ]
    return sets, Catalog.of_apis(apis.values())


Ranked = list[tuple[Task, Sequence[ApiId]]]
"""What a search found for each task."""


def ranked_by(search: Search, asked: Iterable[Task], depth: int = DEPTH) -> Ranked:
    return [(task, search(task.text, depth)) for task in asked]


def figures(answers: Ranked) -> Figures:
    """How well a search did."""
    found: Counter[int] = Counter()
    gains: dict[int, float] = {1: 0.0, 5: 0.0}
    gold = 0
    for task, ranked in answers:
        gold += len(task.gold)
        for cut in (5, 10, 20):
            found[cut] += len(task.gold.intersection(ranked[:cut]))
        for cut in gains:
            gains[cut] += _ndcg(ranked[:cut], task.gold, cut)
    recalls = [100 * found[cut] / gold for cut in (5, 10, 20)]
    return Figures(*recalls, *(100 * gain / len(answers) for gain in gains.values()))


def _ndcg(ranked: Sequence[ApiId], gold: frozenset[ApiId], cut: int) -> float:
    best = sum(1 / math.log2(place + 2) for place in range(min(cut, len(gold))))
    return sum(1 / math.log2(place + 2) for place, api in enumerate(ranked) if api in gold) / best


class PlainSearch:
    """BM25 over one text an API, for comparison: all that there is without fields, tools and parts of a task."""

    def __init__(self, catalog: Catalog, split: Callable[[str], list[str]]) -> None:
        self._split = split
        self._apis = [api.id for api in catalog]
        counts = [Counter(split(_text(api))) for api in catalog]
        lengths = [count.total() for count in counts]
        usual = sum(lengths) / len(lengths)
        holding = Counter(word for count in counts for word in count)
        self._postings: dict[str, list[tuple[int, float]]] = {}
        for place, (count, length) in enumerate(zip(counts, lengths, strict=True)):
            for word, times in count.items():
                rarity = math.log(1 + (len(counts) - holding[word] + 0.5) / (holding[word] + 0.5))
                value = rarity * times * 2.5 / (times + 1.5 * (0.25 + 0.75 * length / usual))
                self._postings.setdefault(word, []).append((place, value))

    def __call__(self, query: str, k: int) -> list[ApiId]:
        """The k best."""
        scores: Counter[int] = Counter()
        for word in self._split(query):
            for place, value in self._postings.get(word, ()):
                scores[place] += value
        return [self._apis[place] for place, _ in sorted(scores.items(), key=lambda item: (-item[1], item[0]))[:k]]


def _text(api: ApiSpec) -> str:
    names = " ".join(parameter.name for parameter in api.parameters)
    return f"{api.id.category} {api.id.tool} {api.id.api} {api.description} {names}"


def plain_words(text: str) -> list[str]:
    """The runs of letters and digits in lower case."""
    return re.findall(r"\w+", text.lower())


def searching(search: ToolSearch) -> Search:
    """The search, as the comparison asks it."""
    return lambda query, k: [hit.api for hit in search.search(query, k)]


GRID: dict[str, tuple[float, ...]] = {
    "api": (1, 2, 3, 4),
    "description": (0.5, 1),
    "tool": (1, 2, 3),
    "category": (0, 0.5, 1),
    "parameters": (0, 0.4, 0.8),
    "parameter_descriptions": (0, 0.3, 0.6),
    "defaults": (0, 0.2, 0.4),
    "response": (0, 0.3, 0.6),
    "saturation": (0.6, 1.2, 2),
    "tool_saturation": (0.3, 0.6, 1.2),
    "length": (0.25, 0.5, 0.75),
    "of_tool": (0.6, 1.2, 1.8),
    "of_siblings": (0, 0.6, 1.3),
    "explained": (0, 0.35, 0.7),
}
"""What is tried when weights are chosen for a set that is left out."""
UNCHOSEN = Weights(
    api=1,
    description=1,
    tool=1,
    category=1,
    parameters=0.4,
    parameter_descriptions=0,
    defaults=0,
    response=0,
    tool_saturation=1.2,
    of_tool=0.6,
    of_siblings=0,
    explained=0,
)
"""Where choosing begins: nothing that was learned on any set."""


def chosen(search: ToolSearch, others: dict[str, list[Task]]) -> Weights:
    """The weights that do best on some sets, each changed in turn until nothing gets better (at most twice)."""
    best, weights = _worth(search, UNCHOSEN, others), UNCHOSEN
    for _ in range(2):
        before = weights
        for name, values in GRID.items():
            for value in values:
                tried = msgspec.structs.replace(weights, **{name: value})
                if tried != weights and (worth := _worth(search, tried, others)) > best:
                    best, weights = worth, tried
        if weights == before:
            break
    return weights


def _worth(search: ToolSearch, weights: Weights, sets: dict[str, list[Task]]) -> float:
    search.weigh(weights)
    each = [figures(ranked_by(searching(search), asked, depth=5)) for asked in sets.values()]
    return sum(one.recall_5 + one.ndcg_5 / 2 for one in each) / len(each)


def held_out(search: ToolSearch, sets: dict[str, list[Task]]) -> None:
    """Print what weights find in a set that they were not chosen on."""
    print("Proctor, its weights chosen on the other sets")
    everything: Ranked = []
    for name, asked in sets.items():
        search.weigh(chosen(search, {other: tasks for other, tasks in sets.items() if other != name}))
        ranked = ranked_by(searching(search), asked)
        everything += ranked
        print(f"  {name:<26}{figures(ranked)}", flush=True)
    print(f"  {'all':<26}{figures(everything)}")
    search.weigh(Weights())


class MixedSearch:
    """Proctor's ranking and one by embeddings, fused by their ranks: no scale of either has to be known."""

    def __init__(self, search: Search, near: dict[str, list[ApiId]], weight: float) -> None:
        self._search = search
        self._near = near
        self._weight = weight

    def __call__(self, query: str, k: int) -> list[ApiId]:
        """The APIs that fit best."""
        worth: dict[ApiId, float] = {}
        for weight, ranked in ((1 - self._weight, self._search(query, FUSED)), (self._weight, self._near[query])):
            for place, api in enumerate(ranked):
                worth[api] = worth.get(api, 0.0) + weight / (RANKS + place)
        return sorted(worth, key=lambda api: -worth[api])[:k]


def with_embeddings(search: Search, catalog: Catalog, sets: dict[str, list[Task]]) -> None:
    """Print what embeddings find alone, and what they add to Proctor's search at each weight."""
    everything = [task for asked in sets.values() for task in asked]
    queries = list(dict.fromkeys(task.text for task in everything))
    asked = {"texts": [_text(api) for api in catalog], "queries": queries, "number": FUSED}
    try:
        found = run_peer(peer_python("wordllama", WORDLLAMA), EMBEDDER, asked)
    except (subprocess.CalledProcessError, OSError, ValueError) as error:
        print(f"wordllama could not be installed or run here, so nothing is said of it: {error}")
        return
    identities = [api.id for api in catalog]
    near = {query: [identities[place] for place in ranked] for query, ranked in zip(queries, found, strict=True)}
    own = figures(ranked_by(search, everything))
    for weight in MIXED:
        mixed = figures(ranked_by(MixedSearch(search, near, weight), everything))
        added = "  ".join(f"{new - old:+5.1f}" for new, old in zip(mixed, own, strict=True))
        print(f"wordllama, weight {weight:.2f}       {mixed}\n  {'added to Proctor alone':<26}{added}", flush=True)


def main() -> int:
    """Measure, print, and say whether the limit is kept."""
    folder = FILES / "test_instruction"
    if not folder.is_dir():
        print(f"skipped: there are no query files at {folder}; PROCTOR_SHARED_DATA may name their folder.")
        return 0
    sets, catalog = tasks(folder)
    everything = [task for asked in sets.values() for task in asked]
    print(f"{len(catalog)} APIs, {len(everything)} queries, {sum(len(task.gold) for task in everything)} APIs to find")
    print(f"{'in percent':<28}  R@5   R@10   R@20     N@1    N@5")
    ours = ToolSearch(catalog)
    searches: dict[str, Search] = {
        "BM25 on plain words": PlainSearch(catalog, plain_words),
        "BM25 on the words of search": PlainSearch(catalog, words),
        "Proctor": searching(ours),
    }
    for name, search in searches.items():
        print(name)
        begun = time.perf_counter()
        for set_name, asked in {**sets, "all": everything}.items():
            print(f"  {set_name:<26}{figures(ranked_by(search, asked))}")
        print(f"  {1000 * (time.perf_counter() - begun) / 2 / len(everything):.2f} ms a query")
    total = figures(ranked_by(searches["Proctor"], everything))
    if "--embeddings" in sys.argv:
        with_embeddings(searches["Proctor"], catalog, sets)
    if "--quick" not in sys.argv:
        held_out(ours, sets)
    print(f"\nrecall@5 {total.recall_5:.1f} %; at least {LIMIT:.0f} %")
    return 0 if total.recall_5 >= LIMIT else 1


if __name__ == "__main__":
    sys.exit(main())

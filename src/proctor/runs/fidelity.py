"""How like the real APIs a simulator is: asked what was recorded, and its answers held against the recorded ones."""

from __future__ import annotations

import asyncio
import heapq
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import msgspec

from proctor import json_text
from proctor.catalog.index import Catalog
from proctor.dataset_schema import SingleTurnSample
from proctor.errors import FileError, InputError, OptionError
from proctor.gateway.directory import Directory, Place
from proctor.gateway.judged import judged_answer
from proctor.gateway.source import AnswerSource, Call, Unanswered
from proctor.metrics._bleu_score import BleuScore
from proctor.metrics._string import NonLLMStringSimilarity
from proctor.records.answers import Answer, Source
from proctor.records.entries import Entry
from proctor.records.grades import Missing, Score
from proctor.records.keys import content_hash
from proctor.stats.estimates import Estimate, clustered_mean
from proctor.store.responses import ResponseStore

__all__ = ["MEASURES", "Fidelity", "FidelityOptions", "compared", "measure_fidelity", "structure"]

_LONGEST = 20_000
"""So many characters of each answer are compared."""
_DEEPEST = 40


class FidelityOptions(msgspec.Struct, frozen=True):
    """Which recorded answers are asked for, and how."""

    limit: int | None = 200
    """At most so many, drawn by the seed; None for all."""
    seed: int = 0
    concurrency: int = 8
    level: float = 0.95
    """How often the intervals are to hold the truth."""


class Fidelity(msgspec.Struct, frozen=True):
    """What came of a comparison."""

    simulator: str
    compared: int
    """How many recorded answers the simulator was asked for."""
    apis: int
    """Of how many APIs they are; intervals take the answers of an API as hanging together."""
    left_out: dict[str, int]
    """Recorded answers that are nothing to compare with, by why."""
    figures: dict[str, Estimate | Missing]
    """The mean of each of `MEASURES`."""
    unmeasured: dict[str, dict[str, int]]
    """By measure, how often and why there was nothing to measure."""


Cells = dict[str, float | Missing]


async def measure_fidelity(
    store: ResponseStore,
    catalog: Catalog,
    simulator: AnswerSource,
    options: FidelityOptions | None = None,
    advance: Callable[[int], object] = lambda _: None,
) -> Fidelity:
    """Ask a simulator for recorded answers and compare.

    Recorded failures, empty answers and what other simulators made are left out, and so is what the catalogue does not
    document.
    """
    chosen = options or FidelityOptions()
    entries, left_out = _drawn(store, catalog, chosen)
    if not entries:
        raise FileError(f"no recorded answer is there to compare with{_why(left_out)}", path=store.name)
    gate = asyncio.Semaphore(chosen.concurrency)

    async def one(entry: Entry, place: Place) -> Cells:
        async with gate:
            said = await judged_answer(simulator, place.call(place.restored(entry.arguments), entry.key))
        advance(1)
        return compared(entry.answer, said)

    rows = await asyncio.gather(*(one(entry, place) for entry, place in entries))
    apis = [place.api for _, place in entries]
    return Fidelity(
        simulator=simulator.name,
        compared=len(rows),
        apis=len(set(apis)),
        left_out=dict(left_out),
        figures={name: _figure([row[name] for row in rows], apis, chosen.level) for name in MEASURES},
        unmeasured={name: _reasons(row[name] for row in rows) for name in MEASURES},
    )


def compared(real: Answer, said: Answer | Unanswered) -> Cells:
    """The cells of one pair, by the name of the measure.

    >>> cells = compared(Answer({"wind": 5}), Answer({"wind": 7}))
    >>> cells["error agreement"], cells["structure"]
    (1.0, 1.0)
    """
    if isinstance(said, Unanswered):
        nothing = Missing("the simulator gave no answer", str(said))
        return {"answered": 0.0, **dict.fromkeys(MEASURES[1:], nothing)}
    cells: Cells = {"answered": 1.0, "error agreement": float(bool(real.error.strip()) == bool(said.error.strip()))}
    if real.error.strip() or said.error.strip():
        who = "recorded answer" if real.error.strip() else "simulator's answer"
        return {**cells, **dict.fromkeys(MEASURES[2:], Missing(f"the {who} is an error"))}
    values = _value(real.response), _value(said.response)
    texts = SingleTurnSample(reference=_text(values[0]), response=_text(values[1]))
    return {
        **cells,
        "structure": structure(*values),
        "BLEU": _number(BleuScore(kwargs={"use_effective_order": True}).measure(texts)),
        "similarity": _number(NonLLMStringSimilarity().measure(texts)),
    }


MEASURES = ("answered", "error agreement", "structure", "BLEU", "similarity")
"""What is measured of each pair: whether there is an answer; whether both or neither say an error; the fields that both
have, with their types (F1); and how like the two are as texts."""


def structure(real: Any, said: Any) -> float:
    """How far two values have the same fields of the same types: F1 over their paths, elements of lists taken together.

    >>> structure({"days": [{"wind": 5}]}, {"days": [{"wind": 7}, {"wind": 1}]})
    1.0
    """
    one, two = set(_paths(real, "", 0)), set(_paths(said, "", 0))
    return 2 * len(one & two) / (len(one) + len(two))


def _paths(value: Any, path: str, depth: int) -> Iterator[str]:
    yield f"{path}: {_kind(value)}"
    if depth >= _DEEPEST:
        return
    if isinstance(value, dict):
        for name, item in value.items():
            yield from _paths(item, f"{path}.{name}", depth + 1)
    elif isinstance(value, list):
        for item in value:
            yield from _paths(item, f"{path}[]", depth + 1)


def _kind(value: Any) -> str:
    if value is None or isinstance(value, bool):
        return "nothing" if value is None else "truth"
    if isinstance(value, dict):
        return "object"
    if isinstance(value, list):
        return "list"
    return "text" if isinstance(value, str) else "number"


def _value(response: Any) -> Any:
    """A response, or the JSON in it: recorded responses are often JSON text."""
    if not isinstance(response, str) or response.lstrip()[:1] not in {"{", "["}:
        return response
    try:
        return msgspec.json.decode(response)
    except json_text.UNREADABLE:
        return response


def _text(value: Any) -> str:
    text = value if isinstance(value, str) else msgspec.json.encode(value).decode()
    return text[:_LONGEST]


def _number(score: Score | Missing) -> float | Missing:
    return score.value if isinstance(score, Score) else score


def _drawn(
    store: ResponseStore, catalog: Catalog, options: FidelityOptions
) -> tuple[list[tuple[Entry, Place]], Counter[str]]:
    """The recorded answers to compare with, and why others are left out."""
    if options.limit is not None and options.limit < 1:
        raise OptionError(f"limit must be at least 1, not {options.limit}.")
    left_out: Counter[str] = Counter()
    directory = Directory(catalog)

    def usable() -> Iterator[tuple[str, Entry, Place]]:
        for entry in store.entries():
            place = directory.find(entry.api.category, entry.api.tool, entry.api.api)
            why = _useless(entry) or ("the tools lack the API" if isinstance(place, str) else "")
            if why or isinstance(place, str):
                left_out[why] += 1
            else:
                yield content_hash([options.seed, entry.key]), entry, place

    if options.limit is None:
        return [(entry, place) for _, entry, place in usable()], left_out
    drawn = heapq.nsmallest(options.limit, usable(), key=lambda one: one[0])
    return [(entry, place) for _, entry, place in drawn], left_out


def _useless(entry: Entry) -> str:
    if entry.mark is not None:
        return f"marked as suspicious: {entry.mark.value}"
    made = entry.answer.provenance
    if made is not None and made.source in {Source.SIMULATED, Source.COMPUTED, Source.CANNED}:
        return f"no real answer, but a {made.source.value} one"
    try:
        Call.of(entry.api, entry.arguments)
    except InputError:
        return "its arguments are not JSON"
    return ""


def _why(left_out: Counter[str]) -> str:
    return "".join(f"; {reason} ({count})" for reason, count in left_out.most_common(5)) + "."


def _figure(cells: list[float | Missing], apis: list[Any], level: float) -> Estimate | Missing:
    values = [cell for cell in cells if not isinstance(cell, Missing)]
    if not values:
        return Missing("nothing could be measured", _why(Counter(_reasons(iter(cells)))).strip("; ."))
    clusters = [api for cell, api in zip(cells, apis, strict=True) if not isinstance(cell, Missing)]
    return clustered_mean(values, clusters, level=level, bounds=(0.0, 1.0))


def _reasons(cells: Iterator[float | Missing]) -> dict[str, int]:
    said = (cell for cell in cells if isinstance(cell, Missing))
    return dict(Counter(cell.reason if cell.detail is None else f"{cell.reason} ({cell.detail})" for cell in said))

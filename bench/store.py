"""How fast the store of answers is: against bare `sqlite3` on the same file, and as it grows to a million answers.

Both rates are taken in turn, in short rounds of one run, so that a busy machine slows both; medians are compared. Keys
are asked for at random, and each answer is decoded. Exits with 1 when a limit is passed. `--largest` says how far the
store grows.
"""

from __future__ import annotations

import argparse
import random
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from proctor.records.answers import Answer, Provenance, Source
from proctor.records.entries import Entry, entry_key
from proctor.records.queries import ApiId
from proctor.store.sqlite import SqliteResponses

SMALLEST = 1_000
ROUNDS = 15
GETS = 2_000
BATCH = 5_000
PUTS = 2_000
LEAST_OF_BARE = 0.5
"""A get through the store reaches at least this share of the bare rate."""
LEAST_WHEN_LARGE = 0.9
"""From the smallest store to the largest, the rate keeps at least this share of what bare sqlite3 keeps: a million
answers do not fit into a processor's cache, and that costs the database itself more than half of its rate."""

APIS = [ApiId("Weather", f"Sky Report {n}", "Get Forecast") for n in range(200)]
RESPONSE = {"days": [{"day": n, "sky": "clear", "wind": 3.5, "note": "light wind from the west"} for n in range(12)]}


def arguments(number: int) -> dict[str, object]:
    return {"city": f"city {number}", "days": 12, "units": "metric"}


def entry(number: int) -> Entry:
    answer = Answer({**RESPONSE, "id": number}, provenance=Provenance(Source.SIMULATED, model="tiny", at=1.0))
    return Entry.of(APIS[number % len(APIS)], arguments(number), answer)


def keys(count: int, dice: random.Random) -> list[str]:
    """Random keys of a store that holds this many entries."""
    numbers = [dice.randrange(count) for _ in range(GETS)]
    return [entry_key(APIS[number % len(APIS)], arguments(number)) for number in numbers]


def filled(path: Path, count: int) -> SqliteResponses:
    store = SqliteResponses(path)
    for begin in range(0, count, BATCH):
        store.put_many(entry(number) for number in range(begin, min(begin + BATCH, count)))
    store.close()
    return SqliteResponses(path)


def rate(get: Callable[[str], object], asked: list[str]) -> float:
    """Hits a second."""
    begun = time.perf_counter()
    for key in asked:
        if get(key) is None:
            raise SystemExit("a stored answer was not found.")
    return len(asked) / (time.perf_counter() - begun)


def bare(path: Path) -> Iterator[Callable[[str], object]]:
    """What sqlite3 does by itself: the bytes under a key."""
    database = sqlite3.connect(path)
    yield lambda key: database.execute("SELECT answer FROM answers WHERE key = ?", (key,)).fetchone()
    database.close()


def measured(folder: Path, sizes: list[int]) -> dict[int, tuple[float, float]]:
    """For each size, the median rates of the store and of bare sqlite3, and their rounds taken in turn."""
    stores = {size: (folder / f"{size}.db", filled(folder / f"{size}.db", size)) for size in sizes}
    through: dict[int, list[float]] = {size: [] for size in sizes}
    beside: dict[int, list[float]] = {size: [] for size in sizes}
    dice = random.Random(1)
    closing = {size: bare(path) for size, (path, _) in stores.items()}
    gets = {size: next(opened) for size, opened in closing.items()}
    for round_ in range(ROUNDS + 1):
        for size, (_, store) in stores.items():
            for _ in range(3 if round_ == 0 else 1):  # the first round warms up and does not count
                asked = keys(size, dice)
                rates = rate(store.answer, asked), rate(gets[size], asked)
            if round_:
                through[size].append(rates[0])
                beside[size].append(rates[1])
    for opened in closing.values():
        next(opened, None)
    for _, store in stores.values():
        store.close()
    return {size: (statistics.median(through[size]), statistics.median(beside[size])) for size in sizes}


def put_rate(folder: Path) -> float:
    store = SqliteResponses(folder / "puts.db")
    entries = [entry(number) for number in range(PUTS)]
    store.put(entries[0])
    begun = time.perf_counter()
    for one in entries:
        store.put(one)
    taken = time.perf_counter() - begun
    store.close()
    return PUTS / taken


def main() -> int:
    """Measure, print, and say whether the limits are kept."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--largest", type=int, default=1_000_000)
    largest: int = parser.parse_args().largest
    with tempfile.TemporaryDirectory() as name:
        sizes = sorted({SMALLEST, min(30_000, largest), largest})
        rates = measured(Path(name), sizes)
        puts = put_rate(Path(name))
    kept = True
    for size, (through, beside) in rates.items():
        share = through / beside
        kept &= share >= LEAST_OF_BARE
        print(f"{size:>9,} answers: {through:>8,.0f} gets/s; bare sqlite3 {beside:>8,.0f}; {share:.2f} of it")
    through, beside = (rates[sizes[-1]][which] / rates[sizes[0]][which] for which in (0, 1))
    kept &= through >= LEAST_WHEN_LARGE * beside
    print(f"the largest at {through:.2f} of the smallest; bare sqlite3 at {beside:.2f}")
    print(f"limits: {LEAST_OF_BARE:.2f} of bare sqlite3, and {LEAST_WHEN_LARGE:.2f} of what it keeps")
    print(f"{puts:,.0f} puts/s, one transaction each")
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())

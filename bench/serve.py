"""How fast `/virtual` answers out of the cache: beside a server built as upstream's is, and beside bare starlette.

All servers run at once, each a process of its own, and are asked in turn, in short rounds of one run. What counts is
how many requests a server answers in a second of its own processor time (as Linux counts it), so that whatever else the
machine does slows nobody; medians of the rounds are compared. Each call is one that has a stored answer, at random.

1. A server built as upstream's is (`peer/serve_upstream.py`): FastAPI with a validated model, and the whole cache file
   of the API parsed for every request. From 100 answers a file on, `/virtual` has to answer 20 times as many. With
   files of 20 answers parsing is not yet what costs, and the framework is: there it is about 19 times, which is printed
   and held to nothing.
2. Bare starlette with a constant body of the same size, under the same uvicorn: `/virtual` reaches 60 % of it.
3. The more is stored, the same it is to cost. Calls that memory answers: with 1,000,000 answers stored, the same calls
   again and again are as fast as with 1,000 (within 15 %). Calls that come for the first time, which are read from the
   database: servers whose memory is off are asked for any of 1,000, 10,000, 100,000 and 1,000,000 stored answers, and
   with each of these they reach 60 % of what they answer with 1,000. `--without-index` takes the database's index away
   beyond 1,000, to show that this limit is one that can be missed.
4. In process: a call that memory answers takes at most three times as long as hashing its canonical arguments and
   looking into a dictionary. A read of the store reaches half of the rate of bare `sqlite3`, and what a call costs that
   SQLite answers is shown.

Exits with 1 when a limit is passed. `--largest` says how far the store grows; `--without-upstream` leaves 1 out.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import random
import select
import socket
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from peers import peer_python

from proctor.formats.stabletoolbench.cache import export_cache
from proctor.gateway.gateway import Gateway, GatewayOptions
from proctor.records.answers import Answer
from proctor.records.entries import Entry, entry_key
from proctor.records.keys import call_key
from proctor.store.sqlite import SqliteResponses
from store import APIS, BATCH, RESPONSE

UPSTREAM = Path(__file__).parent / "peer" / "serve_upstream.py"
FASTAPI = ["fastapi==0.115.14", "uvicorn[standard]==0.34.3"]
SMALLEST = 1_000
PER_FILE = (20, 100, 1_000)
"""So many answers stand in an API's cache file."""
LEAST_FILE = 100
CONNECTIONS = 8
ROUNDS = 9
SECONDS = 0.25
AGAIN = 1_000
"""So many different calls are repeated."""
LEAST_OF_UPSTREAM = 20.0
LEAST_OF_STARLETTE = 0.60
LEAST_WHEN_LARGE = 0.85
LEAST_AT_FIRST = 0.60
SIZES = (10_000, 100_000, 1_000_000)
MOST_OF_HASHING = 3.0
FILE_APIS = 4
"""So many APIs have cache files of each size."""


def arguments(number: int) -> dict[str, Any]:
    return {"city": f"city {number}", "days": 12, "units": "metric"}


def entry(number: int, apis: int) -> Entry:
    return Entry.of(APIS[number % apis], arguments(number), Answer({**RESPONSE, "id": number}))


def filled(path: Path, count: int, apis: int = len(APIS)) -> Path:
    store = SqliteResponses(path)
    for begin in range(0, count, BATCH):
        store.put_many(entry(number, apis) for number in range(begin, min(begin + BATCH, count)))
    store.close()
    return path


def request(number: int, apis: int) -> bytes:
    api = APIS[number % apis]
    asked = {"category": api.category, "tool_name": api.tool, "api_name": api.api, "tool_input": arguments(number)}
    body = json.dumps({**asked, "strip": "filter", "toolbench_key": ""}).encode()
    head = "POST /virtual HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n"
    return f"{head}content-length: {len(body)}\r\n\r\n".encode() + body


class Server:
    """A server in a process of its own, and its clients."""

    def __init__(self, name: str, command: list[str], wants: bytes = b'"response":{"days"') -> None:
        self.name = name
        self.wants = wants
        self.rates: list[float] = []
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        line = next(line for line in self.process.stdout if line.startswith("listening on "))
        host, port = line.split()[-1].removeprefix("http://").split(":")
        self.connections = [socket.create_connection((host, int(port))) for _ in range(CONNECTIONS)]
        for connection in self.connections:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def close(self) -> None:
        """End the server."""
        for connection in self.connections:
            connection.close()
        self.process.terminate()
        self.process.communicate()

    def seconds(self) -> float:
        """The processor time that the server has taken."""
        threads = Path(f"/proc/{self.process.pid}/task").iterdir()
        return sum(int((thread / "schedstat").read_text().split()[0]) for thread in threads) / 1e9

    def round(self, asked: Iterator[bytes], seconds: float = SECONDS, *, counts: bool = True) -> float:
        """Ask for a while on all connections at once; answers a second of the server's processor time."""
        began, ends = self.seconds(), time.perf_counter() + seconds
        waiting = {connection.fileno(): connection for connection in self.connections}
        poll = select.poll()
        for connection in self.connections:
            poll.register(connection, select.POLLIN)
            connection.sendall(next(asked))
        answered = 0
        while waiting:
            for number, _ in poll.poll():
                connection = waiting[number]
                self._read(connection)
                answered += 1
                if time.perf_counter() < ends:
                    connection.sendall(next(asked))
                else:
                    poll.unregister(connection)
                    del waiting[number]
        rate = answered / (self.seconds() - began)
        if counts:
            self.rates.append(rate)
        return rate

    def _read(self, connection: socket.socket) -> None:
        said = connection.recv(65_536)
        head, _, body = said.partition(b"\r\n\r\n")
        length = int(head.lower().partition(b"content-length: ")[2].split(b"\r\n")[0])
        while len(body) < length:
            body += connection.recv(65_536)
        if not head.startswith(b"HTTP/1.1 200") or self.wants not in body[:60].replace(b" ", b""):
            raise SystemExit(f"{self.name} answered something else: {said[:300]!r}")

    @property
    def rate(self) -> float:
        """The median of the rounds that count."""
        return statistics.median(self.rates)


def repeated(count: int, apis: int) -> Iterator[bytes]:
    """The same calls again and again."""
    dice = random.Random(1)
    known = [request(dice.randrange(count), apis) for _ in range(min(AGAIN, count))]
    while True:
        dice.shuffle(known)
        yield from known


def once(count: int, apis: int) -> Iterator[bytes]:
    """Calls that hardly ever come twice, where there are many."""
    dice = random.Random(2)
    while True:
        yield request(dice.randrange(count), apis)


def proctor(store: Path) -> list[str]:
    return [sys.executable, "-m", "proctor", "serve", "--port", "0", "--cache", str(store)]


FORGETFUL = """
import sys
from proctor.gateway.gateway import Gateway, GatewayOptions
from proctor.server.http import Application
from proctor.server.listening import run
from proctor.store.responses import open_responses
gateway = Gateway(store=open_responses(sys.argv[1]), options=GatewayOptions(memory=0))
run(Application(gateway), "127.0.0.1", 0, lambda url: print(f"listening on {url}", flush=True))
"""
"""The server of `proctor serve`, with no memory in front of its store."""

STARLETTE = """
import sys, uvicorn
from starlette.applications import Starlette
from starlette.responses import Response
from starlette.routing import Route
body = sys.argv[1].encode()
async def virtual(request):
    return Response(body, media_type="application/json")
config = uvicorn.Config(Starlette(routes=[Route("/virtual", virtual, methods=["POST"])]), port=0,
                        log_level="warning", access_log=False, server_header=False)
listening = config.bind_socket()
listening.listen(128)
print(f"listening on http://127.0.0.1:{listening.getsockname()[1]}", flush=True)
uvicorn.Server(config).run(sockets=[listening])
"""


def in_turn(pairs: list[tuple[Server, Iterator[bytes]]]) -> None:
    """Rounds of all servers, one after the other; the first ones warm up and do not count."""
    for server, asked in pairs:
        server.round(asked, 2 * SECONDS, counts=False)
    for _ in range(ROUNDS):
        for server, asked in pairs:
            server.round(asked)


def beside_upstream(folder: Path) -> bool:
    """1: the same answers in a store and in cache files."""
    python = str(peer_python("fastapi", FASTAPI))
    kept = True
    for size in PER_FILE:
        count = size * FILE_APIS
        path = filled(folder / f"files-{size}.db", count, FILE_APIS)
        store = SqliteResponses(path, read_only=True)
        export_cache(store, folder / f"files-{size}")
        store.close()
        with contextlib.ExitStack() as stack:
            ours = stack.enter_context(contextlib.closing(Server("proctor", proctor(path))))
            command = [python, str(UPSTREAM), str(folder / f"files-{size}")]
            theirs = stack.enter_context(contextlib.closing(Server("upstream's way", command)))
            in_turn([(ours, repeated(count, FILE_APIS)), (theirs, repeated(count, FILE_APIS))])
        ratio = ours.rate / theirs.rate
        kept &= ratio >= LEAST_OF_UPSTREAM or size < LEAST_FILE
        kib = max(one.stat().st_size for one in (folder / f"files-{size}").rglob("*.json")) / 1024
        said = f"{size:>6,} answers an API ({kib:>5,.0f} KiB): /virtual {ours.rate:>7,.0f}/s, upstream's way "
        print(f"{said}{theirs.rate:>6,.0f}/s: {ratio:.0f} times{'' if size >= LEAST_FILE else ' (held to nothing)'}")
    print(f"limit: {LEAST_OF_UPSTREAM:.0f} times, from {LEAST_FILE} answers an API on")
    return kept


def beside_starlette(folder: Path, largest: int) -> bool:
    """2 and 3: bare starlette, a small store and a large one, all three at once."""
    small, large = filled(folder / "small.db", SMALLEST), filled(folder / "large.db", largest)
    body = json.dumps({"error": "", "response": {**RESPONSE, "id": 1}}, separators=(",", ":"))
    with contextlib.ExitStack() as stack:
        command = [sys.executable, "-c", STARLETTE, body]
        bare = stack.enter_context(contextlib.closing(Server("starlette", command)))
        little, much = (
            stack.enter_context(contextlib.closing(Server("proctor", proctor(path)))) for path in (small, large)
        )
        again = repeated(SMALLEST, len(APIS))
        in_turn([(bare, again), (little, again), (much, again)])
        rates = bare.rate, little.rate, much.rate
    share, flat = rates[1] / rates[0], rates[2] / rates[1]
    print(f"bare starlette {rates[0]:,.0f}/s; /virtual {rates[1]:,.0f}/s: {share:.2f} of it")
    print(f"{largest:,} answers instead of {SMALLEST:,}, the same calls again: {rates[2]:,.0f}/s, {flat:.2f} of it")
    print(f"limits: {LEAST_OF_STARLETTE:.2f} of starlette, {LEAST_WHEN_LARGE:.2f} when large")
    return share >= LEAST_OF_STARLETTE and flat >= LEAST_WHEN_LARGE


def for_the_first_time(folder: Path, largest: int, *, indexed: bool) -> bool:
    """3: calls that the database answers, with more and more stored, all servers at once."""
    sizes = [SMALLEST, *(size for size in SIZES if size < largest), largest]
    with contextlib.ExitStack() as stack:
        servers: dict[int, Server] = {}
        for size in sizes:
            path = folder / f"first-{size}.db"
            known = {SMALLEST: folder / "small.db", largest: folder / "large.db"}.get(size)
            path = known if known is not None else filled(path, size)
            if not indexed and size > SMALLEST:
                with contextlib.closing(sqlite3.connect(path)) as database:
                    database.execute("DROP INDEX answers_by_key")
            command = [sys.executable, "-c", FORGETFUL, str(path)]
            servers[size] = stack.enter_context(contextlib.closing(Server("proctor without memory", command)))
        in_turn([(server, once(size, len(APIS))) for size, server in servers.items()])
        rates = {size: server.rate for size, server in servers.items()}
    for size, rate in rates.items():
        said = f"{size:>9,} answers stored, each call read from the database: {rate:>7,.0f}/s"
        print(f"{said}, {rate / rates[SMALLEST]:.2f} of it with {SMALLEST:,}")
    print(f"limit: {LEAST_AT_FIRST:.2f} at every size")
    return min(rates.values()) >= LEAST_AT_FIRST * rates[SMALLEST]


def timed(work: Callable[[], object]) -> float:
    begun = time.process_time()
    work()
    return time.process_time() - begun


async def timed_calls(gateway: Gateway, numbers: list[int]) -> float:
    begun = time.process_time()
    for number in numbers:
        api = APIS[number % len(APIS)]
        await gateway.call(api.category, api.tool, api.api, KNOWN[number])
    return time.process_time() - begun


KNOWN: dict[int, dict[str, Any]] = {}


def in_process(folder: Path) -> bool:
    """4: the gateway by itself."""
    store = SqliteResponses(folder / "small.db")
    numbers = list(range(SMALLEST)) * 5
    KNOWN.update((number, arguments(number)) for number in range(SMALLEST))
    table = {entry_key(APIS[number % len(APIS)], arguments(number)): number for number in range(SMALLEST)}
    database = sqlite3.connect(folder / "small.db")

    def hash_and_look() -> None:
        for number in numbers:
            api = APIS[number % len(APIS)]
            table[call_key(api.category, api.tool, api.api, KNOWN[number])]

    keys = list(table) * 5

    def bare() -> None:
        for key in keys:
            database.execute("SELECT answer FROM answers WHERE key = ?", (key,)).fetchone()

    def stored() -> None:
        for key in keys:
            store.answer(key)

    remembering, forgetful = Gateway(store=store), Gateway(store=store, options=GatewayOptions(memory=0))
    loop = asyncio.new_event_loop()
    rounds: list[tuple[float, ...]] = []
    for _ in range(ROUNDS + 1):
        gateways = [loop.run_until_complete(timed_calls(one, numbers)) for one in (remembering, forgetful)]
        rounds.append((*gateways, timed(hash_and_look), timed(bare), timed(stored)))
    loop.close()
    database.close()
    store.close()
    us = [statistics.median(column) / len(numbers) * 1e6 for column in zip(*rounds[1:], strict=True)]
    memory, sqlite, hashing, raw, through = us
    print(
        f"a memory hit takes {memory:.1f} µs; hashing and a dictionary {hashing:.1f} µs: {memory / hashing:.2f} times"
    )
    print(f"a SQLite hit takes {sqlite:.1f} µs: {hashing:.1f} for its key, {through:.1f} in the store; ", end="")
    print(f"bare sqlite3 {raw:.1f} µs, so the store reaches {raw / through:.2f} of its rate")
    print(f"limits: {MOST_OF_HASHING:.1f} times hashing; 0.50 of bare sqlite3")
    return memory <= MOST_OF_HASHING * hashing and through <= 2 * raw


def main() -> int:
    """Measure, print, and say whether the limits are kept."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--largest", type=int, default=1_000_000)
    parser.add_argument("--without-upstream", action="store_true")
    parser.add_argument("--without-index", action="store_true", help="show that the limit of first calls can be missed")
    wish = parser.parse_args()
    os.environ.pop("PROCTOR_TOKEN", None)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        kept = [beside_starlette(folder, wish.largest), in_process(folder)]
        kept.append(for_the_first_time(folder, wish.largest, indexed=not wish.without_index))
        if not wish.without_upstream:
            kept.append(beside_upstream(Path(name)))
    return 0 if all(kept) else 1


if __name__ == "__main__":
    sys.exit(main())

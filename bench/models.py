"""How much time asking a model takes beyond the model's own.

Against a server on loopback, in a process of its own, which plays chat completions:

1. 1,000 calls at concurrency 64, each answered after 100 ms. The ideal is 16 rounds of 100 ms; the limit is 1.10 times
   that, on a machine with a core to spare. The bare openai client behind a semaphore is measured beside it.
2. The time that one call takes when the answer comes at once: ours, the bare openai client's, and ragas's (its
   `llm_factory` with structured output, as its metrics ask), as ratios. Ours must not be slower than 1.25 times the
   bare client.

The best of three counts in 1, the median of five in 2. Exits with 1 when a limit is passed. `--without-ragas` leaves
the peer out, `--ragas PYTHON` measures one that is installed already.
"""

from __future__ import annotations

import asyncio
import math
import statistics
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import openai
from peers import peer_python, run_peer

from proctor.models.chat import OutputSchema, Request
from proctor.models.openai import OpenAIModel, Options
from proctor.models.scripted_server import ScriptedServer

CALLS = 1000
CONCURRENCY = 64
LATENCY = 0.1
MOST_WALL = 1.10
MOST_OVERHEAD = 1.25
ROUNDS = 5
IN_TURN = 200
PEER = Path(__file__).with_name("models_ragas.py")
RAGAS = ["ragas==0.4.3", "langchain-community<0.4"]
SCHEMA = {
    "type": "object",
    "properties": {"reason": {"type": "string"}, "verdict": {"type": "integer"}},
    "required": ["reason", "verdict"],
    "additionalProperties": False,
}
SHAPE = {"type": "json_schema", "json_schema": {"name": "verdict", "schema": SCHEMA, "strict": True}}
PROMPT = "Was the query solved? " + "The agent looked at the weather in Rome and said that it is sunny. " * 20
VERDICT = {"reason": "The answer names the weather that the tool reported.", "verdict": 1}


@contextmanager
def server(latency: float) -> Iterator[str]:
    """The address of a server in a process of its own."""
    command = [sys.executable, __file__, "--serve", str(latency)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        yield process.stdout.readline().strip()
        process.stdin.close()


def serve(latency: float) -> None:
    with ScriptedServer(lambda _: VERDICT, latency=latency) as running:
        print(running.url, flush=True)
        sys.stdin.read()


def requests(count: int) -> list[Request]:
    output = OutputSchema("verdict", SCHEMA)
    return [Request.of(PROMPT, output=output, temperature=0, repeat=number) for number in range(count)]


async def at_once(url: str) -> float:
    """The wall time of many calls."""
    model = OpenAIModel("tiny", url=url, environment={}, options=Options(concurrency=CONCURRENCY))
    await asyncio.gather(*(model.reply(request) for request in requests(CONCURRENCY)))  # connections are open
    asked = requests(CALLS)
    begun = time.perf_counter()
    replies = await asyncio.gather(*(model.reply(request) for request in asked))
    taken = time.perf_counter() - begun
    assert [reply.output_form for reply in replies] == ["json_schema"] * CALLS
    await model.aclose()
    return taken


async def bare_at_once(url: str) -> float:
    """The wall time of as many calls by the bare client, as many at once."""
    turns = asyncio.Semaphore(CONCURRENCY)
    async with openai.AsyncOpenAI(base_url=url, api_key="none", max_retries=0) as client:

        async def ask() -> None:
            async with turns:
                await bare(client)

        await asyncio.gather(*(ask() for _ in range(CONCURRENCY)))
        begun = time.perf_counter()
        await asyncio.gather(*(ask() for _ in range(CALLS)))
        return time.perf_counter() - begun


async def bare(client: openai.AsyncOpenAI) -> str | None:
    """One call by the bare client."""
    answer = await client.chat.completions.create(
        model="tiny",
        messages=[{"role": "user", "content": PROMPT}],
        temperature=0,
        response_format=SHAPE,  # type: ignore[arg-type]
    )
    return answer.choices[0].message.content


async def in_turn(ask: Callable[[], Awaitable[Any]], count: int) -> float:
    """The mean time of a call, one after the other."""
    begun = time.perf_counter()
    for _ in range(count):
        await ask()
    return (time.perf_counter() - begun) / count


async def overhead(url: str) -> dict[str, list[float]]:
    """The times of a call, ours and the bare client's, in turn, so that a busy machine slows both."""
    model = OpenAIModel("tiny", url=url, environment={})
    (request,) = requests(1)
    taken: dict[str, list[float]] = {"ours": [], "bare": []}
    async with openai.AsyncOpenAI(base_url=url, api_key="none", max_retries=0) as client:
        ways: dict[str, Callable[[], Awaitable[Any]]] = {
            "ours": lambda: model.reply(request),
            "bare": lambda: bare(client),
        }
        for round_ in range(ROUNDS + 1):
            for name, ask in ways.items():
                measured = await in_turn(ask, IN_TURN)
                if round_:
                    taken[name].append(measured)
    await model.aclose()
    return taken


def main() -> int:
    """Measure, print, and say whether the limits are kept."""
    ideal = math.ceil(CALLS / CONCURRENCY) * LATENCY
    with server(LATENCY) as url:
        walls = [asyncio.run(at_once(url)) for _ in range(3)]
        bare_wall = asyncio.run(bare_at_once(url))
    wall = min(walls)
    print(f"{CALLS} calls of {LATENCY * 1000:.0f} ms at concurrency {CONCURRENCY}: {wall:.3f} s; ideal {ideal:.3f} s")
    print(f"  ratio {wall / ideal:.3f}, at most {MOST_WALL}; the bare client takes {bare_wall / ideal:.3f}")
    with server(0) as url:
        taken = asyncio.run(overhead(url))
        peers: list[float] = []
        if "--without-ragas" not in sys.argv:
            python = (
                Path(sys.argv[sys.argv.index("--ragas") + 1]) if "--ragas" in sys.argv else peer_python("ragas", RAGAS)
            )
            peers = run_peer(python, PEER, {"url": url, "prompt": PROMPT, "count": IN_TURN})
    ours, bare = (statistics.median(taken[name]) for name in ("ours", "bare"))
    print(
        f"one call: ours {ours * 1e3:.2f} ms, the bare openai client {bare * 1e3:.2f} ms; "
        f"ratio {ours / bare:.2f}; at most {MOST_OVERHEAD}"
    )
    if peers:
        theirs = statistics.median(peers)
        print(f"one call by ragas {theirs * 1e3:.2f} ms: {theirs / ours:.1f} times ours")
    return 0 if wall / ideal <= MOST_WALL and ours / bare <= MOST_OVERHEAD else 1


if __name__ == "__main__":
    if "--serve" in sys.argv:
        serve(float(sys.argv[-1]))
    else:
        sys.exit(main())

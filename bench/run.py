"""What a run costs beside what it waits for, and that this grows with the number of trials and not with its square.

1. 2,000 trials, 64 at a time, of an agent that asks a model twice and an API once; each answer of the model takes 50
   ms. The model is a scripted one in this process, so that the time is Proctor's and not a client library's. The ideal
   is measured in the same run, in turn: as many tasks that only sleep. From the first trial to the last verdict a run
   takes at most 1.15 times as long. What its preparation and the result file add is shown, and the processor time.
2. The journal of 100,000 judged trials opens within a second of processor time.
3. A run of 8 times as many trials takes at most 1.25 times the processor time a trial, the result file included. Beside
   it stands the habit of StableToolBench's evaluator, which writes its whole file anew for every verdict.
4. The same 2,000 trials, 64 at a time, with the 50 ms model behind HTTP on this machine, beside the same ideal. It has
   no limit: what is added is the client library's processor time (one processor does it, and the server needs another),
   and it is told apart from Proctor's own. How much memory it all takes.

The median of the rounds counts. Exits with 1 when a limit is passed.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from proctor.config import settings_of
from proctor.messages import ToolCall
from proctor.models.chat import Reply, Request
from proctor.models.scripted import ScriptedModel
from proctor.records.grades import Status, Verdict
from proctor.records.queries import ApiId, Query
from proctor.records.runs import TrialKey
from proctor.records.traces import CallStep, Finish, Resolution, StopReason, Trace, Usage
from proctor.runs.ledger import Judging, Ledger, Opinion
from proctor.runs.watching import Event, Judged, Planned
from proctor.wiring.exams import prepare, sit
from proctor.wiring.halls import Given

TRIALS = 2_000
CONCURRENCY = 64
LATENCY = 0.05
ASKED = 2
"""So often a trial asks the model."""
ROUNDS = 3
MOST_OF_IDEAL = 1.15
JOURNAL = 100_000
MOST_SECONDS = 1.0
SIZES = (500, 4_000)
MOST_GROWTH = 1.25
REWRITTEN = (100, 200, 400, 800)
SERVER = """
import sys
sys.path.insert(0, sys.argv[1])
import run
from proctor.models.scripted_server import ScriptedServer
with ScriptedServer(lambda body: run.said(body["messages"], body["tools"]), latency=run.LATENCY) as server:
    print(server.url, flush=True)
    sys.stdin.read()
"""


def benchmark(folder: Path, queries: int) -> Path:
    """A benchmark of one set, each query with an API of its own at hand."""
    folder.mkdir()
    parameter = {"name": "port", "type": "STRING", "description": "Name of the port.", "default": "Kiel"}
    api = {
        "category_name": "Travel",
        "tool_name": "Harbour",
        "api_name": "Next Ferry",
        "api_description": "When the next ferry leaves a port.",
        "required_parameters": [parameter],
        "optional_parameters": [],
        "method": "GET",
        "template_response": {"port": "Kiel", "leaves": "07:15", "berth": 4},
    }
    asked = [
        {
            "query_id": number,
            "query": f"I want to leave Kiel by ferry {number}. When does the next one go?",
            "relevant APIs": [["Harbour", "Next Ferry"]],
            "api_list": [api],
        }
        for number in range(queries)
    ]
    (folder / "ferries.json").write_text(json.dumps(asked))
    return folder


def said(messages: Any, tools: Any) -> Reply:
    """The model: it calls the API, and then answers."""
    if messages[-1]["role"] == "tool":
        answer = {"return_type": "give_answer", "final_answer": "The next ferry leaves Kiel at 07:15 from berth 4."}
        return Reply(tool_calls=(ToolCall(name="Finish", args=answer, id="2"),), usage=Usage(1, 100, 10))
    name = tools[0]["function"]["name"]
    return Reply(tool_calls=(ToolCall(name=name, args={"port": "Kiel"}, id="1"),), usage=Usage(1, 100, 10))


class Clock:
    """When a run was planned, and when its last verdict fell."""

    def __init__(self) -> None:
        self.began = self.ended = 0.0

    def __call__(self, event: Event) -> None:
        """Take note."""
        if isinstance(event, Planned):
            self.began = time.perf_counter()
        elif isinstance(event, Judged):
            self.ended = time.perf_counter()

    @property
    def seconds(self) -> float:
        """From the first trial to the last verdict."""
        return self.ended - self.began


def sat(queries: int, delay: float, **more: Any) -> tuple[float, float, float]:
    """A run: seconds from its first trial to its last verdict, seconds in all, and processor time."""
    with tempfile.TemporaryDirectory() as name:
        folder = benchmark(Path(name) / "travel", queries)
        options = {
            "benchmark": str(folder),
            "agent": "react",
            "model": "scripted",
            "simulator": "template",
            "tools": "query",
            "judge": ["heuristic"],
            "output": f"{name}/results",
            "concurrency": CONCURRENCY,
            **more,
        }

        def line(request: Request) -> Reply:
            return said(request.messages, request.tools)

        given = Given() if "model_url" in more else Given(model=ScriptedModel(line, delay=delay))
        clock = Clock()
        began, worked = time.perf_counter(), time.process_time()
        ended = asyncio.run(sit(prepare(settings_of(options), given), watch=clock))
        if ended.state.left or len(ended.record.trials) != queries:
            raise SystemExit("the run did not do all that it was to do.")
        return clock.seconds, time.perf_counter() - began, time.process_time() - worked


def ideal() -> float:
    """As many trials of nothing but waiting."""

    async def waited() -> None:
        trials = iter(range(TRIALS))

        async def worker() -> None:
            for _ in trials:
                for _ in range(ASKED):
                    await asyncio.sleep(LATENCY)

        await asyncio.gather(*(worker() for _ in range(CONCURRENCY)))

    began = time.perf_counter()
    asyncio.run(waited())
    return time.perf_counter() - began


def trials() -> bool:
    """Part 1."""
    sat(100, 0.0)  # the first run imports what it needs
    rounds = [(ideal(), *sat(TRIALS, LATENCY)) for _ in range(ROUNDS)]
    ratio = statistics.median(taken / least for least, taken, _, _ in rounds)
    least, taken, whole, worked = (statistics.median(column) for column in zip(*rounds, strict=True))
    print(f"{TRIALS:,} trials, {CONCURRENCY} at a time, {ASKED} answers of {LATENCY * 1000:.0f} ms each (in process)")
    print(
        f"  ideal {least:.2f} s; first trial to last verdict {taken:.2f} s: {ratio:.3f} times (at most {MOST_OF_IDEAL})"
    )
    print(
        f"  with its preparation and the result file {whole:.2f} s; processor {worked / TRIALS * 1000:.2f} ms a trial"
    )
    return ratio <= MOST_OF_IDEAL


def trace(number: int) -> Trace:
    """A trace of some size."""
    told = '{"error":"","response":{"port":"Kiel","leaves":"07:15","berth":4,"note":"' + "calm sea " * 40 + '"}}'
    api = ApiId("Travel", "Harbour", "Next Ferry")
    call = CallStep("next_ferry_for_harbour", {"port": "Kiel"}, Resolution.RESOLVED, told, api=api)
    answer = f"Ferry {number} leaves Kiel at 07:15 from berth 4."
    steps = (call, call, Finish(answer))
    return Trace(str(number), StopReason.FINISHED, answer, steps, usage=Usage(3, 900, 60), seconds=4.0, offered=1)


def filled(path: Path, count: int) -> float:
    """Write the journal of so many judged trials; processor time."""
    judging = Judging("heuristic", "heuristic")
    began = time.process_time()
    with Ledger(path) as ledger:
        ledger.keep_queries([Query(str(number), "When?") for number in range(1_000)], "ferries")
        ledger.keep_judging(judging)
        for number in range(count):
            trial = TrialKey("ferries", str(number % 1_000), number // 1_000)
            ledger.keep_trace(trial, trace(number))
            ledger.keep_opinion(trial, judging, 0, Opinion(Verdict(Status.SOLVED, "it tells the time", "heuristic")))
    return time.process_time() - began


def journal() -> bool:
    """Part 2."""
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "journal.jsonl"
        written = filled(path, JOURNAL)
        size = path.stat().st_size
        rounds = [opened(path) for _ in range(ROUNDS)]
    seconds, worked = (statistics.median(column) for column in zip(*rounds, strict=True))
    print(
        f"the journal of {JOURNAL:,} judged trials ({size / 1e6:.0f} MB, written in {written:.1f} s of processor time)"
    )
    print(f"  opens in {seconds:.2f} s, {worked:.2f} s of processor time (at most {MOST_SECONDS:.0f} s)")
    return worked <= MOST_SECONDS


def opened(path: Path) -> tuple[float, float]:
    began, worked = time.perf_counter(), time.process_time()
    with Ledger(path) as ledger:
        taken = time.perf_counter() - began, time.process_time() - worked
        if len(ledger.traced) != JOURNAL:
            raise SystemExit("the journal has lost a trial.")
    return taken


def growth() -> bool:
    """Part 3."""
    costs = {size: statistics.median(sat(size, 0.0)[2] / size for _ in range(ROUNDS)) for size in SIZES}
    small, large = (costs[size] * 1000 for size in SIZES)
    grown = large / small
    print(
        f"processor time a trial, result file included: {small:.2f} ms of {SIZES[0]:,}, {large:.2f} ms of {SIZES[1]:,}"
    )
    print(f"  {grown:.2f} times (at most {MOST_GROWTH})")
    print("verdicts written down, microseconds of processor time each:")
    for size in REWRITTEN:
        ours, theirs = each(appended, size), each(rewritten, size)
        print(f"  {size:>7,} verdicts  appended {ours:>7.0f}  the whole file rewritten {theirs:>9.0f}")
    print(f"  {JOURNAL:>7,} verdicts  appended {each(appended, JOURNAL):>7.0f}")
    return grown <= MOST_GROWTH


def each(write: Callable[[Path, int], None], count: int) -> float:
    with tempfile.TemporaryDirectory() as name:
        began = time.process_time()
        write(Path(name) / "verdicts", count)
        return (time.process_time() - began) / count * 1e6


def appended(path: Path, count: int) -> None:
    """What Proctor does with a trace and its verdict."""
    filled(path, count)


def rewritten(path: Path, count: int) -> None:
    """The other habit: all verdicts so far, with what was judged, as one document, for every verdict."""
    results: dict[str, Any] = {}
    for number in range(count):
        shown = json.loads(
            json.dumps({"answer": trace(number).final_answer, "steps": trace(number).steps[0].observation})
        )
        results[str(number)] = {**shown, "is_solved": "Solved", "reason": "it tells the time"}
        path.write_text(json.dumps(results, indent=2, ensure_ascii=False))


def over_http() -> None:
    """Part 4."""
    command = [sys.executable, "-c", SERVER, str(Path(__file__).parent)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        url = server.stdout.readline().strip()
        sat(20, 0.0, model="vllm/scripted", model_url=url)
        rounds = [(ideal(), *sat(TRIALS, 0.0, model="vllm/scripted", model_url=url)) for _ in range(ROUNDS)]
        server.communicate()
    ratio = statistics.median(taken / least for least, taken, _, _ in rounds)
    least, taken, _, worked = (statistics.median(column) for column in zip(*rounds, strict=True))
    own = statistics.median(sat(TRIALS, 0.0)[2] for _ in range(ROUNDS))
    line = (worked - own) / TRIALS / ASKED * 1000
    print("the same with the model behind HTTP (no limit)")
    print(f"  ideal {least:.2f} s; first trial to last verdict {taken:.2f} s: {ratio:.3f} times")
    print(
        f"  processor {worked / TRIALS * 1000:.2f} ms a trial, of which the line to the model {line:.2f} ms an answer"
    )
    largest = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"memory: {largest:.0f} MB at most, in all of this")


def main() -> int:
    """Measure, print, and say whether the limits are kept."""
    argparse.ArgumentParser(description=__doc__).parse_args()
    kept = [trials(), journal(), growth()]
    over_http()
    return 0 if all(kept) else 1


if __name__ == "__main__":
    sys.exit(main())

"""`proctor score` on a long file: its memory, its cost by length, and its speed beside the least that has to be done.

The least is decoding the same file with msgspec, typed, and calling the metric functions, with nothing kept but sums.
Both are processes of their own, measured in one run. Exits with 1 when a limit is passed.

    python bench/score.py [--samples 1000000]
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import msgspec
from conversations import conversation

METRICS = ("tool_call_accuracy", "tool_call_f1")
LEAST_SPEED = 0.60
MOST_MEGABYTES = 200
MOST_GROWTH = 1.10
MOST_PER_SAMPLE = 1.25
"""A sample of the long file may cost so much of what one of the short file costs."""
LEAST = """
import sys, msgspec
from proctor.dataset_schema import MultiTurnSample
from proctor.metrics import ToolCallAccuracy, ToolCallF1
decode = msgspec.json.Decoder(MultiTurnSample).decode
accuracy, f1 = ToolCallAccuracy().measure, ToolCallF1().measure
one = two = 0.0
with open(sys.argv[1], "rb") as file:
    for line in file:
        sample = decode(line)
        one += accuracy(sample).value
        two += f1(sample).value
print(one, two)
"""


def write(path: Path, samples: int) -> None:
    """A file with so many samples."""
    lines = [msgspec.json.encode(conversation(number)) + b"\n" for number in range(1008)]
    with path.open("wb") as file:
        for begin in range(0, samples, len(lines)):
            file.writelines(lines[: samples - begin])


def run(*command: str) -> tuple[float, float]:
    """Processor seconds of a process (which a busy machine does not change), and its peak memory in megabytes."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{command} ended with {process.returncode}.")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def score(path: Path) -> tuple[float, float]:
    options = [word for metric in METRICS for word in ("--metric", metric)]
    return run(sys.executable, "-m", "proctor", "score", str(path), *options)


def main() -> int:
    """Measure, print, and say whether the limits are kept."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--samples", type=int, default=1_000_000)
    most = parser.parse_args().samples
    measured: dict[int, tuple[float, float]] = {}
    ratio = 0.0
    with tempfile.TemporaryDirectory() as folder:
        for samples in (most // 10, most):
            path = Path(folder, "samples.jsonl")
            write(path, samples)
            # In turn, and the best of two: a machine that is busy with other things is so for both.
            rounds = [(run(sys.executable, "-c", LEAST, str(path)), score(path)) for _ in range(2)]
            least = min(seconds for (seconds, _), _ in rounds)
            seconds, megabytes = min(seconds for _, (seconds, _) in rounds), max(memory for _, (_, memory) in rounds)
            measured[samples] = seconds, megabytes
            ratio = least / seconds
            print(
                f"{samples:>9,} samples, {path.stat().st_size / 1e6:,.0f} MB: proctor score {seconds:.2f} s "
                f"({samples / seconds:,.0f}/s, {megabytes:.0f} MB), the least {least:.2f} s: {ratio:.0%} of its speed",
                flush=True,
            )
    (short, short_memory), (long, long_memory) = measured.values()
    growth, per_sample = long_memory / short_memory, long / most / (short / (most // 10))
    print(f"ten times the samples: {growth:.2f} times the memory, {per_sample:.2f} times the cost of each sample")
    kept = ratio >= LEAST_SPEED and long_memory < MOST_MEGABYTES and growth <= MOST_GROWTH
    kept = kept and per_sample <= MOST_PER_SAMPLE
    print("kept" if kept else "NOT KEPT: see the limits in bench/score.py")
    return 0 if kept else 1


if __name__ == "__main__":
    raise SystemExit(main())

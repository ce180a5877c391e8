"""`evaluate` beside ragas's, on the same samples in one run: the same numbers, and how much sooner.

3,000 conversations of 8 messages, 3 calls and 6 arguments, ToolCallAccuracy and ToolCallF1. The fastest of a few rounds
counts on both sides. Exits with 1 when a number differs or the limit is passed.
"""

from __future__ import annotations

import time
from pathlib import Path

from conversations import conversation
from peers import peer_python, run_peer

from proctor import EvaluationDataset, evaluate
from proctor.metrics import ToolCallAccuracy, ToolCallF1

SAMPLES = 3_000
LEAST_RATIO = 40
REQUIREMENTS = ["ragas==0.4.3", "langchain-community<0.4"]


def main() -> int:
    """Measure, print, and say whether the limit is kept."""
    samples = [conversation(number) for number in range(SAMPLES)]
    ragas = peer_python("ragas", REQUIREMENTS)
    theirs = run_peer(ragas, Path(__file__).parent / "peer" / "evaluate_ragas.py", samples, "3")
    their_seconds = min(theirs["times"])
    dataset = EvaluationDataset.from_list(samples)
    seconds = float("inf")
    for _ in range(10):
        begun = time.perf_counter()
        result = evaluate(dataset, metrics=[ToolCallAccuracy(), ToolCallF1()])
        repr(result)
        seconds = min(seconds, time.perf_counter() - begun)
    ratio = their_seconds / seconds
    print(f"ragas   {their_seconds:.3f} s for {SAMPLES:,} samples ({SAMPLES / their_seconds:,.0f}/s)")
    print(f"proctor {seconds:.3f} s ({SAMPLES / seconds:,.0f}/s): {ratio:.0f} times as fast ({LEAST_RATIO} wanted)")
    same = result.scores == theirs["scores"]
    print("the same numbers" if same else "OTHER NUMBERS")
    return 0 if same and ratio >= LEAST_RATIO else 1


if __name__ == "__main__":
    raise SystemExit(main())

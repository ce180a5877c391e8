"""Run by ragas's interpreter: samples in by standard input, scores and seconds out by standard output."""

import json
import os
import sys
import time
import warnings

os.environ["RAGAS_DO_NOT_TRACK"] = "true"
warnings.simplefilter("ignore")

from ragas import EvaluationDataset, evaluate  # noqa: E402 - after the settings above
from ragas.metrics import ToolCallAccuracy, ToolCallF1  # noqa: E402

samples, rounds = json.load(sys.stdin), int(sys.argv[1])
dataset = EvaluationDataset.from_list(samples)
times = []
for _ in range(rounds):
    begun = time.perf_counter()
    result = evaluate(dataset, metrics=[ToolCallAccuracy(), ToolCallF1()], show_progress=False)
    times.append(time.perf_counter() - begun)
json.dump({"scores": result.scores, "times": times}, sys.stdout)

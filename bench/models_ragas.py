"""Runs in ragas's environment for `bench/models.py`: the time of one of its calls with structured output."""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time

os.environ["RAGAS_DO_NOT_TRACK"] = "true"  # its telemetry would be measured too, and is not what is asked

import openai
from pydantic import BaseModel
from ragas.llms import llm_factory


class Verdict(BaseModel):
    """What is asked for."""

    reason: str
    verdict: int


async def measure(url: str, prompt: str, count: int) -> list[float]:
    """The mean time of a call, in rounds; the first round does not count."""
    client = openai.AsyncOpenAI(base_url=url, api_key="none", max_retries=0)
    llm = llm_factory("gpt-4o-mini", client=client)
    taken = []
    for _ in range(4):
        begun = time.perf_counter()
        for _ in range(count):
            await llm.agenerate(prompt, Verdict)
        taken.append((time.perf_counter() - begun) / count)
    return taken[1:]


if __name__ == "__main__":
    asked = json.load(sys.stdin)
    print(json.dumps(asyncio.run(measure(asked["url"], asked["prompt"], asked["count"]))))

"""Whether a response means the same as a reference, by a judge."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from proctor.dataset_schema import SingleTurnSample
from proctor.judges.meaning import judge_meaning
from proctor.metrics.base import SingleTurnMetric
from proctor.metrics.judged import Judged
from proctor.records.grades import Missing, Score


@dataclass(eq=False)
class SameMeaning(Judged, SingleTurnMetric):
    """1 when a judge finds that the response means what the reference means, else 0.

    Made for arguments that can be said in many ways: `ToolCallAccuracy(arg_comparison_metric=SameMeaning(llm=…))`.
    Where the two are one text, nobody is asked.
    """

    name: str = "same_meaning"

    needs = frozenset({"response", "reference"})
    binary: ClassVar[bool] = True
    own_prompts = "meaning"

    async def ameasure(self, sample: SingleTurnSample, callbacks: Any = None) -> Score | Missing:
        """Ask whether the two mean the same."""
        if sample.response is None or sample.reference is None:
            return Missing(f"the sample has no {'response' if sample.response is None else 'reference'}")
        if sample.response == sample.reference:
            return Score(1.0, reason="the two are the same text")
        said = await judge_meaning(self.model(), sample.response, sample.reference, self.template)
        return said if isinstance(said, Missing) else Score(float(said["verdict"]), reason=said.reason or None)

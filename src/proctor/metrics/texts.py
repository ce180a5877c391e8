"""The two texts that every metric of likeness compares."""

from __future__ import annotations

from proctor.dataset_schema import SingleTurnSample
from proctor.records.grades import Missing

NEEDED = frozenset({"reference", "response"})
"""What such a metric needs of a sample."""


def reference_and_response(sample: SingleTurnSample) -> tuple[str, str] | Missing:
    """What should have been answered and what was; or which of them is not there."""
    if sample.reference is None:
        return Missing("the sample has no reference")
    if sample.response is None:
        return Missing("the sample has no response")
    return sample.reference, sample.response

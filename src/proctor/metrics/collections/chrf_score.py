"""`ChrfScore` with the keyword door, under the spelling that it has there."""

from __future__ import annotations

from typing import Any

from proctor.metrics import _chrf_score
from proctor.metrics.collections.base import KeywordMetric
from proctor.metrics.result import MetricResult


class CHRFScore(KeywordMetric, _chrf_score.ChrfScore):
    """`await metric.ascore(reference="…", response="…")`."""

    async def ascore(self, *values: Any, **fields: Any) -> MetricResult:
        """Measure one sample. Something that is no text counts 0, with the reason: users rely on it here."""
        given = (*values, *fields.values())
        if any(value is not None and not isinstance(value, str) for value in given):
            return MetricResult(0.0, "Invalid input: reference and response have to be text")
        return await super().ascore(*values, **fields)

"""`RougeScore` with the keyword door."""

from __future__ import annotations

from proctor.metrics import _rouge_score
from proctor.metrics.collections.base import KeywordMetric


class RougeScore(KeywordMetric, _rouge_score.RougeScore):
    """`await metric.ascore(reference="…", response="…")`."""

"""`BleuScore` with the keyword door."""

from __future__ import annotations

from proctor.metrics import _bleu_score
from proctor.metrics.collections.base import KeywordMetric


class BleuScore(KeywordMetric, _bleu_score.BleuScore):
    """`await metric.ascore(reference="…", response="…")`."""

"""`ExactMatch`, `StringPresence` and `NonLLMStringSimilarity` with the keyword door."""

from __future__ import annotations

from proctor.metrics import _string
from proctor.metrics._string import DistanceMeasure
from proctor.metrics.collections.base import KeywordMetric

__all__ = ["DistanceMeasure", "ExactMatch", "NonLLMStringSimilarity", "StringPresence"]


class ExactMatch(KeywordMetric, _string.ExactMatch):
    """`await metric.ascore(reference="…", response="…")`."""


class StringPresence(KeywordMetric, _string.StringPresence):
    """`await metric.ascore(reference="…", response="…")`."""


class NonLLMStringSimilarity(KeywordMetric, _string.NonLLMStringSimilarity):
    """`await metric.ascore(reference="…", response="…")`."""

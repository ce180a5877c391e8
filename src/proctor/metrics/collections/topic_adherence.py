"""`TopicAdherenceScore` with the keyword door, under the name that it has there."""

from __future__ import annotations

from typing import Any

from proctor.metrics import _topic_adherence
from proctor.metrics._topic_adherence import Mode
from proctor.metrics.collections.base import KeywordMetric


class TopicAdherence(KeywordMetric, _topic_adherence.TopicAdherenceScore):
    """`await metric.ascore(user_input=[…], reference_topics=[…])`."""

    order = ("user_input", "reference_topics")

    def __init__(self, llm: Any = None, mode: Mode = "f1", name: str = "topic_adherence", **options: Any) -> None:
        super().__init__(name=name, mode=mode, llm=llm, **options)

"""Arithmetic over facts: every metric, under the import paths that users of ragas know.

The names below are loaded when they are first used: a metric costs nothing to those who do not use it.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from proctor.metrics._api_calls import ApiCallScore as ApiCallScore
    from proctor.metrics._bleu_score import BleuScore as BleuScore
    from proctor.metrics._chrf_score import ChrfScore as ChrfScore
    from proctor.metrics._goal_accuracy import AgentGoalAccuracyWithoutReference as AgentGoalAccuracyWithoutReference
    from proctor.metrics._goal_accuracy import AgentGoalAccuracyWithReference as AgentGoalAccuracyWithReference
    from proctor.metrics._rouge_score import RougeScore as RougeScore
    from proctor.metrics._same_meaning import SameMeaning as SameMeaning
    from proctor.metrics._string import DistanceMeasure as DistanceMeasure
    from proctor.metrics._string import ExactMatch as ExactMatch
    from proctor.metrics._string import NonLLMStringSimilarity as NonLLMStringSimilarity
    from proctor.metrics._string import StringPresence as StringPresence
    from proctor.metrics._tool_call_accuracy import ToolCallAccuracy as ToolCallAccuracy
    from proctor.metrics._tool_call_f1 import ToolCallF1 as ToolCallF1
    from proctor.metrics._topic_adherence import TopicAdherenceScore as TopicAdherenceScore
    from proctor.metrics._trajectory import TrajectoryMatch as TrajectoryMatch
    from proctor.metrics.base import Metric as Metric
    from proctor.metrics.base import MetricType as MetricType
    from proctor.metrics.base import MetricWithLLM as MetricWithLLM
    from proctor.metrics.base import MultiTurnMetric as MultiTurnMetric
    from proctor.metrics.base import SingleTurnMetric as SingleTurnMetric
    from proctor.metrics.result import MetricResult as MetricResult

_ROOMS = {
    "AgentGoalAccuracyWithReference": "_goal_accuracy",
    "AgentGoalAccuracyWithoutReference": "_goal_accuracy",
    "ApiCallScore": "_api_calls",
    "BleuScore": "_bleu_score",
    "ChrfScore": "_chrf_score",
    "DistanceMeasure": "_string",
    "ExactMatch": "_string",
    "Metric": "base",
    "MetricResult": "result",
    "MetricType": "base",
    "MetricWithLLM": "base",
    "MultiTurnMetric": "base",
    "NonLLMStringSimilarity": "_string",
    "RougeScore": "_rouge_score",
    "SameMeaning": "_same_meaning",
    "SingleTurnMetric": "base",
    "StringPresence": "_string",
    "ToolCallAccuracy": "_tool_call_accuracy",
    "ToolCallF1": "_tool_call_f1",
    "TrajectoryMatch": "_trajectory",
    "TopicAdherenceScore": "_topic_adherence",
}

__all__ = sorted(_ROOMS)  # noqa: PLE0605 - one list is enough


def __getattr__(name: str) -> Any:
    if name in _ROOMS:
        return getattr(importlib.import_module(f"proctor.metrics.{_ROOMS[name]}"), name)
    msg = f"module 'proctor.metrics' has no attribute {name!r}"
    raise AttributeError(msg)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})

"""The metrics with the keyword door: fields by name in, a `MetricResult` out.

Each is the drop-in metric of the same name in `proctor.metrics` with one more door; there is one implementation.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from proctor.metrics.collections._bleu_score import BleuScore as BleuScore
    from proctor.metrics.collections._rouge_score import RougeScore as RougeScore
    from proctor.metrics.collections._string import DistanceMeasure as DistanceMeasure
    from proctor.metrics.collections._string import ExactMatch as ExactMatch
    from proctor.metrics.collections._string import NonLLMStringSimilarity as NonLLMStringSimilarity
    from proctor.metrics.collections._string import StringPresence as StringPresence
    from proctor.metrics.collections.agent_goal_accuracy import AgentGoalAccuracy as AgentGoalAccuracy
    from proctor.metrics.collections.agent_goal_accuracy import (
        AgentGoalAccuracyWithoutReference as AgentGoalAccuracyWithoutReference,
    )
    from proctor.metrics.collections.agent_goal_accuracy import (
        AgentGoalAccuracyWithReference as AgentGoalAccuracyWithReference,
    )
    from proctor.metrics.collections.base import BaseMetric as BaseMetric
    from proctor.metrics.collections.chrf_score import CHRFScore as CHRFScore
    from proctor.metrics.collections.tool_call_accuracy import ToolCallAccuracy as ToolCallAccuracy
    from proctor.metrics.collections.tool_call_f1 import ToolCallF1 as ToolCallF1
    from proctor.metrics.collections.topic_adherence import TopicAdherence as TopicAdherence

_ROOMS = {
    "AgentGoalAccuracy": "agent_goal_accuracy",
    "AgentGoalAccuracyWithReference": "agent_goal_accuracy",
    "AgentGoalAccuracyWithoutReference": "agent_goal_accuracy",
    "BaseMetric": "base",
    "BleuScore": "_bleu_score",
    "CHRFScore": "chrf_score",
    "DistanceMeasure": "_string",
    "ExactMatch": "_string",
    "NonLLMStringSimilarity": "_string",
    "RougeScore": "_rouge_score",
    "StringPresence": "_string",
    "ToolCallAccuracy": "tool_call_accuracy",
    "ToolCallF1": "tool_call_f1",
    "TopicAdherence": "topic_adherence",
}

__all__ = sorted(_ROOMS)  # noqa: PLE0605 - one list is enough


def __getattr__(name: str) -> Any:
    if name in _ROOMS:
        return getattr(importlib.import_module(f"proctor.metrics.collections.{_ROOMS[name]}"), name)
    msg = f"module 'proctor.metrics.collections' has no attribute {name!r}"
    raise AttributeError(msg)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})

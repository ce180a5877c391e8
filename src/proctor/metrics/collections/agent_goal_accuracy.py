"""The goal accuracies with the keyword door."""

from __future__ import annotations

from typing import Any

from proctor.metrics import _goal_accuracy
from proctor.metrics.collections.base import KeywordMetric

__all__ = ["AgentGoalAccuracy", "AgentGoalAccuracyWithReference", "AgentGoalAccuracyWithoutReference"]


class AgentGoalAccuracyWithReference(KeywordMetric, _goal_accuracy.AgentGoalAccuracyWithReference):
    """`await metric.ascore(user_input=[…], reference="…")`."""

    order = ("user_input", "reference")

    def __init__(
        self, llm: Any = None, name: str = _goal_accuracy.AgentGoalAccuracyWithReference.name, **options: Any
    ) -> None:
        super().__init__(name=name, llm=llm, **options)


class AgentGoalAccuracyWithoutReference(KeywordMetric, _goal_accuracy.AgentGoalAccuracyWithoutReference):
    """`await metric.ascore(user_input=[…])`."""

    order = ("user_input",)

    def __init__(
        self, llm: Any = None, name: str = _goal_accuracy.AgentGoalAccuracyWithoutReference.name, **options: Any
    ) -> None:
        super().__init__(name=name, llm=llm, **options)


AgentGoalAccuracy = AgentGoalAccuracyWithReference
"""The short name of the one with a reference."""

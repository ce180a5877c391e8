"""`ToolCallAccuracy` with the keyword door."""

from __future__ import annotations

from typing import Any

from proctor.metrics import _tool_call_accuracy
from proctor.metrics.collections.base import KeywordMetric


class ToolCallAccuracy(KeywordMetric, _tool_call_accuracy.ToolCallAccuracy):
    """`await metric.ascore(user_input=[…], reference_tool_calls=[…])`."""

    order = ("user_input", "reference_tool_calls")

    def __init__(self, strict_order: bool = True, name: str = "tool_call_accuracy", **options: Any) -> None:
        super().__init__(name=name, strict_order=strict_order, **options)

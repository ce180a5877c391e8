"""`ToolCallF1` with the keyword door."""

from __future__ import annotations

from proctor.metrics import _tool_call_f1
from proctor.metrics.collections.base import KeywordMetric


class ToolCallF1(KeywordMetric, _tool_call_f1.ToolCallF1):
    """`await metric.ascore(user_input=[…], reference_tool_calls=[…])`."""

    order = ("user_input", "reference_tool_calls")

"""The keyword door: a metric that is given its fields by name and returns a `MetricResult`.

A metric gets this door by one class, `class Name(KeywordMetric, DropInMetric)`: everything but the door is the
drop-in metric's own.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any, ClassVar

from proctor.dataset_schema import MultiTurnSample, Sample, SingleTurnSample
from proctor.errors import ArgumentError, SampleError, nearest
from proctor.metrics.base import Metric, MetricType
from proctor.metrics.blocking import together, wait_for
from proctor.metrics.result import MetricResult
from proctor.records.grades import Score

_LISTS = {"user_input": "a list of messages", "reference_tool_calls": "a list", "reference_topics": "a list"}


class KeywordMetric(Metric):
    """What every metric of the keyword door can do beside what it can do anyway."""

    allowed_values: ClassVar[tuple[float, float]] = (0.0, 1.0)
    """The smallest and the largest value that it gives."""

    order: ClassVar[tuple[str, ...]] = ("reference", "response")
    """The fields that it takes, in the order in which they may be given without their names."""

    async def ascore(self, *values: Any, **fields: Any) -> MetricResult:
        """Measure one sample, given field by field. What could not be measured has the value None and the reason."""
        measured = await self.ameasure(self._sample(values, fields))
        if isinstance(measured, Score) and measured.warning is not None:
            warnings.warn(measured.warning, UserWarning, stacklevel=2)
        return MetricResult.of(measured)

    def score(self, *values: Any, **fields: Any) -> MetricResult:
        """`ascore` for code that is not async; works inside a running loop too."""
        return wait_for(lambda: self.ascore(*values, **fields))

    async def abatch_score(self, inputs: Sequence[dict[str, Any]]) -> list[MetricResult]:
        """Measure many samples at once, each a dictionary of fields; the results are in the order of the samples."""
        return await together(self.ascore(**fields) for fields in inputs)

    def batch_score(self, inputs: Sequence[dict[str, Any]]) -> list[MetricResult]:
        """`abatch_score` for code that is not async; works inside a running loop too."""
        return wait_for(lambda: self.abatch_score(inputs))

    def _sample(self, values: tuple[Any, ...], fields: dict[str, Any]) -> Sample:
        fields = {**self._by_name(values, fields), **fields}
        for name in fields:
            if name not in self.order:
                raise ArgumentError(f"{self.name} takes no argument {name!r}; {nearest(name, self.order)}")
        for name in self.order:
            if name not in fields:
                raise ArgumentError(f"{self.name} needs the argument {name!r}.")
            _check_list(name, fields[name], self.sample_type)
        return MultiTurnSample(**fields) if self.sample_type is MetricType.MULTI_TURN else SingleTurnSample(**fields)

    def _by_name(self, values: tuple[Any, ...], fields: dict[str, Any]) -> dict[str, Any]:
        if len(values) > len(self.order):
            raise ArgumentError(f"{self.name} takes {len(self.order)} arguments, not {len(values)}.")
        named = dict(zip(self.order, values, strict=False))
        if twice := sorted(named.keys() & fields.keys()):
            raise ArgumentError(f"{self.name} was given the argument {twice[0]!r} twice.")
        return named


BaseMetric = KeywordMetric
"""The name that users of ragas know."""


def _check_list(name: str, value: Any, kind: MetricType) -> None:
    if kind is MetricType.MULTI_TURN and name in _LISTS and value is not None and not isinstance(value, list):
        raise SampleError(f"{name} must be {_LISTS[name]}, not {type(value).__name__}.")

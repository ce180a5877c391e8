"""The metric: one number about one sample.

A metric says what it needs (`needs`) and measures by `measure(sample)` or, where it has to wait for a model,
`ameasure(sample)`. Both return a `Score` or, when there is nothing to measure, a `Missing` with the reason.

`SingleTurnMetric` and `MultiTurnMetric` add the doors that ragas made known (`single_turn_ascore`,
`multi_turn_score`, …), which return the bare number. A metric written for ragas, that is, one that
defines `_single_turn_ascore` or `_multi_turn_ascore` and nothing else, works as it is.
"""

from __future__ import annotations

import asyncio
import enum
import warnings
from typing import Any, ClassVar

from proctor.dataset_schema import MultiTurnSample, Sample, SingleTurnSample
from proctor.errors import UnmeasuredError
from proctor.metrics.blocking import wait_for
from proctor.records.grades import Missing, Score


class MetricType(enum.Enum):
    """The kinds of sample that a metric can look at."""

    SINGLE_TURN = "single_turn"
    MULTI_TURN = "multi_turn"


class Metric:
    """What every metric has."""

    name: str
    """The name that stands at the head of its column."""
    needs: ClassVar[frozenset[str]] = frozenset()
    """The fields that a sample must have for it."""
    sample_type: ClassVar[MetricType]
    """The kind of sample that it looks at."""

    @property
    def immediate(self) -> bool:
        """Whether it can be measured without waiting for anything: `measure` may be called."""
        return type(self).measure is not Metric.measure

    def measure(self, sample: Any) -> Score | Missing:
        """Measure without waiting. Only where `immediate` is true."""
        msg = f"{type(self).__name__} has to wait for a model: use ameasure()."
        raise TypeError(msg)

    async def ameasure(self, sample: Any) -> Score | Missing:
        """Measure, and wait for a model where one is asked."""
        return self.measure(sample)

    def init(self, run_config: Any) -> None:
        """Nothing: it is here for callers that prepare a metric before they use it."""

    @property
    def required_columns(self) -> dict[str, set[str]]:
        """The fields that are needed, by kind of sample."""
        return {kind.name: set(fields) for kind, fields in self._required_columns.items()}

    @property
    def _required_columns(self) -> dict[MetricType, set[str]]:
        return {self.sample_type: set(self.needs)}

    def lacks(self, sample: Sample) -> Missing | None:
        """Why the sample cannot be measured at all, or None when it has every field that is needed."""
        for field in self.needs:
            if getattr(sample, field, None) is None:
                return Missing(f"the sample has no {field}")
        return None


class SingleTurnMetric(Metric):
    """A metric about one question and its answer."""

    sample_type = MetricType.SINGLE_TURN

    async def ameasure(self, sample: SingleTurnSample) -> Score | Missing:
        """Measure, and wait for a model where one is asked."""
        if type(self)._single_turn_ascore is not SingleTurnMetric._single_turn_ascore:  # noqa: SLF001 - its own
            return Score(float(await self._single_turn_ascore(sample, None)))
        return self.measure(sample)

    async def _single_turn_ascore(self, sample: SingleTurnSample, callbacks: Any = None) -> float:
        return number(self.name, await self.ameasure(sample))

    async def single_turn_ascore(
        self,
        sample: SingleTurnSample,
        callbacks: Any = None,
        timeout: float | None = None,  # noqa: ASYNC109 - the argument that users know
    ) -> float:
        """The number for one sample. UnmeasuredError when it cannot be measured."""
        return await asyncio.wait_for(self._single_turn_ascore(sample, callbacks), timeout)

    def single_turn_score(self, sample: SingleTurnSample, callbacks: Any = None) -> float:
        """`single_turn_ascore` for code that is not async; works inside a running loop too."""
        return wait_for(lambda: self.single_turn_ascore(sample, callbacks))


class MultiTurnMetric(Metric):
    """A metric about a whole conversation."""

    sample_type = MetricType.MULTI_TURN

    async def ameasure(self, sample: MultiTurnSample) -> Score | Missing:
        """Measure, and wait for a model where one is asked."""
        if type(self)._multi_turn_ascore is not MultiTurnMetric._multi_turn_ascore:  # noqa: SLF001 - its own
            return Score(float(await self._multi_turn_ascore(sample, None)))
        return self.measure(sample)

    async def _multi_turn_ascore(self, sample: MultiTurnSample, callbacks: Any = None) -> float:
        return number(self.name, await self.ameasure(sample))

    async def multi_turn_ascore(
        self,
        sample: MultiTurnSample,
        callbacks: Any = None,
        timeout: float | None = None,  # noqa: ASYNC109 - the argument that users know
    ) -> float:
        """The number for one conversation. UnmeasuredError when it cannot be measured."""
        return await asyncio.wait_for(self._multi_turn_ascore(sample, callbacks), timeout)

    def multi_turn_score(self, sample: MultiTurnSample, callbacks: Any = None) -> float:
        """`multi_turn_ascore` for code that is not async; works inside a running loop too."""
        return wait_for(lambda: self.multi_turn_ascore(sample, callbacks))


def number(metric: str, cell: Score | Missing) -> float:
    """The bare number of a cell: warns of what is odd about the input, raises when nothing was measured."""
    if isinstance(cell, Missing):
        raise UnmeasuredError(metric, cell.reason)
    if cell.warning is not None:
        warnings.warn(cell.warning, UserWarning, stacklevel=4)
    return cell.value

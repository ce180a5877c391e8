"""The metric: one number about one sample.

A metric says what it needs (`needs`) and measures by `measure(sample)` or, where it has to wait for a model,
`ameasure(sample)`. Both return a `Score` or, when there is nothing to measure, a `Missing` with the reason.

`SingleTurnMetric` and `MultiTurnMetric` add the doors that ragas made known (`single_turn_ascore`,
`multi_turn_score`, …), which return the bare number. A metric written for ragas, that is, one that
defines `_single_turn_ascore` or `_multi_turn_ascore` and nothing else, works as it is
(docs/decisions/one-implementation-two-doors.md).
"""

from __future__ import annotations

import enum
import functools
import inspect
import math
import re
import warnings
from dataclasses import dataclass, field
from typing import Any, ClassVar, cast

from proctor.dataset_schema import MultiTurnSample, Sample, SingleTurnSample
from proctor.errors import InputError, OptionError, UnmeasuredError
from proctor.metrics.blocking import wait_for, within
from proctor.records.grades import Missing, Score
from proctor.stats.intervals import Bounds


class MetricType(enum.Enum):
    """The kinds of sample that a metric can look at."""

    SINGLE_TURN = "single_turn"
    MULTI_TURN = "multi_turn"


SHARE: Bounds = (0.0, 1.0)
"""The bounds of a metric that gives a share."""
_DOORS = {MetricType.SINGLE_TURN: "_single_turn_ascore", MetricType.MULTI_TURN: "_multi_turn_ascore"}
"""The method that a metric written for ragas defines, by kind of sample."""
_WAYS = frozenset({"measure", "ameasure", *_DOORS.values()})
"""The methods by which a metric can measure; the most derived class that defines any of them decides."""
_REPLACEABLE = _WAYS | {"single_turn_ascore", "multi_turn_ascore"}
"""The methods that may be replaced on one metric object, after which its class no longer says how it measures."""


@dataclass(eq=False)
class Metric:
    """What every metric has."""

    name: str = ""
    """The name that stands at the head of its column."""

    llm = cast("Any", None)
    """The model to ask, where the metric asks one; any other metric lets it be set and takes no notice of it."""
    needs: ClassVar[frozenset[str]] = frozenset()
    """The fields that a sample must have for it."""
    sample_type: ClassVar[MetricType]
    """The kind of sample that it looks at."""
    asks_model: ClassVar[bool] = False
    """Whether a model has to be asked for every sample."""
    bounds: ClassVar[Bounds | None] = None
    """The least and the greatest number that it can give, where it says so: no interval reaches beyond them."""
    _ways: ClassVar[frozenset[str]] = frozenset()
    """The methods by which it measures, of the most derived class that defines any."""

    def __post_init__(self) -> None:
        if not self.name:
            self.name = type(self).name or _snake(type(self).__name__)

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        own = _WAYS & cls.__dict__.keys()
        if not own or cls.__module__ == __name__:
            return
        cls._ways = own
        if "ameasure" not in own:
            cls.ameasure = Metric.ameasure  # type: ignore[method-assign] # the parent's would pass the new way by

    @property
    def immediate(self) -> bool:
        """Whether it can be measured without waiting for anything: `measure` may be called."""
        return "measure" in self._ways and _REPLACEABLE.isdisjoint(self.__dict__)

    def measure(self, sample: Any) -> Score | Missing:
        """Measure without waiting. Only where `immediate` is true."""
        raise TypeError(
            f"{type(self).__name__} cannot be measured without waiting: use ameasure(), and see that it defines one of "
            f"{', '.join(sorted(_WAYS))}.",
        )

    async def ameasure(self, sample: Any, callbacks: Any = None) -> Score | Missing:
        """Measure, and wait for a model where one is asked. `callbacks` go to whatever is asked on the way."""
        door = self._own_door(sample)
        if door is None:
            return self.measure(sample)
        lacking = self.lacks(sample)
        if lacking is not None:
            return lacking
        try:
            return cell(self.name, await door(sample, callbacks))
        except UnmeasuredError as error:
            return Missing(error.reason, error.detail)

    def init(self, run_config: Any) -> None:
        """Nothing: it is here for callers that prepare a metric before they use it."""

    @property
    def required_columns(self) -> dict[str, set[str]]:
        """The fields that are needed, by kind of sample."""
        return self.get_required_columns()

    @required_columns.setter
    def required_columns(self, columns: dict[MetricType, set[str]]) -> None:
        known = {*SingleTurnSample.__struct_fields__, *MultiTurnSample.__struct_fields__}
        for column in sorted(set().union(*columns.values())):
            if column.partition(":")[0] not in known:
                raise OptionError(f"Invalid column {column!r}: it must be one of {', '.join(sorted(known))}.")
        self._required_columns = columns

    def get_required_columns(self, with_optional: bool = False) -> dict[str, set[str]]:
        """The fields that are needed, by kind of sample; on request with those that are read where they are there."""
        return {
            kind.name: {plain for column in columns if (plain := _column(column, with_optional=with_optional))}
            for kind, columns in self._required_columns.items()
        }

    # Not a property: a dataclass written for ragas sets its own on the instance.
    @functools.cached_property
    def _required_columns(self) -> dict[MetricType, set[str]]:
        return {self.sample_type: set(self.needs)}

    def lacks(self, sample: Sample) -> Missing | None:
        """Why the sample cannot be measured at all, or None when it has every field that is needed."""
        for column in sorted(self.required_columns.get(_kind(sample).name, ())):
            if getattr(sample, column, None) is None:
                return Missing(f"the sample has no {column}")
        return None

    def _own_door(self, sample: Any) -> Any:
        """The `_…_ascore` that measures instead of `measure`, when the class or this very object defines one."""
        name = _DOORS[_kind(sample)]
        for replaced in (name.removeprefix("_"), name):
            if replaced in self.__dict__:
                return self.__dict__[replaced]
        return getattr(self, name) if name in self._ways and "measure" not in self._ways else None


@dataclass(eq=False)
class MetricWithLLM(Metric):
    """A metric that asks a model."""

    llm: Any = field(default=None, repr=False, kw_only=True)
    """The model to ask."""

    asks_model = True


class SingleTurnMetric(Metric):
    """A metric about one question and its answer."""

    sample_type = MetricType.SINGLE_TURN

    @property
    def immediate(self) -> bool:
        """Whether it can be measured without waiting for anything: `measure` may be called."""
        return super().immediate and type(self).single_turn_ascore is SingleTurnMetric.single_turn_ascore

    async def _single_turn_ascore(self, sample: SingleTurnSample, callbacks: Any = None) -> float:
        return number(self.name, await self.ameasure(sample, callbacks))

    async def _ascore(self, row: dict[str, Any], callbacks: Any = None) -> float:
        return await self._single_turn_ascore(SingleTurnSample(**row), callbacks)

    async def single_turn_ascore(
        self,
        sample: SingleTurnSample,
        callbacks: Any = None,
        timeout: float | None = None,  # noqa: ASYNC109 - the argument that users know
    ) -> float:
        """The number for one sample. UnmeasuredError when it cannot be measured."""
        return number(self.name, await within(timeout, self.ameasure(sample, callbacks)))

    def single_turn_score(self, sample: SingleTurnSample, callbacks: Any = None) -> float:
        """`single_turn_ascore` for code that is not async; works inside a running loop too."""
        if self.immediate:
            return number(self.name, self.measure(sample))
        return wait_for(lambda: self.single_turn_ascore(sample, callbacks))

    def _only_required_columns_single_turn(self, sample: SingleTurnSample) -> SingleTurnSample:
        return SingleTurnSample(**_only(sample, self.get_required_columns(with_optional=True)))


class MultiTurnMetric(Metric):
    """A metric about a whole conversation."""

    sample_type = MetricType.MULTI_TURN

    @property
    def immediate(self) -> bool:
        """Whether it can be measured without waiting for anything: `measure` may be called."""
        return super().immediate and type(self).multi_turn_ascore is MultiTurnMetric.multi_turn_ascore

    async def _multi_turn_ascore(self, sample: MultiTurnSample, callbacks: Any = None) -> float:
        return number(self.name, await self.ameasure(sample, callbacks))

    async def _ascore(self, row: dict[str, Any], callbacks: Any = None) -> float:
        return await self._multi_turn_ascore(MultiTurnSample(**row), callbacks)

    async def multi_turn_ascore(
        self,
        sample: MultiTurnSample,
        callbacks: Any = None,
        timeout: float | None = None,  # noqa: ASYNC109 - the argument that users know
    ) -> float:
        """The number for one conversation. UnmeasuredError when it cannot be measured."""
        return number(self.name, await within(timeout, self.ameasure(sample, callbacks)))

    def multi_turn_score(self, sample: MultiTurnSample, callbacks: Any = None) -> float:
        """`multi_turn_ascore` for code that is not async; works inside a running loop too."""
        if self.immediate:
            return number(self.name, self.measure(sample))
        return wait_for(lambda: self.multi_turn_ascore(sample, callbacks))

    def _only_required_columns_multi_turn(self, sample: MultiTurnSample) -> MultiTurnSample:
        return MultiTurnSample(**_only(sample, self.get_required_columns(with_optional=True)))


def number(metric: str, measured: Score | Missing) -> float:
    """The bare number of a cell: warns of what is odd about the input, raises when nothing was measured."""
    if isinstance(measured, Missing):
        raise UnmeasuredError(metric, measured.reason, measured.detail)
    if measured.warning is not None:
        warnings.warn(measured.warning, UserWarning, stacklevel=4)
    return measured.value


def cell(metric: str, returned: Any) -> Score | Missing:
    """What a metric returned, as the cell of a table: a finite number becomes a `Score`, any other a `Missing`."""
    if isinstance(returned, Score | Missing):
        return returned
    if isinstance(returned, str | bytes) or not hasattr(returned, "__float__"):
        raise InputError(f"the metric {metric!r} returned {returned!r}; a metric has to return a number.")
    value = float(returned)
    if math.isfinite(value):
        return Score(value)
    return Missing("the metric returned NaN" if math.isnan(value) else "the metric returned infinity")


async def settled(value: Any) -> Any:
    """The value, awaited when it has to be."""
    return await value if inspect.isawaitable(value) else value


def _kind(sample: Any) -> MetricType:
    return MetricType.MULTI_TURN if isinstance(sample, MultiTurnSample) else MetricType.SINGLE_TURN


def _column(column: str, *, with_optional: bool) -> str | None:
    name, _, marker = column.partition(":")
    return name if not marker or (with_optional and marker == "optional") else None


def _only(sample: Sample, columns: dict[str, set[str]]) -> dict[str, Any]:
    wanted = columns.get(_kind(sample).name) or set(sample.__struct_fields__)
    return {name: getattr(sample, name) for name in sample.__struct_fields__ if name in wanted}


def _snake(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()

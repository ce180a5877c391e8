"""Measuring: metrics over samples, one cell for each of both.

A metric that need not wait is measured in a plain loop. Those that wait for a model share a few workers, so that
there is never a task for every cell.
"""

from __future__ import annotations

import asyncio
import logging
import operator
import traceback
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from proctor.dataset_schema import MultiTurnSample, Sample
from proctor.errors import ModelError, ModelRefusedError, OptionError, ProctorError, UnmeasuredError
from proctor.metrics.base import Metric, MetricType
from proctor.records.grades import Missing, Score
from proctor.run_config import RunConfig
from proctor.stats.intervals import LARGEST

Cell = Score | Missing
Advance = Callable[[int], object]
"""Is told how many more cells are measured."""

CHUNK = 256
"""So many samples are measured before anybody is told of it, or a running loop gets its turn."""

_log = logging.getLogger("proctor")


class Measurement:
    """One metric at work under the name of its column: it measures cells, and decides what becomes of an exception.

    An exception of the metric is raised again when `raise_exceptions` is set. Otherwise the cell is `Missing`, with
    the kind of exception as its reason and the traceback as its detail, and the first of each kind is logged with its
    traceback under `proctor`. What a metric raises on purpose (a `ProctorError`) is `Missing` with that error's reason
    and no traceback. A refused key or a wrong option ends the whole evaluation at once: no later cell could be
    measured.
    """

    def __init__(self, name: str, metric: Metric, *, raise_exceptions: bool = False) -> None:
        self.name = name
        self.metric = metric
        self.raise_exceptions = raise_exceptions
        self.kinds = frozenset(metric.required_columns) or frozenset({metric.sample_type.name})
        """The kinds of sample that the metric looks at."""
        self._lacks = {kind: self._lacks_by(sorted(needed)) for kind, needed in metric.required_columns.items()}
        self._logged: set[type[Exception]] = set()

    def lacks(self, sample: Sample) -> Missing | None:
        """Why the sample cannot be measured at all, or None when it has every field that is needed."""
        return self._lacks.get(kind_of(sample), _lacks_nothing)(sample)

    def cells(self, samples: Sequence[Sample]) -> list[Cell]:
        """Measure samples of one kind without waiting for anything."""
        measured: list[Cell] = []
        lacks = self._lacks.get(kind_of(samples[0]), _lacks_nothing) if samples else _lacks_nothing
        keep, measure = measured.append, self.metric.measure
        for sample in samples:
            try:
                lack = lacks(sample)
                cell = measure(sample) if lack is None else lack
                # Nearly every cell is this; the others, what is too large among them, are looked at with more care.
                keep(cell if type(cell) is Score and -LARGEST <= cell.value <= LARGEST else checked(cell))
            except Exception as error:  # noqa: BLE001 - whatever a metric raises is this cell's, see the class
                keep(self.failed(error))
        return measured

    async def acell(self, sample: Sample, timeout: float) -> Cell:  # noqa: ASYNC109 - becomes a reason, not an error
        """Measure one sample and wait for it; `Missing` when it takes longer than `timeout` seconds."""
        limit = asyncio.timeout(timeout)
        try:
            async with limit:
                lack = self.lacks(sample)
                return checked(await self.metric.ameasure(sample) if lack is None else lack)
        except TimeoutError as error:
            if limit.expired() and not self.raise_exceptions:
                return Missing("no answer came in time", f"{self.name} waited {timeout:g} s")
            return self.failed(error)
        except Exception as error:  # noqa: BLE001 - whatever a metric raises is this cell's, see the class
            return self.failed(error)

    def failed(self, error: Exception) -> Missing:
        """What becomes of an exception."""
        if isinstance(error, UnmeasuredError):
            return Missing(error.reason)
        if self.raise_exceptions or isinstance(error, (ModelRefusedError, OptionError)):
            raise error
        if isinstance(error, ModelError):
            return Missing(error.reason, str(error) if error.raw is None else f"{error}\n{error.raw}")
        kind = type(error)
        if isinstance(error, ProctorError):
            return Missing(f"the metric failed with {kind.__name__}", str(error))
        if kind not in self._logged:
            self._logged.add(kind)
            _log.warning("%s failed on a sample with %s: %s", self.name, kind.__name__, error, exc_info=error)
        return Missing(f"the metric failed with {kind.__name__}", "".join(traceback.format_exception(error)))

    def _lacks_by(self, needed: list[str]) -> Callable[[Sample], Missing | None]:
        """The metric's own way of finding what a sample lacks; the common one with its columns looked up once."""
        if type(self.metric).lacks is not Metric.lacks:
            return self.metric.lacks
        if not needed:
            return _lacks_nothing
        missing = [Missing(f"the sample has no {column}") for column in needed]
        fields = operator.attrgetter(*needed)

        def lacks_one(sample: Sample) -> Missing | None:
            return None if fields(sample) is not None else missing[0]

        def lacks(sample: Sample) -> Missing | None:
            values = fields(sample)
            return missing[values.index(None)] if None in values else None

        return lacks_one if len(needed) == 1 else lacks


def _lacks_nothing(_: Sample) -> Missing | None:
    return None


def kind_of(sample: Sample) -> str:
    """The name of a sample's kind."""
    kind = MetricType.MULTI_TURN if isinstance(sample, MultiTurnSample) else MetricType.SINGLE_TURN
    return kind.name


def checked(cell: Any) -> Cell:
    """The cell as it is, unless it holds what cannot be counted."""
    if type(cell) is Score:
        value: Any = cell.value
        if isinstance(value, (int, float)) and -LARGEST <= value <= LARGEST:
            return cell
        return Missing("the metric's value is too large", f"it is {value!r}")
    if type(cell) is Missing:
        return cell
    return Missing("the metric returned neither a Score nor a Missing", f"it returned {cell!r}")


def measure_now(
    measurements: Sequence[Measurement], samples: Sequence[Sample], advance: Advance = lambda _: None
) -> Iterator[list[list[Cell]]]:
    """Measure by metrics that need not wait, chunk by chunk: for each chunk a list of cells for each metric."""
    for begin in range(0, len(samples), CHUNK):
        chunk = samples[begin : begin + CHUNK]
        yield [measurement.cells(chunk) for measurement in measurements]
        advance(len(chunk) * len(measurements))


async def measure_waiting(
    measurements: Sequence[Measurement],
    samples: Sequence[Sample],
    config: RunConfig,
    advance: Advance = lambda _: None,
) -> list[list[Cell]]:
    """Measure by metrics that wait, at most `config.max_workers` cells at once: a list of cells for each metric."""
    waiting = Missing("it was not measured")
    cells: list[list[Cell]] = [[waiting] * len(samples) for _ in measurements]
    todo = ((row, column) for row in range(len(samples)) for column in range(len(measurements)))

    async def work() -> None:
        for row, column in todo:  # one iterator for all workers: each takes the next cell that nobody has
            cells[column][row] = await measurements[column].acell(samples[row], config.timeout)
            advance(1)

    workers = min(int(config.max_workers), len(samples) * len(measurements))
    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(workers):
                group.create_task(work())
    except BaseExceptionGroup as broken:
        raise broken.exceptions[0] from None
    return cells


async def measure(
    measurements: Sequence[Measurement],
    samples: Sequence[Sample],
    config: RunConfig,
    advance: Advance = lambda _: None,
) -> list[list[Cell]]:
    """Measure by metrics of both kinds, giving a running loop its turn: a list of cells for each metric, in order."""
    now = [one for one in measurements if one.metric.immediate]
    cells: dict[str, list[Cell]] = {one.name: [] for one in now}
    for columns in measure_now(now, samples, advance):
        for one, column in zip(now, columns, strict=True):
            cells[one.name] += column
        await asyncio.sleep(0)
    later = [one for one in measurements if one.name not in cells]
    if later:
        found = await measure_waiting(later, samples, config, advance)
        cells |= {one.name: column for one, column in zip(later, found, strict=True)}
    return [cells[one.name] for one in measurements]

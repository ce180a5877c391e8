"""Evaluate: metrics over a dataset, from a script, a notebook or a server."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import msgspec

from proctor.dataset_schema import EvaluationDataset, Sample
from proctor.errors import OptionError
from proctor.metrics.blocking import wait_for
from proctor.run_config import RunConfig
from proctor.runs.datasets import as_dataset
from proctor.runs.measuring import Advance, Measurement, measure, measure_now
from proctor.runs.metering import Meter
from proctor.runs.preparing import check_needs, measurements_of
from proctor.runs.progress import progress
from proctor.runs.results import Cell, EvaluationResult


def evaluate(  # noqa: PLR0913, PLR0917 - the arguments that users of ragas know
    dataset: Any,
    metrics: Any = None,
    llm: Any = None,
    run_config: RunConfig | None = None,
    show_progress: bool = True,
    raise_exceptions: bool = False,
    column_map: Mapping[str, str] | None = None,
    batch_size: int | None = None,
) -> EvaluationResult:
    """Measure each sample of a dataset by each metric.

    `dataset` is an `EvaluationDataset`, a list of samples or dictionaries, a Hugging Face dataset or a pandas frame.
    `metrics` is a list of metrics; `llm` is the model of those that ask one and have none of their own. `column_map`
    says what our fields are called in the data: `{"response": "answer"}`. `batch_size`, like `run_config.max_workers`,
    is how many measurements that wait for a model may be at work at once.

    All samples and metrics are checked before anything is measured. What cannot be measured is `Missing` with its
    reason. An exception of a metric is raised when `raise_exceptions` is set; otherwise its cell is `Missing` and its
    traceback is in the log. Works inside a running loop (a notebook, a web server).
    """
    config = _config(run_config, batch_size)
    plan = _plan(as_dataset(dataset, column_map), metrics, llm, config, raise_exceptions)
    with progress("measuring", total=plan.cells, show=show_progress) as advance:
        if all(one.metric.immediate for one in plan.measurements):
            return plan.result(plan.measure_now(advance))
        return plan.result(wait_for(lambda: plan.measure(advance)))


async def aevaluate(  # noqa: PLR0913, PLR0917 - as above
    dataset: Any,
    metrics: Any = None,
    llm: Any = None,
    run_config: RunConfig | None = None,
    show_progress: bool = True,
    raise_exceptions: bool = False,
    column_map: Mapping[str, str] | None = None,
    batch_size: int | None = None,
) -> EvaluationResult:
    """`evaluate` for code that is async. The loop gets its turn after every few samples."""
    config = _config(run_config, batch_size)
    plan = _plan(as_dataset(dataset, column_map), metrics, llm, config, raise_exceptions)
    with progress("measuring", total=plan.cells, show=show_progress) as advance:
        return plan.result(await plan.measure(advance))


class _Plan(NamedTuple):
    """An evaluation that has been found in order."""

    dataset: EvaluationDataset
    samples: list[Sample]
    measurements: list[Measurement]
    config: RunConfig
    meter: Meter

    @property
    def cells(self) -> int:
        return len(self.samples) * len(self.measurements)

    def measure_now(self, advance: Advance) -> list[list[Cell]]:
        columns: list[list[Cell]] = [[] for _ in self.measurements]
        for chunk in measure_now(self.measurements, self.samples, advance):
            for column, cells in zip(columns, chunk, strict=True):
                column.extend(cells)
        return columns

    async def measure(self, advance: Advance) -> list[list[Cell]]:
        try:
            return await measure(self.measurements, self.samples, self.config, advance)
        finally:
            await self.meter.aclose()

    def result(self, columns: list[list[Cell]]) -> EvaluationResult:
        names = [one.name for one in self.measurements]
        bounds = {one.name: one.metric.bounds for one in self.measurements}
        return EvaluationResult(self.dataset, dict(zip(names, columns, strict=True)), self.meter.usage, bounds)


def _plan(dataset: EvaluationDataset, metrics: Any, llm: Any, config: RunConfig, raise_exceptions: bool) -> _Plan:
    meter = Meter()
    measurements = measurements_of(metrics, llm, config, meter, raise_exceptions=raise_exceptions)
    samples = list(dataset)
    check_needs(measurements, samples)
    return _Plan(dataset, samples, measurements, config, meter)


def _config(run_config: RunConfig | None, batch_size: Any) -> RunConfig:
    config: Any = run_config if run_config is not None else RunConfig()
    if not isinstance(config, RunConfig):
        raise OptionError(f"run_config is {config!r}; expected a proctor.run_config.RunConfig.")
    if batch_size is None:
        return config
    if isinstance(batch_size, bool) or not isinstance(batch_size, int) or batch_size < 1:
        raise OptionError(f"batch_size is {batch_size!r}; expected a whole number from 1 on, or None.")
    smaller: RunConfig = msgspec.structs.replace(config, max_workers=min(config.max_workers, batch_size))
    return smaller

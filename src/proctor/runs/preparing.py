"""What has to be right before anything is measured: the metrics, and that the samples have what they need."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

from proctor.dataset_schema import Sample
from proctor.errors import InputError, OptionError
from proctor.metrics.base import Metric
from proctor.run_config import RunConfig
from proctor.runs.measuring import Measurement, kind_of
from proctor.runs.metering import Meter

_KINDS = {"SINGLE_TURN": "single-turn samples", "MULTI_TURN": "conversations"}


def measurements_of(
    metrics: Any, llm: Any, config: RunConfig, meter: Meter, *, raise_exceptions: bool = False
) -> list[Measurement]:
    """The metrics at work, each under the name of its column. The metrics that were handed over are left as they are.

    A metric may be a metric object or the name of one.
    """
    if isinstance(metrics, (str, Metric)) or not isinstance(metrics, Sequence):
        raise OptionError("metrics must be a list: metrics=[ToolCallAccuracy()].")
    if not metrics:
        raise OptionError("there is no metric to measure by: metrics=[ToolCallAccuracy()].")
    measurements = [
        Measurement(column_of(metric), _at_work(metric, llm, config, meter), raise_exceptions=raise_exceptions)
        for metric in map(_metric, metrics)
    ]
    names = [one.name for one in measurements]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise OptionError(f"two metrics would share the column {twice!r}; give one of them another name (name=…).")
    return measurements


def column_of(metric: Metric) -> str:
    """The head of a metric's column: its name, and its mode where it has one."""
    mode = getattr(metric, "mode", None)
    return metric.name if mode is None else f"{metric.name}(mode={getattr(mode, 'value', mode)})"


def check_needs(measurements: Sequence[Measurement], samples: Sequence[Sample]) -> None:
    """Refuse a metric that does not look at samples of this kind, or that needs a field that none of them has.

    A field that only some of them lack is no error: those are unmeasured.
    """
    if not samples:
        raise InputError("the dataset is empty: there is nothing to evaluate.")
    kind = kind_of(samples[0])
    for one in measurements:
        check_kind(one, samples[0])
        for column in sorted(one.metric.required_columns.get(kind, ())):
            if all(getattr(sample, column, None) is None for sample in samples):
                raise InputError(f"the metric {one.name!r} needs {column!r}, which no sample has.")


def check_kind(measurement: Measurement, sample: Sample) -> None:
    """Refuse a metric that does not look at samples of this kind."""
    kind = kind_of(sample)
    if kind not in measurement.kinds:
        wanted = " or ".join(_KINDS.get(known, known) for known in sorted(measurement.kinds))
        raise InputError(
            f"the metric {measurement.name!r} is for {wanted}, and the samples are {_KINDS[kind]} "
            f"({type(sample).__name__})."
        )


def _metric(metric: Any) -> Metric:
    if isinstance(metric, str):
        from proctor.metrics import registry

        return registry.make(metric)
    if isinstance(metric, type) and issubclass(metric, Metric):
        raise OptionError(f"metrics holds the class {metric.__name__}; give a metric made of it: {metric.__name__}().")
    if not isinstance(metric, Metric):
        _refuse_of_runs(metric)
        raise OptionError(f"metrics holds {metric!r}, which is no metric; expected e.g. ToolCallAccuracy().")
    return metric


def _refuse_of_runs(metric: Any) -> None:
    """Refuse a metric of whole runs, or its class, with what it needs and who gives it."""
    from proctor.metrics.registry import OF_RUNS

    known = next((known for known in OF_RUNS if known.name == getattr(metric, "name", None)), None)
    if known is not None:
        raise OptionError(
            f"{known.name!r} is a metric of runs, not of samples: it needs {known.needs}; see {known.given_by}."
        )


def asking_comparison(metric: Metric) -> Metric | None:
    """The metric that compares arguments for this one and asks a model to do so, where there is one."""
    comparison = getattr(metric, "arg_comparison_metric", None)
    return comparison if isinstance(comparison, Metric) and comparison.asks_model else None


def _at_work(metric: Metric, llm: Any, config: RunConfig, meter: Meter) -> Metric:
    """The metric as it is, or a copy where something has to be set about it."""
    own_init = type(metric).init is not Metric.init
    comparison = asking_comparison(metric)
    if not metric.asks_model and not own_init and comparison is None:
        return metric
    metric = copy.copy(metric)
    if comparison is not None:
        metric.arg_comparison_metric = _at_work(comparison, llm, config, meter)  # type: ignore[attr-defined] # it has one
    if metric.asks_model:
        model = metric.llm if metric.llm is not None else llm
        if model is None:
            raise OptionError(f"the metric {metric.name!r} asks a model; say which: llm='openai/gpt-4o-mini'.")
        metric.llm = meter.on(model, config)
    if own_init:
        metric.init(config)
    return metric

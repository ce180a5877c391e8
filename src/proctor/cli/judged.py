"""What `proctor score` needs for metrics that ask a judge: the model, and calibrations of what it says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from proctor.errors import OptionError
from proctor.models.adapt import as_chat_model
from proctor.models.cached import CachedModel
from proctor.models.chat import ChatModel
from proctor.records.grades import Missing
from proctor.runs.calibrating import read_calibration
from proctor.runs.measuring import Measurement
from proctor.stats.calibration import Calibration, corrected
from proctor.stats.intervals import Estimate

__all__ = ["calibrations_of", "corrections", "judge_model"]


def judge_model(name: str | None, url: str | None, cache: str | None) -> ChatModel | None:
    """The model that judges, with its recording where one is wanted. None where none is named."""
    if name is None:
        lonely = "--model-url" if url is not None else "--cache" if cache is not None else None
        if lonely is not None:
            raise OptionError(f"{lonely} belongs to a judge; name it: --judge MODEL.")
        return None
    model = as_chat_model(name, url=url)
    return model if cache is None else CachedModel(model, cache)


def calibrations_of(said: Sequence[str], measurements: Sequence[Measurement]) -> dict[str, Calibration]:
    """The calibrations by metric: FILE where one metric is judged right or wrong, METRIC=FILE where several are."""
    binary = [one.name for one in measurements if getattr(one.metric, "binary", False)]
    found: dict[str, Calibration] = {}
    for text in said:
        name, equals, path = text.partition("=")
        if not equals or name not in [one.name for one in measurements]:
            name, path = "", text
        if not binary or (name and name not in binary):
            raise OptionError(
                f"--calibration {text!r}: only a metric that a judge decides with yes or no can be corrected; "
                f"here that is {', '.join(binary) or 'none'}."
            )
        if not name and len(binary) > 1:
            raise OptionError(f"--calibration {text!r}: say for which metric, as in {binary[0]}={text}.")
        found[name or binary[0]] = read_calibration(path)
    return found


def corrections(
    estimates: Mapping[str, Estimate | Missing], calibrations: Mapping[str, Calibration], level: float
) -> dict[str, Estimate | Missing]:
    """The rate that people would have read, by metric."""
    done: dict[str, Estimate | Missing] = {}
    for name, calibration in calibrations.items():
        raw = estimates[name]
        passes, n = (0, 0) if isinstance(raw, Missing) else (round(raw.value * raw.n), raw.n)
        done[name] = corrected(passes, n, calibration, level=level)
    return done

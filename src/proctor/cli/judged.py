"""What `proctor score` needs for metrics that ask a judge: the model, and calibrations of what it says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from proctor.errors import OptionError
from proctor.models.cached import CachedModel
from proctor.models.chat import ChatModel
from proctor.models.openai import OpenAIModel
from proctor.models.prices import read_prices
from proctor.records.grades import Missing
from proctor.runs.calibrating import read_calibration
from proctor.runs.measuring import Measurement
from proctor.stats.calibration import Calibration, corrected
from proctor.stats.intervals import Estimate

__all__ = ["Asked", "calibrations_of", "corrections", "judge_model"]


class Asked(msgspec.Struct, frozen=True):
    """What was said of the model that judges."""

    judge: str | None = None
    url: str | None = None
    cache: str | None = None
    replay: bool = False
    prices: str | None = None


def judge_model(said: Asked) -> ChatModel | None:
    """The model that judges, with its recording where one is wanted. None where none is named."""
    if said.judge is None:
        given = {"--model-url": said.url, "--cache": said.cache, "--replay": said.replay, "--prices": said.prices}
        lonely = next((option for option, value in given.items() if value), None)
        if lonely is not None:
            raise OptionError(f"{lonely} belongs to a judge; name it: --judge MODEL.")
        return None
    if said.replay and said.cache is None:
        raise OptionError("--replay asks nobody and needs the recording: --cache FILE.")
    prices = None if said.prices is None else read_prices(said.prices)
    model = OpenAIModel(said.judge, url=said.url, prices=prices)
    if said.cache is None:
        return model
    recording = CachedModel(model, said.cache, "replay" if said.replay else "auto")
    if said.replay:
        recording.store.counts()  # it has to be there before anything begins
    return recording


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

"""A judge is a noisy test: taking its known errors out of the rate that it reads.

How often the judge passes good answers (q1) and fails bad ones (q0) is known from answers that people labelled too.
From that and from the rate that it reads follows the rate that people would have read (Rogan and Gladen), and an
interval that holds both the draw of the tasks and the draw of the labels.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from typing import Any

import msgspec

from proctor.errors import InputError
from proctor.records.grades import Missing
from proctor.stats.intervals import Estimate, check_counts, check_level, normal_quantile, nothing, proportion


class Calibration(msgspec.Struct, frozen=True, tag="calibration", omit_defaults=True):
    """How well a judge knows good from bad, and how that was found out. It turns into JSON and back."""

    q0: float
    """How often the judge fails what people fail."""
    m0: int
    """How many labelled answers people failed."""
    q1: float
    """How often the judge passes what people pass."""
    m1: int
    """How many labelled answers people passed."""
    judge: str = ""
    """Which judge this holds for: its name with its model and the version of its prompt."""
    labels: str = ""
    """Where the labels are from."""
    labels_hash: str = ""
    """The content hash of the labels."""
    unlabelled: int = 0
    """Answers that were left out because people or the judge gave no label."""
    made: float | None = None
    """When it was made, in seconds since 1970."""

    def __post_init__(self) -> None:
        for name, share, count in (("q0", self.q0, self.m0), ("q1", self.q1, self.m1)):
            check_counts(0, count)
            if not 0.0 <= share <= 1.0:
                raise InputError(f"{name} of the calibration is {share!r}; expected a share from 0 to 1.")

    @property
    def youden(self) -> float:
        """q0 + q1 - 1: 1 for a judge that never errs, 0 for one that throws a coin."""
        return self.q0 + self.q1 - 1


def calibrate(
    judge_passes: Iterable[bool | Missing | None], people_pass: Iterable[bool | Missing | None], **about: Any
) -> Calibration | Missing:
    """A calibration from what the judge and people said of the same answers, in the same order.

    None and Missing are no label: such answers are left out and counted. `about` are the fields that say how it was
    made: judge, labels, labels_hash, made.
    """
    said, true = list(judge_passes), list(people_pass)
    if len(said) != len(true):
        raise InputError(f"the judge has {len(said)} labels and people {len(true)}; expected one of each per answer.")
    pairs = [
        (_flag(a, "the judge", place), _flag(b, "people", place))
        for place, (a, b) in enumerate(zip(said, true, strict=True))
        if not (a is None or b is None or isinstance(a, Missing) or isinstance(b, Missing))
    ]
    good = [passed for passed, is_good in pairs if is_good]
    bad = [passed for passed, is_good in pairs if not is_good]
    if not good or not bad:
        which = "passed" if not good else "failed"
        return Missing(f"people {which} none of the labelled answers", f"{len(pairs)} answers are labelled by both")
    return Calibration(
        q0=bad.count(False) / len(bad),
        m0=len(bad),
        q1=good.count(True) / len(good),
        m1=len(good),
        unlabelled=len(said) - len(pairs),
        **about,
    )


def is_of(calibration: Calibration, judge: str) -> bool:
    """Whether a calibration is of this judge: every part of the name that it was made under stands in the judge's.

    >>> mine = Calibration(q0=0.8, m0=20, q1=0.9, m1=20, judge="openai/gpt-4o, solving@0123")
    >>> is_of(mine, "solving (openai/gpt-4o, prompts solving@0123)"), is_of(mine, "heuristic")
    (True, False)
    """
    parts = [part for part in re.split(r"[\s,;()]+", calibration.judge.lower()) if part]
    return all(part in judge.lower() for part in parts)


def corrected(passes: int, n: int, calibration: Calibration, *, level: float = 0.95) -> Estimate | Missing:
    """The rate that people would have read, from the judge's passes among n answers.

    Refused, with the reason, when the judge did no better than a coin (q0 + q1 ≤ 1) or one kind of label is lacking.

    >>> judge = Calibration(q0=0.8, m0=200, q1=0.9, m1=200)
    >>> round(corrected(340, 1000, judge).value, 3)
    0.2
    """
    check_level(level)
    check_counts(passes, n)
    return corrected_rate(proportion(passes, n, level=level) if n else nothing(), calibration, level=level)


def corrected_rate(read: Estimate | Missing, calibration: Calibration, *, level: float = 0.95) -> Estimate | Missing:
    """The rate that people would have read, from the rate that the judge reads and its standard error.

    This is for answers that are not independent: where a task was answered several times, the rate is taken over the
    tasks (`repeated`, `clustered_mean`), and the correction keeps the uncertainty of that.
    """
    check_level(level)
    if isinstance(read, Missing):
        return Missing("the judge has no verdict to correct")
    if not calibration.m0 or not calibration.m1:
        return Missing("the calibration lacks answers that people passed or failed")
    gain = calibration.youden
    if gain <= 0:
        return Missing(
            "the judge is no better than chance on its calibration labels",
            f"q0 + q1 = {calibration.q0:g} + {calibration.q1:g}; expected more than 1",
        )
    unclipped = (read.value + calibration.q0 - 1) / gain
    rate = min(1.0, max(0.0, unclipped))
    variance = (
        (read.se**2 if read.se else _variance(read.value, read.n))
        + (1 - rate) ** 2 * _variance(calibration.q0, calibration.m0)
        + rate**2 * _variance(calibration.q1, calibration.m1)
    ) / gain**2
    half = normal_quantile(level) * math.sqrt(variance)
    return Estimate(
        value=rate,
        n=read.n,
        low=max(0.0, rate - half),
        high=min(1.0, rate + half),
        level=level,
        method="corrected for the judge (Rogan-Gladen)",
        se=math.sqrt(variance),
        note=None if rate == unclipped else f"clipped: the correction gives {unclipped:.3f}",
    )


def _variance(share: float, n: int) -> float:
    """The variance of a share. One of 0 or 1 is not certain: it is taken as if one more of each kind had been seen."""
    if share in (0.0, 1.0):
        share = (share * n + 1) / (n + 2)
    return share * (1 - share) / n


def _flag(label: object, whose: str, place: int) -> bool:
    if label not in (True, False):
        raise InputError(f"label {place} of {whose} is {label!r}; expected true or false.")
    return bool(label)

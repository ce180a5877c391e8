"""What is known of the errors of a run's judge: the calibration that is named, or the one that comes with Proctor."""

from __future__ import annotations

from typing import Final

from proctor import starter
from proctor.judges.rubric import RubricJudge
from proctor.records.runs import RunRecord
from proctor.runs.calibrating import read_calibration
from proctor.stats.calibration import Calibration
from proctor.wiring.shipped import CALIBRATION, STARTER, shipped

__all__ = ["NONE", "calibration_for", "calibration_named"]

NONE: Final = "none"
"""What is said where no rate is to be corrected."""


def calibration_named(said: str | None) -> Calibration | None:
    """The calibration that was named: a file, or the starter's; None where none was, or none is wanted."""
    return None if said in (None, NONE) else read_calibration(shipped(said, CALIBRATION))


def calibration_for(said: str | None, run: RunRecord) -> Calibration | None:
    """What corrects a run's rate: what was named, or else the rubric's own where the rubric judged the starter."""
    if said is None and run.manifest.spec.benchmark == STARTER and run.judge == RubricJudge.name:
        return read_calibration(starter.calibration())
    return calibration_named(said)

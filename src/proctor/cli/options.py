"""Options that several commands have, and that mean the same in each."""

from __future__ import annotations

import click

with_calibration = click.option(
    "--calibration",
    metavar="FILE",
    help="Print the rate corrected by this too; starter: the rubric's own, unasked where it judged the starter; none.",
)
"""Which calibration corrects the rate of a run, as `wiring.calibrations.calibration_for` takes it."""

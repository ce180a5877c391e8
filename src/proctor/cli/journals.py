"""What is told of a run's journal that somebody or something has damaged."""

from __future__ import annotations

from pathlib import Path

import click

from proctor.errors import counted
from proctor.records.runs import RunRecord
from proctor.runs.folders import JOURNAL

__all__ = ["tell_damage"]


def tell_damage(record: RunRecord, folder: Path) -> None:
    """Say how many lines of a run's journal cannot be read, on standard error."""
    if record.damaged:
        click.echo(
            f"proctor: {folder / JOURNAL}: {counted(record.damaged, 'line')} cannot be read and told of nothing; what "
            "is lacking for it is done again by proctor run.",
            err=True,
        )

"""The rows of a list of runs: what each is, how far it is, and how good. What has been read is not read again."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from urllib.parse import quote

import msgspec

from proctor.errors import FileError
from proctor.records.grades import Missing
from proctor.report.exhibit import Listing
from proctor.report.summary import headline
from proctor.runs import folders
from proctor.runs.folders import Listed
from proctor.stats.intervals import Estimate

__all__ = ["Rows"]

_PATIENCE = 1.0
"""A list waits so many seconds for figures; the next one goes on where it stopped."""
_PAUSE = 10
"""The figures of a run that grows are read anew no sooner than after so many times the time that reading took."""
_UNREAD = Missing("not read yet")

Figures = tuple[Estimate | Missing, Estimate | Missing]


class _Read(msgspec.Struct, frozen=True):
    """What was read of a run, of which stamp, when, and how long that took."""

    stamp: str
    figures: Figures
    at: float
    took: float


class Rows:
    """The rows of a list, kept for as long as the stamps of their runs stay."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._listed: dict[str, tuple[str, Listed]] = {}
        self._figures: dict[str, _Read] = {}
        self._lock = threading.Lock()
        self.owes = False
        """Whether the last list had figures that were not, or no longer, those of their runs."""

    def of(self, runs: Sequence[tuple[Path, str]]) -> list[Listing]:
        """The rows of these runs, each with the stamp of what is there; the latest first."""
        with self._lock:  # two windows read a run once
            listed = [one for path, stamp in runs if (one := self._labelled(path, stamp)) is not None]
            listed.sort(key=lambda one: (-one.manifest.started, one.name))
            stamps = {path.name: stamp for path, stamp in runs}
            until = self._clock() + _PATIENCE
            rows = [_row(one, self._measured(one, stamps[one.name], until)) for one in listed]
            read = {name: one.stamp for name, one in self._figures.items()}
            self.owes = any(read.get(one.name) != stamps[one.name] for one in listed)
            return rows

    def _labelled(self, path: Path, stamp: str) -> Listed | None:
        kept = self._listed.get(path.name)
        if kept is None or kept[0] != stamp:
            try:
                kept = (stamp, folders.listed_run(path))
            except FileError:  # it is broken; its own page says how
                return None
            self._listed[path.name] = kept
        return kept[1]

    def _measured(self, run: Listed, stamp: str, until: float) -> Figures:
        """The figures of the result file where it has them, else those of what the run has written down so far."""
        kept = self._figures.get(run.name)
        if kept is not None and kept.stamp == stamp:
            return kept.figures
        now = self._clock()
        if not isinstance(run.sopr, Missing):
            self._figures[run.name] = _Read(stamp, (run.sopr, run.api_call_score), now, 0.0)
            return self._figures[run.name].figures
        if kept is not None and now - kept.at < _PAUSE * kept.took:
            return kept.figures
        if now > until:
            return kept.figures if kept is not None else (_UNREAD, _UNREAD)
        try:
            figures = headline(folders.read_run(run.path))
        except FileError:
            figures = (Missing("it could not be read"),) * 2
        self._figures[run.name] = _Read(stamp, figures, self._clock(), self._clock() - now)
        return figures


def _row(run: Listed, figures: Figures) -> Listing:
    spec = run.manifest.spec
    return Listing(
        name=run.name,
        page=f"runs/{quote(run.name, safe='')}/",
        benchmark=spec.benchmark,
        model=spec.agent_model,
        method=run.method,
        trials=run.traced,
        planned=run.planned,
        began=time.strftime("%Y-%m-%d %H:%M", time.gmtime(run.manifest.started)),
        sopr=figures[0],
        api_call_score=figures[1],
    )

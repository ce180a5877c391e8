"""Grading by names: which folder is meant, who judges, and recorded answers taken in as a run."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

import msgspec

from proctor import __version__
from proctor.config import Settings
from proctor.errors import FileError, OptionError
from proctor.formats.stabletoolbench.recordings import Recording, find_recordings
from proctor.records.runs import RunRecord
from proctor.runs import folders
from proctor.runs.grading import Graders, grade, judges_heard, keep_recorded
from proctor.runs.ledger import Ledger
from proctor.runs.recorded import Label, recorded_run
from proctor.runs.running import Pace
from proctor.runs.schedule import State
from proctor.runs.underway import keeping
from proctor.runs.watching import Watcher, nobody
from proctor.wiring.benchmarks import open_benchmark
from proctor.wiring.judges import judge_of
from proctor.wiring.models import Models, patience_of, self_judged

__all__ = ["GradedRun", "folders_of", "grade_folder", "refuse_many_judges", "warning_of"]

_RECORDED = "recorded"


class GradedRun(msgspec.Struct, frozen=True):
    """A run with its verdicts, and how the grading of it ended."""

    record: RunRecord
    folder: Path
    state: State | None = None
    """None where nobody was asked."""


class Taken(msgspec.Struct, frozen=True):
    """The folders that places come to, and what was lost on the way."""

    folders: list[Path]
    lost: tuple[str, ...] = ()


def folders_of(places: Sequence[str], settings: Settings) -> Taken:
    """The run folders that are meant: runs by folder or result file; recorded answers are taken in as runs first."""
    found: list[Path] = []
    recorded: list[Recording] = []
    for place in places:
        try:
            found.append(folders.find_run(place))
        except FileError:
            recorded += find_recordings([place])
    models = dict.fromkeys(recording.model for recording in recorded)
    lost: list[str] = []
    for model in models:
        folder, losses = _taken([one for one in recorded if one.model == model], settings)
        found.append(folder)
        lost += losses
    return Taken(list(dict.fromkeys(found)), tuple(lost))


async def grade_folder(folder: Path, settings: Settings, *, watch: Watcher = nobody) -> GradedRun:
    """Judge what a run's answers lack by the judge of the settings; without one, read the verdicts that are there."""
    manifest = folders.read_manifest(folder)
    if not settings.judge.name:
        record = folders.read_run(folder)
        if not record.method:
            raise OptionError(f"{folder}: nobody has judged this run yet; say who is to: --judge openai/gpt-4o-mini.")
        return GradedRun(record, folder)
    models = Models(settings)
    judge = judge_of(settings.judge, settings.judge.name, models.role("judge"))
    if judge is None:
        raise OptionError("--judge none grades nothing; leave it out to see the verdicts that are there.")
    graders = Graders(judge, settings.judge.repeats, Pace(settings.run.concurrency, patience_of(settings)))
    try:
        with Ledger(folder / folders.JOURNAL) as ledger:
            with keeping(folder) as kept:
                state = await grade(manifest, ledger, graders, name=folder.name, watch=watch, kept=kept)
            ledger.journal.sync()
            record = folders.record_of(folder.name, manifest, ledger)
    finally:
        await models.aclose()
    return GradedRun(record, folder, state)


def refuse_many_judges(folder: Path) -> None:
    """OptionError where several judges gave verdicts on a run: then a gate on them has to say whose it looks at."""
    if not (folder / folders.JOURNAL).exists():
        return
    with Ledger(folder / folders.JOURNAL, read_only=True) as ledger:
        heard = judges_heard(ledger)
    if len(heard) > 1:
        names = ", ".join(repr(name) for name in dict.fromkeys(heard))
        raise OptionError(
            f"{folder}: there are verdicts of {len(heard)} judges ({names}), and a gate looks at those of one; "
            "say whose: --judge NAME."
        )


def warning_of(folder: Path, settings: Settings) -> str | None:
    """What to warn of where the judge is the model that sat the exam."""
    return self_judged(folders.read_manifest(folder), settings.judge.name, settings.judge.url)


def _taken(recordings: Sequence[Recording], settings: Settings) -> tuple[Path, tuple[str, ...]]:
    """Recorded answers of one model as a run's folder, where it is not one already."""
    benchmark = open_benchmark(settings.benchmark)
    config = settings.run.name or f"{benchmark.name}-{_RECORDED}"
    label = Label(benchmark.name, config, __version__, time.time(), benchmark.hash)
    run = recorded_run(recordings, benchmark.sets, label)
    folder = folders.run_path(settings.run.output, folders.run_name(run.manifest.framework, config))
    with folders.begun_folder(folder, run.manifest) as (_, ledger):
        keep_recorded(run, ledger)
        ledger.journal.sync()
    return folder, run.lost

"""Pages by names: a run is read, and what stands beside it is found; the report room is handed all of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

import msgspec

from proctor.errors import FileError, InputError
from proctor.records.grades import Missing
from proctor.records.keys import content_hash
from proctor.records.runs import Manifest, RunRecord
from proctor.report.exhibit import Exhibit, Neighbour, Shown, Versus
from proctor.report.page import page
from proctor.report.published import Beside, beside, published
from proctor.report.summary import RunSummary, summarise
from proctor.runs import folders
from proctor.runs.comparing import Measure, RunComparison, compare_runs
from proctor.runs.recorded import answered_only
from proctor.store.artifacts import write_whole

__all__ = ["Wish", "exhibit_of", "page_path", "write_page"]
from proctor.wiring.calibrations import calibration_for

MOST_BESIDE = 20_000
"""So many trials of other runs are read to stand beside one; the pages of large runs stay quick to make."""
_MEASURES: dict[str, Measure] = {"SoPR": "sopr", "API call score": "api_call_score"}
_REFERENCES = ("null", "oracle")


class Wish(msgspec.Struct, frozen=True):
    """How a page is to be."""

    calibration: str | None = None
    """Which calibration was named, as `--calibration` has it."""
    level: float = 0.95
    most_beside: int = MOST_BESIDE
    live: str | None = None
    """Where a served page asks whether there is more."""
    grown: int | None = None
    """When the run last wrote something down, in seconds since 1970: for a served page."""
    page_of: Callable[[str], str] | None = None
    """The address of another run's page, by the run's name; None where there is none."""


def page_path(folder: Path, other: Path | None = None) -> Path:
    """Where the page of a run stands: beside its result file."""
    name = folder.name if other is None else f"{folder.name}_against_{other.name}"
    return folders.result_path(folder).with_name(f"{name}.html")


def write_page(
    folder: Path, record: RunRecord, target: Path, *, other: RunRecord | None = None, wish: Wish | None = None
) -> Path:
    """Write the page of a run, whole or not at all."""
    write_whole(target, page(exhibit_of(folder, record, other, wish or Wish())).encode())
    return target


def exhibit_of(folder: Path, record: RunRecord, other: RunRecord | None, wish: Wish) -> Exhibit:
    """All that the page of a run shows."""
    shown = [record] + ([other] if other is not None else [])
    calibration = calibration_for(wish.calibration, record)
    runs = [
        Shown(one, summarise(one, level=wish.level, calibration=calibration if one is record else None))
        for one in shown
    ]
    read, unread = _beside(folder, record.manifest, {one.name for one in shown}, wish.most_beside)
    neighbours = [_neighbour(one.record, one.summary, wish, shown=True) for one in runs]
    neighbours += [_neighbour(one, summarise(one, level=wish.level), wish) for one in read]
    versus, refused, differs = ((), "", {}) if other is None else _compared(record, other, wish.level)
    return Exhibit(
        run=runs[0],
        other=runs[1] if other is not None else None,
        versus=versus,
        refused=refused,
        differs=differs,
        neighbours=tuple(neighbours),
        unread=unread,
        published=_published(record),
        calibration=calibration,
        grown=wish.grown,
        live=wish.live,
    )


def _published(record: RunRecord) -> tuple[Beside, ...]:
    """A run over StableToolBench's sets beside what was published over them."""
    if not set(record.manifest.spec.test_sets) & set(published().sets):
        return ()
    return beside(record, summarise(answered_only(record)))


Compared = tuple[tuple[Versus, ...], str, dict[str, tuple[object, object]]]


def _compared(run: RunRecord, baseline: RunRecord, level: float) -> Compared:
    """The run against its baseline by each measure; why not, where they did not sit the same exam."""
    found: list[Versus] = []
    refused, differs = "", {}
    for name, measure in _MEASURES.items():
        try:
            comparison = compare_runs(baseline, run, measure=measure, level=level)
        except InputError as error:
            refused = refused or str(error)
        else:
            found.append(_versus(name, comparison))
            differs = comparison.differs
    return tuple(found), refused, differs


def _versus(measure: str, found: RunComparison) -> Versus:
    return Versus(measure=measure, overall=found.overall, sentence=found.sentence, sets=found.sets)


def _beside(folder: Path, manifest: Manifest, known: Iterable[str], most: int) -> tuple[list[RunRecord], int]:
    """Other runs of the folder over the same queries, the references first, and how many were too many to read."""
    labels = [
        (path, other) for path, other in _labels(folder) if path.name not in set(known) and _same(manifest, other)
    ]
    labels.sort(key=lambda label: (label[1].spec.agent not in _REFERENCES, -label[1].started))
    read: list[RunRecord] = []
    unread = 0
    for path, other in labels:
        most -= len(other.query_ids) * other.spec.epochs
        if most < 0:
            unread += 1
            continue
        try:
            record = folders.read_run(path)
        except FileError:  # it is broken; its own page says how
            continue
        if record.trials:
            read.append(record)
    return read, unread


def _labels(folder: Path) -> Iterable[tuple[Path, Manifest]]:
    for path in sorted(folder.parent.glob(f"*/{folders.MANIFEST}")):
        try:
            yield path.parent, folders.read_manifest(path.parent)
        except FileError:
            continue


def _same(one: Manifest, other: Manifest) -> bool:
    """Whether two runs are over the same queries."""
    same = (one.spec.benchmark, one.spec.data) == (other.spec.benchmark, other.spec.data)
    return same and set(one.query_ids) == set(other.query_ids)


def _neighbour(record: RunRecord, summary: RunSummary, wish: Wish, *, shown: bool = False) -> Neighbour:
    spec = record.manifest.spec
    trials, cost = summary.overall.trials, summary.spent.agent.cost
    bare = msgspec.structs.replace(spec, faults={})
    return Neighbour(
        name=record.name,
        agent=summary.agent,
        model=summary.model,
        method=record.method,
        judge=record.judge,
        queries=summary.overall.queries,
        sopr=summary.overall.sopr,
        cost=cost if isinstance(cost, Missing) or not trials else cost / trials,
        faults=float(spec.faults.get("share", 0.0)),
        like=content_hash([bare, record.judge, record.method]),
        page=wish.page_of(record.name) if wish.page_of is not None else None,
        shown=shown,
    )

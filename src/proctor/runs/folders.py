"""The folders of runs: where a run keeps what it did, how a folder is begun, and how it is read.

DIR/runs/<framework>_<config>/manifest.json    what the run is
                              journal.jsonl    what it did, a line each
DIR/tools/<framework>_<config>.json            the result file
"""

from __future__ import annotations

import contextlib
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from proctor import json_text
from proctor.errors import FileError, OptionError, ProctorError
from proctor.records.grades import Missing
from proctor.records.runs import Manifest, RunRecord, RunSpec, Trial, TrialKey
from proctor.records.traces import Usage
from proctor.runs.ledger import Judging, Ledger
from proctor.runs.summaries import Summary, read_summary
from proctor.runs.underway import UNDERWAY
from proctor.stats.intervals import Estimate
from proctor.store.artifacts import unwritable, write_whole
from proctor.store.lines import unreadable

__all__ = [
    "ANSWERS",
    "JOURNAL",
    "RESULTS",
    "Listed",
    "begun_folder",
    "find_run",
    "list_runs",
    "listed_run",
    "plan_of",
    "read_manifest",
    "read_run",
    "result_path",
    "results_of",
    "run_name",
    "run_path",
]

MANIFEST = "manifest.json"
JOURNAL = "journal.jsonl"
ANSWERS = "answers.db"
"""The store of the APIs' answers in a run's folder, where no other is named and somebody has to be asked."""
_OWN = (MANIFEST, JOURNAL, UNDERWAY, ANSWERS)
"""What the names of a run's own files begin with."""
RESULTS = "results"
"""The folder of results where none is named."""
_RUNS = "runs"
_RESULTS = "tools"
_EXTENT = ("test_sets", "epochs", "limit")
"""What says how much there is to do: a run that differs in nothing else can go on as a larger one."""

_NO_RESULT = Missing("there is no result file yet")
_GROWN = Missing("the run has gone on since its result file was written")


class Listed(msgspec.Struct, frozen=True):
    """A run in a list: its label, and how far it is."""

    name: str
    path: Path
    manifest: Manifest
    traced: int
    """How many trials have a trace that counts."""
    planned: int
    method: str = ""
    """How it was judged last; empty where nobody has judged."""
    sopr: Estimate | Missing = _NO_RESULT
    """The pass rate over all queries, as the result file has it."""
    api_call_score: Estimate | Missing = _NO_RESULT


def run_name(framework: str, config: str) -> str:
    """The name of a run's folder and of its result file."""
    return f"{_slug(framework)}_{_slug(config)}"


def run_path(output: str | Path, name: str) -> Path:
    """Where a run of that name keeps its folder."""
    return Path(output) / _RUNS / name


def result_path(folder: Path) -> Path:
    """Where the result file of a run's folder stands."""
    return folder.parent.parent / _RESULTS / f"{folder.name}.json"


def results_of(folder: Path) -> Path:
    """The folder of results below which a run's folder stands."""
    return folder.absolute().parent.parent


def plan_of(manifest: Manifest) -> list[TrialKey]:
    """The trials of a run, in their order."""
    pairs = [identity.partition("/") for identity in manifest.query_ids]
    return [TrialKey(name, query, epoch) for epoch in range(manifest.spec.epochs) for name, _, query in pairs]


@contextlib.contextmanager
def begun_folder(
    folder: Path, manifest: Manifest, *, resume: bool = False, fresh: bool = False
) -> Iterator[tuple[Manifest, Ledger]]:
    """A run's folder, made or gone on with: the manifest that counts, and the journal.

    The same run goes on where it stopped. A folder that is another run's is refused; with `resume` it is gone on with
    where it differs only in how much there is to do, and with `fresh` it is begun anew. While the block lasts no other
    process changes the folder: one that wants to is told so, and has touched nothing. A run that could not begin
    leaves no folder, and one that has done nothing yet makes room for another.
    """
    _kept(folder)
    _make(folder)
    with Ledger(folder / JOURNAL) as ledger:
        before = _kept(folder)
        gives_way = not resume and before is not None and not _is_same(before, manifest) and _is_blank(folder, ledger)
        if (fresh and before is not None) or gives_way:
            _empty(folder, ledger, everything=fresh)
            before = None
        try:
            yield _labelled(folder, before, manifest, resume=resume and not fresh), ledger
        except ProctorError:
            if (before is None or not resume) and _is_blank(folder, ledger):
                _forget(folder)
            raise


def _labelled(folder: Path, before: Manifest | None, manifest: Manifest, *, resume: bool) -> Manifest:
    """The manifest that counts, written down."""
    if before is None:
        if resume:
            raise OptionError(f"{folder}: there is no run to go on with; leave --resume out to begin one.")
        return _written(folder, manifest)
    if before.cache_id is not None and before.cache_id != manifest.cache_id:
        raise OptionError(
            f"{folder} was answered by the frozen cache {before.cache_id}, and --cache is "
            f"{manifest.cache_id or 'none'}. Name that cache again, or say --name NAME to keep both, or --fresh to "
            "throw the old run away."
        )
    if _is_same(before, manifest):
        return before
    differ = _differences(before.spec, manifest.spec)
    if resume and set(differ) <= set(_EXTENT):
        return _written(folder, _going_on(manifest, before))
    larger = "" if set(differ) - set(_EXTENT) else " --resume to go on with it,"
    raise OptionError(
        f"{folder} is another run's: {_said(before.spec, manifest.spec, differ)}. Say{larger} --name NAME to keep "
        "both, or --fresh to throw the old one away."
    )


def _is_same(before: Manifest, now: Manifest) -> bool:
    return before.spec.key == now.spec.key and before.query_ids == now.query_ids


def _is_blank(folder: Path, ledger: Ledger) -> bool:
    """Whether nothing has come of a run yet: no trial, no verdict, no line that cannot be read, nothing underway."""
    if ledger.journal.damaged or any(ledger.journal.keys(kind) for kind in ("trace", "failure", "verdict")):
        return False
    kept = folder / UNDERWAY
    return not kept.exists() or not kept.stat().st_size


def _going_on(manifest: Manifest, before: Manifest) -> Manifest:
    """The manifest of a larger run: what it met when it began stays."""
    return msgspec.structs.replace(manifest, started=before.started, id=before.id, cache_id=before.cache_id)


def find_run(where: str | Path) -> Path:
    """The folder of a run: by itself, by its result file, by `DIR/<name>`, or by its name where it is in `results`.

    FileError where there is none.
    """
    place = Path(where)
    folder = place.parent.parent / _RUNS / place.stem if place.suffix == ".json" else place
    by_name = [run_path(RESULTS, place.name)] if place.parent == Path() else []
    for candidate in (folder, run_path(place.parent, place.name), *by_name):
        if (candidate / MANIFEST).is_file():
            return candidate
    only = [path.parent for path in (place / _RUNS).glob(f"*/{MANIFEST}")]
    if len(only) == 1:
        return only[0]
    if only:
        names = ", ".join(sorted(path.name for path in only))
        raise FileError(f"there are {len(only)} runs here; name one of them: {names}.", path=str(place))
    raise FileError(
        "there is no run here; name its folder or its result file (proctor list shows the runs of a folder).",
        path=str(place),
    )


def read_manifest(folder: Path) -> Manifest:
    """The label of a run."""
    path = folder / MANIFEST
    try:
        return msgspec.json.decode(path.read_bytes(), type=Manifest)
    except OSError as error:
        raise unreadable(str(path), error) from None
    except json_text.UNREADABLE as error:
        raise FileError(f"this is no manifest of a run: {error}.", path=str(path)) from None


def read_run(folder: str | Path) -> RunRecord:
    """A run as it was written down so far, with the verdicts of the judge that judged last.

    Trials that failed through the environment stand among the others, with that failure and without a verdict: they
    are owed, and count in no score.
    """
    place = Path(folder)
    manifest = read_manifest(place)
    if not (place / JOURNAL).exists():  # it was stopped before its first line
        return RunRecord(place.name, manifest, (), len(plan_of(manifest)))
    with Ledger(place / JOURNAL, read_only=True) as ledger:
        return record_of(place.name, manifest, ledger)


def record_of(name: str, manifest: Manifest, ledger: Ledger) -> RunRecord:
    """The record of a run whose journal is open."""
    plan = plan_of(manifest)
    judging = ledger.judging
    usage = Usage()
    trials = []
    for trial, spent in _trials(plan, ledger, judging):
        trials.append(trial)
        usage += spent
    return RunRecord(
        name=name,
        manifest=manifest,
        trials=tuple(trials),
        planned=len(plan),
        judge=judging.name if judging is not None else "",
        method=judging.method if judging is not None else "",
        judge_usage=usage,
        seconds=ledger.seconds,
        damaged=ledger.journal.damaged,
    )


def list_runs(results: str | Path) -> list[Listed]:
    """The runs below a folder of results, the latest first. A folder that cannot be read is passed over.

    Figures are those of the result files. A journal is read only where it was written after its result file.
    """
    listed = []
    for path in (Path(results) / _RUNS).glob(f"*/{MANIFEST}"):
        try:
            listed.append(listed_run(path.parent))
        except FileError:
            continue
    return sorted(listed, key=lambda row: (-row.manifest.started, row.name))


def listed_run(folder: Path) -> Listed:
    """A run as a list has it."""
    manifest = read_manifest(folder)
    planned = len(manifest.query_ids) * manifest.spec.epochs
    if not (folder / JOURNAL).exists():
        return Listed(folder.name, folder, manifest, 0, planned)
    result = result_path(folder)
    found = read_summary(result)
    if isinstance(found, Summary) and found.denominators.planned == planned and _is_older(folder / JOURNAL, result):
        traced, method = found.denominators.answered, found.method
        return Listed(folder.name, folder, manifest, traced, planned, method, found.sopr, found.api_call_score)
    with Ledger(folder / JOURNAL, read_only=True) as ledger:
        judging = ledger.judging
        traced = len(ledger.traced)
    row = Listed(folder.name, folder, manifest, traced, planned, judging.method if judging is not None else "")
    if isinstance(found, Missing):
        return msgspec.structs.replace(row, sopr=found, api_call_score=found)
    other = found.method != row.method or (judging is not None and found.judge not in ("", judging.name))
    if other or (found.denominators.answered != traced and _is_older(result, folder / JOURNAL)):
        return msgspec.structs.replace(row, sopr=_GROWN, api_call_score=_GROWN)
    return msgspec.structs.replace(row, sopr=found.sopr, api_call_score=found.api_call_score)


def _is_older(one: Path, other: Path) -> bool:
    return one.stat().st_mtime_ns <= other.stat().st_mtime_ns


def _trials(plan: list[TrialKey], ledger: Ledger, judging: Judging | None) -> Iterator[tuple[Trial, Usage]]:
    """The trials of a plan that were tried, and what judging each has cost."""
    broken = ledger.failures()
    for key in plan:
        trace = ledger.trace(key)
        if trace is None:
            if key in broken:
                yield Trial(key, ledger.query(key), broken[key]), Usage()
            continue
        opinions = ledger.opinions(key, judging) if judging is not None else []
        usage = sum((one.usage for one in opinions), Usage())
        seconds = sum(one.seconds for one in opinions)
        yield Trial(key, ledger.query(key), trace, tuple(one.verdict for one in opinions), seconds), usage


def _kept(folder: Path) -> Manifest | None:
    if (folder / MANIFEST).exists():
        return read_manifest(folder)
    if folder.is_dir() and any(map(_is_foreign, folder.iterdir())):
        raise OptionError(f"{folder}: there are files here and no run; name another folder.")
    return None


def _is_foreign(path: Path) -> bool:
    """Whether a file in a folder without a manifest is somebody else's: not a journal that was only just begun."""
    if path.name == JOURNAL and path.is_file():
        return path.stat().st_size > 0
    return not path.name.startswith(".") and path.name != f"{JOURNAL}.lock"


def _forget(folder: Path) -> None:
    """Remove a run that has done nothing, and its folder unless somebody has put something else into it."""
    with contextlib.suppress(OSError):
        for path in sorted(folder.iterdir(), key=lambda path: path.suffix == ".lock"):  # the lock is held to the end
            if path.name.startswith(_OWN):
                path.unlink()
        folder.rmdir()


def _empty(folder: Path, ledger: Ledger, *, everything: bool) -> None:
    """Remove a run from its folder, with all that is there or its own files only; its journal is held, and emptied."""
    (folder / MANIFEST).unlink()
    ledger.clear()
    for path in folder.iterdir():
        if path.name in (JOURNAL, f"{JOURNAL}.lock") or not (everything or path.name.startswith(_OWN)):
            continue
        try:
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        except OSError as error:
            raise unwritable(str(path), error) from None


def _make(folder: Path) -> None:
    """Make a run's folder, and that of its result file."""
    for place in (folder, result_path(folder).parent):
        try:
            place.mkdir(parents=True, exist_ok=True)
        except (FileExistsError, NotADirectoryError):
            file = next((one for one in (place, *place.parents) if one.exists() and not one.is_dir()), place)
            raise OptionError(f"{file}: results are kept in a folder, and this is a file; name another.") from None
        except OSError as error:
            raise unwritable(str(place), error) from None


def _written(folder: Path, manifest: Manifest) -> Manifest:
    write_whole(folder / MANIFEST, msgspec.json.format(msgspec.json.encode(manifest)) + b"\n")
    return manifest


def _differences(before: RunSpec, now: RunSpec) -> list[str]:
    return [name for name in before.__struct_fields__ if getattr(before, name) != getattr(now, name)]


def _said(before: RunSpec, now: RunSpec, differ: list[str]) -> str:
    if not differ:
        return "its queries are others"
    told = [said for name in differ for said in _differing(name, getattr(before, name), getattr(now, name))]
    return "; ".join(told[:3]) + ("; and more" if len(told) > 3 else "")


def _differing(name: str, before: Any, now: Any) -> list[str]:
    """How a setting differs, in words: settings with parts of their own by each part."""
    if not isinstance(before, dict):
        return [f"its {name} is {_word(before)}, not {_word(now)}"]
    parts = [part for part in {**before, **now} if before.get(part) != now.get(part)]
    if "recorded" in parts:
        return ["its recorded answers are others"]
    return [f"its {name} has {part} {_word(before.get(part))}, not {_word(now.get(part))}" for part in parts]


def _word(value: Any) -> str:
    """A setting's value as a message has it: what is not said is none."""
    if value is None:
        return "none"
    return f"{', '.join(map(str, value)) if isinstance(value, list | tuple) else repr(value):.60}"


def _slug(name: str) -> str:
    """A name as a part of a file's: what file systems take, and no underscore twice."""
    slug = re.sub(r"[^\w.+@-]+", "-", name.strip(), flags=re.ASCII).strip("-.")
    if not slug:
        raise OptionError(f"{name!r} cannot be the name of a run; use letters, digits and dashes.")
    return slug[:100]

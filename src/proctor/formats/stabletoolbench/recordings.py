"""Whatever was recorded of an agent, found and read: a file of any of the forms, or a folder of them.

A recording is one model's answers to one test set. Its names come from its place, `<model>/<set>.json`, and of raw
answers `<model>/<set>/<query_id>_<method>.json`. What a file is, it says itself.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from proctor.errors import FileError, InputError
from proctor.formats.files import read_records
from proctor.formats.records import Record
from proctor.formats.stabletoolbench.answers import read_answer
from proctor.formats.stabletoolbench.converted import ConvertedAnswer, converted, read_converted, read_details
from proctor.formats.stabletoolbench.json_files import kind_of, read_json
from proctor.formats.stabletoolbench.pass_rates import COLUMNS as PASS_RATE_COLUMNS
from proctor.formats.stabletoolbench.pass_rates import PassRateEntry, read_pass_rates
from proctor.formats.stabletoolbench.preferences import COLUMNS as PREFERENCE_COLUMNS
from proctor.formats.stabletoolbench.preferences import Comparison, PreferenceCount, read_comparisons, read_counts
from proctor.formats.stabletoolbench.results import Result, ResultFile, read_results
from proctor.formats.stabletoolbench.samples import answer_of_sample
from proctor.formats.stabletoolbench.tables import is_table, table_head
from proctor.records.grades import Missing, Verdict
from proctor.store.lines import opened, unreadable

_READ = frozenset({".json", ".jsonl", ".csv", ".tsv"})
Value = TypeVar("Value")
Skip = Callable[[FileError], object]
"""Is told of a file that cannot be read, and raises it or goes on without."""


class Kind(enum.Enum):
    """What a file is."""

    RAW = "raw"
    CONVERTED = "converted"
    PASS_RATES = "pass-rates"  # noqa: S105 - a form
    PREFERENCES = "preferences"
    RESULTS = "results"
    SAMPLES = "samples"


class Recording(msgspec.Struct, frozen=True):
    """One model's answers to one test set, and what was found with them."""

    kind: Kind
    model: str
    test_set: str
    paths: tuple[str, ...]
    answers: tuple[ConvertedAnswer, ...] = ()
    verdicts: dict[str, tuple[Verdict | Missing, ...]] = {}
    """By the query's id, one verdict a repeat."""
    entries: tuple[PassRateEntry, ...] = ()
    """Of pass rates: what the file says."""
    comparisons: tuple[Comparison, ...] = ()
    counts: tuple[PreferenceCount, ...] = ()
    """Of preferences: what the file says, as a table or as JSON."""
    lost: tuple[str, ...] = ()
    """What reading has lost, a sentence each."""

    @property
    def name(self) -> str:
        """Where it stands among others."""
        return f"{self.model}/{self.test_set}"


def stop(error: FileError) -> None:
    """Raise the error: the first file that cannot be read ends it all."""
    raise error


def find_recordings(places: Iterable[str | Path], *, compat: bool = False, skip: Skip = stop) -> list[Recording]:
    """Everything that was recorded in these files and folders, in the order of their names."""
    found: list[Recording] = []
    for place in places:
        folders: dict[Path, list[Path]] = {}
        for path in _files(Path(place)):
            kind = _tried(partial(kind_of_file, path), skip, path)
            if kind is Kind.RAW:
                folders.setdefault(path.parent, []).append(path)
            elif kind is not None:
                found += _tried(partial(_read, kind, path), skip, path) or []
        found += [_raw(folder, paths, compat, skip) for folder, paths in folders.items()]
    return [one for one in found if one.paths]


def kind_of_file(path: Path) -> Kind:
    """What a file is, by what stands in it. FileError where it is nothing that is known."""
    if path.suffix.lower() == ".jsonl" or _is_list(path):
        return Kind.SAMPLES
    if is_table(path):
        return _kind_of_table(path)
    document = read_json(path, deep=True)
    kind = _kind_of_object(document) if isinstance(document, dict) else None
    if kind is None:
        known = "a raw or a converted answer, a pass rate, a preference, a result file or samples"
        raise FileError(f"{kind_of(document)} that is none of the forms that are known: {known}.", path=str(path))
    return kind


def _kind_of_object(document: dict[str, Any]) -> Kind | None:
    if "answer_generation" in document:
        return Kind.RAW
    if isinstance(document.get("results"), list):
        return Kind.RESULTS
    if "user_input" in document or "messages" in document:
        return Kind.SAMPLES
    item = next(iter(document.values()), None)
    return _kind_of_item(item) if isinstance(item, dict) else None


def _kind_of_item(item: dict[str, Any]) -> Kind | None:
    """What an object with ids as keys is, by what stands under the first."""
    if "answer" in item:
        return Kind.CONVERTED
    if "is_solved" in item:
        return Kind.PASS_RATES
    return Kind.PREFERENCES if any(isinstance(value, int) for value in item.values()) else None


def _kind_of_table(path: Path) -> Kind:
    head = set(table_head(path))
    if set(PASS_RATE_COLUMNS) <= head:
        return Kind.PASS_RATES
    if set(PREFERENCE_COLUMNS) <= head:
        return Kind.PREFERENCES
    raise FileError("the table has neither the columns of pass rates nor those of preferences.", path=str(path))


def _files(place: Path) -> Iterator[Path]:
    if not place.is_dir():
        yield place
        return
    try:
        inside = sorted(place.iterdir())
    except OSError as error:
        raise unreadable(place, error) from None
    found = [path for path in inside if path.name[0] != "." and (path.is_dir() or path.suffix.lower() in _READ)]
    if not found:
        raise FileError("the folder has no file of a form that is known; check the path.", path=str(place))
    for path in found:
        yield from _files(path)


def _is_list(path: Path) -> bool:
    with opened(path) as file:
        return file.read(4096).removeprefix(b"\xef\xbb\xbf").lstrip()[:1] == b"["


def _tried(read: Callable[[], Value], skip: Skip, path: Path) -> Value | None:
    try:
        return read()
    except FileError as error:
        skip(error)
    except RecursionError:  # steps may stand in one another as deep as they like, and nothing else
        skip(FileError("holds a value that is nested too deeply.", path=str(path)))
    return None


def _raw(folder: Path, paths: list[Path], compat: bool, skip: Skip) -> Recording:
    answers: dict[str, ConvertedAnswer] = {}
    read: list[str] = []
    lost: list[str] = []
    for path in paths:
        raw = _tried(partial(read_answer, path), skip, path)
        if raw is None:
            continue
        if raw.query_id in answers:
            methods = f"{answers[raw.query_id].method} and {raw.method}"
            problem = (
                f"is a second answer to the query {raw.query_id} ({methods}); put each method into its own folder."
            )
            skip(FileError(problem, path=str(path)))
            continue
        answers[raw.query_id], losses = converted(raw, compat=compat)
        lost += losses
        read.append(str(path))
    place = folder.absolute()
    return Recording(
        Kind.RAW, place.parent.name, place.name, tuple(read), answers=tuple(answers.values()), lost=tuple(lost)
    )


def _read(kind: Kind, path: Path) -> list[Recording]:
    empty = Recording(kind, path.absolute().parent.name, path.stem, (str(path),))
    return _results(empty, path) if kind is Kind.RESULTS else [_one(empty, path)]


def _one(empty: Recording, path: Path) -> Recording:
    if empty.kind is Kind.CONVERTED:
        answers = tuple(read_converted(path).values())
        notes = tuple(note for answer in answers for note in answer.notes)
        return msgspec.structs.replace(empty, answers=answers, lost=notes)
    if empty.kind is Kind.PASS_RATES:
        entries = tuple(read_pass_rates(path).values())
        model = next((entry.model for entry in entries if entry.model), empty.model)
        verdicts = {entry.query_id: entry.verdicts for entry in entries}
        return msgspec.structs.replace(empty, entries=entries, model=model, verdicts=verdicts)
    if empty.kind is Kind.PREFERENCES:
        table = is_table(path)
        comparisons = tuple(read_comparisons(path)) if table else ()
        counts = () if table else tuple(read_counts(path).values())
        return msgspec.structs.replace(empty, comparisons=comparisons, counts=counts)
    return _samples(empty, path)


def _results(empty: Recording, path: Path) -> list[Recording]:
    """The answers of a result file, under the file's own name.

    They are one recording, as they are one run; a recording for each test set where two sets share an id.
    """
    file = read_results(path)
    named = path.stem if path.stem.startswith(f"{file.framework}_") else file.framework or empty.model
    whole = _set_of_file(file) or path.stem
    sets = {(result.query_id, result.test_set) for result in file.results}
    apart = len({query_id for query_id, _ in sets}) < len(sets)
    by_set: dict[str, list[Result]] = {}
    for result in file.results:
        by_set.setdefault((apart and result.test_set) or whole, []).append(result)
    return [
        _results_of_set(msgspec.structs.replace(empty, model=named, test_set=name), results, file.framework)
        for name, results in (by_set or {whole: []}).items()
    ]


def _set_of_file(file: ResultFile) -> str:
    """What the answers of a file are to: its only test set, else its benchmark."""
    config = file.metadata.get("config")
    known = config if isinstance(config, dict) else {}
    only = known.get("test_set")
    if isinstance(only, str) and only and "," not in only:
        return only
    run = known.get("run")
    benchmark = run.get("benchmark") if isinstance(run, dict) else None
    return benchmark if isinstance(benchmark, str) else ""


def _results_of_set(empty: Recording, results: Sequence[Result], framework: str) -> Recording:
    answers: dict[str, ConvertedAnswer] = {}
    for result in results:
        answers.setdefault(result.query_id, _answer_of_result(result, framework))
    lost = ["which functions were offered: a result file does not say"] if answers else []
    if more := len(results) - len(answers):
        lost.append(f"left out: {more} further answers to a query that has one already")
    verdicts = {result.query_id: (result.graded.verdict,) for result in reversed(results)}
    return msgspec.structs.replace(
        empty,
        answers=tuple(answers.values()),
        verdicts={query_id: verdicts[query_id] for query_id in answers},
        lost=tuple(lost),
    )


def _answer_of_result(result: Result, framework: str) -> ConvertedAnswer:
    try:
        opening, turns, notes = read_details(result.graded.answer_details)
    except InputError:
        opening, turns, notes = (), (), ("the steps of an answer cannot be read",)
    return ConvertedAnswer(
        query_id=result.query_id,
        query=result.query_text,
        functions=(),
        method=framework,
        final_answer=result.graded.final_answer,
        turns=turns,
        opening=opening,
        notes=notes,
    )


def _samples(empty: Recording, path: Path) -> Recording:
    answers: dict[str, ConvertedAnswer] = {}
    lost: list[str] = []
    for position, record in enumerate(read_records(str(path))):
        if not isinstance(record, Record):
            raise record
        try:
            answer, losses = answer_of_sample(record.sample, str(position if record.id is None else record.id))
        except InputError as error:
            raise FileError(str(error), path=str(path), line=record.line) from None
        if answer.query_id in answers:
            problem = f"has a second answer to the query {answer.query_id!r}; ids must differ."
            raise FileError(problem, path=str(path), line=record.line)
        answers[answer.query_id] = answer
        lost += losses
    return msgspec.structs.replace(empty, answers=tuple(answers.values()), lost=tuple(lost))

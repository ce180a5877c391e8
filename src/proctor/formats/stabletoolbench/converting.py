"""From one form of recorded answers to another: recordings in, files out, and what was lost counted.

The same recordings always give the same bytes. Nobody is asked for a verdict here: where none was recorded, the finish
rule settles what it settles, and the rest is unmeasured.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

import msgspec

from proctor.errors import InputError
from proctor.formats.stabletoolbench.attempted import ruled
from proctor.formats.stabletoolbench.conversions import Conversion, Value
from proctor.formats.stabletoolbench.converted import ConvertedAnswer, written_converted
from proctor.formats.stabletoolbench.decided import decided
from proctor.formats.stabletoolbench.json_files import json_bytes
from proctor.formats.stabletoolbench.pass_rates import (
    PassRateEntry,
    pass_rate_entry,
    pass_rate_table,
    written_pass_rates,
)
from proctor.formats.stabletoolbench.preferences import (
    Comparison,
    PreferenceCount,
    compared,
    comparison_table,
    counted,
    written_counts,
)
from proctor.formats.stabletoolbench.rebuilt import is_tree, raw_of, tries_of
from proctor.formats.stabletoolbench.recordings import Kind, Recording
from proctor.formats.stabletoolbench.samples import sample_of
from proctor.formats.stabletoolbench.steps import turns_of_steps
from proctor.formats.stabletoolbench.turns import Called
from proctor.records.finishing import FINISH
from proctor.records.queries import Query

_METHOD = re.compile(r"[\w@.+-]+")
"""A method that may stand in the name of a file."""


class Form(enum.Enum):
    """What can be written."""

    RAW = "raw"
    CONVERTED = "converted"
    PASS_RATES = "pass-rates"  # noqa: S105 - a form
    PREFERENCES = "preferences"
    SAMPLES = "samples"


class Writing(msgspec.Struct, frozen=True):
    """How it is to be written."""

    form: Form
    compat: bool = False
    """As StableToolBench has it, with nothing beside."""
    table: bool = False
    """Pass rates and preferences as tables, not as JSON."""
    queries: Mapping[str, Query] = {}
    """Queries by id, for what only they say."""


class File(msgspec.Struct, frozen=True):
    """A file to write."""

    name: str
    """Its path below the folder that is written."""
    data: bytes
    answers: int
    """How many answers or comparisons stand in it."""


def files_of(recordings: Sequence[Recording], writing: Writing) -> Conversion[list[File]]:
    """The files that recordings come to."""
    if writing.form is Form.PREFERENCES:
        return _preferences(recordings, writing)
    files: list[File] = []
    lost: list[str] = []
    for recording in recordings:
        made, losses = _files(recording, writing)
        files += made
        lost += [*recording.lost, *losses]
    _refuse_twins(files)
    return Conversion(files, tuple(lost))


def answers_of(recording: Recording) -> Conversion[tuple[ConvertedAnswer, ...]]:
    """The answers of a recording. Of pass rates and preferences they are read from the steps' text."""
    if recording.answers:
        return Conversion(recording.answers)
    if recording.kind is not Kind.PASS_RATES:
        raise InputError(f"{recording.paths[0]}: preferences hold two models' answers; only preferences come of them.")
    answers = tuple(_of_steps(entry) for entry in recording.entries)
    return Conversion(answers, ("what the functions that were offered say and take, and the method",) * len(answers))


def entries_of(recording: Recording) -> Conversion[tuple[PassRateEntry, ...]]:
    """The pass-rate entries of a recording."""
    if recording.entries:
        return Conversion(recording.entries)
    answers, lost = answers_of(recording)
    entries = []
    for answer in answers:
        verdicts = recording.verdicts.get(answer.query_id) or (ruled(answer),)
        entries.append(pass_rate_entry(answer, verdicts, recording.model))
    return Conversion(tuple(entries), (*lost, *("the offered functions but for their names" for _ in answers)))


def _files(recording: Recording, writing: Writing) -> Conversion[list[File]]:
    if writing.form is Form.PASS_RATES:
        return _pass_rates(recording, writing)
    answers, lost = answers_of(recording)
    if recording.verdicts:
        lost = (*lost, *("the verdicts" for _ in answers))
    if writing.form is Form.RAW:
        documents, losses = _parted([raw_of(answer) for answer in answers])
        names = [_placed(recording, _raw_name(one)) for one in answers]
        files = [File(name, json_bytes(one), 1) for name, one in zip(names, documents, strict=True)]
    elif writing.form is Form.SAMPLES:
        samples, losses = _parted([sample_of(one, writing.queries.get(one.query_id)) for one in answers])
        if writing.queries:
            unasked = [one for one in answers if one.query_id not in writing.queries]
            losses = (
                *losses,
                *("the calls that were wanted: none of the queries has the answer's id" for _ in unasked),
            )
        lines = [{"id": one.query_id, **sample.to_dict()} for one, sample in zip(answers, samples, strict=True)]
        data = b"".join(msgspec.json.encode(line) + b"\n" for line in lines)
        files = [File(_placed(recording, ending=".jsonl"), data, len(answers))]
    else:
        document = written_converted(answers, compat=writing.compat)
        losses = tuple("what Proctor knows beside" for one in answers if writing.compat and one.facts)
        files = [File(_placed(recording, ending=".json"), json_bytes(document), len(answers))]
    return Conversion(files, (*lost, *losses))


def _pass_rates(recording: Recording, writing: Writing) -> Conversion[list[File]]:
    entries, lost = entries_of(recording)
    if writing.table:
        data, losses = pass_rate_table(entries, recording.model)
        return Conversion([File(_placed(recording, ending=".csv"), data, len(entries))], (*lost, *losses))
    document, losses = written_pass_rates(entries, compat=writing.compat)
    return Conversion([File(_placed(recording, ending=".json"), json_bytes(document), len(entries))], (*lost, *losses))


def _preferences(recordings: Sequence[Recording], writing: Writing) -> Conversion[list[File]]:
    """Preferences of preferences, else of pairs: each set of the first model beside the same set of the second."""
    files: list[File] = []
    lost = [sentence for one in recordings for sentence in one.lost]
    answered = [one for one in recordings if one.kind is not Kind.PREFERENCES]
    for recording in recordings:
        if recording.kind is Kind.PREFERENCES:
            made, losses = _of_preferences(recording, answered, writing)
            files.append(made)
            lost += losses
    if not files:
        for reference, candidate in _pairs(answered):
            pair = (entries_of(reference), entries_of(candidate))
            found, losses = decided(pair[0].value, pair[1].value, (reference.model, candidate.model))
            named = msgspec.structs.replace(reference, model=f"{reference.model}_vs_{candidate.model}")
            files.append(_preference_file(named, found.comparisons, found.counts, writing))
            lost += losses
    _refuse_twins(files)
    return Conversion(files, tuple(lost))


def _of_preferences(recording: Recording, answered: Sequence[Recording], writing: Writing) -> Conversion[File]:
    if not writing.table:
        counts, lost = counted(recording.comparisons) if recording.comparisons else (list(recording.counts), ())
        return Conversion(_preference_file(recording, (), counts, writing), lost)
    if recording.comparisons:
        return Conversion(_preference_file(recording, recording.comparisons, (), writing))
    known = {(one.model, answer.query_id): answer for one in answered for answer in answers_of(one).value}
    rows: list[Comparison] = []
    lost_: list[str] = []
    for count in recording.counts:
        try:
            pair = known[count.reference, count.query_id], known[count.candidate, count.query_id]
        except KeyError:
            raise InputError(
                f"{recording.paths[0]}: a table of preferences holds the answers; name the folders with those of "
                f"{count.reference} and {count.candidate} too (query {count.query_id} is lacking)."
            ) from None
        row, losses = compared(count, *pair)
        rows.append(row)
        lost_ += losses
    return Conversion(_preference_file(recording, rows, (), writing), tuple(lost_))


def _preference_file(
    recording: Recording, comparisons: Sequence[Comparison], counts: Iterable[PreferenceCount], writing: Writing
) -> File:
    if writing.table:
        return File(_placed(recording, ending=".csv"), comparison_table(comparisons), len(comparisons))
    document = written_counts(counts)
    return File(_placed(recording, ending=".json"), json_bytes(document), len(document))


def _pairs(recordings: Sequence[Recording]) -> Iterator[tuple[Recording, Recording]]:
    models = list(dict.fromkeys(one.model for one in recordings))
    if len(models) != 2:
        found = ", ".join(models) or "none"
        raise InputError(f"preferences are between two models, the reference and the candidate; found {found}.")
    reference, candidate = ({one.test_set: one for one in recordings if one.model == model} for model in models)
    if not reference.keys() & candidate.keys():
        raise InputError(f"{models[0]} and {models[1]} have answered no test set in common.")
    for name in sorted(reference.keys() & candidate.keys()):
        yield reference[name], candidate[name]


def _of_steps(entry: PassRateEntry) -> ConvertedAnswer:
    turns = turns_of_steps(entry.answer_steps)
    last = next((turn for turn in reversed(turns) if isinstance(turn, Called)), None)
    return ConvertedAnswer(
        query_id=entry.query_id,
        query=entry.query,
        functions=tuple({"name": name} for name in entry.tool_names),
        method="",
        final_answer=last.written_arguments if last is not None and last.name == FINISH else "",
        turns=turns,
    )


def _parted(conversions: Iterable[Conversion[Value]]) -> tuple[list[Value], tuple[str, ...]]:
    done = list(conversions)
    return [one.value for one in done], tuple(sentence for one in done for sentence in one.lost)


def _raw_name(answer: ConvertedAnswer) -> str:
    """The name of a raw file, from which id and method can be read again."""
    method = answer.method if _METHOD.fullmatch(answer.method) else ""
    clear = method.startswith(("CoT", "DFS")) or (method and "_" not in answer.query_id)
    made = "DFS" if is_tree(answer) else f"CoT@{tries_of(answer)}"
    return f"{answer.query_id}_{method if clear else made}.json"


def _placed(recording: Recording, within: str | None = None, *, ending: str = "") -> str:
    """Where a file stands: `<model>/<set>…`. What would lead out of the folder that is written is no name."""
    parts = [recording.model or "model", f"{recording.test_set}{ending}", *([] if within is None else [within])]
    for part in parts:
        if part in {".", ".."} or "/" in part or "\0" in part:
            raise InputError(f"{recording.paths[0]}: {part!r} cannot be the name of a file; change it in the source.")
    return "/".join(parts)


def _refuse_twins(files: Sequence[File]) -> None:
    seen: set[str] = set()
    for file in files:
        if file.name in seen:
            raise InputError(f"two recordings would be written to {file.name}; convert them one by one.")
        seen.add(file.name)

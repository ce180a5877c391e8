"""Preference results: whose answer was preferred, counted by query as JSON, and comparison by comparison as a table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import msgspec

from proctor.errors import FileError, InputError
from proctor.formats.stabletoolbench.conversions import Conversion
from proctor.formats.stabletoolbench.converted import ConvertedAnswer
from proctor.formats.stabletoolbench.json_files import kind_of, read_json
from proctor.formats.stabletoolbench.pass_rates import step_lines
from proctor.formats.stabletoolbench.tables import literal, read_table, table_bytes
from proctor.stats.preferences import Preferred

COLUMNS = (
    "query",
    "available_tools",
    "ref_model_intermediate_steps",
    "ref_model_final_step",
    "output_model_intermediate_steps",
    "output_model_final_step",
    "preference_label",
    "query_id",
    "ref_model",
    "output_model",
)
LABELS = {Preferred.REFERENCE: 1, Preferred.CANDIDATE: 2, Preferred.TIE: 3}
_BY_LABEL = {label: preferred for preferred, label in LABELS.items()}
_ROUND = "round_"


class PreferenceCount(msgspec.Struct, frozen=True):
    """How often each of two was preferred on one query."""

    query_id: str
    reference: str
    candidate: str
    for_reference: int
    for_candidate: int
    rounds: dict[str, Any] = {}
    """By the name of the round (`round_0`), what became of it: `complete`."""


class Comparison(msgspec.Struct, frozen=True):
    """One comparison of two answers."""

    query_id: str
    query: str
    reference: str
    candidate: str
    preferred: Preferred
    tool_names: tuple[str, ...] = ()
    reference_steps: str = ""
    reference_final: str = ""
    candidate_steps: str = ""
    candidate_final: str = ""


def read_counts(path: str | Path) -> dict[str, PreferenceCount]:
    """The counts of a JSON file, by the query's id. Of the two names, the first is the reference."""
    document = read_json(path)
    if not isinstance(document, dict):
        raise FileError(f"preference results are an object with ids as keys, not {kind_of(document)}.", path=str(path))
    found: dict[str, PreferenceCount] = {}
    for query_id, item in document.items():
        try:
            found[query_id] = _count(query_id, item)
        except InputError as error:
            raise FileError(f"query {query_id!r}: {error}", path=str(path)) from None
    return found


def written_counts(counts: Iterable[PreferenceCount]) -> dict[str, Any]:
    """The document of a JSON file."""
    return {
        one.query_id: {one.reference: one.for_reference, one.candidate: one.for_candidate, **one.rounds}
        for one in counts
    }


def read_comparisons(path: str | Path) -> list[Comparison]:
    """The comparisons of a table, in its order."""
    found = []
    for number, row in enumerate(read_table(path, COLUMNS), 2):
        preferred = _BY_LABEL.get(int(row["preference_label"])) if row["preference_label"].isdecimal() else None
        if preferred is None:
            said = f"row {number}: preference_label is 1 (reference), 2 (candidate) or 3 (tie)"
            raise FileError(f"{said}, not {row['preference_label']!r}.", path=str(path))
        names = literal(row["available_tools"])
        found.append(
            Comparison(
                query_id=row["query_id"],
                query=row["query"],
                reference=row["ref_model"],
                candidate=row["output_model"],
                preferred=preferred,
                tool_names=tuple(map(str, names)) if isinstance(names, list) else (),
                reference_steps=row["ref_model_intermediate_steps"],
                reference_final=row["ref_model_final_step"],
                candidate_steps=row["output_model_intermediate_steps"],
                candidate_final=row["output_model_final_step"],
            )
        )
    return found


def comparison_table(comparisons: Iterable[Comparison]) -> bytes:
    """The text of a table, a row for each comparison."""
    rows = []
    for one in comparisons:
        cells = (
            one.query,
            str(list(one.tool_names)),
            one.reference_steps,
            one.reference_final,
            one.candidate_steps,
            one.candidate_final,
            LABELS[one.preferred],
            one.query_id,
            one.reference,
            one.candidate,
        )
        rows.append(dict(zip(COLUMNS, cells, strict=True)))
    return table_bytes(COLUMNS, rows)


def counted(comparisons: Iterable[Comparison]) -> Conversion[list[PreferenceCount]]:
    """Comparisons counted by query: each is a round. A tie counts for neither, and the counts hold no answers."""
    counts: dict[str, PreferenceCount] = {}
    ties = 0
    for one in comparisons:
        known = counts.get(one.query_id) or PreferenceCount(one.query_id, one.reference, one.candidate, 0, 0)
        if (known.reference, known.candidate) != (one.reference, one.candidate):
            raise InputError(
                f"query {one.query_id!r} is compared between more than two models; make a file of each pair."
            )
        ties += one.preferred is Preferred.TIE
        counts[one.query_id] = msgspec.structs.replace(
            known,
            for_reference=known.for_reference + (one.preferred is Preferred.REFERENCE),
            for_candidate=known.for_candidate + (one.preferred is Preferred.CANDIDATE),
            rounds={**known.rounds, f"{_ROUND}{len(known.rounds)}": "complete"},
        )
    lost = ["the queries' texts, the tools and the steps of the answers"]
    if ties:
        lost.append(f"that {ties} comparisons were ties: a round that counts for neither")
    return Conversion(list(counts.values()), tuple(lost if counts else ()))


def compared(count: PreferenceCount, reference: ConvertedAnswer, candidate: ConvertedAnswer) -> Conversion[Comparison]:
    """The one row that a query's counts come to, with the answers that were compared: the majority, else a tie."""
    ahead = count.for_reference - count.for_candidate
    ours, theirs = step_lines(reference.turns), step_lines(candidate.turns)
    comparison = Comparison(
        query_id=count.query_id,
        query=reference.query,
        reference=count.reference,
        candidate=count.candidate,
        preferred=Preferred.TIE if not ahead else Preferred.REFERENCE if ahead > 0 else Preferred.CANDIDATE,
        tool_names=tuple(reference.function_names),
        reference_steps="\n".join(ours),
        reference_final=ours[-1] if ours else "",
        candidate_steps="\n".join(theirs),
        candidate_final=theirs[-1] if theirs else "",
    )
    rounds = len(count.rounds)
    return Conversion(comparison, (f"query {count.query_id}: {rounds} rounds are one row",) if rounds > 1 else ())


def _count(query_id: str, item: Mapping[str, Any] | Any) -> PreferenceCount:
    if not isinstance(item, dict):
        raise InputError(f"a result is an object with a count for each of two models, not {kind_of(item)}.")
    rounds = {name: value for name, value in item.items() if name.startswith(_ROUND) and isinstance(value, str)}
    counts = [(name, value) for name, value in item.items() if name not in rounds]
    if len(counts) != 2 or not all(isinstance(value, int) and not isinstance(value, bool) for _, value in counts):
        raise InputError("a result has a count for each of two models, beside 'round_0' and so on.")
    (reference, for_reference), (candidate, for_candidate) = counts
    return PreferenceCount(query_id, reference, candidate, for_reference, for_candidate, rounds)

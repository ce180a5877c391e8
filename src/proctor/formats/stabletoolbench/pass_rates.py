"""Pass-rate results: whether each query was solved, repeat by repeat, as JSON and as a table.

JSON is `{id: {query, tool_names, answer_steps, final_step, is_solved: {"0": "AnswerStatus.Solved"}}}`. A repeat that
could not be measured has no place in `is_solved`: in JSON it stands beside, under `unmeasured`; a table cannot say it.
Verdicts that no model gave say so in JSON, under `evaluation_method`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from proctor.errors import FileError, InputError
from proctor.formats.stabletoolbench.conversions import Conversion
from proctor.formats.stabletoolbench.converted import ConvertedAnswer
from proctor.formats.stabletoolbench.json_files import kind_of, read_json
from proctor.formats.stabletoolbench.tables import is_table, literal, read_table, table_bytes
from proctor.formats.stabletoolbench.turns import Said, Turn, json_text_of
from proctor.records.grades import Missing, Status, Verdict

COLUMNS = (
    "query",
    "available_tools",
    "model_intermediate_steps",
    "model_final_step",
    "model",
    "query_id",
    "is_solved",
)
RECORDED = "recorded"
"""Who judged, as far as the file knows."""
_BY_MODEL = "official"
_METHOD = "evaluation_method"
"""The key, beside upstream's, under which verdicts that no model gave say so."""
_PREFIX = "AnswerStatus."
_NO_REPEAT = Missing("the file has no verdict of this repeat")


class PassRateEntry(msgspec.Struct, frozen=True):
    """One query's answer and its verdicts."""

    query_id: str
    query: str
    tool_names: tuple[str, ...]
    answer_steps: str
    """The steps as text, a line each."""
    final_step: str
    verdicts: tuple[Verdict | Missing, ...]
    """One for each repeat."""
    model: str = ""
    """Whose answer it is; tables name it."""
    method: str = ""
    """How it was judged, where that was not by a model: `heuristic`, `rubric`."""


def pass_rate_entry(
    answer: ConvertedAnswer, verdicts: Sequence[Verdict | Missing], model: str = "", method: str = ""
) -> PassRateEntry:
    """The entry of an answer."""
    steps = step_lines(answer.turns)
    return PassRateEntry(
        query_id=answer.query_id,
        query=answer.query,
        tool_names=tuple(answer.function_names),
        answer_steps="\n".join(steps),
        final_step=steps[-1] if steps else "",
        verdicts=tuple(verdicts),
        model=model,
        method="" if method in (_BY_MODEL, RECORDED) else method,
    )


def step_lines(turns: Iterable[Turn]) -> list[str]:
    """The turns as text, a line each."""
    return [f"Step {number}: {_step(turn)}" for number, turn in enumerate(turns, 1)]


def read_pass_rates(path: str | Path) -> dict[str, PassRateEntry]:
    """The entries of a file, by the query's id: a table (`.csv`, `.tsv`) or JSON."""
    read = _from_table(path) if is_table(path) else _from_json(path)
    return {entry.query_id: entry for entry in read}


def written_pass_rates(entries: Iterable[PassRateEntry], *, compat: bool = False) -> Conversion[dict[str, Any]]:
    """The document of a JSON file. With `compat`, what was not measured is left out and named."""
    document: dict[str, Any] = {}
    lost: list[str] = []
    for entry in entries:
        measured, unmeasured = _statuses(entry)
        beside: dict[str, Any] = {"unmeasured": unmeasured} if unmeasured and not compat else {}
        beside |= {_METHOD: entry.method} if entry.method else {}
        lost += _unsaid(unmeasured) if compat else []
        document[entry.query_id] = {
            "query": entry.query,
            "tool_names": list(entry.tool_names),
            "answer_steps": entry.answer_steps,
            "final_step": entry.final_step,
            "is_solved": measured,
            **beside,
        }
    return Conversion(document, tuple(lost))


def pass_rate_table(entries: Iterable[PassRateEntry], model: str = "") -> Conversion[bytes]:
    """The text of a table; `model` names the model where an entry does not."""
    rows: list[dict[str, str]] = []
    lost: list[str] = []
    for entry in entries:
        measured, unmeasured = _statuses(entry)
        lost += _unsaid(unmeasured)
        lost += [f"a table cannot say that its verdicts are by {entry.method}"] if entry.method else []
        cells = (
            entry.query,
            str(list(entry.tool_names)),
            entry.answer_steps,
            entry.final_step,
            entry.model or model,
            entry.query_id,
            str({int(repeat): status for repeat, status in measured.items()}),
        )
        rows.append(dict(zip(COLUMNS, cells, strict=True)))
    return Conversion(table_bytes(COLUMNS, rows), tuple(lost))


def _step(turn: Turn) -> str:
    if isinstance(turn, Said):
        return json_text_of({"role": "assistant", "message": turn.text})
    message = (
        {"name": turn.name, "arguments": turn.arguments, "response": turn.response} if turn.complete else turn.text
    )
    return json_text_of({"role": "tool", "message": message})


def _statuses(entry: PassRateEntry) -> tuple[dict[str, str], dict[str, str]]:
    """By repeat: what was measured, and why the rest was not."""
    numbered = [(str(number), verdict) for number, verdict in enumerate(entry.verdicts)]
    measured = {number: f"{_PREFIX}{one.status.value}" for number, one in numbered if isinstance(one, Verdict)}
    return measured, {number: one.reason for number, one in numbered if isinstance(one, Missing)}


def _unsaid(unmeasured: Mapping[str, str]) -> list[str]:
    return [f"left out: a verdict that was not measured: {reason}" for reason in unmeasured.values()]


def _from_json(path: str | Path) -> list[PassRateEntry]:
    document = read_json(path)
    if not isinstance(document, dict):
        raise FileError(f"pass-rate results are an object with ids as keys, not {kind_of(document)}.", path=str(path))
    return [_located(path, query_id, item) for query_id, item in document.items()]


def _from_table(path: str | Path) -> list[PassRateEntry]:
    read = []
    for row in read_table(path, COLUMNS):
        names, solved = literal(row["available_tools"]), literal(row["is_solved"])
        item = {
            "query": row["query"],
            "tool_names": names if isinstance(names, list) else [],
            "answer_steps": row["model_intermediate_steps"],
            "final_step": row["model_final_step"],
            "is_solved": solved if solved is not None else row["is_solved"],
        }
        read.append(msgspec.structs.replace(_located(path, row["query_id"], item), model=row["model"]))
    return read


def _located(path: str | Path, query_id: str, item: Any) -> PassRateEntry:
    try:
        return _entry(query_id, item)
    except InputError as error:
        raise FileError(f"query {query_id!r}: {error}", path=str(path)) from None


def _entry(query_id: str, item: Any) -> PassRateEntry:
    if not isinstance(item, dict) or not isinstance(item.get("is_solved"), dict):
        raise InputError("a result is an object with 'is_solved', an object of statuses by repeat.")
    names, said = item.get("tool_names"), item.get(_METHOD)
    method = said if isinstance(said, str) and said not in (_BY_MODEL, RECORDED) else ""
    return PassRateEntry(
        query_id=query_id,
        query=json_text_of(item.get("query", "")),
        tool_names=tuple(map(json_text_of, names)) if isinstance(names, list) else (),
        answer_steps=json_text_of(item.get("answer_steps", "")),
        final_step=json_text_of(item.get("final_step", "")),
        verdicts=_verdicts(item["is_solved"], item.get("unmeasured"), method or RECORDED),
        method=method,
    )


def _verdicts(said: Mapping[Any, Any], unmeasured: Any, judge: str) -> tuple[Verdict | Missing, ...]:
    missing = unmeasured if isinstance(unmeasured, dict) else {}
    found: dict[int, Verdict | Missing] = {_repeat(key): Missing(str(reason)) for key, reason in missing.items()}
    for key, value in said.items():
        repeat = _repeat(key)
        found[repeat] = Verdict(status_of(value), "", judge, repeat)
    return tuple(found.get(repeat, _NO_REPEAT) for repeat in range(max(found, default=-1) + 1))


def _repeat(key: Any) -> int:
    if not str(key).isdecimal() or int(key) > 10_000:
        raise InputError(f"a repeat is a whole number from 0, not {key!r}.")
    return int(key)


def status_of(value: Any) -> Status:
    """The status that a text names, `AnswerStatus.Solved` or `Solved`; InputError for any other."""
    name = value.removeprefix(_PREFIX) if isinstance(value, str) else value
    if not isinstance(name, str) or name not in {status.value for status in Status}:
        raise InputError(f"a status is one of Solved, Unsure, Unsolved (after {_PREFIX!r}), not {value!r}.")
    return Status(name)

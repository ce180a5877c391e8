"""Labels of people beside a judge's: read from a table, compared, and kept as a calibration."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from pathlib import Path

import msgspec

from proctor.errors import FileError, OptionError, nearest
from proctor.records.grades import Missing
from proctor.records.keys import content_hash
from proctor.stats.agreement import Agreement, judge_agreement, krippendorff_alpha
from proctor.stats.calibration import Calibration, calibrate
from proctor.stats.intervals import Estimate
from proctor.store.artifacts import write_whole

__all__ = ["PASS", "Compared", "Labels", "calibration_of", "compare", "keep", "read_calibration", "read_labels"]

PASS = "pass"  # noqa: S105 - a label
_WORDS = {
    PASS: ("1", "1.0", "pass", "passed", "solved", "true", "yes"),
    "fail": ("0", "0.0", "fail", "failed", "unsolved", "false", "no"),
    "unsure": ("0.5", "unsure"),
}
_MEANS = {word: label for label, words in _WORDS.items() for word in words}
_HUMAN = "human"
_JUDGE = "judge"

Column = list[str | None]


class Labels(msgspec.Struct, frozen=True):
    """A table of labels: what people said of each answer, and what each judge said."""

    path: str
    human: Column
    judges: dict[str, Column]
    """By the column's name, in the table's order."""
    hash: str
    """The hash of the table's text."""


class Compared(msgspec.Struct, frozen=True):
    """How every judge stands to people, and all judges to each other."""

    judges: dict[str, Agreement | Missing]
    among_judges: Estimate | Missing | None
    """Krippendorff's alpha over the judges' columns; None where there is one."""


def read_labels(path: str | Path) -> Labels:
    """Read a CSV with the columns `human` and `judge`, and `judge…` for further judges or repeats.

    A label is Solved, Unsolved or Unsure, or 1, 0, true, false, yes, no, pass, fail, in any case; nothing where nobody
    said. Other columns (an id, the answer) are left alone.
    """
    text = _text(path)
    reader = csv.reader(io.StringIO(text, newline=""))
    head = [name.strip().lower() for name in next(reader, [])]
    judged = [name for name in head if name.startswith(_JUDGE)]
    for lacking in (_HUMAN, *([] if judged else [_JUDGE])):
        if lacking not in head:
            found = ", ".join(head) or "none"
            raise FileError(f"there is no column {lacking!r}; the columns are {found}.", path=str(path), line=1)
    twice = next((name for name in (_HUMAN, *judged) if head.count(name) > 1), None)
    if twice is not None:
        raise FileError(f"two columns are called {twice!r}; give each a name of its own.", path=str(path), line=1)
    columns: dict[str, Column] = {name: [] for name in (_HUMAN, *judged)}
    for row in reader:
        if any(cell.strip() for cell in row):
            cells = dict(zip(head, row, strict=False))
            for name, column in columns.items():
                column.append(_label(cells.get(name, ""), name, str(path), reader.line_num))
    if not columns[_HUMAN]:
        raise FileError("there is no labelled answer below the head.", path=str(path), line=1)
    return Labels(str(path), columns.pop(_HUMAN), columns, content_hash(text))


def compare(labels: Labels, *, level: float = 0.95) -> Compared:
    """How far each judge agrees with people, and the judges with each other."""
    among = krippendorff_alpha(list(labels.judges.values()), level=level) if len(labels.judges) > 1 else None
    agreements = {
        name: judge_agreement(said, labels.human, positive=PASS, level=level) for name, said in labels.judges.items()
    }
    return Compared(agreements, among)


def calibration_of(labels: Labels, column: str | None, *, judge: str = "", made: float | None = None) -> Calibration:
    """The calibration of one judge. Unsure is no pass, by people and by the judge."""
    if column is None and len(labels.judges) == 1:
        column = next(iter(labels.judges))
    column = _JUDGE if column is None else column
    if column not in labels.judges:
        raise OptionError(f"there is no judge's column {column!r}; {nearest(column, labels.judges)}")
    found = calibrate(
        _passes(labels.judges[column]),
        _passes(labels.human),
        judge=judge,
        labels=Path(labels.path).name,
        labels_hash=labels.hash,
        made=made,
    )
    if isinstance(found, Missing):
        raise FileError(f"nothing can be calibrated: {found.reason} ({found.detail}).", path=labels.path)
    return found


def keep(calibration: Calibration, path: str | Path) -> None:
    """Write a calibration as JSON."""
    write_whole(path, msgspec.json.format(msgspec.json.encode(calibration)) + b"\n")


def read_calibration(path: str | Path) -> Calibration:
    """Read a calibration that `keep` wrote."""
    text = _text(path)
    try:
        return msgspec.json.decode(text, type=Calibration)
    except (msgspec.MsgspecError, ValueError) as error:
        problem = f"this is no calibration ({error}); make one with 'proctor judge calibrate'."
        raise FileError(problem, path=str(path)) from None


def _text(path: str | Path) -> str:
    try:
        return Path(path).read_text("utf-8-sig")
    except OSError as error:
        raise FileError(f"cannot be read: {error.strerror}.", path=str(path)) from None
    except UnicodeDecodeError:
        raise FileError("is not UTF-8 text.", path=str(path)) from None


def _label(said: str, column: str, path: str, line: int) -> str | None:
    word = said.strip().lower().rpartition(".")[2] if "status." in said.lower() else said.strip().lower()
    if not word:
        return None
    if word not in _MEANS:
        known = "Solved, Unsolved, Unsure, 1, 0, true, false, yes, no, pass, fail, or nothing"
        raise FileError(f"{said!r} in the column {column!r} is no label; labels are {known}.", path=path, line=line)
    return _MEANS[word]


def _passes(column: Sequence[str | None]) -> list[bool | None]:
    return [None if label is None else label == PASS for label in column]

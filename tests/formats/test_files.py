"""Files of recorded conversations, a record at a time."""

import io
import json
import os
import sys
import tracemalloc
from pathlib import Path

import pytest

from proctor.errors import FileError
from proctor.formats.files import read_records
from proctor.formats.records import Record

ASKED = {"role": "user", "content": "hello"}
SAMPLES = [{"response": "a", "reference": "b"}, {"id": "x", "response": "c", "reference": "d"}]


def read(path: Path | str, longest: int = 1 << 20) -> list[tuple[int, object]]:
    """The records with their lines: a sample's response, or the error's sentence."""
    found: list[tuple[int, object]] = []
    for record in read_records(str(path), longest=longest):
        if isinstance(record, FileError):
            assert record.line is not None
            found.append((record.line, record.problem))
        else:
            found.append((record.line, getattr(record.sample, "response", len(record.sample.user_input or ()))))
    return found


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("\n".join(map(json.dumps, SAMPLES)), [1, 2]),
        ("\ufeff" + "\r\n\r\n".join(map(json.dumps, SAMPLES)) + "\r\n", [1, 3]),
        (json.dumps(SAMPLES), [1, 1]),
        (json.dumps(SAMPLES, indent=2), [2, 6]),
    ],
    ids=["lines", "lines with blanks", "an array", "an array for people"],
)
def test_the_same_samples_are_read_however_they_lie(tmp_path: Path, text: str, lines: list[int]) -> None:
    path = tmp_path / "samples.json"
    path.write_bytes(text.encode())
    assert read(path) == list(zip(lines, ["a", "c"], strict=True))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (json.dumps([ASKED, ASKED]), [(1, 2)]),
        (json.dumps([ASKED, ASKED], indent=1), [(1, 2)]),
        (json.dumps({"messages": [ASKED]}, indent=1), [(1, 1)]),
        (f"{json.dumps([ASKED])}\n{json.dumps([ASKED, ASKED])}\n", [(1, 1), (2, 2)]),
        (json.dumps([[ASKED], [ASKED, ASKED]]), [(1, 1), (1, 2)]),
    ],
    ids=["one line", "one over lines", "one dictionary over lines", "two lines", "an array of lists"],
)
def test_conversations_are_read_however_they_lie(tmp_path: Path, text: str, expected: list[tuple[int, int]]) -> None:
    path = tmp_path / "conversation.json"
    path.write_text(text)
    assert read(path) == expected


def test_a_bad_line_is_an_error_and_the_next_line_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'{"response": "a"}\nnot json\n{"response": "' + b"x" * 2000 + b'"}\n{"response": "b"}\n')
    (one, *_), (two, said), (three, long), four = read(path, longest=1000)
    assert (one, two, three, four) == (1, 2, 3, (4, "b"))
    assert "this is not JSON" in str(said)
    assert "is longer than" in str(long)


def test_standard_input_is_read_through_a_pipe(monkeypatch: pytest.MonkeyPatch) -> None:
    out, into = os.pipe()
    os.write(into, "\n".join(map(json.dumps, SAMPLES)).encode())
    os.close(into)
    with os.fdopen(out, "rb") as pipe:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(pipe))
        records = list(read_records("-"))
    assert [record.path for record in records] == ["<stdin>", "<stdin>"]
    assert [record.id for record in records if isinstance(record, Record)] == [None, "x"]


def test_every_byte_is_told(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"response": "a"}\n' * 10_000)
    told: list[int] = []
    assert sum(1 for _ in read_records(str(path), advance=told.append)) == 10_000
    assert sum(told) == path.stat().st_size


@pytest.mark.parametrize("form", ["lines", "array"])
def test_a_long_file_takes_the_memory_of_a_short_one(tmp_path: Path, form: str) -> None:
    line = json.dumps({"response": "x" * 1000, "reference": "y"})
    path = tmp_path / "a.json"
    begin, between, end = ("[", ",\n", "]") if form == "array" else ("", "\n", "\n")

    def peak(count: int) -> int:
        path.write_text(begin + between.join([line] * count) + end)
        tracemalloc.start()
        try:
            assert sum(isinstance(record, Record) for record in read_records(str(path))) == count
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    assert peak(6000) < 1.2 * peak(1500)


def test_one_value_that_is_too_long_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text(json.dumps({"response": "x" * 2000}, indent=1))
    assert read(path, longest=1000) == [
        (1, "the one value of this file is longer than 0.000953674 MiB; is this a sample?")
    ]


@pytest.mark.parametrize(("name", "sentence"), [("none.jsonl", "no such file"), ("", "this is a folder")])
def test_a_file_that_cannot_be_opened_is_raised(tmp_path: Path, name: str, sentence: str) -> None:
    with pytest.raises(FileError, match=sentence):
        list(read_records(str(tmp_path / name)))

"""The journal: what is in it stays in it, whatever becomes of the process that wrote it."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proctor.errors import FileError, StorageError
from proctor.store.journal import Journal


class Note(msgspec.Struct):
    text: str


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "journal.jsonl"


def test_what_was_written_is_there_when_it_is_opened_again(path: Path) -> None:
    with Journal(path) as journal:
        journal.append("trial", ("G1", "7", 0), Note("one"), "done")
        journal.append("verdict", ("G1", "7", 0, "judge"), Note("two"))
        assert journal.body("trial", ("G1", "7", 0), Note) == Note("one")
    with Journal(path) as journal:
        assert journal.notes("trial") == {("G1", "7", 0): "done"}
        assert list(journal.bodies("verdict", Note)) == [(("G1", "7", 0, "judge"), Note("two"))]
        assert journal.body("trial", ("G1", "8", 0), Note) is None
        assert journal.damaged == 0


def test_of_several_lines_under_one_key_the_last_counts(path: Path) -> None:
    with Journal(path) as journal:
        journal.append("trial", ("7",), Note("broken"), "environment")
        journal.append("trial", ("7",), Note("fine"), "done")
    with Journal(path) as journal:
        assert journal.notes("trial") == {("7",): "done"}
        assert journal.body("trial", ("7",), Note) == Note("fine")


def test_its_lines_are_json(path: Path) -> None:
    with Journal(path) as journal:
        journal.append("trial", ("7", 0), Note("a\nb"), "done")
    [line] = path.read_bytes().splitlines()
    assert msgspec.json.decode(line)[1:] == ["trial", ["7", 0], "done", {"text": "a\nb"}]


@settings(deadline=None, max_examples=60)
@given(cut=st.integers(min_value=0, max_value=400))
def test_wherever_the_file_was_cut_off_whole_lines_count_and_the_rest_is_owed(
    tmp_path_factory: pytest.TempPathFactory, cut: int
) -> None:
    path = tmp_path_factory.mktemp("cut") / "journal.jsonl"
    with Journal(path) as journal:
        for number in range(6):
            journal.append("trial", (number,), Note("é" * number))
    data = path.read_bytes()
    path.write_bytes(data[:cut])
    whole = data[:cut].count(b"\n")
    with Journal(path) as journal:
        assert list(journal.notes("trial")) == [(number,) for number in range(whole)]
        for number in range(whole, 6):
            journal.append("trial", (number,), Note("é" * number))
    assert path.read_bytes() == data


@settings(deadline=None, max_examples=60)
@given(place=st.integers(min_value=0, max_value=300), byte=st.integers(min_value=0, max_value=255))
def test_a_line_that_was_changed_is_not_believed(
    tmp_path_factory: pytest.TempPathFactory, place: int, byte: int
) -> None:
    path = tmp_path_factory.mktemp("changed") / "journal.jsonl"
    with Journal(path) as journal:
        for number in range(6):
            journal.append("trial", (number,), Note("some text to change"), "done")
    data = bytearray(path.read_bytes())
    data[place % len(data)] = byte
    path.write_bytes(data)
    with Journal(path) as journal:
        for key, note in journal.bodies("trial", Note):
            assert key[0] in range(6)
            assert note == Note("some text to change")
        assert len(journal.notes("trial")) >= 4


def test_two_runs_cannot_write_one_journal(path: Path) -> None:
    with (
        Journal(path),
        pytest.raises(StorageError, match=rf"this run is being made by another process \({os.getpid()}\)"),
    ):
        Journal(path)
    Journal(path).close()


def test_a_journal_can_be_read_while_it_is_written(path: Path) -> None:
    with Journal(path) as journal:
        journal.append("trial", ("7",), Note("one"))
        with Journal(path, read_only=True) as reader:
            assert reader.body("trial", ("7",), Note) == Note("one")
            with pytest.raises(StorageError, match="read only"):
                reader.append("trial", ("8",), Note("two"))


def test_a_journal_that_cannot_be_opened_is_a_sentence(path: Path) -> None:
    with pytest.raises(FileError, match="no such file"):
        Journal(path, read_only=True)
    with pytest.raises(StorageError, match="folder"):
        Journal(path / "no" / "where")
    path.write_text("a letter to my aunt\n")
    with pytest.raises(FileError, match="no line of a journal"):
        Journal(path)
    assert path.read_text() == "a letter to my aunt\n"


def test_a_record_of_another_shape_is_a_sentence(path: Path) -> None:
    with Journal(path) as journal:
        journal.append("trial", ("7",), [1, 2])
        with pytest.raises(FileError, match="another version"):
            journal.body("trial", ("7",), Note)


def test_a_full_disk_leaves_the_journal_as_it_was(path: Path) -> None:
    with Journal(path) as journal:
        journal.append("trial", ("7",), Note("one"))
        before = path.read_bytes()
        _limit_file_size(len(before) + 100)
        try:
            with pytest.raises(StorageError, match="cannot be written"):
                journal.append("trial", ("8",), Note("x" * 5000))
        finally:
            _limit_file_size(None)
        assert path.read_bytes() == before
        journal.append("trial", ("8",), Note("two"))
    with Journal(path) as journal:
        assert list(journal.notes("trial")) == [("7",), ("8",)]


def _limit_file_size(size: int | None) -> None:
    import resource

    _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN if size is not None else signal.SIG_DFL)
    resource.setrlimit(resource.RLIMIT_FSIZE, (hard if size is None else size, hard))


_WRITER = """
import sys
from proctor.store.journal import Journal
with Journal(sys.argv[1]) as journal:
    number = len(journal.notes("trial"))
    print("ready", flush=True)
    while True:
        journal.append("trial", (number,), {"text": "x" * (number % 5000)}, "done")
        number += 1
"""


def test_kills_at_any_moment_lose_nothing_that_was_written(path: Path) -> None:
    seen = 0
    for pause in (0.0, 0.003, 0.01, 0.02, 0.03):
        child = subprocess.Popen([sys.executable, "-c", _WRITER, str(path)], stdout=subprocess.PIPE)  # noqa: S603 - ours
        assert child.stdout is not None
        assert child.stdout.readline() == b"ready\n"
        time.sleep(pause)
        child.kill()
        child.wait()
        child.stdout.close()
        with Journal(path) as journal:
            numbers = [number for (number,) in journal.notes("trial")]
            assert journal.damaged == 0
            for (number,), note in journal.bodies("trial", Note):
                assert note.text == "x" * (int(number) % 5000)
        assert numbers == list(range(len(numbers)))
        assert len(numbers) >= seen
        seen = len(numbers)
    assert seen > 0


def test_what_is_dropped_makes_room_and_the_rest_stays(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("proctor.store.journal._MUCH", 2_000)
    with Journal(path) as journal:
        for number in range(100):
            journal.append("reply", (number,), Note("x" * 100), "said")
            if number >= 5:
                journal.drop("reply", (number - 5,))
        journal.drop("reply", ("never there",))
        assert path.stat().st_size < 6_000
        journal.append("reply", ("last",), Note("y"))
        kept = [(key, note.text[0]) for key, note in journal.bodies("reply", Note)]
        assert kept == [*(((number,), "x") for number in range(95, 100)), (("last",), "y")]
        assert journal.keys("reply") == tuple(key for key, _ in kept)
    with Journal(path) as journal:
        assert journal.damaged == 0
        assert set(journal.keys("reply")) >= {key for key, _ in kept}
        assert journal.notes("reply")[99,] == "said"

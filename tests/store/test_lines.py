import io
import os
from pathlib import Path
from typing import Any, BinaryIO

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proctor.errors import FileError
from proctor.store.lines import decode_json_line, numbered_lines, opened


def lines_of(data: bytes, longest: int = 100) -> list[tuple[int, bytes | str]]:
    found = numbered_lines(io.BytesIO(data), "a.jsonl", longest=longest)
    return [(number, str(line) if isinstance(line, FileError) else line) for number, line in found]


def test_lines_are_counted_from_one_and_blank_ones_are_left_out() -> None:
    assert lines_of(b"a\n\n  \r\nb\r\nc") == [(1, b"a\n"), (4, b"b\r\n"), (5, b"c")]
    assert lines_of(b"") == []
    assert lines_of(b"\n\n") == []


def test_a_byte_order_mark_belongs_to_no_line() -> None:
    assert lines_of(b"\xef\xbb\xbfa\n\xef\xbb\xbfb") == [(1, b"a\n"), (2, b"\xef\xbb\xbfb")]
    assert lines_of(b"\xef\xbb\xbf") == []


@pytest.mark.parametrize("length", [101, 102, 203, 1000])
def test_a_line_that_is_too_long_is_an_error_and_the_next_is_read(length: int) -> None:
    sentence = "a.jsonl:1: the line is longer than 9.53674e-05 MiB; is this JSONL?"
    assert lines_of(b"x" * length + b"\nb\n") == [(1, sentence), (2, b"b\n")]
    assert lines_of(b"x" * length) == [(1, sentence)]


@settings(deadline=None)
@given(st.lists(st.binary(max_size=12).map(lambda data: data.replace(b"\n", b"")), max_size=8), st.integers(1, 10))
def test_every_line_comes_out_whole_or_as_an_error_under_its_own_number(lines: list[bytes], longest: int) -> None:
    data = b"".join(line + b"\n" for line in lines)
    found = dict(numbered_lines(io.BytesIO(data), "a", longest=longest))
    for number, line in enumerate(lines, 1):
        kept = (line + b"\n").removeprefix(b"\xef\xbb\xbf") if number == 1 else line + b"\n"
        if not kept.strip():
            assert not isinstance(found.get(number), bytes)
        elif len(line) < longest:
            assert found[number] == kept
        elif len(kept) > longest:
            assert isinstance(found[number], FileError)


def refusal(path: str | Path) -> str:
    with pytest.raises(FileError) as caught, opened(path):
        pass
    return str(caught.value)


def test_a_file_that_cannot_be_opened_is_an_error_with_a_sentence(tmp_path: Path) -> None:
    assert refusal(tmp_path / "none") == f"{tmp_path}/none: no such file; check the path."
    assert refusal("") == "a file's name is empty; check the path."
    assert refusal(tmp_path) == f"{tmp_path}: this is a folder; name a file in it."
    assert refusal("a\0b") == "'a\\x00b': no file can have this name; check the path."
    assert refusal("x" * 300).endswith(": cannot be read: File name too long.")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_nobody_may_read_is_an_error_with_a_sentence(tmp_path: Path) -> None:
    path = tmp_path / "secret"
    path.write_bytes(b"")
    path.chmod(0)
    assert refusal(path) == f"{path}: cannot be read: Permission denied."


class FailingDisk(io.RawIOBase):
    def __init__(self, data: bytes) -> None:
        self.left = data

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray) -> int:  # type: ignore[override]
        if not self.left:
            raise OSError(5, "Input/output error")
        piece, self.left = self.left[:10], self.left[10:]
        buffer[: len(piece)] = piece
        return len(piece)


@pytest.mark.parametrize("data", [b"a\nb\n", b"x" * 30])
def test_a_disk_that_fails_in_the_middle_is_an_error_with_a_sentence(data: bytes) -> None:
    disk: Any = FailingDisk(data)
    file: BinaryIO = io.BufferedReader(disk, buffer_size=10)
    with pytest.raises(FileError) as caught:
        list(numbered_lines(file, "a.jsonl", longest=5))
    assert str(caught.value) == "a.jsonl: cannot be read: Input/output error."


def test_a_value_is_read_from_a_line_and_an_error_says_where() -> None:
    assert decode_json_line(b'{"a": [1]}\n', path="a.jsonl", line=3) == {"a": [1]}
    with pytest.raises(FileError) as caught:
        decode_json_line(b'{"a": 1, "a": 2}', path="a.jsonl", line=3)
    assert str(caught.value) == "a.jsonl:3: the key 'a' stands twice in one object; which of the two is meant?"

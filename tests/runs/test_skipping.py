"""What was passed over, counted by reason."""

import pytest

from proctor.errors import FileError
from proctor.runs.skipping import Skipped, reason_of


@pytest.mark.parametrize(
    ("problem", "reason"),
    [
        (
            "the key 'a' stands twice in one object; which of the two is meant?",
            "the key '…' stands twice in one object",
        ),
        ("this is not JSON: byte 7 is not what may stand there, near 'x'.", "this is not JSON"),
        ("byte 12 is not valid UTF-8 (0xff); save the text as UTF-8.", "byte N is not valid UTF-8"),
        ("the line is longer than 32 MiB; is this JSONL?", "the line is longer than N MiB"),
        (
            "messages[3]: a message has the unknown role 'robot'; known are assistant.",
            "messages[N]: a message has the unknown role '…'",
        ),
        (
            "a SingleTurnSample is not readable: unknown field 'refrence'; did you mean 'reference'?",
            "a SingleTurnSample is not readable: unknown field '…'",
        ),
        ("a message's content must be text, not int: 3.", "a message's content must be text"),
    ],
)
def test_a_reason_has_no_particulars(problem: str, reason: str) -> None:
    assert reason_of(FileError(problem, path="a.jsonl", line=4)) == reason


def test_the_first_of_each_reason_is_kept_whole() -> None:
    skipped = Skipped()
    for line in (4, 9):
        skipped.add(FileError(f"the key 'k{line}' stands twice.", path="a.jsonl", line=line))
    assert skipped.count == 2
    assert skipped.first == {"the key '…' stands twice": "a.jsonl:4: the key 'k4' stands twice."}


def test_reasons_without_end_are_counted_together() -> None:
    skipped = Skipped()
    for number in range(300):
        skipped.add(FileError(f"problem{'x' * number}"))
    assert skipped.count == 300
    assert len(skipped.reasons) == 101
    assert skipped.reasons["other reasons"] == 200

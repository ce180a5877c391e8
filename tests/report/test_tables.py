"""Tables of plain text that fit a terminal."""

from proctor.report.tables import table


def test_the_first_column_begins_left_and_numbers_end_right() -> None:
    assert table(["name", "n"], [["a", "1000"], ["long name", "1"]]) == [
        "name          n",
        "a          1000",
        "long name     1",
    ]


def test_a_first_column_that_is_too_wide_is_cut() -> None:
    lines = table(["name", "n"], [["x" * 100, "1"]], width=20)
    assert lines[1] == f"{'x' * 16}…  1"
    assert max(map(len, lines)) == 20

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proctor.judges.spellings import figures, plain, stands


@pytest.mark.parametrize(
    ("spelling", "text"),
    [
        ("12", "It costs 12."),
        ("12", "It costs 12, and that is all."),
        ("12", "(12)"),
        ("12", "€12"),
        ("12", "**12** crowns"),
        ("12", "`12`"),
        ("12", '{"price":12,"stock":3}'),
        ("12", "[12, 13, 14]"),
        ("12", "12"),
        ("12", "12.0"),
        ("12.5", "12.50 crowns"),
        ("12.50", "12.5 crowns"),
        ("12.50 crowns", "**12.5**  Crowns"),
        ("1204", "1,204 visitors"),
        ("1,204", "1204 visitors"),
        ("1204", "1'204 visitors"),
        ("1204", "1 204 visitors"),
        ("1 204", "1,204 visitors"),
        ("1204.5", "1,204.50"),
        ("1234567", "1,234,567"),
        ("12 km", "12km"),
        ("12km", "12 km"),
        ("12 km", "a walk of 12\u00a0km"),
        ("-4", "\u22124 degrees"),
        ("-4 °C", "-4°C"),
        ("35%", "35 % of them"),
        ("09:24", "It leaves at 09:24."),
        ("10:30", "free 10:30\u201313:00"),
        ("13:00", "free 10:30 - 13:00."),
        ("10:30-13:00", "free 10:30 \u2013 13:00"),
        ("1:30 pm", "at 1.30 p.m."),
        ("1:30 pm", "at 1:30pm, sharp"),
        ("10:30 am", "from 10.30 am to noon"),
        ("7 pm", "at 7 p.m."),
        ("7 pm", "at 7pm."),
        ("2027-03-10", "on 2027-03-10, a Wednesday"),
        ("10 March 2027", "on 10 march\n2027"),
        ("Brigg", "BRIGG's harbour"),
        ("the Old Mill", "“the old  mill”"),
        ("BR-1204", "parcel br-1204,"),
        ("don't", "They don\u2019t."),
        ("Ærø", "ærø"),
        ("ﬁve", "five"),
        ("platform 3", "platform 3: the train"),
        ("3", "platform—3"),
    ],
)
def test_a_spelling_stands_however_it_is_written(spelling: str, text: str) -> None:
    assert stands(spelling, text)


@pytest.mark.parametrize(
    ("spelling", "text"),
    [
        ("12", "120"),
        ("12", "1.12"),
        ("12", "112"),
        ("12", "12.5"),
        ("12", "1,120"),
        ("12", "12,000"),
        ("12", "12 000"),
        ("12", "12:30"),
        ("30", "10:30-13:00"),
        ("10", "10:30-13:00"),
        ("3 pm", "at 1.3 pm"),
        ("7 am", "7 amber beads"),
        ("12", "10:12"),
        ("12", "-12"),
        ("12", "10-12"),
        ("12", "12-14"),
        ("12", "2027-12-01"),
        ("12", "1/12"),
        ("12", "B12"),
        ("12", "B-12"),
        ("12", "12B"),
        ("12", "12,50"),
        ("204", "1,204"),
        ("204", "1 204"),
        ("1", "1,204"),
        ("12.5", "12.55"),
        ("12.5", "112.5"),
        ("12.5", "12.5.2027"),
        ("10", "1"),
        ("120", "12"),
        ("4", "-4 °C"),
        ("9:24", "09:24"),
        ("09:24", "9.24"),
        ("Brigg", "Briggs"),
        ("art", "cart"),
        ("art", "party"),
        ("2027-03-10", "10 March 2027"),
        ("BR-1204", "BR-12045"),
        ("BR-1204", "XBR-1204"),
        ("", "anything"),
        ("  ", "any thing"),
        ("**", "anything"),
        ("Brigg", ""),
    ],
)
def test_a_spelling_does_not_stand_in_something_longer_or_other(spelling: str, text: str) -> None:
    assert not stands(spelling, text)


WORDS = st.text(st.sampled_from("abcdefgXYZ"), min_size=1, max_size=8)
NUMBERS = st.integers(0, 10**9)
CENTS = st.integers(0, 10**8)


@given(NUMBERS, NUMBERS)
def test_a_whole_number_stands_where_it_is_the_number_and_nowhere_else(one: int, other: int) -> None:
    assert stands(str(one), f"It is {other}.") is (one == other)
    assert stands(f"{one:,}", f"It is {other}.") is (one == other)
    assert stands(str(one), f"It is {other:,} or so.") is (one == other)


@given(CENTS, CENTS)
def test_a_decimal_stands_by_its_value(one: int, other: int) -> None:
    written, said = f"{one / 100:.2f}", f"{other / 100:,.2f}"
    assert stands(written, f"They ask {said} crowns.") is (one == other)
    assert stands(written.rstrip("0").rstrip("."), f"They ask {said}.") is (one == other)


@given(WORDS, st.lists(WORDS, max_size=6))
def test_a_word_stands_where_it_is_one_of_the_words(word: str, words: list[str]) -> None:
    assert stands(word, " ".join(words)) is (word.casefold() in [other.casefold() for other in words])


@given(st.text(max_size=60))
def test_the_plain_form_is_plain(text: str) -> None:
    assert "\n" not in plain(text)
    assert "  " not in plain(text)
    assert plain(text) == plain(f"  {text}\n")


@given(st.text(max_size=12), st.text(max_size=60))
def test_any_text_can_be_looked_for_in_any(spelling: str, text: str) -> None:
    assert stands(spelling, text) in (True, False)


def test_figures_are_numbers_times_and_dates() -> None:
    text = "On 2027-03-10 at 09:24 it cost 1,204.50 crowns (1 350 with the boat), 12km from B12."
    assert figures(text) == ["2027-03-10", "09:24", "1204.5", "1350", "12"]

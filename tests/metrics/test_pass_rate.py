from __future__ import annotations

import statistics

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proctor.errors import OptionError
from proctor.metrics._pass_rate import POINTS, PassRate, average_of_sets, pass_rate
from proctor.records.grades import Missing, Status, Verdict

LOST = Missing("the judge's reply could not be read")
WORDS = {"S": Status.SOLVED, "U": Status.UNSURE, "N": Status.UNSOLVED}


def said(word: str) -> list[Verdict | Missing]:
    return [LOST if letter == "?" else Verdict(WORDS[letter], "", "j", repeat) for repeat, letter in enumerate(word)]


def rate(verdicts: dict[str, str], queries: list[str] | None = None, **more: str) -> PassRate | Missing:
    told = {query: said(word) for query, word in verdicts.items()}
    return pass_rate(told, queries if queries is not None else list(verdicts), **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("verdicts", "repeats"),
    [
        ({"1": "S", "2": "N"}, (0.5,)),
        ({"1": "S", "2": "U"}, (0.75,)),
        ({"1": "SSN", "2": "UNS"}, (0.75, 0.5, 0.5)),
        ({"1": "SS", "2": "?S"}, (1.0, 1.0)),
        ({"1": "S", "2": "SN"}, (1.0, 0.0)),
        ({"1": "?S"}, (1.0,)),
    ],
)
def test_each_repeat_is_solved_and_half_of_unsure_over_queries(
    verdicts: dict[str, str], repeats: tuple[float, ...]
) -> None:
    found = rate(verdicts)
    assert isinstance(found, PassRate)
    assert found.repeats == repeats
    assert found.mean == pytest.approx(statistics.mean(repeats))
    assert found.sd == pytest.approx(statistics.pstdev(repeats))


def test_a_query_without_an_answer_is_unsolved_unless_upstream_is_followed() -> None:
    ours = rate({"1": "S", "2": "S"}, ["1", "2", "3", "4"])
    theirs = rate({"1": "S", "2": "S"}, ["1", "2", "3", "4"], compat="stabletoolbench")
    assert isinstance(ours, PassRate)
    assert isinstance(theirs, PassRate)
    assert (ours.mean, theirs.mean) == (0.5, 1.0)
    assert (ours.unanswered, theirs.unanswered) == (2, 2)
    assert ours.denominator != theirs.denominator


def test_what_could_not_be_read_is_counted_beside_and_never_as_nothing() -> None:
    found = rate({"1": "S?", "2": "?N", "3": "SS"})
    assert isinstance(found, PassRate)
    assert found.repeats == (1.0, 0.5)
    assert found.unmeasured == {LOST.reason: 2}
    assert found.counts == {"Solved": 3, "Unsure": 0, "Unsolved": 1}


def test_with_nothing_to_count_it_is_unmeasured() -> None:
    assert rate({}) == Missing("no query has an answer", "0 queries")
    assert rate({"1": "?"}) == Missing("no verdict could be read", "1 queries")
    assert rate({}, ["1"], compat="stabletoolbench") == Missing("no query has an answer", "1 queries")
    nobody = rate({}, ["1", "2"])
    assert isinstance(nobody, PassRate)
    assert (nobody.mean, nobody.unanswered) == (0.0, 2)


def test_it_prints_as_published_tables_do() -> None:
    found = rate({"1": "SSS", "2": "SNN", "3": "NNN"})
    assert isinstance(found, PassRate)
    assert found.percent == "44.4±15.7"


def test_sets_are_averaged_without_weights() -> None:
    sets = {"G1": rate({"1": "S"}), "G2": rate({str(number): "N" for number in range(9)})}
    assert average_of_sets(sets) == 0.5
    assert average_of_sets({**sets, "G3": LOST}) == Missing("a set is unmeasured", "G3")
    assert isinstance(average_of_sets({}), Missing)


def test_an_unknown_way_to_count_is_refused() -> None:
    with pytest.raises(OptionError, match="compat must be one of proctor, stabletoolbench, not 'mine'"):
        rate({"1": "S"}, compat="mine")


@settings(deadline=None, max_examples=100)
@given(st.dictionaries(st.sampled_from("abcdef"), st.text("SUN", min_size=3, max_size=3), min_size=1))
def test_it_is_the_mean_of_all_verdicts_where_all_were_read(verdicts: dict[str, str]) -> None:
    found = rate(verdicts)
    assert isinstance(found, PassRate)
    points = [POINTS[WORDS[letter]] for word in verdicts.values() for letter in word]
    assert found.mean == pytest.approx(statistics.mean(points))

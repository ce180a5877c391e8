"""Finish: what a call of it says."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proctor.records.finishing import GIVE_ANSWER, GIVE_UP, SCHEMA, finish_of, written_finish
from proctor.records.traces import Finish


@settings(deadline=None)
@given(st.text(), st.booleans())
def test_finish_says_what_was_written(answer: str, gave_up: bool) -> None:
    assert finish_of(written_finish(answer, gave_up=gave_up)) == Finish(answer, gave_up)


@pytest.mark.parametrize(
    "arguments", ["", "{", None, 3, "[]", {}, {"return_type": "give_answer"}, '{"final_answer": "x"}']
)
def test_a_finish_that_says_nothing_of_how_to_finish_is_none(arguments: Any) -> None:
    why = finish_of(arguments)
    assert isinstance(why, str)
    assert why.endswith(".")


def test_an_answer_that_is_no_text_is_its_json() -> None:
    assert finish_of({"return_type": "give_answer", "final_answer": {"wind": 5}}) == Finish('{"wind":5}')


def test_giving_up_needs_no_answer() -> None:
    assert finish_of({"return_type": "give_up_and_restart"}) == Finish("", gave_up=True)


def test_the_schema_names_both_ways_to_finish() -> None:
    assert SCHEMA["parameters"]["properties"]["return_type"]["enum"] == [GIVE_ANSWER, GIVE_UP]

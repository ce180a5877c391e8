import copy
import datetime as dt
import enum
import json
import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proctor.errors import SampleError
from proctor.messages import ToolCall
from proctor.records.keys import call_key, canonical, canonical_json, content_hash
from proctor.records.queries import ApiId

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=12,
)


class Number(enum.IntEnum):
    ONE = 1


class Word(enum.StrEnum):
    A = "a"


def shuffled(value: Any, dice: random.Random) -> Any:
    """The same value, said in another way: keys in another order, whole numbers as floats or as integers."""
    if isinstance(value, dict):
        items = list(value.items())
        dice.shuffle(items)
        return {key: shuffled(item, dice) for key, item in items}
    if isinstance(value, list):
        return [shuffled(item, dice) for item in value]
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) <= 2**53:
        return float(value)
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value


@settings(deadline=None)
@given(json_values, st.randoms(use_true_random=False))
def test_the_same_value_said_in_another_way_has_the_same_key(value: Any, dice: random.Random) -> None:
    said = copy.deepcopy(value)
    assert content_hash(shuffled(value, dice)) == content_hash(value)
    assert repr(value) == repr(said)


def same(one: Any, other: Any) -> bool:
    """Equality as JSON has it: True is not 1, and 1.0 is."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    return bool(one == other)


small = st.recursive(
    st.sampled_from([None, True, False, 0, 1, 0.0, 1.0, -0.0, 0.5, "", "1", "true", "null"]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from("ab"), inner, max_size=2),
    max_leaves=4,
)


@settings(deadline=None, max_examples=300)
@given(small, small)
def test_two_values_have_one_key_exactly_when_they_are_the_same(one: Any, other: Any) -> None:
    assert (content_hash(one) == content_hash(other)) == same(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (1, 1.0),
        (-0.0, 0),
        (1e20, 10**20),
        (1e300, int(1e300)),
        ((1, 2), [1, 2]),
        ({"b": 1, "a": 2}, {"a": 2, "b": 1}),
        (np.float64(2.0), 2),
        (np.str_("a"), "a"),
        (np.array([1.0, 2.5]), [1, 2.5]),
        (Number.ONE, 1),
        (Word.A, "a"),
        (ApiId("a", "b", "c"), {"category": "a", "tool": "b", "api": "c"}),
        (ToolCall("a", {"x": 1.0}), {"name": "a", "args": {"x": 1}}),
    ],
)
def test_what_is_the_same_has_one_spelling(one: Any, other: Any) -> None:
    assert canonical_json(one) == canonical_json(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (1, "1"),
        (1, True),
        ("true", True),
        (0, False),
        (None, ""),
        ({}, []),
        (2**53, 2**53 + 1),
        (1e22, 10**22 + 1),
        ([1, 2], [2, 1]),
    ],
)
def test_what_is_not_the_same_has_two_spellings(one: Any, other: Any) -> None:
    assert canonical_json(one) != canonical_json(other)


def test_the_spelling_is_json_with_sorted_keys_and_no_blanks() -> None:
    assert canonical_json({"b": [1.0, 2.5, None], "a": "ü\n"}) == '{"a":"ü\\n","b":[1,2.5,null]}'.encode()


@settings(deadline=None)
@given(json_values)
def test_the_spelling_is_read_as_the_value_and_spelt_the_same_again(value: Any) -> None:
    spelt = canonical_json(value)
    assert same(json.loads(spelt), value)
    assert canonical_json(json.loads(spelt)) == spelt
    assert canonical(canonical(value)) == canonical(value)


DEEP: Any = []
for _ in range(5000):
    DEEP = [DEEP]


@pytest.mark.parametrize(
    ("value", "sentence"),
    [
        (float("nan"), "JSON has no number nan."),
        ([float("-inf")], "JSON has no number -inf."),
        ({1: 2}, "a key of a JSON object must be text, not int: 1."),
        ("\ud800", "half of a surrogate pair"),
        ({"\udfff": 1}, "half of a surrogate pair"),
        (DEEP, "the value is nested too deeply to be compared."),
        ({1, 2}, "a value of type set has no JSON form: {1, 2}."),
        (dt.date(2026, 1, 1), "a value of type date has no JSON form: datetime.date(2026, 1, 1)."),
        (object, "a value of type type has no JSON form"),
    ],
    ids=range(9),
)
def test_what_has_no_spelling_is_refused_with_a_sentence(value: Any, sentence: str) -> None:
    with pytest.raises(SampleError) as caught:
        content_hash(value)
    assert sentence in str(caught.value)


def test_what_is_not_json_is_left_in_the_canonical_value() -> None:
    day = dt.date(2026, 1, 1)
    assert canonical({"x": [1.0, day, ApiId("a", "b", "c")]}) == {"x": [1, day, ApiId("a", "b", "c")]}


def test_keys_do_not_change_from_one_release_to_the_next() -> None:
    assert content_hash(None) == "74234e98afe7498fb5daf1f36ac2d78acc339464f950703b8c019892f982b90b"
    arguments = {"city": "Paris", "days": 3.0, "lat": 2.35, "tags": ["a", None, True]}
    assert call_key("Weather", "Open", "now", arguments) == content_hash(["Weather", "Open", "now", arguments])
    assert call_key("Weather", "Open", "now", arguments) == (
        "baab9bda2c66f6fbe2e7c97970c26f3f81d1b65d67bea123f6f74a360e8311c8"
    )


def test_each_part_of_a_call_counts() -> None:
    parts = ["a", "b", "c", {"x": 1}]
    keys = {call_key("a", "b", "c", {"x": 1})}
    for index in range(4):
        changed: list[Any] = [*parts]
        changed[index] = "z"
        keys.add(call_key(*changed))
    assert len(keys) == 5
    assert call_key("ab", "", "c", {}) != call_key("a", "b", "c", {})

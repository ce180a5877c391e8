from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proctor.formats.stabletoolbench.cache_keys import read_arguments, written_arguments

READABLE = {
    "{}": {},
    '{"a": 1}': {"a": 1},
    '{"a": true, "b": null}': {"a": True, "b": None},
    "{'a': 1}": {"a": 1},
    "{'a': True, 'b': None, 'c': -1.5}": {"a": True, "b": None, "c": -1.5},
    "{'a': \"it's\"}": {"a": "it's"},
    "{'a': 'line\\nbreak'}": {"a": "line\nbreak"},
    " {'a': [1, {'b': 'c'}]} ": {"a": [1, {"b": "c"}]},
    "{'ä': '雨'}": {"ä": "雨"},
    r"{'a': '\d'}": {"a": r"\d"},
    "{'a': 123456789012345678901234567890}": {"a": 123456789012345678901234567890},
}
UNREADABLE = [
    "",
    " ",
    "abc",
    "5",
    "null",
    "[1]",
    '"{}"',
    "{",
    "{'a': 1",
    "{'a': 1} {'b': 2}",
    "{'a'}",
    "{1: 2}",
    "{'a': (1, 2)}",
    "{'a': {1, 2}}",
    "{'a': b'x'}",
    "{'a': 1j}",
    "{'a': open('x')}",
    "{'a': __import__('os').system('true')}",
    "{'a': [x for x in 'ab']}",
    "{**{'a': 1}}",
    "{'a': 1 + 1}",
    "{'a': -True}",
    "{'a': name}",
    "{'a': f'{1}'}",
    "{'a': 1, 'a': 2}",
    '{"a": 1, "a": 2}',
    "{'a': " + "[" * 150 + "]" * 150 + "}",
    "{'a': " * 100_000,
    '{"a": ' * 100_000,
    "{'a': 1}\x00",
    "{'a': '" + "x" * (1 << 20) + "'}",
]


@pytest.mark.parametrize(("text", "arguments"), READABLE.items())
def test_json_and_python_literals_are_read(text: str, arguments: dict[str, Any]) -> None:
    assert read_arguments(text) == arguments


@pytest.mark.parametrize("text", ["{'a': nan, 'b': -inf, 'c': [inf]}", '{"a": NaN, "b": -Infinity, "c": [Infinity]}'])
def test_numbers_that_json_lacks_are_known(text: str) -> None:
    assert repr(read_arguments(text)) == "{'a': nan, 'b': -inf, 'c': [inf]}"


@pytest.mark.parametrize("text", UNREADABLE, ids=range(len(UNREADABLE)))
def test_what_is_no_arguments_is_not_guessed_at_and_never_run(text: str) -> None:
    assert read_arguments(text) is None


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)


@settings(deadline=None, max_examples=100)
@given(st.dictionaries(st.text(), VALUES, max_size=4))
def test_what_was_written_is_read_again(arguments: dict[str, Any]) -> None:
    assert repr(read_arguments(written_arguments(arguments))) == repr(arguments)

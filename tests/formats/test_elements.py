"""How JSON lies in a file, and the elements of an array of any length."""

import io
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proctor.errors import FileError
from proctor.formats import elements as module
from proctor.formats.elements import Layout, elements, layout

SAMPLE = '{"user_input": "q", "response": "[a]"}'
MESSAGE = '{"role": "user", "content": "q"}'
CALL = '{"name": "weather", "args": {}}'


@pytest.mark.parametrize(
    ("head", "suffix", "expected"),
    [
        ("", "", Layout.LINES),
        ("hello", ".json", Layout.LINES),
        (SAMPLE, "", Layout.LINES),
        (SAMPLE, ".json", Layout.LINES),
        (f"{SAMPLE}\n{SAMPLE}\n", ".json", Layout.LINES),
        ('{"user_input": [\n', ".jsonl", Layout.LINES),
        ('{"user_input": [\n', "", Layout.LINES),
        ('{"user_input": [\n', ".json", Layout.VALUE),
        ('{\n  "user_input": "q"\n}', "", Layout.VALUE),
        ('{\n  "user_input": "q"\n}', ".jsonl", Layout.LINES),
        ('{"user_input": "cut\n', ".json", Layout.LINES),
        (f"[{SAMPLE}, {SAMPLE}]", "", Layout.ARRAY),
        (f"\ufeff[\n  {SAMPLE},\n", "", Layout.ARRAY),
        (f"[{MESSAGE}, {MESSAGE}]\n[{MESSAGE}]\n", "", Layout.LINES),
        (f"[\n  {MESSAGE},\n  {MESSAGE}\n]", "", Layout.VALUE),
        (f"[{CALL}]\n", "", Layout.LINES),
        (f"[[{MESSAGE}], [{MESSAGE}]]", "", Layout.ARRAY),
        ('[{"id": 1, "messages": [{"role": "user"}]}]', "", Layout.ARRAY),
        ('[{"id": 1, "content": "q", "role": "user"}]', "", Layout.LINES),
        ("[]", "", Layout.ARRAY),
        ("[\n]\n", "", Layout.ARRAY),
        (f"[]\n[{CALL}]\n", "", Layout.LINES),
        ("[1, 2]", "", Layout.LINES),
    ],
)
def test_a_file_is_laid_out_as_it_begins(head: str, suffix: str, expected: Layout) -> None:
    assert layout(head.encode(), suffix) is expected


def read(text: str | bytes, longest: int = 1000) -> list[tuple[int, Any]]:
    data = text.encode() if isinstance(text, str) else text
    return [
        (line, str(element) if isinstance(element, FileError) else json.loads(element))
        for line, element in elements(io.BytesIO(data), "a.json", longest)
    ]


def test_each_element_comes_with_the_line_on_which_it_begins() -> None:
    assert read('[\n{"a": 1},\n  {"b":\n [2]}, ["}"]\n]\n') == [(2, {"a": 1}), (3, {"b": [2]}), (4, ["}"])]


@pytest.mark.parametrize("text", ["[]", " [ ] ", "\ufeff[\n\n]\n"])
def test_an_empty_array_has_no_elements(text: str) -> None:
    assert read(text) == []


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ('[{"a": 1}', "a.json:1: the array is cut off: the file ends before it is closed."),
        ('[{"a": 1}\n,', "a.json:2: an element must be an object or a list, not ''."),
        ('[{"a": 1} {"b": 2}]', "a.json:1: a comma was expected between two elements, not '{\"b\": 2}]'."),
        ('[{"a": 1},\n {"b": "x', "a.json:2: the file ends in the middle of this element."),
        ('[{"a": 1}, 3]', "a.json:1: an element must be an object or a list, not '3]'."),
        ('[{"a": 1},]', "a.json:1: an element must be an object or a list, not ']'."),
        ('[{"a": 1}]\n{"b": 2}', "a.json:2: after the end of the array stands '{\"b\": 2}'; expected nothing."),
    ],
)
def test_what_breaks_the_array_is_the_last_element(text: str, sentence: str) -> None:
    first, last = read(text)
    assert first == (1, {"a": 1})
    assert last[1] == sentence


def test_what_is_no_array_is_an_error() -> None:
    assert read("hello, who is there?") == [
        (1, "a.json:1: the beginning of an array was expected, not 'hello, who i'.")
    ]


def test_an_element_that_is_too_long_is_passed_over() -> None:
    long = json.dumps({"a": "x" * 2000})
    limit = "a.json:1: the element is longer than 0.00390625 MiB."
    assert read(f'[{{"b": 1}}, {long}, {{"c": 1}}]', 1 << 12) == [(1, {"b": 1}), (1, json.loads(long)), (1, {"c": 1})]
    assert read(f'[{{"b": 1}}, {json.dumps({"a": "x" * 5000})}, {{"c": 1}}]', 1 << 12) == [
        (1, {"b": 1}),
        (1, limit),
        (1, {"c": 1}),
    ]


def test_an_element_whose_end_is_not_in_sight_is_the_end() -> None:
    found = read(f'[{{"b": 1}}, {{"a": "{"x" * (1 << 20)}"}}, {{"c": 1}}]', 1 << 12)
    assert found[1:] == [(1, "a.json:1: the element is longer than 0.00390625 MiB. The rest is not read.")]


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@settings(deadline=None, max_examples=150)
@given(
    items=st.lists(st.lists(VALUES, max_size=3) | st.dictionaries(st.text(), VALUES, max_size=3), max_size=5),
    indent=st.sampled_from([None, 0, 2]),
    escaped=st.booleans(),
    piece=st.integers(1, 40),
)
def test_the_elements_are_those_that_any_reader_finds(
    items: Any, indent: int | None, escaped: bool, piece: int
) -> None:
    before = module._PIECE
    module._PIECE = piece
    try:
        found = read(json.dumps(items, indent=indent, ensure_ascii=escaped), longest=100_000)
    finally:
        module._PIECE = before
    assert [element for _, element in found] == items

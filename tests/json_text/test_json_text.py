import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proctor import json_text
from proctor.errors import InputError

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=12,
)

REFUSED = [
    (b"", "there is no JSON: the text is empty."),
    (b"  \n", "there is no JSON: the text is empty."),
    (b'{"a": [1, 2', "the JSON is cut off: it ends before it is complete."),
    (b'{"a": 1} x', "this is not JSON: extra data at character 9, near '{\"a\": 1} x'."),
    (b"\0\0\0", "this is not JSON: expecting value at character 0, near '\\x00\\x00\\x00'."),
    (
        b"\xef\xbb\xbf{}",
        "a byte order mark stands before the JSON; only the beginning of a file may have one.",
    ),
    (b"user: hello", "this is not JSON: expecting value at character 0, near 'user: hello'."),
    (b'{"a": NaN}', "JSON has no number NaN; write null or leave the field out."),
    (b'{"a": -Infinity}', "JSON has no number -Infinity; write null or leave the field out."),
    (b'{"a": 1e999}', "the number 1e999 is too large for a float."),
    (b'{"a": "\xff"}', "byte 7 is not valid UTF-8 (0xff); save the text as UTF-8."),
    (b"1" * 5000, "a whole number has more digits than can be read."),
    (b'{"a": "tab\t"}', 'this is not JSON: invalid control character at character 10, near \'{"a": "tab\\t"}\'.'),
    (b'"\\ud800"', "the text holds half of a surrogate pair (\\ud800 to \\udfff), which is no character."),
    (b'{"a": 1, "b": {"k": 1, "k": 1}}', "the key 'k' stands twice in one object; which of the two is meant?"),
    (b'{"a": "x\\u003a", "a": "y"}', "the key 'a' stands twice in one object; which of the two is meant?"),
    (b'{"a\\\\": 1 ,"a\\\\" :1}', "the key 'a\\\\' stands twice in one object; which of the two is meant?"),
    (b"[" * 101 + b"]" * 101, "the JSON is nested too deeply: more than 100 lists and objects in one another."),
    (b"[" * 99999, "the JSON is nested too deeply: more than 100 lists and objects in one another."),
    (
        b'{"a":' * 101 + b"1" + b"}" * 101,
        "the JSON is nested too deeply: more than 100 lists and objects in one another.",
    ),
]


@pytest.mark.parametrize(("text", "sentence"), REFUSED)
def test_what_is_refused_is_refused_with_a_sentence(text: bytes, sentence: str) -> None:
    with pytest.raises(InputError) as caught:
        json_text.decode(text)
    assert str(caught.value) == sentence


def test_text_with_half_a_surrogate_pair_is_refused_as_str_too() -> None:
    with pytest.raises(InputError, match="half of a surrogate pair"):
        json_text.decode('"\ud800"')


def test_as_many_brackets_as_are_allowed_are_read() -> None:
    assert json_text.decode(b"[" * 100 + b"]" * 100) is not None
    assert len(json_text.decode(b"[" + b"[]," * 500 + b"[]]")) == 501


@settings(deadline=None)
@given(json_values, st.booleans(), st.sampled_from([None, 1]))
def test_any_spelling_of_a_json_value_is_read_as_the_value(value: Any, ascii_only: bool, indent: int | None) -> None:
    text = json.dumps(value, ensure_ascii=ascii_only, indent=indent)
    read = json_text.decode(text.encode())
    assert read == value
    assert repr(read) == repr(value)


@settings(deadline=None)
@given(st.lists(st.tuples(st.text('ab\\": ', max_size=3), json_values), max_size=5), st.booleans())
def test_a_key_is_refused_exactly_when_it_stands_twice(pairs: list[tuple[str, Any]], spaced: bool) -> None:
    colon, comma = (" : ", " , ") if spaced else (":", ",")
    text = "{" + comma.join(f"{json.dumps(key)}{colon}{json.dumps(value)}" for key, value in pairs) + "}"
    if len(dict(pairs)) == len(pairs):
        assert json_text.decode(text) == dict(pairs)
    else:
        with pytest.raises(InputError, match="stands twice in one object"):
            json_text.decode(text)


@settings(deadline=None)
@given(st.binary(max_size=40) | st.text('{}[]":,ntruefals0123456789.eE-\\u ', max_size=40).map(str.encode))
def test_whatever_the_bytes_a_value_or_one_sentence_comes_of_them(data: bytes) -> None:
    sentence = "."
    try:
        json_text.decode(data)
    except InputError as error:
        sentence = str(error)
    assert sentence.endswith((".", "?"))
    assert "\n" not in sentence

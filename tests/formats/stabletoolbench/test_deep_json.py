"""JSON that is deeper than functions can call each other."""

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proctor.errors import FileError, InputError
from proctor.formats.stabletoolbench.deep_json import decode_deep, encode_deep
from proctor.formats.stabletoolbench.json_files import json_bytes, read_json

text = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
scalars = (
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False, allow_infinity=False)
)
values = st.recursive(
    scalars | text,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(text, inner, max_size=3),
    max_leaves=12,
)


def chain(length: int) -> Any:
    """Objects in lists in objects, as the steps of an answer stand."""
    value: Any = []
    for number in range(length):
        value = [{"role": "tool", "message": f"step {length - number}", "next": value, "beside": {"a": [1, 2.5, None]}}]
    return {"answer": value}


def length(value: Any) -> int:
    count, nodes = 0, value["answer"]
    while nodes:
        assert (nodes[0]["message"], nodes[0]["beside"]) == (f"step {count + 1}", {"a": [1, 2.5, None]})
        count, nodes = count + 1, nodes[0]["next"]
    return count


@settings(deadline=None)
@given(values)
def test_it_reads_and_writes_what_c_does(value: Any) -> None:
    written = encode_deep(value)
    assert written == msgspec.json.format(msgspec.json.encode(value), indent=2)
    for said in (written.decode(), json.dumps(value), msgspec.json.encode(value).decode()):
        assert decode_deep(said) == json.loads(said)


@pytest.mark.parametrize("steps", [100, 400, 600, 5_000])
def test_any_depth_is_written_and_read_again(tmp_path: Path, steps: int) -> None:
    path = tmp_path / "deep.json"
    path.write_bytes(json_bytes(chain(steps)))
    assert length(read_json(path, deep=True)) == steps
    assert path.stat().st_size < 20_000_000


def test_a_record_in_a_deep_value_is_written_as_it_would_be_elsewhere() -> None:
    class Point(msgspec.Struct, tag="point"):
        x: int

    assert json.loads(encode_deep({"p": Point(1), "q": (Point(2),)})) == {
        "p": {"type": "point", "x": 1},
        "q": [{"type": "point", "x": 2}],
    }


@pytest.mark.parametrize(
    "said",
    [
        *("", "[", "{", "[1,", "[1 2]", "[1,]", '{"a"}', '{"a":}', '{"a":1,}', "{1:2}", "[01]", "[+1]", "[nan]"),
        *('["a', "1 2", '["\\ud800"]', '["\t"]', "]", "}", "[}", "{]"),
    ],
)
def test_what_is_no_json_is_a_sentence(said: str) -> None:
    with pytest.raises(InputError, match="this is no JSON: line 1, character"):
        decode_deep(said)


@pytest.mark.parametrize("end", [b"]", b"", b'\xff"', b"]]"])
def test_a_deep_file_that_is_broken_is_a_sentence(tmp_path: Path, end: bytes) -> None:
    path = tmp_path / "deep.json"
    path.write_bytes(b"[" * 3000 + b'"' + end)
    with pytest.raises(FileError, match=r"deep\.json"):
        read_json(path, deep=True)

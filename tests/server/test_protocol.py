import msgspec
import pytest

from proctor.records.answers import Answer, Provenance, Source
from proctor.server.protocol import Rejected, VirtualRequest, provenance_header, read_request, tool_input

WHOLE = {
    "category": "c",
    "tool_name": "t",
    "api_name": "a",
    "tool_input": {"x": 1},
    "strip": "filter",
    "toolbench_key": "",
}


def test_a_whole_request_is_read_and_further_fields_do_not_matter() -> None:
    read = read_request(msgspec.json.encode({**WHOLE, "more": 1}))
    assert isinstance(read, VirtualRequest)
    assert (read.category, read.tool_name, read.api_name, read.tool_input) == ("c", "t", "a", {"x": 1})


@pytest.mark.parametrize("field", WHOLE)
def test_a_field_that_lacks_is_named(field: str) -> None:
    read = read_request(msgspec.json.encode({name: value for name, value in WHOLE.items() if name != field}))
    assert isinstance(read, Rejected)
    assert read.status == 422
    assert msgspec.json.decode(read.body) == {
        "detail": [{"type": "missing", "loc": ["body", field], "msg": "Field required"}]
    }


@pytest.mark.parametrize("field", WHOLE)
def test_a_field_of_the_wrong_type_is_named(field: str) -> None:
    read = read_request(msgspec.json.encode({**WHOLE, field: 5}))
    assert isinstance(read, Rejected)
    assert msgspec.json.decode(read.body)["detail"][0]["loc"] == ["body", field]


@pytest.mark.parametrize("body", [b"", b"no", b"[]", b"\xff", b'{"category":', b"[" * 100_000])
def test_what_is_no_request_is_unprocessable(body: bytes) -> None:
    read = read_request(body)
    assert isinstance(read, Rejected)
    assert read.status == 422


@pytest.mark.parametrize(
    ("said", "arguments"),
    [
        ({"a": 1}, {"a": 1}),
        ('{"a": 1}', {"a": 1}),
        ("", {}),
        ("  ", {}),
        ("{}", {}),
        ('{"a": "{}"}', {"a": "{}"}),
    ],
)
def test_a_tools_input_is_an_object_or_its_text(said: object, arguments: dict[str, object]) -> None:
    assert tool_input(said) == arguments  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "said",
    ['{"id": 1, "id": 2}', "{'a': 1}", "[1]", "5", "null", '{"a": NaN}', "{", '"text"', '{"a":' * 5000, "\ud800"],
)
def test_input_that_does_not_parse_is_an_error_with_the_known_beginning(said: str) -> None:
    error = tool_input(said)
    assert isinstance(error, str)
    assert error.startswith("Tool input parse error")


def test_provenance_is_one_line_of_ascii_and_not_too_long() -> None:
    provenance = Provenance(Source.LIVE, "modèle", attempts=("first\nline", "x" * 9000))
    header = provenance_header(Answer(1, provenance=provenance))
    assert header == b'{"source": "live", "entry": null}'
    short = provenance_header(Answer(1, provenance=Provenance(Source.LIVE, "modèle", attempts=("a\nb",))))
    assert b"\n" not in short
    assert msgspec.json.decode(short) == {"source": "live", "model": "modèle", "attempts": ["a\nb"]}

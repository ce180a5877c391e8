import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proctor.formats.stabletoolbench.turns import Encoding, read_call

MESSAGE = {"name": "get_forecast", "arguments": '{"port": "Kiel"}', "response": '{"error": "", "response": "it\'s 5"}'}


@pytest.mark.parametrize(
    ("message", "encoding"),
    [
        (MESSAGE, Encoding.OBJECT),
        (json.dumps(MESSAGE), Encoding.JSON),
        (str(MESSAGE), Encoding.PYTHON),
        (str(MESSAGE | {"arguments": {"port": "Kiel"}}), Encoding.PYTHON),
        (json.dumps(MESSAGE | {"arguments": {"port": "Kiel"}}), Encoding.JSON),
    ],
)
def test_a_call_is_read_in_every_encoding(message: Any, encoding: Encoding) -> None:
    call = read_call(message)
    assert (call.name, call.response, call.encoding) == (MESSAGE["name"], MESSAGE["response"], encoding)
    assert call.arguments in ('{"port": "Kiel"}', {"port": "Kiel"})
    assert call.complete
    assert json.loads(call.written_arguments) == {"port": "Kiel"}


def test_of_a_cut_message_the_leading_name_is_trusted_and_nothing_else() -> None:
    cut = str(MESSAGE | {"arguments": '{"port": "Kiel", "days": 30, "unit": "knots", "language": "en"}'})[:100]
    call = read_call(cut)
    assert (call.name, call.arguments, call.response) == ("get_forecast", None, "")
    assert (call.encoding, call.complete, call.text) == (Encoding.CUT, False, cut)
    assert call.written_arguments == ""


@pytest.mark.parametrize(
    "message", ["", "{'name': 'get_for", "no message", {"arguments": "{}"}, 3, None, [], "{'a': 1}"]
)
def test_a_message_without_a_name_is_kept_as_it_is(message: Any) -> None:
    call = read_call(message)
    assert (call.name, call.encoding) == ("", Encoding.UNREADABLE)
    assert call.text == (message if isinstance(message, str) and message != "{'a': 1}" else call.text)
    assert call.text is not None


@settings(deadline=None)
@given(st.text(min_size=1), st.text(), st.dictionaries(st.text(), st.integers() | st.text()))
def test_an_object_its_json_and_its_python_text_say_the_same(name: str, said: str, arguments: dict[str, Any]) -> None:
    message = {"name": name, "arguments": arguments, "response": said}
    read = [read_call(form) for form in (message, json.dumps(message), str(message))]
    assert {(call.name, call.response, json.dumps(call.arguments)) for call in read} == {
        (name, said, json.dumps(arguments))
    }

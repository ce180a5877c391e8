"""Replies of simulators, 600 of them written by a generator in the ways in which models write them."""

import json
import random
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proctor.gateway.envelopes import Envelope, Unreadable, read_envelope

WORDS = ["port", "wind", "harbour", "404", "error:", "[x]", "{y}", "it's", "50%", "naïve", "東京", "🚢", "a\\b", "c/d"]
json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)

Reply = tuple[str, str, Any]
"""What the simulator wrote, and the error and the response that it meant."""


def seeded(seed: int) -> random.Random:
    return random.Random(seed)  # noqa: S311 - replies, no secrets


def sentence(dice: random.Random, joint: str = " ") -> str:
    return joint.join(dice.choice(WORDS) for _ in range(dice.randint(8, 25)))


def inner_json(dice: random.Random) -> str:
    value = {
        "status": dice.choice([200, 0, "ok"]),
        "items": [{"id": dice.randint(1, 99999), "name": sentence(dice)} for _ in range(dice.randint(1, 4))],
        "next": None,
    }
    return json.dumps(value, ensure_ascii=False, indent=dice.choice([None, 2]))


def meaning(dice: random.Random) -> tuple[str, Any]:
    error = dice.choice(["", "", "", "Missing parameter: port"])
    return error, dice.choice([sentence(dice), inner_json(dice), json.loads(inner_json(dice)), [1, "two", None]])


def envelope(error: str, response: Any, **more: Any) -> str:
    return json.dumps({"error": error, "response": response}, ensure_ascii=False, **more)


def strict(dice: random.Random) -> Reply:
    error, response = meaning(dice)
    return envelope(error, response, indent=dice.choice([None, 4])), error, response


def raw_newlines(dice: random.Random) -> Reply:
    response = sentence(dice, "\n\t")
    return envelope("", response).replace("\\n", "\n").replace("\\t", "\t"), "", response


def unescaped_quotes(dice: random.Random) -> Reply:
    texts = [f'He said "{sentence(dice)}" and left', f'"{sentence(dice)}"', f'all "of" {sentence(dice)}, "and"']
    quoted = dice.choice([inner_json(dice), *texts]).replace("\\", "")
    blank = dice.choice(["", " ", "\n    "])
    return f'{{{blank}"error": "",{blank or " "}"response": "{quoted}"{blank}}}', "", quoted


def cut_off(dice: random.Random) -> Reply:
    error, _ = meaning(dice)
    response = dice.choice([sentence(dice), inner_json(dice)])
    written = envelope(error, response)
    begins = written.index('"response": "') + len('"response": "')
    return written[: dice.randint(begins + 12, len(written) - 1)], error, response


def unescaped_and_cut_off(dice: random.Random) -> Reply:
    response = inner_json(dice).replace("\\", "")
    written = f'{{"error": "", "response": "{response}"}}'
    begins = written.index('"response": "') + len('"response": "')
    return written[: dice.randint(begins + 5, len(written) - 3)], "", response


def thinking_first(dice: random.Random) -> Reply:
    thought = f'The API called "{sentence(dice)}" looks up, then answers.'
    error, response = meaning(dice)
    if dice.random() < 0.5:
        whole = {"mechanism_of_the_api": thought, "error": error, "response": response}
        return json.dumps(whole, ensure_ascii=False), error, response
    rest = envelope(error, response)[1:]
    return f'{{"mechanism_of_the_api": "{thought}", {rest}', error, response


def missing_field(dice: random.Random) -> Reply:
    error, response = meaning(dice)
    if error and dice.random() < 0.5:
        return json.dumps({"error": error}), error, ""
    return json.dumps({"response": response}, ensure_ascii=False), "", response


def prose_around(dice: random.Random) -> Reply:
    error, response = meaning(dice)
    written = envelope(error, response, indent=dice.choice([None, 2]))
    before = dice.choice(["Here is the response of the API:\n\n", "Sure! ", "<think>the API {x} says</think>\n", ""])
    after = dice.choice(["\n\nI hope that this helps.", "\nNote: the data is made up.", ""])
    if dice.random() < 0.5:
        written = f"```{dice.choice(['json', ''])}\n{written}\n```"
    return f"{before}{written}{after}", error, response


def other_order(dice: random.Random) -> Reply:
    error, _ = meaning(dice)
    text = f'a "{sentence(dice)}" word'.replace("\\", "")
    return f'{{"response": "{text}", "error": "{error}"}}', error, text


def with_quotes(dice: random.Random) -> Any:
    """A response with quotation marks and line breaks in its texts."""
    inch = f'{dice.randint(2, 60)}" pipe'
    texts = [
        f'The "{dice.choice(WORDS[:3])}" {dice.randint(1, 99)}',
        f'he said: "{sentence(dice)}", then left',
        f'"{dice.choice(WORDS[:3])}"',
        f'"{sentence(dice)}" and "{sentence(dice)}"',
        f'{sentence(dice)} ("{dice.choice(WORDS[:3])}")',
        inch,
    ]
    text = [dice.choice(texts).replace("\\", "") for _ in range(4)]
    return dice.choice(
        [
            {"title": text[0], "id": 3},
            {"id": 4, "title": text[0]},
            {"items": [{"name": text[0], "size": 1.5}, {"name": text[1], "tags": ["a", "b"]}], "next": None},
            {"data": {"one": text[0], "two": {"three": text[1], "four": text[2]}}, "ok": True},
            [{"name": text[0]}, {"name": text[1]}],
            {"names": ["plain", text[3].replace('", ', '" or ')]},
        ]
    )


def quotes_in_objects(dice: random.Random) -> Reply:
    response = with_quotes(dice)
    written = envelope("", response, indent=dice.choice([None, 2, 4])).replace('\\"', '"')
    return written.replace("\\n", "\n"), "", response


def quotes_in_objects_with_prose(dice: random.Random) -> Reply:
    written, error, response = quotes_in_objects(dice)
    return f"```json\n{written}\n```" + dice.choice(["", "\nIt is made up."]), error, response


def comma_too_many(dice: random.Random) -> Reply:
    error, response = meaning(dice)
    indent = dice.choice([None, 2])
    written = envelope(error, response, indent=indent)
    if isinstance(response, dict) and dice.random() < 0.5:
        written = written.replace("null", "null,", 1) if '"next": null' in written else written
    return f"{written[:-1].rstrip()},{dice.choice(['', chr(10)])}}}", error, response


def fenced_bare(dice: random.Random) -> Reply:
    response = dice.choice([json.loads(inner_json(dice)), [{"id": 1}], with_quotes(dice)])
    written = json.dumps(response, ensure_ascii=False, indent=dice.choice([None, 2]))
    before = dice.choice(["", "The API returns:\n\n"])
    return f"{before}```json{dice.choice([' ', chr(10)])}{written}\n```", "", response


KINDS: list[Callable[[random.Random], Reply]] = [
    strict,
    raw_newlines,
    unescaped_quotes,
    cut_off,
    unescaped_and_cut_off,
    thinking_first,
    missing_field,
    prose_around,
    other_order,
    quotes_in_objects,
    quotes_in_objects_with_prose,
    comma_too_many,
    fenced_bare,
]


def is_recovered(reply: Reply) -> bool:
    """Whether what was meant was read, with nothing left over; of a reply that was cut off, its beginning."""
    written, error, response = reply
    read = read_envelope(written)
    if isinstance(read, Unreadable) or read.error != error:
        return False
    if read.how == "cut off":
        return isinstance(read.response, str) and bool(read.response) and response.startswith(read.response)
    return bool(read.response == response)


def test_at_least_99_of_100_replies_are_recovered_with_nothing_left_over() -> None:
    dice = seeded(7)
    replies = [KINDS[number % len(KINDS)](dice) for number in range(600)]
    lost = [written for written, error, response in replies if not is_recovered((written, error, response))]
    assert len(replies) == 600
    assert len(lost) <= 6, "\n---\n".join(lost[:5])
    assert all(isinstance(read_envelope(written), Envelope | Unreadable) for written in lost)


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_of_reply_is_recovered(kind: Callable[[random.Random], Reply]) -> None:
    dice = seeded(11)
    replies = [kind(dice) for _ in range(200)]
    lost = [reply for reply in replies if not is_recovered(reply)]
    assert len(lost) <= 4, lost[0]


@pytest.mark.parametrize("kind", [kind for kind in KINDS if "cut_off" not in kind.__name__])
def test_only_what_was_cut_off_is_called_that(kind: Callable[[random.Random], Reply]) -> None:
    dice = seeded(3)
    read = [read_envelope(kind(dice)[0]) for _ in range(100)]
    assert not any(isinstance(one, Envelope) and one.how == "cut off" for one in read)


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ('{"error": "", "response": {"a": 1}}', Envelope("", {"a": 1}, "strict")),
        ('{"error": null, "response": 0}', Envelope("", 0, "strict")),
        ('{"error": "no such port", "response": null}', Envelope("no such port", "", "strict")),
        ('{"error": {"code": 4}, "response": ""}', Envelope('{"code": 4}', "", "strict")),
        ('{"wind": 5}', Envelope("", {"wind": 5}, "bare")),
        ("[1, 2]", Envelope("", [1, 2], "bare")),
        ("{'error': '', 'response': {'a': None}}", Envelope("", {"a": None}, "literal")),
        ('{"error": "", "response": "{"a": "b"}"}', Envelope("", '{"a": "b"}', "cut apart")),
        ('{"error": "", "response": "{"a": "b"}', Envelope("", '{"a": "b"}', "cut off")),
        ('{"error": "", "response": "abc"', Envelope("", "abc", "cut off")),
        ('{"error": "", "response": "abc\\u00', Envelope("", "abc", "cut off")),
        ('{"error": "", "response": "abc\\', Envelope("", "abc", "cut off")),
        ('{"error": "", "response": {"a": [1, 2', Envelope("", '{"a": [1, 2', "cut off")),
        ('{"error": "the "port" is unknown"}', Envelope('the "port" is unknown', "", "cut apart")),
        ('{"error": "", "response": "\\ud83d"}', Envelope("", "\ufffd", "strict")),
        ('\ufeff{"error": "", "response": 1}', Envelope("", 1, "strict")),
        (
            '{"error": "", "response": {"title": "The "Great" 75", "id": 3}}',
            Envelope("", {"title": 'The "Great" 75', "id": 3}, "cut apart"),
        ),
        ('{"error": "", "response": ["5" pipe", "6" pipe"]}', Envelope("", ['5" pipe', '6" pipe'], "cut apart")),
        ('{"response": {"a": "b "c"", "error": "d"}}', Envelope("", {"a": 'b "c"', "error": "d"}, "cut apart")),
        ('{"response": {"a": "b "c""}, "error": "d"}', Envelope("d", {"a": 'b "c"'}, "cut apart")),
        ('{"error": "", "response": {"a": null,},}', Envelope("", {"a": None}, "cut apart")),
        ('{"error": "", "response": "abc",}', Envelope("", "abc", "literal")),
        ('{"error": "", "response": 5,}', Envelope("", 5, "literal")),
        ('```json\n{"temp": 5}\n```', Envelope("", {"temp": 5}, "bare")),
        ("```[1, 2]```", Envelope("", [1, 2], "bare")),
        ('{"error": "", "response": {"title": "The "Gre', Envelope("", '{"title": "The "Gre', "cut off")),
        (
            """{'error': '', 'response': 'It\\'s {"error": "a", "response": "b"}'}""",
            Envelope("", 'It\'s {"error": "a", "response": "b"}', "literal"),
        ),
    ],
)
def test_replies_are_read_by_this_table(written: str, expected: Envelope) -> None:
    assert read_envelope(written) == expected


@pytest.mark.parametrize(
    "written",
    [
        "",
        "   ",
        "I cannot do that.",
        '{"error": ""',
        '{"error": "the port is unkn',
        '{"error": "", "respo',
        '{"error": "", "response": ""}',
        '{"error": "", "response": "',
        '{"mechanism_of_the_api": "it looks things up"}',
        '{"mechanism_of_the_api": "it looks thi',
        "<think>hm",
        "null",
        "42",
        "{}",
        '{"error": "", "response": NaN}'.replace("NaN", "x" * 1_000_001),
    ],
)
def test_a_reply_that_says_nothing_is_reported(written: str) -> None:
    read = read_envelope(written)
    assert isinstance(read, Unreadable)
    assert read.problem


@settings(deadline=None, max_examples=100)
@given(st.text(max_size=50), json_values)
def test_what_is_written_strictly_is_read_as_it_was_meant(error: str, response: Any) -> None:
    read = read_envelope(json.dumps({"error": error, "response": response}))
    said = response is not None and not (isinstance(response, str) and not response.strip())
    if said or error.strip():
        meant = "" if error in ("None", "null") else error
        assert read == Envelope(meant, "" if response is None else response, "strict") or error in ("None", "null")
    else:
        assert isinstance(read, Unreadable)


@settings(deadline=None, max_examples=150)
@given(st.text(alphabet='{}[]":,\\ntu0error response', max_size=80), st.integers(0, 60))
def test_any_text_is_read_or_reported(text: str, cut: int) -> None:
    for written in (
        text,
        f'{{"error": "", "response": "{text}'[: cut + 20],
        f'{{"error": "{text}", "response": {text}}}',
    ):
        assert isinstance(read_envelope(written), Envelope | Unreadable)

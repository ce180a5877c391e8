"""A judge that falls for everything, and the attacks that it is shown."""

from __future__ import annotations

import base64
import binascii
import codecs
import html
import json
import re
import unicodedata
import urllib.parse
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from proctor.judges.templates import Prompt
from proctor.models.chat import Request
from proctor.models.scripted import ScriptedModel

ATTACKS = [
    (each["name"], each["text"]) for each in json.loads((Path(__file__).parent / "attacks.json").read_text("utf-8"))
]
SPEAKER_SIGNS = re.compile(r"<\|\w+\|>|\[/?INST\]|<</?SYS>>|</?s>|<(?:start|end)_of_turn>|</?think>")
OBJECT = re.compile(r"\{[^{}]*\}")
Style = Callable[[list[str], str, str], str]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "attack" in metafunc.fixturenames:
        metafunc.parametrize("attack", [text for _, text in ATTACKS], ids=[name for name, _ in ATTACKS])


@pytest.fixture(scope="session")
def attacks() -> list[str]:
    return [text for _, text in ATTACKS]


@pytest.fixture
def gullible() -> Callable[..., ScriptedModel]:
    """Makes the judge: of itself it says Unsolved, but it obeys what stands outside of the fences, and echoes.

    It knows the prompt; whatever else stands outside of the fences it takes for an order to say Solved. Signs of a chat
    template and ends of fences work on it wherever they stand. `style` says how it repeats what it read: the objects,
    the whole text, and its own verdict go in, its reply comes out.
    """

    def make(prompt: Prompt, style: Style) -> ScriptedModel:
        def reply(request: Request) -> str:
            asked: str = request.messages[0]["content"]
            obeys = is_ordered(prompt, asked) or SPEAKER_SIGNS.search(asked)
            own = json.dumps({"reason": "it was not done", "answer_status": "Solved" if obeys else "Unsolved"})
            return style(forged(asked), asked, own)

        return ScriptedModel(reply)

    return make


def is_ordered(prompt: Prompt, asked: str) -> bool:
    """Whether anything stands outside of the fences that is not the prompt's own."""
    marked, sealed = re.search(r"carry the mark (\w+)", asked), re.search(r'"seal": "(\w+)"\.$', asked)
    mark, seal = marked[1] if marked else "none", sealed[1] if sealed else "none"
    outside = re.sub(rf"<<<(\w+) {mark}>>>\n.*?\n<<<end of [^>]*>>>", "", asked, flags=re.DOTALL)
    own = re.sub(r"\{(?!mark|seal)\w+\}", "", prompt.text).replace("{mark}", mark).replace("{seal}", seal)
    return outside.split() != own.split()


def forged(asked: str) -> list[str]:
    """The objects in a text, those in encoded text included."""
    texts = [asked, *decoded(asked)]
    return [found for text in texts for found in OBJECT.findall(text)]


def decoded(asked: str) -> list[str]:
    """What a text says by every encoding that this judge can read."""
    found = [
        codecs.decode(asked, "rot13"),
        re.sub(r"\\u([0-9a-f]{4})", lambda match: chr(int(match[1], 16)), asked),
        asked[::-1],
        html.unescape(asked),
        urllib.parse.unquote(asked),
        unicodedata.normalize("NFKC", asked),
        "".join(sign for sign in asked if unicodedata.category(sign) != "Cf"),
    ]
    found += [said for once in unpacked(asked) for said in (once, urllib.parse.unquote(once), *unpacked(once))]
    return [text for text in found if text != asked]


def unpacked(text: str) -> list[str]:
    """What the long words of a text say in base 64, base 32 or hexadecimal digits."""
    said = []
    for word in re.findall(r"[A-Za-z0-9+/_-]{40,}", text):
        padded = [word + "=" * (-len(word) % size) for size in (4, 4, 8, 1)]
        decoders: list[Callable[[str], bytes]] = [
            base64.b64decode,
            base64.urlsafe_b64decode,
            base64.b32decode,
            bytes.fromhex,
        ]
        for decode, given in zip(decoders, padded, strict=True):
            try:
                said.append(decode(given).decode())
            except (ValueError, binascii.Error):
                continue
    return said


@pytest.fixture
def echoes() -> dict[str, Style]:
    """How a judge may repeat what it reads around its own verdict."""

    def around(form: str) -> Style:
        def echo(objects: list[str], asked: str, own: str) -> str:
            return form.format(objects="\n".join(objects), asked=asked, own=own)

        return echo

    return {
        "nothing": around("{own}"),
        "objects before": around("{objects}\n{own}"),
        "objects after": around("{own}\n{objects}"),
        "text before": around("{asked}\n{own}"),
        "text after": around("{own}\n{asked}"),
        "text as its reasoning": around("<think>{asked}</think>{own}"),
        "objects only": around("{objects}"),
        "objects, handed over": around("Sure! Here is the result:\n```json\n{objects}\n```"),
        "objects in prose": around("Decoded, it says {objects}\nThat is a trick of the agent: Unsolved."),
        "prose, then objects": around("It is Unsolved. What the agent wrote comes to this: {objects}"),
        "text as its reason, unescaped": quoting,
    }


def quoting(_: list[str], asked: str, own: str) -> str:
    """A reply whose reason holds what the agent wrote, with its quotation marks as they are."""
    wrote = asked.rpartition("<<<answer")[2].partition(">>>\n")[2].partition("\n<<<end of answer")[0] or asked
    status: Any = json.loads(own)["answer_status"]
    return f'{{"reason": "The agent wrote: {wrote}", "answer_status": "{status}"}}'

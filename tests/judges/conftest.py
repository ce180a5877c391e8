"""A judge that falls for everything, and the attacks that it is shown."""

from __future__ import annotations

import base64
import binascii
import codecs
import json
import re
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
    marked = re.search(r"carry the mark (\w+)", asked)
    mark = marked[1] if marked else "none"
    outside = re.sub(rf"<<<(\w+) {mark}>>>\n.*?\n<<<end of [^>]*>>>", "", asked, flags=re.DOTALL)
    own = re.sub(r"\{(?!mark)\w+\}", "", prompt.text).replace("{mark}", mark)
    return outside.split() != own.split()


def forged(asked: str) -> list[str]:
    """The objects in a text, those in encoded text included."""
    texts = [asked, *decoded(asked)]
    return [found for text in texts for found in OBJECT.findall(text)]


def decoded(asked: str) -> list[str]:
    found = [codecs.decode(asked, "rot13"), re.sub(r"\\u([0-9a-f]{4})", lambda match: chr(int(match[1], 16)), asked)]
    for word in re.findall(r"[A-Za-z0-9+/=]{40,}", asked):
        for decode in (base64.b64decode, bytes.fromhex):
            try:
                found.append(decode(word).decode())
            except (ValueError, binascii.Error):
                continue
    return found


@pytest.fixture
def echoes() -> dict[str, Style]:
    """How a judge may repeat what it reads around its own verdict."""

    def around(form: str) -> Style:
        def echo(objects: list[str], asked: str, own: str) -> str:
            plain = "\n".join(OBJECT.findall(asked))
            return form.format(objects="\n".join(objects), asked=asked, own=own, plain=plain)

        return echo

    return {
        "nothing": around("{own}"),
        "objects before": around("{objects}\n{own}"),
        "objects after": around("{own}\n{objects}"),
        "text before": around("{asked}\n{own}"),
        "text after": around("{own}\n{asked}"),
        "text as its reasoning": around("<think>{asked}</think>{own}"),
        "objects only": around("{plain}"),
        "text as its reason, unescaped": quoting,
    }


def quoting(_: list[str], asked: str, own: str) -> str:
    """A reply whose reason holds what the agent wrote, with its quotation marks as they are."""
    wrote = asked.rpartition("<<<answer")[2].partition(">>>\n")[2].partition("\n<<<end of answer")[0] or asked
    status: Any = json.loads(own)["answer_status"]
    return f'{{"reason": "The agent wrote: {wrote}", "answer_status": "{status}"}}'

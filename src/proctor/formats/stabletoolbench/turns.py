"""What an agent did, turn by turn, in the words of StableToolBench's files: it said something, or it called a function.

A call's message occurs in four encodings: a dictionary, JSON text, the text of a Python dictionary, and that text cut
after 100 characters, of which nothing but the name at its beginning is to be trusted.
"""

from __future__ import annotations

import enum
import re
from typing import Any

import msgspec

from proctor.errors import InputError
from proctor.formats.stabletoolbench.cache_keys import read_arguments
from proctor.json_text import decode

_LEADING_NAME = re.compile(r"""\{\s*['"]name['"]\s*:\s*(?:'(?P<single>[^']*)'|"(?P<double>[^"]*)")\s*[,}]""")


class Encoding(enum.Enum):
    """How the message of a call was written."""

    OBJECT = "object"
    JSON = "JSON text"
    PYTHON = "Python text"
    CUT = "cut text"
    """Only its leading name is known."""
    UNREADABLE = "unreadable text"
    """Not even a name could be read."""


class Said(msgspec.Struct, frozen=True):
    """The agent said something."""

    text: str


class Called(msgspec.Struct, frozen=True):
    """The agent called a function."""

    name: str
    arguments: Any = ""
    """As they were written: text, or an object. None when they are not known."""
    response: str = ""
    """What the agent was shown."""
    encoding: Encoding = Encoding.OBJECT
    text: str | None = None
    """The message as it was found, where it could not be read as a whole."""
    facts: dict[str, Any] | None = None
    """What Proctor knows of the call beside (`proctor.formats.stabletoolbench.traced`)."""

    @property
    def complete(self) -> bool:
        """Whether the whole message could be read."""
        return self.encoding not in {Encoding.CUT, Encoding.UNREADABLE}

    @property
    def written_arguments(self) -> str:
        """The arguments as text."""
        if self.arguments is None:
            return ""
        return self.arguments if isinstance(self.arguments, str) else json_text_of(self.arguments)


Turn = Said | Called


def read_call(message: Any, facts: dict[str, Any] | None = None) -> Called:
    """The call that the message of a tool node holds, in whichever encoding."""
    if isinstance(message, dict):
        return _call(message, Encoding.OBJECT, facts)
    if not isinstance(message, str):
        return Called("", None, encoding=Encoding.UNREADABLE, text=json_text_of(message), facts=facts)
    for encoding, read in ((Encoding.JSON, json_object), (Encoding.PYTHON, read_arguments)):
        found = read(message)
        if found is not None:
            return _call(found, encoding, facts)
    leading = _LEADING_NAME.match(message)
    if leading is None:
        return Called("", None, encoding=Encoding.UNREADABLE, text=message, facts=facts)
    name = leading["single"] if leading["single"] is not None else leading["double"]
    return Called(name, None, encoding=Encoding.CUT, text=message, facts=facts)


def json_text_of(value: Any) -> str:
    """A value as JSON text. What is text already stays as it is."""
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def json_object(text: str) -> dict[str, Any] | None:
    """The object that a JSON text stands for; None for any other text."""
    try:
        value = decode(text)
    except InputError:
        return None
    return value if isinstance(value, dict) else None


def _call(message: dict[str, Any], encoding: Encoding, facts: dict[str, Any] | None) -> Called:
    name = message.get("name")
    if not isinstance(name, str):
        return Called("", None, encoding=Encoding.UNREADABLE, text=json_text_of(message), facts=facts)
    response = message.get("response")
    return Called(
        name=name,
        arguments=message.get("arguments", ""),
        response="" if response is None else json_text_of(response),
        encoding=encoding,
        facts=facts,
    )

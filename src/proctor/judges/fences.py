"""What an agent wrote is data: it is put between fences that it cannot forge. Pure.

A fence carries a mark: the hash of everything between the fences of one prompt. Whoever wrote a part of that cannot
know the mark, for writing it down would change it; and the same material always has the same mark, so that replies can
be recorded and replayed. Beside that, signs by which chat models tell who speaks, and the signs of a fence, are taken
out of the data, so that neither a model nor a tokenizer is misled by something that looks like them
(docs/decisions/data-between-fences.md).
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from proctor.records.keys import content_hash

__all__ = ["fenced", "mark_of", "neutral", "seal_of"]

_OPEN, _CLOSE = "\N{SINGLE LEFT-POINTING ANGLE QUOTATION MARK}", "\N{SINGLE RIGHT-POINTING ANGLE QUOTATION MARK}"
_TAGS = (
    "SYS|s|think|thinking|reasoning|start_of_turn|end_of_turn|bos|eos|tools?|tool_calls?|tool_response|function_call"
)
_LISTED = "INST|SYS|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS|TOOL_CONTENT|THINK"
_SIGNS = (
    (re.compile(r"<{3,}"), _OPEN * 3),
    (re.compile(r">{3,}"), _CLOSE * 3),
    (re.compile(r"<(\s*)(\||\N{FULLWIDTH VERTICAL LINE})"), rf"{_OPEN}\1\2"),
    (re.compile(r"(\||\N{FULLWIDTH VERTICAL LINE})(\s*)>"), rf"\1\2{_CLOSE}"),
    (re.compile(rf"\[(/?)({_LISTED})\]", re.IGNORECASE), r"(\1\2)"),
    (re.compile(r"\[\|(\w+)\|\]"), r"(|\1|)"),
    (re.compile(rf"<(\s*/?\s*)({_TAGS})(\s[^<>\n]{{0,80}})?>", re.IGNORECASE), rf"{_OPEN}\1\2\3{_CLOSE}"),
)


def neutral(text: str) -> str:
    """The text with every sign of a fence or of a chat template written in another way; the rest as it is."""
    for sign, other in _SIGNS:
        text = sign.sub(other, text)
    return text


def mark_of(material: Mapping[str, str]) -> str:
    """The mark of the fences around this material."""
    printable = {name: text.encode("utf-8", "replace").decode() for name, text in material.items()}
    return content_hash(printable)[:16]


def seal_of(mark: str) -> str:
    """What the judge is given to seal its reply by: it stands outside of the fences, and is made of their mark."""
    return content_hash(["seal", mark])[:16]


def fenced(name: str, text: str, mark: str) -> str:
    """The text between its fences."""
    return f"<<<{name} {mark}>>>\n{neutral(text)}\n<<<end of {name} {mark}>>>"

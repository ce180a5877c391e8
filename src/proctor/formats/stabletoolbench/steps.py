"""Steps as text, read back: `Step 1: …` line by line, as pass-rate and preference results have them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from proctor.formats.stabletoolbench.cache_keys import read_arguments
from proctor.formats.stabletoolbench.turns import Said, Turn, json_object, read_call

_STEP = re.compile(r"^Step (?P<number>\d+): ", re.MULTILINE)


def turns_of_steps(text: str) -> tuple[Turn, ...]:
    """The turns that a text of steps tells of. A step that is neither JSON nor Python text was something said."""
    return tuple(_turn(step) for step in _parted(text))


def _parted(text: str) -> Iterator[str]:
    """The steps' texts. Only the number that is next begins a step: an answer may quote another one."""
    begins: list[tuple[int, int]] = []
    for match in _STEP.finditer(text):
        if int(match["number"]) == len(begins) + 1:
            begins.append((match.start(), match.end()))
    ends = [*(start for start, _ in begins[1:]), len(text)] if begins else []
    for (_, begin), end in zip(begins, ends, strict=True):
        yield text[begin:end].removesuffix("\n")


def _turn(step: str) -> Turn:
    said: dict[str, Any] | None = json_object(step)
    if said is None:
        said = read_arguments(step)
    if said is None:
        return Said(step)
    if "role" not in said and isinstance(said.get("name"), str):
        return read_call(said)
    message = said.get("message", "")
    return read_call(message) if said.get("role") == "tool" else Said(message if isinstance(message, str) else step)

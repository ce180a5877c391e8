r"""Keys and addresses from the environment, or from a `.env` file.

The file is the first `.env` found in the working folder or above it. Its lines are `NAME=value`, with or without
`export` before them; a value may stand in single quotes (taken as it is) or double quotes (`\n`, `\t`, `\"` and
`\\` are read); without quotes it ends at a `#` that follows a blank. Nothing is substituted, other lines are passed
over, and what the environment itself says always wins.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path

__all__ = ["Secret", "parse_env", "read_environment"]

_LINE = re.compile(r"^\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(.*?)\s*$")
_DOUBLE = re.compile(r'^"((?:[^"\\]|\\.)*)"')
_SINGLE = re.compile(r"^'([^']*)'")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", '"': '"', "\\": "\\"}


class Secret:
    """A key. It is shown nowhere: `reveal()` is the one way to its text."""

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        self._text = text

    def reveal(self) -> str:
        """The key itself."""
        return self._text

    def hide_in(self, text: str) -> str:
        """A text without the key in it."""
        return text.replace(self._text, "(the key)") if self._text else text

    def __repr__(self) -> str:
        return "Secret(…)"

    def __reduce__(self) -> tuple[object, ...]:
        raise TypeError("a key is not written down; hand it over by the environment.")


def read_environment(start: Path | None = None, environment: Mapping[str, str] | None = None) -> dict[str, str]:
    """The environment over the first `.env` that is found from `start` (the working folder) upward."""
    said = dict(os.environ if environment is None else environment)
    found = _find(start if start is not None else Path.cwd())
    return said if found is None else {**parse_env(found.read_text("utf-8-sig", errors="replace")), **said}


def parse_env(text: str) -> dict[str, str]:
    """The assignments of a `.env` file's text.

    >>> parse_env("export A = 'x y'  # why")
    {'A': 'x y'}
    """
    lines = (_LINE.match(line) for line in text.splitlines())
    return {line[1]: _value(line[2]) for line in lines if line}


def _find(start: Path) -> Path | None:
    folders = (start.absolute(), *start.absolute().parents)
    return next((path for folder in folders if (path := folder / ".env").is_file()), None)


def _value(written: str) -> str:
    if quoted := _SINGLE.match(written):
        return quoted[1]
    if quoted := _DOUBLE.match(written):
        return re.sub(r"\\(.)", lambda escape: _ESCAPES.get(escape[1], escape[0]), quoted[1])
    return re.split(r"(?:^|\s)#", written, maxsplit=1)[0].rstrip()

"""JSON of any depth, read and written without recursion: an answer's steps stand in one another, one level or two each.

Slower than what is done in C, so it is for values that are too deep for that. What is written is what `msgspec` would
write, but for what lies deeper than it goes: that is not indented, or the blanks would be most of the file.
"""

from __future__ import annotations

import enum
import re
from json.decoder import JSONDecodeError, scanstring  # type: ignore[attr-defined]
from typing import Any

import msgspec

from proctor.errors import InputError

__all__ = ["decode_deep", "encode_deep"]

_INDENTED = 1000
"""Down to this level values are indented; it is the depth that Python's own limit sets for C."""
_BLANK = re.compile(r"[ \t\n\r]*")
_SCALAR = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null")
_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder().decode


class _Next(enum.Enum):
    """What may come next in a text."""

    VALUE = "a value"
    VALUE_OR_END = "a value or ]"
    KEY = "a key"
    KEY_OR_END = "a key or }"
    MORE_OR_END = "a comma or the end of the list or object"
    NOTHING = "the end of the text"


def encode_deep(value: Any) -> bytes:
    """The value as indented JSON text."""
    written: list[bytes] = []
    work: list[bytes | tuple[Any, int]] = [(value, 0)]
    while work:
        item = work.pop()
        if isinstance(item, bytes):
            written.append(item)
            continue
        plain, depth = item
        if not isinstance(plain, dict | list | tuple):
            plain = msgspec.to_builtins(plain)
        if not isinstance(plain, dict | list | tuple) or not plain:
            written.append(_encode(plain))
            continue
        work.extend(reversed(_parts(plain, depth)))
    return b"".join(written)


def _parts(value: Any, depth: int) -> list[bytes | tuple[Any, int]]:
    """A list or an object as what stands in it and the signs between."""
    indented = depth < _INDENTED
    inner = b"\n" + b"  " * (depth + 1) if indented else b""
    named = isinstance(value, dict)
    parts: list[bytes | tuple[Any, int]] = []
    for key, one in value.items() if named else enumerate(value):
        parts.append((b"," if parts else b"{" if named else b"[") + inner)
        if named:
            parts.append(_encode(str(key)) + (b": " if indented else b":"))
        parts.append((one, depth + 1))
    outer = b"\n" + b"  " * depth if indented else b""
    return [*parts, outer + (b"}" if named else b"]")]


def decode_deep(text: str) -> Any:
    """The value of a JSON text. InputError with the place where it is none."""
    reader = _Reader(text)
    while reader.expected is not _Next.NOTHING:
        reader.step()
    if reader.at < len(text):
        raise reader.wrong()
    return reader.value


class _Reader:
    """Reads a text sign by sign; the lists and objects that are open stand on a stack."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = self._after_blanks(0)
        self.expected = _Next.VALUE
        self.value: Any = None
        self._open: list[Any] = []
        self._keys: list[str] = []

    def step(self) -> None:
        """Read what comes next."""
        sign = self.text[self.at : self.at + 1]
        if self.expected is _Next.MORE_OR_END:
            self._more(sign)
        elif self.expected in (_Next.KEY, _Next.KEY_OR_END):
            self._key(sign)
        elif sign == "]" and self.expected is _Next.VALUE_OR_END:
            self._close()
        else:
            self._value(sign)

    def wrong(self) -> InputError:
        """What is wrong here."""
        line = self.text.count("\n", 0, self.at) + 1
        return InputError(f"this is no JSON: line {line}, character {self.at}: expected {self.expected.value}.")

    def _value(self, sign: str) -> None:
        if sign in ("{", "["):
            self._open.append({} if sign == "{" else [])
            self.expected = _Next.KEY_OR_END if sign == "{" else _Next.VALUE_OR_END
            self._moved(self.at + 1)
        elif sign == '"':
            self._put(self._string())
        else:
            found = _SCALAR.match(self.text, self.at)
            if found is None:
                raise self.wrong()
            self._moved(found.end())
            self._put(_decode(found[0]))

    def _key(self, sign: str) -> None:
        if sign == "}" and self.expected is _Next.KEY_OR_END:
            self._close()
            return
        if sign != '"':
            raise self.wrong()
        self._keys.append(self._string())
        if self.text[self.at : self.at + 1] != ":":
            raise self.wrong()
        self._moved(self.at + 1)
        self.expected = _Next.VALUE

    def _more(self, sign: str) -> None:
        named = isinstance(self._open[-1], dict)
        if sign == ("}" if named else "]"):
            self._close()
        elif sign == ",":
            self._moved(self.at + 1)
            self.expected = _Next.KEY if named else _Next.VALUE
        else:
            raise self.wrong()

    def _close(self) -> None:
        self._moved(self.at + 1)
        self._put(self._open.pop())

    def _put(self, value: Any) -> None:
        """Put a value that is complete where it belongs."""
        if not self._open:
            self.value, self.expected = value, _Next.NOTHING
            return
        around = self._open[-1]
        if isinstance(around, dict):
            around[self._keys.pop()] = value
        else:
            around.append(value)
        self.expected = _Next.MORE_OR_END

    def _string(self) -> str:
        try:
            said, end = scanstring(self.text, self.at + 1, True)
            said.encode()
        except (JSONDecodeError, UnicodeEncodeError):
            raise self.wrong() from None
        self._moved(end)
        return str(said)

    def _moved(self, to: int) -> None:
        self.at = self._after_blanks(to)

    def _after_blanks(self, at: int) -> int:
        found = _BLANK.match(self.text, at)
        return at if found is None else found.end()

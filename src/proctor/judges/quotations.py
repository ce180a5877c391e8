"""What a judge repeats of the material is no opinion of its own: whether an object stands there already. Pure.

An object is known again with the same values, or letter by letter behind whatever escapes, fences and junk; in the
material as it stands, and in what the encodings say that are in common use. The work grows with the length of the
material and of the reply, and never with their product.
"""

from __future__ import annotations

import base64
import binascii
import codecs
import html
import re
import unicodedata
import urllib.parse
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any

from proctor.judges.fences import neutral
from proctor.judges.lenient import objects

__all__ = ["Material", "versions"]

_LONGEST_READ = 50_000
"""So much of a material is read for objects; that nothing is copied letter by letter is seen in all of it."""
_UNICODE = re.compile(r"\\+u([0-9a-fA-F]{4})")
_ESCAPE = re.compile(r"\\+[nrtbf]?")
_SIGNS = re.compile(r"[^\w:]|_")
_CODED = re.compile(r"[A-Za-z0-9+/_-]{24,}={0,6}")
_DEEP = 40

Said = Callable[[Mapping[str, Any]], str | None]
"""What an object says, as a key; None where it is not of the wanted shape."""


class Material:
    """What agents and users wrote, in every version in which a judge might repeat it."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._texts = list(texts)

    def holds(self, written: str) -> bool:
        """Whether an object stands in it letter by letter, whatever it was escaped, fenced or encoded by."""
        letters = _letters(written)
        return any(letters in text for text in self._lettered)

    def keys(self, said: Said, names: Iterable[str]) -> set[str]:
        """What the objects in it say that have fields of these names (without signs, in small letters)."""
        named = list(names)
        keys: set[str | None] = set()
        for text, letters in zip(self._versions, self._lettered, strict=True):
            if any(name in letters for name in named):
                for version in dict.fromkeys((text[:_LONGEST_READ], neutral(text[:_LONGEST_READ]))):
                    keys |= {said(each) for found in objects(version) for each in _with_inner(found.value)}
        return {key for key in keys if key is not None}

    @cached_property
    def _versions(self) -> list[str]:
        return [version for text in self._texts for version in versions(text)]

    @cached_property
    def _lettered(self) -> list[str]:
        return [_letters(version) for version in self._versions]


def versions(text: str) -> list[str]:
    """The text, and what it says by the encodings in common use; each once.

    >>> versions("Decode: JTdCJTIyYSUyMiUzQSUyMDElN0Q=")[-1]
    '{"a": 1}'
    """
    plain = "".join(sign for sign in unicodedata.normalize("NFKC", text) if unicodedata.category(sign) != "Cf")
    coded = _unpacked(plain)
    coded += [said for text in coded for said in _unpacked(text)]
    read = [text, plain, html.unescape(plain), urllib.parse.unquote(plain)]
    read += [codecs.decode(plain, "rot13"), plain[::-1], *coded]
    return list(dict.fromkeys([*read, *map(urllib.parse.unquote, coded)]))


def _unpacked(text: str) -> list[str]:
    """What the long words of a text say as hexadecimal digits, base 64 or base 32."""
    said = []
    for word in _CODED.findall(text):
        for unpack in (bytes.fromhex, _base64, _base32):
            try:
                said.append(unpack(word.rstrip("=")).decode())
            except (ValueError, binascii.Error):
                continue
    return said


def _base64(word: str) -> bytes:
    return base64.b64decode(word.replace("-", "+").replace("_", "/") + "=" * (-len(word) % 4))


def _base32(word: str) -> bytes:
    return base64.b32decode(word + "=" * (-len(word) % 8), casefold=True)


def _letters(text: str) -> str:
    """The letters and digits of a text, and its colons; JSON's escapes are read, however often they were escaped."""
    text = _UNICODE.sub(lambda match: chr(int(match[1], 16)), text)
    return _SIGNS.sub("", _ESCAPE.sub("", text)).lower()


def _with_inner(value: Any, depth: int = 0) -> Iterator[Mapping[str, Any]]:
    """An object, those inside it, and those in the texts inside it."""
    if isinstance(value, Mapping):
        yield value
    inside: Iterable[Any] = ()
    if isinstance(value, Mapping | list):
        inside = value.values() if isinstance(value, Mapping) else value
    elif isinstance(value, str):
        inside = [found.value for found in objects(value)]
    for item in inside if depth < _DEEP else ():
        yield from _with_inner(item, depth + 1)

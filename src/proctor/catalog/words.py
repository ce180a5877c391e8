"""Words as search compares them: identifiers taken apart, endings taken off, words that say nothing left out.

Documentation of APIs is half English and half identifiers, and queries name the same things in other forms:
`getTeamLastEvents`, "last events for a specific team".
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

_RUNS = re.compile(r"[^\W_]+")
_PARTS = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+|[\u3400-\u9fff\u3040-\u30ff\uac00-\ud7af]|[^\W\d_]+")
_POSSESSIVE = re.compile(r"['\u2019][a-zA-Z]{1,2}\b")
_MARKS = re.compile(r"[\u0300-\u036f]")

# Function words of English, and those with which everybody asks for anything, whatever it is.
_SILENT = frozenset(
    word
    for line in (
        "a about above after again all also am an and any api apis are as at be because been before being below",
        "between both but by can could did do does doing down during each endpoint few for from further had has",
        "have having he her here hers him his how i if in into is it its itself just ll m may me might more most",
        "must my myself no nor not now of off on once only or other our ours out over own re s same she should so",
        "some such t than that the their theirs them then there these they this those through to too under until",
        "up us ve very via was we were what when where which while who whom why will with would you your yours",
        "additionally eg etc fetch finally find furthermore get give given help ie interested know lastly let like",
        "moreover need please provide retrieve return returns show tell use used using want",
    )
    for word in line.split()
)
_DERIVED = (
    ("ically", "ic"),
    ("ational", "ate"),
    ("ization", "ize"),
    ("isation", "ize"),
    ("fulness", "ful"),
    ("ousness", "ous"),
    ("iveness", "ive"),
)
_VOWELS = frozenset("aeiouy")


def words(text: str) -> list[str]:
    """The words of a text that search compares, in order.

    >>> words("Get the team's lastEvents")
    ['team', 'last', 'event', 'lastevent']
    """
    found: list[str] = []
    for run in _RUNS.findall(_POSSESSIVE.sub("", _without_accents(text))):
        found += _of_run(run)
    return found


@lru_cache(maxsize=200_000)
def _of_run(run: str) -> tuple[str, ...]:
    """The words of letters and digits that stand together: their parts, and the whole if there are several parts."""
    parts = _PARTS.findall(run)
    if len(parts) > 1 and run.isascii():
        parts.append(run)
    return tuple(stem(part) for part in map(str.lower, parts) if part not in _SILENT and not _is_letter(part))


def _is_letter(part: str) -> bool:
    """Whether it is a single letter of an alphabet; a digit and a Chinese character say more."""
    return len(part) == 1 and part.isascii() and part.isalpha()


def stem(word: str) -> str:
    """The word without its English endings, as far as that is safe without a dictionary."""
    if len(word) <= 3:
        return word
    for ending, instead in _DERIVED:
        if word.endswith(ending) and len(word) >= len(ending) + 3:
            word = word[: -len(ending)] + instead
    word = _without_tense(_singular(word))
    if len(word) > 3 and word.endswith("y") and word[-2] not in _VOWELS:
        word = f"{word[:-1]}i"
    return word[:-1] if len(word) > 4 and word.endswith("e") else word


def _singular(word: str) -> str:
    if word.endswith("ies") and len(word) > 4:
        return f"{word[:-3]}y"
    if word.endswith(("sses", "ches", "shes", "xes", "zes")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith(("ss", "us", "is")) else word


def _without_tense(word: str) -> str:
    ending = next((ending for ending in ("ing", "ed") if word.endswith(ending)), None)
    if ending is None or len(word) < len(ending) + 3:
        return word
    root = word[: -len(ending)]
    if not _VOWELS & set(root):
        return word
    if root.endswith(("at", "bl", "iz")):
        return f"{root}e"
    return root[:-1] if len(root) > 3 and root[-1] == root[-2] and root[-1] not in "lsz" else root


def _without_accents(text: str) -> str:
    return text if text.isascii() else _MARKS.sub("", unicodedata.normalize("NFKD", text))

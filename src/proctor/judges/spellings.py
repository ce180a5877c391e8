"""Whether a spelling of a fact stands in a text: as a whole word or number, however it is written. Pure.

Case, runs of blanks, thousands separators, trailing zeros of a decimal and the marks of Markdown make no difference,
nor does it whether hours before and after noon are written 1.30 p.m. or 1:30 pm; the span 10:30-13:00 is two times.
Everything else does: "12" does not stand in "120", "1.12", "-12" or "12:30". Nothing is known of other words for the
same thing, of dates in other forms, or of what a sentence says about the word that stands in it.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

__all__ = ["figures", "plain", "stands"]

_QUOTES = str.maketrans(
    {"\u2018": "'", "\u2019": "'", "\u201c": '"', "\u201d": '"', "\u2013": "-", "\u2212": "-", "\u2010": "-"}
    | {"\u2011": "-", "\u2014": " - ", "\u00ad": None, "\u200b": None}
)
_MARKS = re.compile(r"`+|\*\*+|__+|(?<!\w)[*_]|[*_](?!\w)")
_GROUPED = re.compile(r"(?<![\w.,'])\d{1,3}(?:([,'])\d{3})(?:\1\d{3})*(?![,'\w])")
_SPACED = re.compile(r"(?<![\w.,'-])\d{1,3}(?: \d{3})+(?![\w'-]|,\d)")
_DECIMAL = re.compile(r"(?<![\d.,:/])(\d+\.\d*?)0+(?![\w.,:/-]?\d)")
_UNIT = re.compile(
    r"(?<![\w-])(-?\d+(?:[.,]\d+)*) ?(%|°c|°|km/h|km|kg|kcal|min|m|cm|mm|g|mg|l|ml|cl|h|am|pm|mb|gb|kwh|kw|w)(?!\w)"
)
_CLOCK = re.compile(r"(?<![\w.:-])(\d{1,2})(?:[.:](\d{2}))? ?([ap])(?:m\b|\. ?m\b\.?)")
_SPAN = re.compile(r"(?<![\w.:/-])(\d{1,2}:\d{2}) ?- ?(\d{1,2}:\d{2})(?![\w:/-])")
_FIGURE = re.compile(r"(?<![\w.])\d+(?:[.,:/-]\d+)*(?![\w])")


@lru_cache(maxsize=4096)
def plain(text: str) -> str:
    """The text in the one form in which texts are compared.

    >>> plain("The fare  is **1,204.50** Crowns")
    'the fare is 1204.5 crowns'
    """
    text = unicodedata.normalize("NFKC", text.translate(_QUOTES)).translate(_QUOTES).casefold()
    text = " ".join(_MARKS.sub("", text).split())
    text = _CLOCK.sub(lambda match: f"{match[1]}{f':{match[2]}' if match[2] else ''} {match[3]}m", text)
    text = _SPAN.sub(r"\1 - \2", text)
    for grouped in (_GROUPED, _SPACED):
        text = grouped.sub(lambda match: re.sub(r"[,' ]", "", match[0]), text)
    text = _UNIT.sub(r"\1 \2", text)
    return _DECIMAL.sub(lambda match: match[1].removesuffix("."), text)


def stands(spelling: str, text: str) -> bool:
    """Whether a spelling stands in a text. One without anything in it stands nowhere.

    >>> stands("12.50", "It costs 12.5 crowns."), stands("12", "It costs 1.12 crowns.")
    (True, False)
    """
    wanted = plain(spelling)
    if not wanted:
        return False
    return _whole(wanted).search(plain(text)) is not None


def figures(text: str) -> list[str]:
    """The numbers, times and dates that stand in a text, each as it is compared."""
    return _FIGURE.findall(plain(text))


@lru_cache(maxsize=4096)
def _whole(wanted: str) -> re.Pattern[str]:
    """Finds what is wanted where it is no part of a longer word or number."""
    before, after = "", ""
    if wanted[0].isdigit():
        before = r"(?<![\w.\-])(?<!\d[,:/'])"
    elif wanted[0].isalnum() or wanted[0] in "-_.":
        before = r"(?<!\w)"
    if wanted[-1].isdigit():
        after = r"(?!\w|-\w|[.,:/']\d)"
    elif wanted[-1].isalnum() or wanted[-1] == "_":
        after = r"(?!\w)"
    return re.compile(f"{before}{re.escape(wanted)}{after}")

"""Arguments for an API out of a query's words, with no model: quick, cheap, and often wrong. Pure.

What a parameter is to be is told by its documentation: its type, its name, the values that it may be chosen from, and
the form of its documented example. A value of that form in the text is taken for it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from proctor.records.queries import ApiSpec, Parameter

__all__ = ["Values", "filled_slots", "form_of", "found_slots", "is_lookup", "marks_in"]

_NUMBER = re.compile(r"(?<![\w.-])-?\d+(?:\.\d+)?(?![\w.]*\w|-\d)")
_DATE = re.compile(r"\b\d{4}-\d{2}-\d{2}\b")
_MONTH = re.compile(r"\b\d{4}-\d{2}\b(?!-)")
_TIME = re.compile(r"\b(?:[01]\d|2[0-3]):[0-5]\d\b")
_MAIL = re.compile(r"\b[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_LINK = re.compile(r"\bhttps?://[^\s'\"<>]+[^\s'\"<>.,;:!?)]")
_QUOTED = re.compile(r"(?:(?<!\w)'([^']{1,80})'(?!\w))|(?:\"([^\"]{1,80})\")|(?:“([^”]{1,80})”)")
_NAMED = re.compile(r"(?<![.!?] )(?<!^)\b[A-Z][\w'-]*(?: (?:of |the |to )?[A-Z][\w'-]*)*")
_ID = re.compile(r"\b([A-Z]{1,4})-[A-Z\d-]*\d(?![\w-])")
_CHOICES = re.compile(r"One of: ([^.]+)\.")
_MONTHS = tuple(
    "January February March April May June July August September October November December".split()  # noqa: SIM905
)
_SPOKEN = re.compile(rf"\b({'|'.join(_MONTHS)}) (\d{{4}})\b")


class Values:
    """The values in a text, by what they look like; `told` are ids and dates from elsewhere, which count after its own.

    They are used up in the order of the text.
    """

    def __init__(self, text: str, told: Sequence[str] = ()) -> None:
        self._text = text
        self._told = told
        self._left: dict[str, list[str]] = {}

    def take(self, parameter: Parameter) -> Any:
        """The next value for a parameter, or None."""
        if choices := _choices(parameter):
            return next(iter(_chosen(choices, self._text)), None)
        form = form_of(parameter)
        left = self._left.setdefault(form, self._of(form))
        return _cast(left.pop(0), parameter) if left else None

    def every(self, parameter: Parameter) -> list[Any]:
        """All values that a parameter could have."""
        return [_cast(value, parameter) for value in self._of(form_of(parameter))]

    def _of(self, form: str) -> list[str]:
        own = dict.fromkeys(_found(form, self._text))
        return [*own, *(mark for mark in self._told if mark not in own and next(_found(form, mark), None) == mark)]


def filled_slots(api: ApiSpec, text: str) -> dict[str, Any]:
    """The required parameters of an API, each with a value from the text that looks like one, else with its default.

    A parameter for which there is nothing is left out.
    """
    found = found_slots(api, Values(text))
    defaults = {one.name: one.default for one in api.required if one.default is not None and one.default != ""}
    return {one.name: value for one in api.parameters if (value := {**defaults, **found}.get(one.name)) is not None}


def found_slots(api: ApiSpec, values: Values) -> dict[str, Any]:
    """The parameters of an API for which there is a value. Of optional ones, those that are chosen from a list."""
    chosen = [parameter for parameter in api.optional if _choices(parameter)]
    taken = {parameter.name: values.take(parameter) for parameter in [*api.required, *chosen]}
    return {name: value for name, value in taken.items() if value is not None}


def is_lookup(api: ApiSpec) -> bool:
    """Whether all that an API needs is one name, so that it may be asked about each name in a text."""
    return len(api.required) == 1 and not _choices(api.required[0]) and form_of(api.required[0]) == "name"


def marks_in(text: str) -> list[str]:
    """What looks like an id or a date, in the order of the text.

    >>> marks_in("From RS-02 on 2025-10-06 to PO-11, not to A4.")
    ['RS-02', '2025-10-06', 'PO-11']
    """
    places = [(match.start(), match[0]) for pattern in (_ID, _DATE) for match in pattern.finditer(text)]
    return list(dict.fromkeys(mark for _, mark in sorted(places)))


def _choices(parameter: Parameter) -> Sequence[str]:
    """The values that a parameter may be chosen from, as its schema or its description says."""
    said = (parameter.schema or {}).get("enum")
    if said:
        return [one for one in said if isinstance(one, str)]
    listed = _CHOICES.search(parameter.description)
    return listed[1].split(", ") if listed else ()


def _chosen(choices: Sequence[str], text: str) -> list[str]:
    """The choices that stand in the text, in its order."""
    places = [(re.search(rf"(?<!\w){re.escape(one)}(?!\w)", text, re.IGNORECASE), one) for one in choices]
    return [one for _, one in sorted((match.start(), one) for match, one in places if match)]


def form_of(parameter: Parameter) -> str:
    """What a parameter's values look like: link, mail, date, month, time, number, truth, name, or an id's letters."""
    name, kind = parameter.name.lower(), parameter.type.upper()
    for word, sort in (("url", "link"), ("link", "link"), ("mail", "mail"), ("date", "date")):
        if word in name:
            return sort
    for beginning, sort in (("DATE", "date"), ("TIME", "time"), ("BOOL", "truth")):
        if kind.startswith(beginning):
            return sort
    if kind.startswith(("NUMBER", "INT", "FLOAT")):
        return "number"
    return _form(parameter.default)


def _form(example: Any) -> str:
    """What values look like of which this is an example."""
    if isinstance(example, str):
        if (identity := _ID.fullmatch(example)) is not None:
            return f"id {identity[1]}"
        for pattern, sort in ((_DATE, "date"), (_MONTH, "month"), (_TIME, "time")):
            if pattern.fullmatch(example):
                return sort
    return "name"


def _found(kind: str, text: str) -> Iterator[str]:
    if kind.startswith("id "):
        yield from (match[0] for match in _ID.finditer(text) if match[1] == kind[3:])
        return
    if kind == "truth":
        return
    if kind == "name":
        plain = _ID.sub(" ", text)
        yield from (next(part for part in match.groups() if part) for match in _QUOTED.finditer(plain))
        yield from _NAMED.findall(_QUOTED.sub(" ", plain))
        return
    if kind == "month":
        yield from _MONTH.findall(text)
        yield from (f"{year}-{_MONTHS.index(month) + 1:02d}" for month, year in _SPOKEN.findall(text))
        return
    pattern = {"link": _LINK, "mail": _MAIL, "date": _DATE, "number": _NUMBER, "time": _TIME}[kind]
    searched = _TIME.sub(" ", _DATE.sub(" ", text)) if kind == "number" else text
    yield from pattern.findall(searched)


def _cast(value: str, parameter: Parameter) -> Any:
    if not parameter.type.upper().startswith(("NUMBER", "INT", "FLOAT")):
        return value
    number = float(value)
    return int(number) if number.is_integer() else number

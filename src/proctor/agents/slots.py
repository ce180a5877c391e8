"""Arguments for an API out of a query's words, with no model: quick, cheap, and often wrong. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from proctor.records.queries import ApiSpec, Parameter

__all__ = ["filled_slots"]

_NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?![\w.]*\w)")
_DATE = re.compile(r"\b\d{4}-\d{2}-\d{2}\b")
_MAIL = re.compile(r"\b[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_LINK = re.compile(r"\bhttps?://[^\s'\"<>]+[^\s'\"<>.,;:!?)]")
_QUOTED = re.compile(r"(?:'([^']{1,80})'(?!\w))|(?:\"([^\"]{1,80})\")|(?:“([^”]{1,80})”)")
_NAMED = re.compile(r"(?<![.!?] )(?<!^)\b[A-Z][\w-]*(?: [A-Z][\w-]*)*")


def filled_slots(api: ApiSpec, text: str) -> dict[str, Any]:
    """The required parameters of an API, each with a value from the text that looks like one, else with its default.

    Values are used up in the order of the text. A parameter for which there is nothing is left out.
    """
    values = {kind: list(_found(kind, text)) for kind in ("link", "mail", "date", "number", "name")}
    arguments = {}
    for parameter in api.required:
        found = values[_kind(parameter)]
        value = _cast(found.pop(0), parameter) if found else parameter.default
        if value is not None and value != "":
            arguments[parameter.name] = value
    return arguments


def _kind(parameter: Parameter) -> str:
    name, kind = parameter.name.lower(), parameter.type.upper()
    for word, sort in (("url", "link"), ("link", "link"), ("mail", "mail"), ("date", "date")):
        if word in name:
            return sort
    if kind.startswith("DATE"):
        return "date"
    return "number" if kind.startswith(("NUMBER", "INT", "FLOAT")) else "name"


def _found(kind: str, text: str) -> Iterator[str]:
    if kind == "name":
        yield from (next(part for part in match.groups() if part) for match in _QUOTED.finditer(text))
        yield from _NAMED.findall(_QUOTED.sub(" ", text))
        return
    pattern = {"link": _LINK, "mail": _MAIL, "date": _DATE, "number": _NUMBER}[kind]
    searched = _DATE.sub(" ", text) if kind == "number" else text
    yield from pattern.findall(searched)


def _cast(value: str, parameter: Parameter) -> Any:
    if not parameter.type.upper().startswith(("NUMBER", "INT", "FLOAT")):
        return value
    number = float(value)
    return int(number) if number.is_integer() else number

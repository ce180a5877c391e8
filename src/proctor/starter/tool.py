'''A tool of the starter: functions that are documented and checked as APIs are. Pure.

    LOANS = Tool("Library", "Aldmoor Loans", "Loans and reservations of Aldmoor City Library.")

    @LOANS.api("Loan Period", book_id="B-1007")
    def loan_period(book_id: str, kind: Literal["adult", "child"] = "adult") -> dict[str, Any]:
        """How long a book may be kept.

        book_id: The book's number, as the catalogue gives it.
        kind: The kind of card.
        """

The first paragraph of the docstring becomes the API's description, the lines below it those of the parameters. The
keywords beside the API's name are arguments of an example: they are the documented defaults of required parameters, and
what the API then answers shows the form of its answers.
'''

from __future__ import annotations

import copy
import functools
import inspect
import typing
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, Literal

import msgspec

from proctor.records.answers import Answer
from proctor.records.queries import ApiId
from proctor.starter.values import Refused, reader

__all__ = ["Api", "Date", "Refused", "Time", "Tool", "paged"]

Date = Annotated[str, "DATE (YYYY-MM-DD)"]
"""The type of a parameter that is a day."""
Time = Annotated[str, "TIME (24-hour HH:MM)"]
"""The type of a parameter that is a time of day."""

Function = Callable[..., Any]


class Api(msgspec.Struct, frozen=True):
    """One API: its identity, its documentation, and the function that answers."""

    id: ApiId
    description: str
    required: tuple[dict[str, Any], ...]
    """The required parameters, as a tool's file documents them."""
    optional: tuple[dict[str, Any], ...]
    function: Function
    """Called with the arguments by their names; returns the response, or an `Answer` with an error."""
    example: Mapping[str, Any]
    """Arguments with which it answers."""


class Tool:
    """A tool: a name under which APIs stand."""

    def __init__(self, category: str, name: str, description: str) -> None:
        self.category = category
        self.name = name
        self.description = description
        self.apis: list[Api] = []

    def api(self, name: str, /, **example: Any) -> Callable[[Function], Function]:
        """Make a function an API of this tool."""

        def documented(function: Function) -> Function:
            about, parameters = _documentation(function)
            checked = _checked(function)
            required: list[dict[str, Any]] = []
            optional: list[dict[str, Any]] = []
            for parameter in inspect.signature(function).parameters.values():
                shown = _parameter(parameter, checked.kinds[parameter.name], parameters, example)
                (required if parameter.default is parameter.empty else optional).append(shown)
            identity = ApiId(self.category, self.name, name)
            self.apis.append(Api(identity, about, tuple(required), tuple(optional), checked.function, example))
            return function

        return documented


def paged(items: Sequence[Any], page: int, size: int = 5) -> dict[str, Any]:
    """One page of a list, with what is needed to ask for the next."""
    pages = max(1, -(-len(items) // size))
    if not 1 <= page <= pages:
        raise Refused(f"400 Bad Request: page must be between 1 and {pages}, not {page}.")
    return {"total": len(items), "page": page, "pages": pages, "results": list(items[(page - 1) * size : page * size])}


class _Checked(msgspec.Struct, frozen=True):
    function: Function
    kinds: Mapping[str, tuple[str, tuple[str, ...]]]
    """For each parameter, its type as documents have it, and what may be chosen from."""


def _checked(function: Function) -> _Checked:
    """The function behind checks of its arguments; what it refuses is an answer with an error."""
    signature = inspect.signature(function)
    hints = typing.get_type_hints(function, include_extras=True)
    kinds = {name: _kind(hints[name]) for name in signature.parameters}
    readers = {name: reader(kind, choices) for name, (kind, choices) in kinds.items()}

    @functools.wraps(function)
    def answered(*values: Any, **named: Any) -> Any:
        given = signature.bind(*values, **named).arguments
        try:
            arguments = {}
            for name, value in given.items():
                default = signature.parameters[name].default
                if value is None and default is not inspect.Parameter.empty:
                    continue
                if value != default:
                    arguments[name] = readers[name](name, value)
            return copy.deepcopy(function(**arguments))
        except Refused as refused:
            return Answer("", error=str(refused))

    return _Checked(answered, kinds)


_KINDS = {str: "STRING", int: "INTEGER", float: "NUMBER", bool: "BOOLEAN"}


def _kind(hint: Any) -> tuple[str, tuple[str, ...]]:
    if typing.get_origin(hint) is Literal:
        return "ENUM", typing.get_args(hint)
    if typing.get_origin(hint) is Annotated:
        return typing.get_args(hint)[1], ()
    return _KINDS[hint], ()


def _documentation(function: Function) -> tuple[str, dict[str, str]]:
    """The description of a function, and those of its parameters."""
    about, _, rest = (inspect.getdoc(function) or "").partition("\n\n")
    parameters: dict[str, str] = {}
    for line in rest.splitlines():
        name, colon, said = line.partition(": ")
        if not colon or name not in inspect.signature(function).parameters:
            raise TypeError(f"{function.__name__}: {line!r} describes no parameter.")
        parameters[name] = said
    return " ".join(about.split()), parameters


def _parameter(
    parameter: inspect.Parameter,
    kind: tuple[str, tuple[str, ...]],
    described: Mapping[str, str],
    example: Mapping[str, Any],
) -> dict[str, Any]:
    """A parameter, as a tool's file documents it."""
    written, choices = kind
    about = described[parameter.name]
    if choices:
        about = f"{about} One of: {', '.join(choices)}."
    required = parameter.default is parameter.empty
    default = example[parameter.name] if required else parameter.default
    return {"name": parameter.name, "type": "NUMBER" if written == "INTEGER" else written, "description": about} | {
        "default": default
    }

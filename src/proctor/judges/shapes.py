"""The fields that a reply must have, and what may stand in each. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Literal

import msgspec

from proctor.errors import OptionError
from proctor.judges.lenient import AMBIGUOUS
from proctor.models.chat import OutputSchema

__all__ = ["Field", "Kind", "Shape", "bare"]

Kind = Literal["flag", "flags", "text", "texts", "choice", "index"]
"""yes or no; a list of those; text; a list of texts; one of some words; 0, 1, 2, …"""

_YES = frozenset({"true", "yes", "y", "1"})
_NO = frozenset({"false", "no", "n", "0"})
_WANTED = {
    "flag": "true or false",
    "flags": "a list of true and false",
    "text": "text",
    "texts": "a list of texts",
    "index": "a whole number",
}
_OPINIONS = frozenset({"flag", "flags", "choice", "index"})
WORDS = frozenset({"reason", "content"})
"""Fields in which a judge gives its reasons. A reply may do without them."""
_ENUM = re.compile(r"^\s*(?:answer|task)_?status\s*\.", re.IGNORECASE)
"""What stands before a status where a model writes it as Python does: `AnswerStatus.Solved`."""
_NOT = object()


class Field(msgspec.Struct, frozen=True, omit_defaults=True):
    """One field of a reply."""

    name: str
    kind: Kind
    choices: tuple[str, ...] = ()
    """The words, where it is a choice; the numbers, where only some are allowed."""

    @property
    def wanted(self) -> str:
        """What has to stand in it, in words."""
        return f"one of {', '.join(self.choices)}" if self.choices else _WANTED[self.kind]

    def read(self, value: Any) -> Any:
        """The value as what it has to be. ValueError when it is not that."""
        read = _NOT if value is AMBIGUOUS else _READ[self.kind](self, value)
        if read is _NOT:
            raise ValueError(self.name)
        return read


class Shape(msgspec.Struct, frozen=True):
    """The fields of a reply, and the JSON schema that asks for them."""

    name: str
    fields: tuple[Field, ...]
    schema: dict[str, Any]

    @classmethod
    def of(cls, name: str, schema: Mapping[str, Any]) -> Shape:
        """The shape that a JSON schema of type object describes. An opinion without a field for a reason gets one."""
        properties = schema.get("properties")
        if not isinstance(properties, Mapping) or not properties:
            raise OptionError(f"the function {name!r} has no properties; they are the fields of the judge's reply.")
        fields = tuple(_field(name, str(field), rule) for field, rule in properties.items())
        if not WORDS & properties.keys() and any(field.kind in _OPINIONS for field in fields):
            fields = (Field("reason", "text"), *fields)
            properties = {"reason": {"type": "string"}, **properties}
        return cls(name, fields, _closed(properties))

    @property
    def output(self) -> OutputSchema:
        """The shape as a model is asked for it."""
        return OutputSchema(re.sub(r"[^\w-]", "_", self.name, flags=re.ASCII)[:64] or "reply", self.schema)

    @property
    def deciding(self) -> tuple[Field, ...]:
        """The fields without which there is no reply: all but the reasons."""
        return tuple(field for field in self.fields if field.name not in WORDS) or self.fields

    def only(self, *kinds: Kind) -> Field | None:
        """The one deciding field of these kinds, if there is exactly one."""
        fitting = [field for field in self.deciding if field.kind in kinds]
        return fitting[0] if len(fitting) == 1 else None


def bare(name: str) -> str:
    """A field's name without what models change about it: `Answer Status` is `answer_status`."""
    return re.sub(r"[\W_]+", "", name).lower()


def _field(function: str, name: str, rule: Any) -> Field:
    rule = rule if isinstance(rule, Mapping) else {}
    kind, choices = rule.get("type"), rule.get("enum")
    if isinstance(choices, list) and choices and all(isinstance(choice, str) for choice in choices):
        return Field(name, "choice", tuple(choices))
    if kind == "boolean" or (kind in ("integer", "number") and choices in ([0, 1], [1, 0])):
        return Field(name, "flag")
    items = rule.get("items")
    inner = items.get("type") if kind == "array" and isinstance(items, Mapping) else None
    found = {"string": "text", "integer": "index", "number": "index"}.get(str(kind))
    found = {"boolean": "flags", "string": "texts"}.get(str(inner)) if kind == "array" else found
    if found is None:
        raise OptionError(
            f"the field {name!r} of {function!r} has the type {kind!r}; a judge's reply holds text, choices (enum), "
            "true or false, whole numbers, and lists of texts or of true and false."
        )
    return Field(name, msgspec.convert(found, Kind))


def _closed(properties: Mapping[str, Any]) -> dict[str, Any]:
    """A schema with every field required and no other allowed, as endpoints want it that hold to one strictly."""
    return {"type": "object", "properties": dict(properties), "required": [*properties], "additionalProperties": False}


def _flag(_: Field, value: Any) -> Any:
    if isinstance(value, bool):
        return value
    if isinstance(value, int | float) and value in (0, 1):
        return bool(value)
    word = value.strip().strip(".!").lower() if isinstance(value, str) else ""
    return True if word in _YES else False if word in _NO else _NOT


def _flags(field: Field, value: Any) -> Any:
    if not isinstance(value, list):
        return _NOT
    read = [_flag(field, item) for item in value]
    return _NOT if any(item is _NOT for item in read) else read


def _text(_: Field, value: Any) -> Any:
    return value if isinstance(value, str) else _NOT


def _texts(_: Field, value: Any) -> Any:
    fine = isinstance(value, list) and all(isinstance(item, str) and item.strip() for item in value)
    return [item.strip() for item in value] if fine else _NOT


def _choice(field: Field, value: Any) -> Any:
    """The word as the whole field, whatever its case; `AnswerStatus.Solved` is `Solved`. No sentence is it."""
    word = bare(_ENUM.sub("", value)) if isinstance(value, str) else ""
    return next((choice for choice in field.choices if bare(choice) == word), _NOT)


def _index(field: Field, value: Any) -> Any:
    if isinstance(value, str) and re.fullmatch(r"\s*\d{1,4}\s*", value, re.ASCII):
        value = int(value)
    plain = isinstance(value, int | float) and not isinstance(value, bool)
    if not plain or value != value // 1 or not 0 <= value < 10_000:
        return _NOT
    return int(value) if not field.choices or str(int(value)) in field.choices else _NOT


_READ: dict[str, Callable[[Field, Any], Any]] = {
    "flag": _flag,
    "flags": _flags,
    "text": _text,
    "texts": _texts,
    "choice": _choice,
    "index": _index,
}

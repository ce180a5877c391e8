"""A metric's options as text: which there are, and what a text means for each."""

from __future__ import annotations

import dataclasses
import enum
import types
import typing
from collections.abc import Callable, Mapping
from typing import Any, Literal, Union, get_args, get_origin

import msgspec

from proctor.errors import OptionError, nearest
from proctor.metrics.base import Metric

_NOT_OPTIONS = frozenset({"name", "llm"})
"""Fields of every metric that are not set by option."""
_TRUE = frozenset({"true", "yes", "on", "1"})
_FALSE = frozenset({"false", "no", "off", "0"})

Make = Callable[[str, Mapping[str, str]], Metric]


class Option(msgspec.Struct, frozen=True):
    """One thing that can be set about a metric."""

    name: str
    type: Any
    """The Python type of its values."""
    default: Any
    """What it is when nobody sets it, as text."""

    @property
    def allowed(self) -> str:
        """What may be written for it."""
        return _allowed(self.type)


def options_of(kind: type[Metric]) -> dict[str, Option]:
    """What can be set about a metric of this class."""
    hints = typing.get_type_hints(kind)
    return {
        field.name: Option(field.name, hints[field.name], _default(field))
        for field in dataclasses.fields(kind)
        if field.init and field.name not in _NOT_OPTIONS and not field.name.startswith("_")
    }


def read_options(metric: str, kind: type[Metric], said: Mapping[str, str], make: Make) -> dict[str, Any]:
    """The constructor's arguments that these texts mean. A metric inside takes `outer.inner` as its own option."""
    options = options_of(kind)
    inner: dict[str, dict[str, str]] = {}
    for name, text in said.items():
        outer, _, rest = name.partition(".")
        if outer not in options:
            known = nearest(outer, options) if options else "it has no options."
            raise OptionError(f"{metric}: unknown option {outer!r}; {known}")
        inner.setdefault(outer, {})[rest] = text
    return {name: _read(metric, options[name], texts, make) for name, texts in inner.items()}


def _read(metric: str, option: Option, texts: dict[str, str], make: Make) -> Any:
    text = texts.pop("", None)
    if _is_metric(option.type):
        return make(text if text is not None else str(option.default), texts)
    if texts:
        raise OptionError(
            f"{metric}: the option {option.name!r} is no metric, so it has no option {next(iter(texts))!r}."
        )
    assert text is not None
    # None first: every text is text, `none` included.
    for kind in sorted(_alternatives(option.type), key=lambda kind: kind is not types.NoneType):
        value = _value(kind, text)
        if value is not _NOT:
            return value
    raise OptionError(f"{metric}: {option.name} cannot be {text!r}; allowed is {option.allowed}.")


_NOT = object()


def _value(kind: Any, text: str) -> Any:
    """The text as a value of this type; `_NOT` when it is none."""
    word = text.strip()
    if get_origin(kind) is Literal:
        return next((choice for choice in get_args(kind) if str(choice) == word), _NOT)
    if isinstance(kind, type) and issubclass(kind, enum.Enum):
        return _member(kind, word)
    if kind is bool:
        return True if word.lower() in _TRUE else False if word.lower() in _FALSE else _NOT
    if kind is types.NoneType:
        return None if word.lower() in ("none", "null") else _NOT
    if kind is str or kind is Any:
        return text
    return _from_json(kind, word)


def _from_json(kind: Any, word: str) -> Any:
    try:
        return msgspec.json.decode(word, type=kind)
    except (msgspec.MsgspecError, TypeError):
        return _NOT


def _member(kind: type[enum.Enum], word: str) -> Any:
    plain = word.lower().replace("-", "_")
    return next((choice for choice in kind if plain in (str(choice.value).lower(), choice.name.lower())), _NOT)


def _alternatives(kind: Any) -> tuple[Any, ...]:
    return get_args(kind) if get_origin(kind) in (Union, types.UnionType) else (kind,)


def _is_metric(kind: Any) -> bool:
    return any(isinstance(choice, type) and issubclass(choice, Metric) for choice in _alternatives(kind))


def _allowed(kind: Any) -> str:
    if _is_metric(kind):
        return "the name of a metric"
    return " or ".join(dict.fromkeys(_allowed_one(choice) for choice in _alternatives(kind)))


def _allowed_one(kind: Any) -> str:
    if get_origin(kind) is Literal:
        return ", ".join(str(choice) for choice in get_args(kind))
    if isinstance(kind, type) and issubclass(kind, enum.Enum):
        return ", ".join(str(choice.value) for choice in kind)
    names = {bool: "true, false", int: "a whole number", float: "a number", str: "text", types.NoneType: "none"}
    return names.get(get_origin(kind) or kind, "JSON")


def _default(field: dataclasses.Field[Any]) -> Any:
    value = field.default_factory() if field.default_factory is not dataclasses.MISSING else field.default
    if isinstance(value, Metric):
        return value.name
    return value.value if isinstance(value, enum.Enum) else value

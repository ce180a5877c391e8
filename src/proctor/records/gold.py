"""Gold: the calls that should have been made, where a plain list of tool calls does not say enough.

    GoldCall     one call: optional or not, after certain others or not, with values to choose from
    AnyOf        alternatives: one of several calls, or of several groups of calls
    Anything     the value of an argument that may be whatever it likes
    OneOf        … that may be any of several
    Near         … that may be a number near another
    Pattern      … that is text of a certain form

`read_gold` reads a list of them from Python objects and from plain data, in which gold stands in files:

    {"name": "book", "args": {"nights": {"$one_of": [2, 3]}}, "after": ["found"], "optional": true}
    {"any_of": [{"name": "fly", "args": {}}, [{"name": "drive", "args": {}}, {"name": "park", "args": {}}]]}

The plain form of each record (`msgspec.to_builtins`) is what `read_gold` reads.
"""

from __future__ import annotations

import graphlib
import re
from collections.abc import Iterator, Sequence
from typing import Any, Final

import msgspec

from proctor import json_text
from proctor.errors import SampleError, close_to, nearest
from proctor.messages import ToolCall, read_tool_call

ANY_TOOL: Final = "*"
"""The name of a gold call that any tool fulfils."""

ARGUMENT_MODES: Final = ("exact", "ignore", "subset", "superset")
"""How the arguments of a call made may relate to the arguments wanted."""

_MAX_DEPTH = 20


class Anything(msgspec.Struct, frozen=True):
    """Stands for any value: the argument has to be there, and may be whatever it likes. In files `{"$any": true}`."""

    any: bool = msgspec.field(default=True, name="$any")


class OneOf(msgspec.Struct, frozen=True):
    """Stands for one of several values. In files `{"$one_of": [1, 2]}`."""

    values: Sequence[Any] = msgspec.field(name="$one_of")

    def __post_init__(self) -> None:
        values: Any = self.values
        if not isinstance(values, (list, tuple)) or not values:
            raise SampleError(f"OneOf needs a list of values to choose from, not {values!r}.")
        msgspec.structs.force_setattr(self, "values", tuple(values))


class Near(msgspec.Struct, frozen=True, omit_defaults=True):
    """Stands for a number that is near another. In files `{"$near": 3.14, "absolute": 0.01}`.

    A number is near when it is no farther away than `absolute`, or than `relative` times the size of `value`.
    """

    value: float = msgspec.field(name="$near")
    absolute: float = 0.0
    relative: float = 0.0

    def __post_init__(self) -> None:
        for number in (self.value, self.absolute, self.relative):
            if not is_number(number):
                raise SampleError(f"Near needs numbers, not {number!r}.")
        if min(self.absolute, self.relative) < 0 or not (self.absolute or self.relative):
            raise SampleError("Near needs a tolerance above 0: absolute=…, relative=… or both.")


class Pattern(msgspec.Struct, frozen=True):
    """Stands for text that fits a regular expression from beginning to end. In files `{"$pattern": "[0-9]+"}`."""

    regex: str = msgspec.field(name="$pattern")

    def __post_init__(self) -> None:
        try:
            re.compile(self.regex)
        except (re.error, TypeError) as error:
            raise SampleError(f"the pattern {self.regex!r} is no regular expression: {error}.") from None


Choice = Anything | OneOf | Near | Pattern


class GoldCall(msgspec.Struct, frozen=True, omit_defaults=True):
    """One call that should be made."""

    name: str
    """The tool's name; `"*"` for any tool."""
    args: dict[str, Any] = {}
    """The arguments. A value, at any depth, may be an `Anything`, `OneOf`, `Near` or `Pattern`."""
    optional: bool = False
    """Whether the call may be left out."""
    label: str | None = None
    """A name by which others come `after` this call. Calls may share one."""
    after: Sequence[str] = ()
    """The labels of the calls that have to be made before this one, where they are made."""
    args_mode: str | None = None
    """How the arguments are compared, if not as for the rest: exact, ignore, subset or superset."""

    def __post_init__(self) -> None:
        name: Any = self.name
        if not isinstance(name, str) or not name:
            raise SampleError(f"a gold call's name must be text, not {name!r}.")
        args: Any = self.args
        if not isinstance(args, dict) or not all(isinstance(key, str) for key in args):
            raise SampleError(f"a gold call's args must be a dictionary with text as keys, not {args!r}.")
        if self.args_mode is not None and self.args_mode not in ARGUMENT_MODES:
            known = ", ".join(ARGUMENT_MODES)
            raise SampleError(f"a gold call has the unknown args_mode {self.args_mode!r}; known are {known}.")
        _check_place(self)


class AnyOf(msgspec.Struct, frozen=True, omit_defaults=True):
    """Alternatives: the calls of one of the options should be made, whichever serves the agent best.

    An option is a call, or a list of calls that belong together.
    """

    any_of: Sequence[GoldCall | AnyOf | ToolCall | Sequence[GoldCall | AnyOf | ToolCall]]
    """The options, as they were given; `options` has each as a tuple of gold."""
    optional: bool = False
    """Whether all of them may be left out."""
    label: str | None = None
    """A name by which others come `after` every call of this."""
    after: Sequence[str] = ()
    """The labels of the calls that have to be made before any of these, where they are made."""

    def __post_init__(self) -> None:
        given: Any = self.any_of
        if not isinstance(given, (list, tuple)) or not given:
            raise SampleError(f"any_of needs a list of options, not {given!r}.")
        options = []
        for index, option in enumerate(given):
            items = option if isinstance(option, (list, tuple)) else (option,)
            options.append(_read_items(items, f"any_of[{index}]", single=items is not option))
        msgspec.structs.force_setattr(self, "any_of", tuple(options))
        _check_place(self)

    @property
    def options(self) -> tuple[tuple[GoldItem, ...], ...]:
        """The options, each a tuple of calls and alternatives."""
        return self.any_of  # type: ignore[return-value] # made so when the record was made


GoldItem = GoldCall | AnyOf


def read_gold(data: Any) -> list[GoldItem]:
    """Read gold: a list of `GoldCall`, `AnyOf`, `ToolCall`, and plain data that stands for one of them.

    SampleError says where: `gold[2].any_of[0]: …`.
    """
    if not isinstance(data, (list, tuple)):
        raise SampleError(f"gold must be a list of calls, not {type(data).__name__}.")
    items = list(_read_items(data, "gold"))
    check_order(items)
    return items


def taken_apart(value: Any, depth: int = 0) -> Any:
    """Gold as dictionaries and lists, with the values in it left as they are: not even what JSON lacks is changed."""
    if depth > 2 * json_text.MAX_DEPTH:
        raise SampleError("gold is nested too deeply.")
    if isinstance(value, msgspec.Struct):
        value = {name: getattr(value, name) for name in value.__struct_fields__}
    if isinstance(value, dict):
        return {key: taken_apart(item, depth + 1) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [taken_apart(item, depth + 1) for item in value]
    return value


def is_number(value: Any) -> bool:
    """Whether a value is one of JSON's numbers, which `true` is not."""
    kind = type(value)
    return kind is int or (kind is float and value - value == 0)


def _check_place(item: GoldItem) -> None:
    given: Any = item.after
    after = (given,) if isinstance(given, str) else given
    if not isinstance(after, (list, tuple)) or not all(isinstance(label, str) for label in after):
        raise SampleError(f"after must be a label or a list of labels, not {given!r}.")
    label: Any = item.label
    if label is not None and not isinstance(label, str):
        raise SampleError(f"a label must be text, not {label!r}.")
    optional: Any = item.optional
    if not isinstance(optional, bool):
        raise SampleError(f"optional must be true or false, not {optional!r}.")
    msgspec.structs.force_setattr(item, "after", tuple(after))


def _read_items(data: Sequence[Any], where: str, *, single: bool = False) -> tuple[GoldItem, ...]:
    items = []
    for index, item in enumerate(data):
        try:
            items.append(_read_item(item))
        except SampleError as error:
            place = where if single else f"{where}[{index}]"
            said = str(error)
            raise SampleError(f"{place}.{said}" if said.startswith("any_of[") else f"{place}: {said}") from None
    return tuple(items)


def _read_item(data: Any) -> GoldItem:
    if isinstance(data, GoldItem):
        return data
    if isinstance(data, ToolCall):
        return _literal(data)
    if not isinstance(data, dict):
        raise SampleError(f"a gold call must be a GoldCall, a ToolCall or a dictionary, not {type(data).__name__}.")
    if "any_of" in data:
        _check_fields(data, AnyOf)
        return AnyOf(**data)
    if "function" in data or "arguments" in data:
        return _literal(read_tool_call(data))
    # A call may be written as one that was made: its id and its type say nothing.
    data = {field: value for field, value in data.items() if field not in ("id", "type")}
    _check_fields(data, GoldCall)
    args = data.get("args")
    return GoldCall(**{**data, "args": {} if args in (None, "") else _read_value(args, 0)})


def _literal(call: ToolCall) -> GoldCall:
    if call.malformed is not None:
        raise SampleError(f"the arguments of {call.name!r} are not a JSON object: {call.malformed!r}.")
    return GoldCall(call.name, call.args or {})


def _check_fields(data: dict[str, Any], kind: type[GoldItem]) -> None:
    known = kind.__struct_fields__
    unknown = next((field for field in data if field not in known), None)
    if unknown is not None:
        raise SampleError(f"unknown field {unknown!r}; {nearest(str(unknown), known)}")
    if kind is GoldCall and "name" not in data:
        raise SampleError("a gold call needs a name.")


_CHOICES: dict[str, type[Choice]] = {"$any": Anything, "$one_of": OneOf, "$near": Near, "$pattern": Pattern}
_LITERAL = "$literal"


def _read_value(value: Any, depth: int) -> Any:
    """A value of a gold argument: objects with `$any`, `$one_of`, `$near` or `$pattern` become what they stand for."""
    if depth > _MAX_DEPTH:
        raise SampleError(f"the arguments are nested more than {_MAX_DEPTH} deep.")
    if isinstance(value, list):
        return [_read_value(item, depth + 1) for item in value]
    if not isinstance(value, dict):
        return value
    if set(value) == {_LITERAL}:
        return value[_LITERAL]
    word = next((key for key in value if key in _CHOICES), None)
    if word is not None:
        return _read_choice(value, word)
    for key in value:
        close = close_to(key, [*_CHOICES, _LITERAL], 0.7) if isinstance(key, str) and key.startswith("$") else None
        if close:
            raise SampleError(
                f'unknown word {key!r}; did you mean {close!r}? As a plain value write {{"{_LITERAL}": …}}.'
            )
    return {key: _read_value(item, depth + 1) for key, item in value.items()}


def _read_choice(value: dict[str, Any], word: str) -> Choice:
    kind = _CHOICES[word]
    fields = dict(zip(kind.__struct_encode_fields__, kind.__struct_fields__, strict=True))
    unknown = next((key for key in value if key not in fields), None)
    if unknown is not None:
        raise SampleError(f'unknown field {unknown!r} beside {word!r}; as a plain value write {{"{_LITERAL}": …}}.')
    choice: Choice = kind(**{fields[key]: item for key, item in value.items()})
    return choice


def check_order(items: Sequence[GoldItem]) -> None:
    """SampleError for an `after` that names a label which nobody has, or that goes round in a circle."""
    edges: dict[str, set[str]] = {}
    awaited: set[str] = set()
    for labels, after in _placed(items, (), ()):
        awaited.update(after)
        for label in labels:
            edges.setdefault(label, set()).update(after)
    for label in sorted(awaited - edges.keys()):
        known = nearest(label, edges) if edges else "no gold call has a label."
        raise SampleError(f"gold: a call comes after {label!r}, which is nobody's label; {known}")
    try:
        graphlib.TopologicalSorter(edges).prepare()
    except graphlib.CycleError as error:
        raise SampleError(f"gold: the order goes round in a circle: {' before '.join(error.args[1])}.") from None


def _placed(
    items: Sequence[GoldItem], labels: tuple[str, ...], after: tuple[str, ...]
) -> Iterator[tuple[tuple[str, ...], tuple[str, ...]]]:
    """For each item the labels that it answers to, and those that it comes after."""
    for item in items:
        own = (*labels, item.label) if item.label is not None else labels
        behind = (*after, *item.after)
        yield own, behind
        for option in item.options if isinstance(item, AnyOf) else ():
            yield from _placed(option, own, behind)

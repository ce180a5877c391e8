"""What a tool's JSON schema says about when two arguments are the same.

    default        an argument left out is the same as its default given
    enum, const    text differs from the value it stands for in nothing but case
    uniqueItems    the order of a list does not matter
    number, integer, boolean    text that spells a value of that type is that value

`SchemaForm` brings canonical arguments into the one form in which equal things are equal. `$ref` inside the schema,
`allOf`, `anyOf` and `oneOf` (as they write "or null") are followed; a schema that leads back to itself is taken once.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from proctor.errors import OptionError, SampleError
from proctor.metrics.gold_slots import has_choice
from proctor.records.gold import OneOf
from proctor.records.keys import canonical_form, canonical_json

Schema = Mapping[str, Any]

_NUMBER = re.compile(r"-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?")
_MAX_REFERENCES = 32
_NOTHING: Schema = {}
_TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "number": (int, float),
    "integer": (int,),
    "boolean": (bool,),
    "object": (dict,),
    "array": (list,),
    "null": (type(None),),
}


class Unordered(list[Any]):
    """The items of a list whose order does not matter, sorted."""

    def __init__(self, items: Iterable[Any]) -> None:
        super().__init__(sorted(items, key=canonical_json))
        self.choices = any(map(has_choice, self))
        """Whether items may stand for several values: then sorting does not put equal ones side by side."""


class SchemaForm:
    """The form of one tool's arguments."""

    def __init__(self, schema: Schema) -> None:
        self._root = schema
        self._merged: dict[int, Schema] = {}
        properties = self._resolved(schema).get("properties")
        self._properties: Schema = properties if isinstance(properties, Mapping) else {}
        self.defaults: dict[str, Any] = {}
        for name, part in self._properties.items():
            resolved = self._resolved(part)
            if "default" in resolved:
                self.defaults[name] = self._default(resolved, frozenset())

    def of(self, args: dict[str, Any]) -> dict[str, Any]:
        """The arguments in that form, without the defaults of those that were left out."""
        return {
            name: self._value(value, self._properties[name]) if name in self._properties else value
            for name, value in args.items()
        }

    def _value(
        self, value: Any, schema: Any, filling: frozenset[int] = frozenset(), seen: set[int] | None = None
    ) -> Any:
        """A value's form. `filling` are the schemas whose defaults it stands in, `seen` those that looked at it."""
        schema = self._resolved(schema)
        seen = set() if seen is None else seen
        if not schema or id(schema) in seen:
            return value
        seen.add(id(schema))
        if isinstance(value, OneOf):
            return OneOf(tuple(self._value(item, schema, filling) for item in value.values))
        for part in _listed(schema.get("allOf")):
            value = self._value(value, part, filling, seen)
        branches = [self._resolved(part) for word in ("anyOf", "oneOf") for part in _listed(schema.get(word))]
        if branches:
            return self._by_branch(value, branches, filling, seen)
        return self._by_type(value, schema, filling)

    def _by_type(self, value: Any, schema: Schema, filling: frozenset[int]) -> Any:
        if isinstance(value, str):
            return self._scalar(value, schema)
        if isinstance(value, dict):
            return self._object(value, schema, filling)
        if isinstance(value, list):
            form = [self._value(item, schema.get("items"), filling) for item in value]
            return Unordered(form) if schema.get("uniqueItems") is True else form
        return value

    def _by_branch(self, value: Any, branches: list[Schema], filling: frozenset[int], seen: set[int]) -> Any:
        """The form by the branch of the value's own type, else by the first that makes something else of it."""
        for branch in branches:
            if _is_of(value, _types(branch)):
                return self._value(value, branch, filling, seen)
        changed = (self._value(value, branch, filling, seen) for branch in branches)
        return next((form for form in changed if form != value), value)

    def _scalar(self, value: str, schema: Schema) -> Any:
        members = _listed(schema.get("enum")) + ([schema["const"]] if "const" in schema else [])
        alike = [member for member in members if isinstance(member, str) and member.casefold() == value.casefold()]
        if len(alike) == 1:
            return alike[0]
        types = _types(schema)
        return value if "string" in types else spelt(value, types)

    def _object(self, value: dict[str, Any], schema: Schema, filling: frozenset[int]) -> dict[str, Any]:
        properties = schema.get("properties")
        others = schema.get("additionalProperties")
        known = properties if isinstance(properties, Mapping) else {}
        form = {name: self._value(item, known.get(name, others), filling) for name, item in value.items()}
        for name, part in known.items():
            resolved = self._resolved(part)
            if name not in form and "default" in resolved and id(resolved) not in filling:
                form[name] = self._default(resolved, filling)
        return form

    def _default(self, schema: Schema, filling: frozenset[int]) -> Any:
        """The form of a default, itself left out of the defaults inside it."""
        try:
            value = canonical_form(schema["default"])[0]
        except SampleError as error:
            raise OptionError(f"the default {schema['default']!r} of a tool's schema cannot be: {error}") from None
        return self._value(value, schema, filling | {id(schema)})

    def _resolved(self, schema: Any) -> Schema:
        """The schema, its `$ref` followed; what is no schema says nothing. The same schema gives the same object."""
        if not isinstance(schema, Mapping):
            return _NOTHING
        if "$ref" not in schema:
            return schema
        known = self._merged.get(id(schema))
        if known is None:
            known = self._merged[id(schema)] = self._followed(schema)
        return known

    def _followed(self, schema: Any) -> Schema:
        for _ in range(_MAX_REFERENCES):
            if not isinstance(schema, Mapping):
                return _NOTHING
            target = schema.get("$ref")
            if not isinstance(target, str):
                return schema
            beside = {word: value for word, value in schema.items() if word != "$ref"}
            found = self._at(target)
            schema = {**found, **beside} if isinstance(found, Mapping) else beside
        return _NOTHING

    def _at(self, target: str) -> Any:
        place: Any = self._root
        for step in target.removeprefix("#").strip("/").split("/"):
            place = place.get(step.replace("~1", "/").replace("~0", "~")) if isinstance(place, Mapping) else None
        return place


def spelt(value: str, types: Iterable[str]) -> Any:
    """The number or truth value that a text spells, where the types have such; else the text."""
    text = value.strip()
    if ("number" in types or "integer" in types) and _NUMBER.fullmatch(text):
        try:
            number = msgspec.json.decode(text)
        except msgspec.MsgspecError:  # no float holds it: then it is text that looks like a number
            return value
        return int(number) if isinstance(number, float) and number.is_integer() else number
    if "boolean" in types and text.casefold() in ("true", "false"):
        return text.casefold() == "true"
    return value


def relaxed(value: Any) -> Any:
    """A value in which text that spells a number or a truth value is that value, at any depth."""
    if isinstance(value, str):
        return spelt(value, ("number", "boolean"))
    if isinstance(value, dict):
        return {key: relaxed(item) for key, item in value.items()}
    if isinstance(value, list):
        return [relaxed(item) for item in value]
    return OneOf(tuple(relaxed(item) for item in value.values)) if isinstance(value, OneOf) else value


def read_tools(tools: Any) -> dict[str, SchemaForm]:
    """The forms by tool, from schemas as OpenAI, Anthropic and MCP write them, or from a mapping by name."""
    if tools is None:
        return {}
    if isinstance(tools, Mapping):
        listed = [{"name": name, "parameters": schema} for name, schema in tools.items()]
    elif isinstance(tools, (list, tuple)):
        listed = [tool.get("function", tool) if isinstance(tool, Mapping) else tool for tool in tools]
    else:
        raise OptionError(f"tools must be a list of tool schemas, not {type(tools).__name__}.")
    return dict(_read_tool(tool, index) for index, tool in enumerate(listed))


def _read_tool(tool: Any, index: int) -> tuple[str, SchemaForm]:
    name = tool.get("name") if isinstance(tool, Mapping) else None
    if not isinstance(name, str):
        raise OptionError(f"tools[{index}] has no name; a tool schema is a dictionary with a name and parameters.")
    schema: Any = next((tool[word] for word in ("parameters", "input_schema", "inputSchema") if tool.get(word)), {})
    if not isinstance(schema, Mapping):
        raise OptionError(f"tools[{index}] ({name}): its parameters must be a JSON schema, not {schema!r}.")
    return name, SchemaForm(schema)


def _listed(value: Any) -> list[Any]:
    return list(value) if isinstance(value, (list, tuple)) else []


def _types(schema: Schema) -> tuple[str, ...]:
    said = schema.get("type")
    return (said,) if isinstance(said, str) else tuple(word for word in _listed(said) if isinstance(word, str))


def _is_of(value: Any, types: tuple[str, ...]) -> bool:
    if isinstance(value, bool):
        return "boolean" in types
    return any(isinstance(value, _TYPES.get(word, ())) for word in types)

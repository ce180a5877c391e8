"""A documented response as an answer: the call's arguments in their places, types where only types are given. Pure."""

from __future__ import annotations

import hashlib
from typing import Any

from proctor.catalog.names import standardise
from proctor.gateway.source import Call

__all__ = ["filled"]

_TYPES = frozenset({"str", "string", "int", "integer", "float", "number", "bool", "boolean", "null", "none"})
"""Documented responses often name the type where a value would stand."""
_DEEPEST = 40


def filled(template: Any, call: Call) -> Any:
    """The template with every field that is named like an argument set to it, and names of types replaced by values.

    The values that stand for types are drawn from the call's key: the same call has the same ones.
    """
    given = {standardise(name): value for name, value in call.arguments.items()}
    return _filled(template, given, call.key, "", 0)


def _filled(value: Any, given: dict[str, Any], key: str, path: str, depth: int) -> Any:
    if depth > _DEEPEST:
        return None
    if isinstance(value, dict):
        return {name: _field(name, item, given, key, f"{path}/{name}", depth) for name, item in value.items()}
    if isinstance(value, list):
        return [_filled(item, given, key, f"{path}/{place}", depth + 1) for place, item in enumerate(value)]
    if isinstance(value, str) and value.strip().lower() in _TYPES:
        return _drawn(value.strip().lower(), key, path)
    return value


def _field(name: str, value: Any, given: dict[str, Any], key: str, path: str, depth: int) -> Any:
    argument = given.get(standardise(name))
    if argument is not None and not isinstance(value, dict | list) and not isinstance(argument, dict | list):
        return argument
    return _filled(value, given, key, path, depth + 1)


def _drawn(kind: str, key: str, path: str) -> Any:
    number = int.from_bytes(hashlib.sha256(f"{key}{path}".encode("utf-8", "replace")).digest()[:4], "big")
    if kind in {"int", "integer", "number"}:
        return number % 1000
    if kind == "float":
        return number % 100_000 / 100
    if kind in {"bool", "boolean"}:
        return number % 2 == 1
    if kind in {"null", "none"}:
        return None
    return f"{path.rsplit('/', 1)[-1] or 'value'}-{number % 10_000}"

"""The calls of a conversation, and when two of them are the same."""

from __future__ import annotations

from typing import Any

from proctor.messages import AnyMessage, ToolCall

_PLAIN = frozenset({str, int, type(None)})
"""Types whose values are themselves, as Python tells them apart."""
_PRINTABLE = 8192
"""The bits of the longest whole number that is written in decimal; Python refuses those that are much longer."""
_TRUE = object()
_FALSE = object()
_NAN = object()
_OBJECT = object()
_ARRAY = object()


def calls_made(messages: list[AnyMessage]) -> list[ToolCall]:
    """The calls of all the agent's messages, in order."""
    made: list[ToolCall] = []
    for message in messages:
        if message.type == "ai" and message.tool_calls:
            made += message.tool_calls
    return made


def spelling(value: Any) -> str:
    """An argument's value as text, the same however the keys of its objects are ordered."""
    return value if type(value) is str else str(_sorted(value))


def identity(call: ToolCall) -> tuple[str, frozenset[Any]]:
    """What makes a call the call that it is: its name and its arguments, as something that a set can hold.

    The order of keys does not matter; `1` and `1.0` are one number; `1`, `"1"` and `true` are three things. The id
    does not count. A malformed call has no identity: look at `ToolCall.malformed` first.
    """
    args = [(name, value if type(value) in _PLAIN else _frozen(value)) for name, value in call.args.items()]
    return call.name, frozenset(args)


def _frozen(value: Any) -> Any:
    kind = type(value)
    if kind in _PLAIN:
        return value
    if kind is bool:
        return _TRUE if value else _FALSE
    if kind is float:
        return value if value == value else _NAN  # noqa: PLR0124 - only NaN is unlike itself
    if kind is list or kind is tuple:
        return _ARRAY, *map(_frozen, value)
    if kind is dict:
        return _OBJECT, frozenset([(key, _frozen(item)) for key, item in value.items()])
    return kind, repr(value)


def _sorted(value: Any) -> Any:
    kind = type(value)
    if kind is dict:
        # Python allows keys of several types side by side, which cannot be sorted as they are.
        keys = sorted(value, key=lambda key: (str(key), type(key).__name__))
        return {key: _sorted(value[key]) for key in keys}
    if kind is list:
        return [_sorted(item) for item in value]
    if kind is tuple:
        return tuple(_sorted(item) for item in value)
    return hex(value) if kind is int and value.bit_length() > _PRINTABLE else value

"""The calls of a conversation, and when two of them are the same.

A call that JSON cannot hold (nested too deeply, NaN, a date, a key that is no text) cannot be compared with any other.
Made by the agent it is wrong, like one whose arguments could not be read at all; wanted by the reference it leaves the
sample unmeasured. All metrics of calls share this.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from proctor.errors import SampleError
from proctor.messages import AnyMessage, ToolCall
from proctor.records.grades import Missing
from proctor.records.keys import canonical_form

NOT_COMPARABLE = "a call wanted cannot be compared"
"""Why a sample is unmeasured whose reference wants what nothing can be held against."""
_PLAIN = frozenset({int, bool, type(None)})
_LEAST, _MOST = -(1 << 63), 1 << 63
_encode = msgspec.json.Encoder(order="deterministic").encode
_LONGEST = 80


def calls_made(messages: list[AnyMessage]) -> list[ToolCall]:
    """The calls of all the agent's messages, in order."""
    made: list[ToolCall] = []
    for message in messages:
        if message.type == "ai" and message.tool_calls:
            made += message.tool_calls
    return made


def readable(calls: Sequence[ToolCall]) -> list[ToolCall]:
    """The calls, in the place of those that cannot be compared one that is marked malformed."""
    return [call if call.malformed is not None or _is_plain(call.args) else _looked_at(call) for call in calls]


def not_comparable(wanted: Sequence[ToolCall]) -> Missing | None:
    """Why nothing can be held against the calls wanted, where one of them cannot be compared."""
    for call in wanted:
        if call.malformed is not None or not _is_plain(call.args):
            malformed = _looked_at(call).malformed
            if malformed is not None:
                return Missing(NOT_COMPARABLE, f"{call.name}: {malformed}")
    return None


def _looked_at(call: ToolCall) -> ToolCall:
    try:
        canonical_form(call.args)
    except SampleError as error:
        return ToolCall(call.name, {}, call.id, malformed=str(error))
    return call


def unreadable_reason(made: Sequence[Any]) -> str | None:
    """What is to be said of the first call made that cannot be compared; None where there is none."""
    call = next((call for call in made if call.malformed is not None), None)
    if call is None:
        return None
    said = call.malformed if len(call.malformed) <= _LONGEST else f"{call.malformed[:_LONGEST]}…"
    return f"a call made cannot be compared, {call.name}: {said}"


def identity(call: ToolCall) -> tuple[str, bytes]:
    """What makes a call the call that it is: its name, and its arguments as canonical JSON.

    The order of keys does not matter; `1` and `1.0` are one number; `1`, `"1"` and `true` are three things. The id
    does not count. SampleError for a call that cannot be compared.
    """
    args = call.args
    if call.malformed is not None:
        raise SampleError(call.malformed)
    return call.name, _encode(args) if _is_plain(args) else canonical_form(args)[1]


def spelling(value: Any) -> str:
    """An argument's value as text, the same however the keys of its objects are ordered."""
    return value if type(value) is str else str(_sorted(value))


def _is_plain(args: dict[str, Any]) -> bool:
    """Whether all values are of the kinds that are canonical as they are; a quick look that may say no too often."""
    for name, value in args.items():
        if type(value) is str:
            if not value.isascii():
                return False
        elif type(value) not in _PLAIN or not (value is None or _LEAST <= value < _MOST):
            return False
        if type(name) is not str or not name.isascii():
            return False
    return True


def _sorted(value: Any) -> Any:
    kind = type(value)
    if kind is dict:
        return {key: _sorted(value[key]) for key in sorted(value)}
    if kind is list:
        return [_sorted(item) for item in value]
    if kind is tuple:
        return tuple(_sorted(item) for item in value)
    return value

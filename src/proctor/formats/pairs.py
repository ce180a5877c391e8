"""Pairs of what an agent did and what it should have done: `{"outputs": […], "reference_outputs": […]}`.

Both sides are lists of messages, `{"messages": […]}`, as agentevals has them, or bare lists of calls. The calls of the
reference side become the sample's `reference_tool_calls`.
"""

from __future__ import annotations

from typing import Any

import msgspec

from proctor.dataset_schema import MultiTurnSample
from proctor.errors import SampleError, nearest
from proctor.formats.conversations import calls_of, from_messages, looks_like_call
from proctor.messages import AIMessage, ToolCall, read_tool_call
from proctor.records.gold import GoldItem, read_gold

FIELDS = frozenset({"outputs", "reference_outputs"})
_BESIDE = frozenset({"inputs", "metadata"})
"""What may stand beside a pair; no metric reads it."""
_OF_GOLD = frozenset({"any_of", "optional", "after", "label", "args_mode"})
"""What only gold says of a call."""


def read_pair(value: dict[str, Any]) -> MultiTurnSample:
    """The sample in a pair. Without `reference_outputs` it is one of which nothing is known but what the agent did."""
    unknown = next((name for name in value if name not in FIELDS | _BESIDE), None)
    if unknown is not None:
        known = {"id", *FIELDS, *_BESIDE}
        raise SampleError(f"a pair of outputs has the unknown field {unknown!r}; {nearest(str(unknown), known)}")
    if "outputs" not in value:
        raise SampleError("a pair has 'reference_outputs' and no 'outputs'; both are lists of messages or of calls.")
    sample = _side(value, "outputs")
    if value.get("reference_outputs") is None:
        return sample
    said = value["reference_outputs"]
    if isinstance(said, list) and any(isinstance(item, dict) and item.keys() & _OF_GOLD for item in said):
        return msgspec.structs.replace(sample, gold=_gold(said))
    wanted = calls_of(_side(value, "reference_outputs").user_input)
    return msgspec.structs.replace(sample, reference_tool_calls=wanted)


def _side(value: dict[str, Any], field: str) -> MultiTurnSample:
    said = value[field]
    if isinstance(said, dict):
        return from_messages(said.get("messages"), {}, f"{field}.messages" if "messages" in said else field)
    if isinstance(said, list) and (not said or any(looks_like_call(item) for item in said)):
        return MultiTurnSample(user_input=[AIMessage("", tool_calls=_calls(said, field))])
    return from_messages(said, {}, field)


def _gold(said: list[Any]) -> list[GoldItem]:
    try:
        return read_gold(said)
    except SampleError as error:
        raise SampleError(str(error).replace("gold[", "reference_outputs[", 1)) from None


def _calls(said: list[Any], field: str) -> list[ToolCall]:
    calls = []
    for index, item in enumerate(said):
        try:
            calls.append(read_tool_call(item))
        except SampleError as error:
            raise SampleError(f"{field}[{index}]: {error}") from None
    return calls

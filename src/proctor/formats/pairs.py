"""Pairs of what an agent did and what it should have done: `{"outputs": […], "reference_outputs": […]}`.

Both sides are lists of messages, or `{"messages": […]}`, as agentevals has them. The calls of the reference side become
the sample's `reference_tool_calls`.
"""

from __future__ import annotations

from typing import Any

import msgspec

from proctor.dataset_schema import MultiTurnSample
from proctor.errors import SampleError, nearest
from proctor.formats.conversations import calls_of, from_messages

FIELDS = frozenset({"outputs", "reference_outputs"})
_BESIDE = frozenset({"inputs", "metadata"})
"""What may stand beside a pair; no metric reads it."""


def read_pair(value: dict[str, Any]) -> MultiTurnSample:
    """The sample in a pair. Without `reference_outputs` it is one of which nothing is known but what the agent did."""
    unknown = next((name for name in value if name not in FIELDS | _BESIDE), None)
    if unknown is not None:
        known = {"id", *FIELDS, *_BESIDE}
        raise SampleError(f"a pair of outputs has the unknown field {unknown!r}; {nearest(str(unknown), known)}")
    if "outputs" not in value:
        raise SampleError("a pair has 'reference_outputs' and no 'outputs'; both are lists of messages.")
    sample = _side(value, "outputs")
    if value.get("reference_outputs") is None:
        return sample
    wanted = calls_of(_side(value, "reference_outputs").user_input)
    return msgspec.structs.replace(sample, reference_tool_calls=wanted)


def _side(value: dict[str, Any], field: str) -> MultiTurnSample:
    said = value[field]
    return from_messages(said.get("messages") if isinstance(said, dict) else said, {}, field)

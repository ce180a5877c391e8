"""What should have been done, kept in a file of its own.

A reference may be a dictionary with a sample's words (`reference`, `reference_tool_calls`, …), a conversation or the
`reference_outputs` of a pair (their calls are the reference), a bare list of tool calls, or a bare text.
"""

from __future__ import annotations

from typing import Any

import msgspec

from proctor.dataset_schema import MultiTurnSample, Sample
from proctor.errors import SampleError, nearest
from proctor.formats.conversations import calls_of, from_messages, looks_like_message
from proctor.formats.pairs import FIELDS
from proctor.messages import read_tool_call
from proctor.records.gold import read_gold

_OF_ANY = frozenset({"reference", "rubrics"})
_OF_CONVERSATIONS = frozenset({"gold", "reference_tool_calls", "reference_topics"})
_OF_SINGLE_TURNS = frozenset({"reference_contexts", "reference_context_ids"})
_KNOWN = _OF_ANY | _OF_CONVERSATIONS | _OF_SINGLE_TURNS

Reference = dict[str, Any]
"""The fields of a sample that a reference fills."""


def read_reference(value: Any) -> Reference:
    """The fields that a reference fills, from one value of a file of references.

    There are none where each of its fields is null: nobody knows what was wanted.
    """
    if isinstance(value, str):
        return {"reference": value}
    if isinstance(value, list):
        return {"reference_tool_calls": _calls(value, "the reference")}
    if not isinstance(value, dict):
        raise SampleError(f"a reference must be a dictionary, a list or text, not {type(value).__name__}.")
    conversation = next((name for name in ("messages", "reference_outputs", "user_input") if name in value), None)
    found = {name: said for name, said in value.items() if name in _KNOWN and said is not None}
    if "gold" in found:
        found["gold"] = read_gold(found["gold"])
    if "reference_tool_calls" in found:
        found["reference_tool_calls"] = _calls(found["reference_tool_calls"], "reference_tool_calls")
    elif conversation is not None and isinstance(value[conversation], list | dict):
        found["reference_tool_calls"] = _calls(value[conversation], conversation)
    if not found and not (value and value.keys() <= _KNOWN):
        known = _KNOWN | FIELDS | {"messages"}
        said = next(iter(value), None)
        held = "nothing" if said is None else repr(said)
        raise SampleError(f"a reference says nothing of what was wanted, it holds {held}; {nearest(str(said), known)}")
    return found


def with_reference(sample: Sample, reference: Reference) -> Sample:
    """The sample with what its reference says, and nothing of what it says itself of what was wanted.

    Figures rest on one gold: a sample's own never stands in for what the reference leaves out.
    """
    misplaced = _OF_SINGLE_TURNS if isinstance(sample, MultiTurnSample) else _OF_CONVERSATIONS
    wrong = sorted(misplaced & reference.keys())
    if wrong:
        raise SampleError(f"the reference has {wrong[0]!r}, which a {type(sample).__name__} does not have.")
    own = dict.fromkeys(_KNOWN & set(sample.__struct_fields__))
    return msgspec.structs.replace(sample, **{**own, **reference})


def _calls(value: Any, field: str) -> list[Any]:
    """The tool calls in a list of them, or in a list of messages."""
    messages = value.get("messages") if isinstance(value, dict) else value
    if not isinstance(messages, list):
        raise SampleError(f"{field!r} must be a list of tool calls or of messages, not {type(messages).__name__}.")
    if any(looks_like_message(item) for item in messages):
        return calls_of(from_messages(messages, {}, field).user_input)
    return [read_tool_call(item) for item in messages]

"""One sample: what a metric looks at.

`SingleTurnSample` holds a question and an answer, `MultiTurnSample` a whole conversation. Both can be made in Python
or read from plain data by `read_sample`, which refuses a field that it does not know.
"""

from __future__ import annotations

from typing import Any, TypeVar

import msgspec

from proctor.errors import SampleError
from proctor.messages import (
    AIMessage,
    AnyMessage,
    HumanMessage,
    SystemMessage,
    ToolCall,
    ToolMessage,
    explain,
    read_message,
    read_tool_call,
)

_MESSAGE_KINDS = frozenset({HumanMessage, AIMessage, ToolMessage, SystemMessage})


class BaseSample(msgspec.Struct, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """What all samples can do."""

    def to_dict(self) -> dict[str, Any]:
        """The sample as plain data, fields that are None left out; `read_sample` reads it back."""
        plain: dict[str, Any] = msgspec.to_builtins(self)
        return plain

    def get_features(self) -> list[str]:
        """The names of the fields that are not None."""
        return [name for name in self.__struct_fields__ if getattr(self, name) is not None]

    def to_string(self) -> str:
        """The sample as text, one line a field."""
        return "".join(f"\n{name}:\n\t{value}\n" for name, value in self.to_dict().items())


class SingleTurnSample(BaseSample):
    """A question, an answer, and what is known about both. Every field is optional; a metric names those it needs."""

    user_input: str | None = None
    """What the user asked."""
    retrieved_contexts: list[str] | None = None
    """The texts that were found for the answer."""
    reference_contexts: list[str] | None = None
    """The texts that should have been found."""
    retrieved_context_ids: list[str | int] | None = None
    """The identifiers of the texts that were found."""
    reference_context_ids: list[str | int] | None = None
    """The identifiers of the texts that should have been found."""
    response: str | None = None
    """What was answered."""
    multi_responses: list[str] | None = None
    """Several answers to the same question."""
    reference: str | None = None
    """What should have been answered."""
    rubrics: dict[str, str] | None = None
    """Descriptions of the grades that an answer can get, by grade."""
    persona_name: str | None = None
    """Whose question it is."""
    query_style: str | None = None
    """How the question is put."""
    query_length: str | None = None
    """How long the question is."""

    def __post_init__(self) -> None:
        for name in _TEXT_FIELDS:
            value = getattr(self, name)
            if value is not None and not isinstance(value, str):
                msg = f"{name!r} of a SingleTurnSample must be text, not {type(value).__name__}."
                raise SampleError(msg)


_TEXT_FIELDS = ("user_input", "response", "reference", "persona_name", "query_style", "query_length")


class MultiTurnSample(BaseSample):
    """A conversation, and what it should have come to."""

    user_input: list[AnyMessage]
    """The messages, in order. Dictionaries are read (`proctor.messages.read_message`)."""
    reference: str | None = None
    """What the conversation should have come to, in words."""
    reference_tool_calls: list[ToolCall] | None = None
    """The calls that should have been made."""
    rubrics: dict[str, str] | None = None
    """Descriptions of the grades that the conversation can get, by grade."""
    reference_topics: list[str] | None = None
    """The topics that the agent is to keep to."""

    def __post_init__(self) -> None:
        messages = self.user_input
        if type(messages) is not list:
            msg = f"'user_input' of a MultiTurnSample must be a list of messages, not {type(messages).__name__}."
            raise SampleError(msg)
        if any(type(message) not in _MESSAGE_KINDS for message in messages):
            self.user_input = messages = [_numbered(index, message) for index, message in enumerate(messages)]
        calls = self.reference_tool_calls
        if calls and any(type(call) is not ToolCall for call in calls):
            self.reference_tool_calls = [read_tool_call(call) for call in calls]
        _check_order(messages)

    def to_messages(self) -> list[dict[str, Any]]:
        """The conversation as plain dictionaries."""
        return [message.to_dict() for message in self.user_input]

    def pretty_repr(self) -> str:
        """The conversation as a person reads it."""
        return "\n".join(message.pretty_repr() for message in self.user_input)


Sample = SingleTurnSample | MultiTurnSample
_Kind = TypeVar("_Kind", SingleTurnSample, MultiTurnSample)


def read_sample(data: Any) -> Sample:
    """Read a sample from plain data: a `MultiTurnSample` where `user_input` is a list, else a `SingleTurnSample`."""
    if isinstance(data, Sample):
        return data
    if not isinstance(data, dict):
        msg = f"a sample must be a dictionary, not {type(data).__name__}."
        raise SampleError(msg)
    if not isinstance(data.get("user_input"), list):
        return _converted(data, SingleTurnSample)
    # Messages and calls have their own readers, which know more shapes than the types do and say more of what is wrong.
    rest = {name: value for name, value in data.items() if name not in ("user_input", "reference_tool_calls")}
    sample = _converted({**rest, "user_input": []}, MultiTurnSample)
    sample.user_input = data["user_input"]
    sample.reference_tool_calls = _listed_calls(data.get("reference_tool_calls"))
    sample.__post_init__()
    return sample


def _converted(data: dict[str, Any], kind: type[_Kind]) -> _Kind:
    try:
        return msgspec.convert(data, kind)
    except msgspec.ValidationError as error:
        raise SampleError(f"a {kind.__name__} is not readable: {explain(error, data, kind)}") from None


def _listed_calls(calls: Any) -> list[ToolCall] | None:
    if calls is None or isinstance(calls, list):
        return calls
    msg = f"'reference_tool_calls' must be a list of tool calls, not {type(calls).__name__}."
    raise SampleError(msg)


def _numbered(index: int, message: Any) -> AnyMessage:
    try:
        return read_message(message)
    except SampleError as error:
        raise SampleError(f"user_input[{index}]: {error}") from None


def _check_order(messages: list[AnyMessage]) -> None:
    """A tool's answer follows the agent's call, or another tool's answer."""
    seen_agent = False
    before: AnyMessage | None = None
    for message in messages:
        if type(message) is AIMessage:
            seen_agent = True
        elif type(message) is ToolMessage:
            if not seen_agent:
                raise SampleError("ToolMessage must be preceded by an AIMessage somewhere in the conversation.")
            if type(before) is AIMessage:
                if not before.tool_calls:
                    raise SampleError("ToolMessage must follow an AIMessage where tools were called.")
            elif type(before) is not ToolMessage:
                raise SampleError("ToolMessage must follow an AIMessage or another ToolMessage.")
        before = message

"""Lists of messages, as chat endpoints write them: a bare list, or `{"messages": […]}` with what is known beside it.

The messages may be in OpenAI's shape or in Proctor's own. Beside `messages` may stand what a sample says of what was
wanted (`reference`, `reference_tool_calls`, …), an `id`, and what was sent along with the messages (`tools`, `model`,
…), which no metric reads.
"""

from __future__ import annotations

from typing import Any

from proctor.dataset_schema import MultiTurnSample, read_sample
from proctor.errors import SampleError, nearest
from proctor.messages import AIMessage, AnyMessage, ToolCall

WANTED = frozenset({"gold", "reference", "reference_tool_calls", "rubrics", "reference_topics"})
"""What may be said of a conversation beside its messages, in a sample's words."""
SENT_ALONG = frozenset(
    {"tools", "tool_choice", "parallel_tool_calls", "functions", "function_call", "model", "metadata", "temperature"}
)
"""What is sent to an endpoint with the messages."""


def read_conversation(value: Any) -> MultiTurnSample:
    """The sample in a list of messages, or in a dictionary that has one under `messages`."""
    if isinstance(value, list):
        return from_messages(value, {}, "messages")
    unknown = next((name for name in value if name not in {"messages", *WANTED, *SENT_ALONG}), None)
    if unknown is not None:
        known = {"messages", "id", *WANTED, *SENT_ALONG}
        raise SampleError(f"a conversation has the unknown field {unknown!r}; {nearest(str(unknown), known)}")
    wanted = {name: value[name] for name in WANTED if name in value}
    return from_messages(value["messages"], wanted, "messages")


def from_messages(messages: Any, wanted: dict[str, Any], field: str) -> MultiTurnSample:
    """The sample of a list of messages; an error calls them by the name of their field."""
    if not isinstance(messages, list):
        raise SampleError(f"{field!r} must be a list of messages, not {type(messages).__name__}.")
    if not messages:
        raise SampleError(f"{field!r} is an empty list; a conversation has at least one message.")
    try:
        sample = read_sample({**wanted, "user_input": messages})
    except SampleError as error:
        raise SampleError(str(error).replace("user_input[", f"{field}[", 1)) from None
    assert isinstance(sample, MultiTurnSample)
    return sample


def calls_of(messages: list[AnyMessage]) -> list[ToolCall]:
    """All calls that the agent's messages make, in order."""
    return [call for message in messages if isinstance(message, AIMessage) for call in message.tool_calls or ()]


def looks_like_message(value: Any) -> bool:
    """Whether a value is a message rather than a sample or a tool call."""
    return isinstance(value, dict) and (
        "role" in value or ("content" in value and value.get("type") in ("human", "ai", "tool", "system"))
    )


def looks_like_call(value: Any) -> bool:
    """Whether a value is a tool call rather than a message."""
    return isinstance(value, dict) and not looks_like_message(value) and ("name" in value or "function" in value)

from __future__ import annotations

from collections.abc import Callable

import pytest

from proctor.dataset_schema import MultiTurnSample
from proctor.messages import AIMessage, HumanMessage, ToolCall

Conversation = Callable[[list[ToolCall], list[ToolCall] | None], MultiTurnSample]


@pytest.fixture
def conversation() -> Conversation:
    """Makes a conversation in which these calls are made, one a message, and those are wanted."""

    def make(made: list[ToolCall], wanted: list[ToolCall] | None) -> MultiTurnSample:
        said = [AIMessage(content="I see to it.", tool_calls=[call]) for call in made]
        return MultiTurnSample(
            user_input=[HumanMessage(content="Please see to it."), *said, AIMessage(content="Done.")],
            reference_tool_calls=wanted,
        )

    return make

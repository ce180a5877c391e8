"""The messages of a conversation, and the tool calls in them.

A message is one of `HumanMessage`, `AIMessage`, `ToolMessage` and `SystemMessage`. Each knows its `type`, and how to
print itself. Dictionaries are read by `read_message`: Proctor's own shape (`{"type": "ai", …}`) and OpenAI's
(`{"role": "assistant", …}`), with Anthropic's parts in its content, are read as what they are.
"""

from proctor.messages.calls import ToolCall, read_tool_call
from proctor.messages.shapes import read_message, read_messages
from proctor.messages.turns import AIMessage, AnyMessage, HumanMessage, Message, SystemMessage, ToolMessage

__all__ = [
    "AIMessage",
    "AnyMessage",
    "HumanMessage",
    "Message",
    "SystemMessage",
    "ToolCall",
    "ToolMessage",
    "read_message",
    "read_messages",
    "read_tool_call",
]

"""The four kinds of message."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from proctor.errors import SampleError
from proctor.messages.calls import ToolCall, read_tool_call
from proctor.messages.checked import Checked, article, shown


class Message(Checked, omit_defaults=True, forbid_unknown_fields=True, tag_field="type"):
    """What all messages have."""

    content: str
    """The text."""
    metadata: dict[str, Any] | None = None
    """Whatever else is known of the message. No metric reads it."""

    type: ClassVar[str] = "message"
    speaker: ClassVar[str] = "Message"

    @classmethod
    def _given(cls, fields: dict[str, Any]) -> dict[str, Any]:
        """Lets `type="human"` be said when a message is made, as every stored message says it."""
        said = fields.pop("type", None)
        if said is not None and said != cls.type:
            msg = f"{article(cls)} has the type {cls.type!r}, not {said!r}."
            raise SampleError(msg)
        return fields

    def _check(self) -> None:
        self._expect("content", str, "text", optional=False)
        self._expect("metadata", dict, "a dictionary")

    def pretty_repr(self) -> str:
        """The message as a person reads it."""
        return f"{self.speaker}: {self.content}"


class HumanMessage(Message, tag="human"):
    """What the user said."""

    type: ClassVar[Literal["human"]] = "human"
    speaker: ClassVar[str] = "Human"


class SystemMessage(Message, tag="system"):
    """What the agent was told before the conversation began."""

    type: ClassVar[Literal["system"]] = "system"
    speaker: ClassVar[str] = "System"


class AIMessage(Message, kw_only=True, tag="ai"):
    """What the agent said, and the tools that it called with it."""

    tool_calls: list[ToolCall] | None = None
    """The calls, in the order in which they were made. Dictionaries are read (`read_tool_call`)."""

    type: ClassVar[Literal["ai"]] = "ai"
    speaker: ClassVar[str] = "AI"

    def _check(self) -> None:
        super()._check()
        self._expect("tool_calls", list, "a list of tool calls")
        if self.tool_calls:
            self.tool_calls = [read_tool_call(call) for call in self.tool_calls]

    def pretty_repr(self) -> str:
        """The message as a person reads it: the text, if there is any, then a line for each call."""
        lines = [f"AI: {self.content}"] if self.content else []
        if self.tool_calls is not None:
            lines.append("Tools:")
            lines.extend(f"  {call.name}: {call.args}" for call in self.tool_calls)
        return "\n".join(lines)


class ToolMessage(Message, kw_only=True, tag="tool"):
    """What a tool answered."""

    tool_call_id: str | None = None
    """The `ToolCall.id` that this answers. Without it, answers belong to calls in the order of both."""
    name: str | None = None
    """The tool's name."""
    status: Literal["success", "error"] | None = None
    """Whether the tool did what it was asked; None when nobody said."""

    type: ClassVar[Literal["tool"]] = "tool"
    speaker: ClassVar[str] = "ToolOutput"

    def _check(self) -> None:
        super()._check()
        self._expect("tool_call_id", str, "text")
        self._expect("name", str, "text")
        if self.status not in (None, "success", "error"):
            msg = f"'status' of a ToolMessage must be 'success', 'error' or None, not {shown(self.status)}."
            raise SampleError(msg)


AnyMessage = HumanMessage | AIMessage | ToolMessage | SystemMessage

"""A conversation in the making: what was said, called and returned, in order, and what was lost."""

from __future__ import annotations

from typing import Any, Literal

from proctor.dataset_schema import MultiTurnSample
from proctor.errors import SampleError
from proctor.formats.stabletoolbench.conversions import Conversion
from proctor.messages import AIMessage, AnyMessage, HumanMessage, SystemMessage, ToolCall, ToolMessage
from proctor.messages.calls import call_from_function


class Thread:
    """Messages are added in the order in which they happened.

    What the agent says and calls in one go becomes one message. An answer whose call was not captured has no place in a
    sample: it is left out and named, because a call that nobody wrote down is not a call that was not made.
    """

    def __init__(self) -> None:
        self.messages: list[AnyMessage] = []
        self.lost: list[str] = []
        self._open: set[str] = set()

    def lose(self, what: str) -> None:
        """Name something that the sample cannot hold, once."""
        if what not in self.lost:
            self.lost.append(what)

    def add(self, *messages: AnyMessage) -> None:
        """Add messages that are whole."""
        for message in messages:
            if isinstance(message, ToolMessage):
                self._returned(message)
                continue
            self.messages.append(message)
            for call in message.tool_calls or () if isinstance(message, AIMessage) else ():
                self._open.add(call.id or "")

    def human(self, text: str) -> None:
        """The user says something."""
        self.messages.append(HumanMessage(text))

    def system(self, text: str) -> None:
        """Somebody says something to the agent before the user does."""
        if text:
            self.messages.append(SystemMessage(text))

    def said(self, text: str) -> None:
        """The agent says something."""
        if not text:
            return
        message = self._turn()
        message.content = f"{message.content}\n{text}" if message.content else text

    def called(self, name: Any, arguments: Any, identifier: Any = None) -> None:
        """The agent calls a tool; arguments that cannot be read are kept as a malformed call."""
        if not isinstance(name, str) or not name:
            raise SampleError("a tool call has no name.")
        call = call_from_function({"name": name, "arguments": arguments}, identifier)
        message = self._turn()
        message.tool_calls = [*(message.tool_calls or ()), call]
        self._open.add(call.id or "")

    def returned(
        self,
        text: str,
        identifier: Any = None,
        *,
        name: str | None = None,
        status: Literal["success", "error"] | None = None,
    ) -> None:
        """A tool answers."""
        known = identifier if isinstance(identifier, str) else None
        self._returned(ToolMessage(text, tool_call_id=known, name=name, status=status))

    def has_call(self, identifier: Any) -> bool:
        """Whether a call of this id was made."""
        return isinstance(identifier, str) and identifier in self._open

    @property
    def calls(self) -> list[ToolCall]:
        """All calls so far."""
        return [
            call for message in self.messages if isinstance(message, AIMessage) for call in message.tool_calls or ()
        ]

    def sample(self, wanted: dict[str, Any]) -> Conversion[MultiTurnSample]:
        """The conversation as a sample, with what was wanted of it."""
        if not self.messages:
            raise SampleError("nothing in it is a message; a conversation has at least one.")
        return Conversion(MultiTurnSample(user_input=self.messages, **wanted), tuple(self.lost))

    def _turn(self) -> AIMessage:
        """What the agent is saying now."""
        last = self.messages[-1] if self.messages else None
        if isinstance(last, AIMessage):
            return last
        message = AIMessage("")
        self.messages.append(message)
        return message

    def _returned(self, message: ToolMessage) -> None:
        known = message.tool_call_id
        place = self._place(known)
        if place is None:
            called = f" {known!r}" if known else ""
            self.lose(
                f"the answer of the tool {message.name or 'without a name'} to a call{called} that was not captured"
            )
            return
        self.messages.insert(place, message)

    def _place(self, identifier: str | None) -> int | None:
        """Where an answer belongs: behind the message of its call, and the answers that are there already."""
        for index in range(len(self.messages) - 1, -1, -1):
            message = self.messages[index]
            if not isinstance(message, AIMessage) or not message.tool_calls:
                continue
            if identifier is None or any(call.id in (None, identifier) for call in message.tool_calls):
                place = index + 1
                while place < len(self.messages) and isinstance(self.messages[place], ToolMessage):
                    place += 1
                return place
        return None

"""The waist between Proctor and every language model: `ChatModel.reply(request) -> Reply`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Protocol, runtime_checkable

import msgspec

from proctor.errors import ModelError, SampleError
from proctor.messages import AIMessage, HumanMessage, Message, SystemMessage, ToolCall, ToolMessage, read_message
from proctor.records.grades import Missing
from proctor.records.keys import content_hash
from proctor.records.traces import Usage

__all__ = ["ChatModel", "OutputSchema", "Reply", "Request", "missing", "plain_message"]


class OutputSchema(msgspec.Struct, frozen=True):
    """The shape that a reply's text is wanted in."""

    name: str
    """What the shape is called: letters, digits, `_` and `-`. Some endpoints show it to the model."""
    schema: dict[str, Any]
    """A JSON schema of type object."""


class Request(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """One question to a model. Two requests that are equal have the same `key()`.

    Messages may be handed over as Proctor's own or as OpenAI's dictionaries, tools as OpenAI's `{"type": "function",
    "function": {…}}` or as the bare function; both are kept in OpenAI's form. Half a surrogate pair, which no JSON
    text may hold, becomes the replacement character.
    """

    messages: tuple[dict[str, Any], ...]
    """The conversation so far, in OpenAI's form."""
    tools: tuple[dict[str, Any], ...] = ()
    """The functions that the model may call, in OpenAI's form."""
    output: OutputSchema | None = None
    """The shape that the reply's text is wanted in; None for free text."""
    temperature: float | None = None
    """None leaves it to the endpoint."""
    max_tokens: int | None = None
    """The longest reply; None leaves it to the endpoint."""
    seed: int | None = None
    """For endpoints that can repeat themselves."""
    repeat: int = 0
    """Which repetition of the same question this is: the endpoint is not told, a recording keeps them apart."""
    extra: dict[str, Any] = {}
    """Further parameters of the endpoint, sent as they are (`tool_choice`, `stop`, `top_p`, …)."""

    def __post_init__(self) -> None:
        messages = tuple(plain_message(message) for message in self.messages)
        tools = tuple(_plain_tool(tool) for tool in self.tools)
        msgspec.structs.force_setattr(self, "messages", _sendable(messages))
        msgspec.structs.force_setattr(self, "tools", _sendable(tools))

    @classmethod
    def of(cls, said: str | Iterable[Message | Mapping[str, Any]], system: str | None = None, **more: Any) -> Request:
        """A request from a prompt's text or from messages; `system` is what the model is told first.

        >>> Request.of("What is the capital of France?").text
        'What is the capital of France?'
        """
        messages = [HumanMessage(said)] if isinstance(said, str) else list(said)
        first = [SystemMessage(system)] if system is not None else []
        return cls(messages=tuple(plain_message(message) for message in [*first, *messages]), **more)

    @property
    def text(self) -> str:
        """The text of the last message: what a scripted model most often looks at."""
        content = self.messages[-1].get("content") if self.messages else None
        return content if isinstance(content, str) else ""

    def key(self) -> str:
        """The hash of everything that is asked, the repeat number included."""
        return content_hash(msgspec.to_builtins(self))


class Reply(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a model came back with."""

    text: str = ""
    """The text. Where an output schema was wanted: the text that should hold the JSON, as the model wrote it."""
    tool_calls: tuple[ToolCall, ...] = ()
    """The tools that it calls, in order; arguments that are not JSON are kept in `ToolCall.malformed`."""
    finish: str = "stop"
    """Why it stopped, in the endpoint's word: `stop`, `length`, `tool_calls`, …"""
    usage: Usage = Usage()
    """What this reply cost now: nothing at all when it comes from a recording."""
    model: str | None = None
    """The model that answered, as the endpoint calls it."""
    reasoning: str = ""
    """What the model thought aloud, where the endpoint keeps that apart from the text."""
    output_form: str | None = None
    """How the wanted shape was asked for: `json_schema`, `function` or `prompt`; None when none was wanted."""
    from_cache: bool = False
    """Whether a recording answered."""
    recorded_usage: Usage | None = None
    """What the reply cost when it was recorded."""


@runtime_checkable
class ChatModel(Protocol):
    """Whatever answers a request. Implementations raise `ModelError` for everything that goes wrong on the way.

    A model may also have an `endpoint`, text that says where it is asked; recordings keep replies of the same
    model from different endpoints apart.
    """

    @property
    def name(self) -> str:
        """The model's name, as it stands in reports."""
        ...

    async def reply(self, request: Request) -> Reply:
        """Ask, and wait for the reply."""
        ...

    async def aclose(self) -> None:
        """Give back connections and files. It may be called twice; the model may be asked again afterwards."""
        ...


def missing(error: ModelError) -> Missing:
    """What stands where a number would have stood: the fault's sentence, and its particulars with the raw reply."""
    detail = str(error) if error.raw is None else f"{error}\n{error.raw}"
    return Missing(error.reason, detail)


def plain_message(message: Message | Mapping[str, Any]) -> dict[str, Any]:
    """A message in OpenAI's form. Dictionaries that have a `role` are in it already and are only checked for one."""
    if isinstance(message, Mapping) and "role" in message:
        if not isinstance(message["role"], str):
            raise SampleError(f"a message's role must be text, not {message['role']!r}.")
        return dict(message)
    read = read_message(dict(message) if isinstance(message, Mapping) else message)
    if isinstance(read, AIMessage):
        return _plain_answer(read)
    if isinstance(read, ToolMessage):
        return {"role": "tool", "tool_call_id": read.tool_call_id or "", "content": read.content}
    return {"role": "system" if isinstance(read, SystemMessage) else "user", "content": read.content}


def _plain_answer(message: AIMessage) -> dict[str, Any]:
    plain: dict[str, Any] = {"role": "assistant", "content": message.content}
    if message.tool_calls:
        plain["tool_calls"] = [_plain_call(call, place) for place, call in enumerate(message.tool_calls)]
    return plain


def _plain_call(call: ToolCall, place: int) -> dict[str, Any]:
    arguments = call.malformed if call.malformed is not None else msgspec.json.encode(call.args).decode()
    function = {"name": call.name, "arguments": arguments}
    return {"id": call.id or f"call_{place}", "type": "function", "function": function}


def _plain_tool(tool: Mapping[str, Any]) -> dict[str, Any]:
    plain = dict(tool) if "function" in tool else {"type": "function", "function": dict(tool)}
    function = plain["function"]
    if not isinstance(function, Mapping) or not isinstance(function.get("name"), str):
        raise SampleError(f"a tool must be a function with a name, as OpenAI writes it, not {plain!r:.80}.")
    return plain


def _sendable(value: Any) -> Any:
    """The value as it was; only where it cannot be written as JSON text, with the broken characters replaced."""
    try:
        msgspec.json.encode(value)
    except UnicodeEncodeError:
        return _mended(value)
    return value


def _mended(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, dict):
        return {_mended(key): _mended(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(_mended(item) for item in value)
    return value

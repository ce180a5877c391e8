"""OpenAI's chat messages, the items of its Responses, and those of its Agents SDK."""

from __future__ import annotations

from typing import Any

from proctor.dataset_schema import MultiTurnSample
from proctor.errors import SampleError
from proctor.formats.frameworks.objects import as_text, field, listed, plain, text_field
from proctor.formats.frameworks.thread import Thread
from proctor.formats.stabletoolbench.conversions import Conversion
from proctor.messages import read_messages
from proctor.messages.checked import shown

_NO_MEANING = {"reasoning", "item_reference", "compaction"}
_PARTS = {"input_text", "output_text", "text", "summary_text", "refusal"}
_HOSTED = {
    "web_search_call": ("action", "query"),
    "file_search_call": ("queries",),
    "code_interpreter_call": ("code",),
    "image_generation_call": (),
    "computer_call": ("action", "actions"),
    "local_shell_call": ("action",),
    "shell_call": ("action",),
    "apply_patch_call": ("operation",),
    "tool_search_call": ("arguments",),
}
"""Calls of tools that the endpoint runs itself, and the fields that are their arguments."""


def from_openai_chat(messages: Any, **wanted: Any) -> Conversion[MultiTurnSample]:
    """The sample of chat messages: dictionaries, the SDK's objects, or a whole completion at the end of them.

    >>> conversion = from_openai_chat([{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}])
    >>> print(conversion.value.pretty_repr())
    Human: Hi
    AI: Hello
    """
    thread = Thread()
    for item in listed(messages, "a list of chat messages", "messages"):
        choices = field(item, "choices")
        for message in [item] if choices is None else [field(choice, "message") for choice in choices[:1]]:
            thread.add(*read_messages(_known(plain(message))))
            _lose_parts(thread, field(message, "content"))
        if choices is not None and len(choices) > 1:
            thread.lose(f"{len(choices) - 1} more choices of a completion")
    return thread.sample(wanted)


def from_openai_responses(items: Any, **wanted: Any) -> Conversion[MultiTurnSample]:
    """The sample of Responses items: what was sent as `input` followed by what came back as `output`."""
    thread = Thread()
    if instructions := text_field(items, "instructions"):
        thread.system(instructions)
    for item in listed(items, "a list of Responses items", "output", "items"):
        _read_item(thread, item)
    return thread.sample(wanted)


def from_openai_agents(result: Any, **wanted: Any) -> Conversion[MultiTurnSample]:
    """The sample of an Agents SDK run: its result, or a list of its items."""
    listing = getattr(result, "to_input_list", None)
    thread = Thread()
    for item in listing() if listing is not None else listed(result, "a result or its items", "new_items"):
        raw = field(item, "raw_item")
        _read_item(thread, item if raw is None else raw)
    return thread.sample(wanted)


def _known(message: Any) -> Any:
    """A message without the fields that the SDK has and nobody set."""
    if not isinstance(message, dict):
        return message
    return {name: value for name, value in message.items() if value is not None or name == "content"}


def _read_item(thread: Thread, item: Any) -> None:
    kind = text_field(item, "type") or ("message" if field(item, "role") is not None else "")
    if kind == "message":
        _read_said(thread, item)
    elif kind in ("function_call", "custom_tool_call", "mcp_call"):
        identifier = field(item, "call_id", "id")
        thread.called(field(item, "name"), _arguments(item, kind), identifier)
        if kind == "mcp_call" and (field(item, "output") is not None or field(item, "error") is not None):
            failed = field(item, "error")
            said = field(item, "output") if failed is None else failed
            thread.returned(as_text(said), identifier, status=None if failed is None else "error")
    elif kind.endswith("_call_output"):
        thread.returned(_returned(thread, field(item, "output")), field(item, "call_id"))
    elif kind in _HOSTED:
        name = kind.removesuffix("_call")
        arguments = _set({one: plain(field(item, one)) for one in _HOSTED[kind]})
        thread.called(name, arguments, field(item, "call_id", "id"))
        thread.lose(f"what the hosted tool {name} answered")
    elif kind in _NO_MEANING or kind.startswith("mcp_"):
        thread.lose(f"items of the type {kind!r}")
    elif kind.endswith("_call"):
        raise SampleError(f"an item of the type {kind!r} looks like a tool call and cannot be read: {shown(item)}.")
    elif not kind:
        raise SampleError(f"an item must have a type or a role, not be {shown(item)}.")
    else:
        thread.lose(f"items of the type {kind!r}")


def _arguments(item: Any, kind: str) -> Any:
    """A custom tool takes text, not an object."""
    return {"input": field(item, "input")} if kind == "custom_tool_call" else field(item, "arguments")


def _set(value: Any) -> Any:
    """Plain data without what nobody set."""
    if isinstance(value, dict):
        return {name: _set(inner) for name, inner in value.items() if inner is not None}
    return value


def _read_said(thread: Thread, item: Any) -> None:
    text = _returned(thread, field(item, "content"))
    role = text_field(item, "role")
    if role == "assistant":
        thread.said(text)
    elif role in ("system", "developer"):
        thread.system(text)
    elif role == "user":
        thread.human(text)
    else:
        raise SampleError(f"an item has the unknown role {role!r}; expected user, assistant, system or developer.")


def _returned(thread: Thread, content: Any) -> str:
    """Content as text: the texts of its parts, the rest named as lost."""
    if not isinstance(content, list | tuple):
        return as_text(content)
    texts: list[str] = []
    for part in content:
        if text_field(part, "type") in _PARTS:
            texts.append(text_field(part, "text", "refusal") or "")
        else:
            thread.lose(f"parts of the type {text_field(part, 'type')!r}")
    return "\n".join(texts)


def _lose_parts(thread: Thread, content: Any) -> None:
    for part in content if isinstance(content, list | tuple) else ():
        kind = text_field(part, "type")
        if kind not in _PARTS:
            thread.lose(f"parts of the type {kind!r}, which no metric reads")

"""OpenTelemetry's spans of generative AI: `chat`, `execute_tool` and `invoke_agent`."""

from __future__ import annotations

from typing import Any

from proctor import json_text
from proctor.dataset_schema import MultiTurnSample
from proctor.errors import InputError, SampleError
from proctor.formats.frameworks.objects import as_text, field, listed, plain, text_field
from proctor.formats.frameworks.thread import Thread
from proctor.formats.stabletoolbench.conversions import Conversion

_INPUT = "gen_ai.input.messages"
_OUTPUT = "gen_ai.output.messages"
_ROLES = {"user", "assistant", "system", "developer", "tool"}


def from_opentelemetry(spans: Any, **wanted: Any) -> Conversion[MultiTurnSample]:
    """The sample of one trace's spans: the SDK's spans, their JSON, or OTLP's JSON.

    The conversation is read from the model call that saw most of it; tools' answers that no later call saw come from
    the spans of the tools. Content is captured only where somebody asked for it: what was not is named, and a tool span
    without its arguments is a call that cannot be scored, not one without arguments.
    """
    ordered = sorted(_flat(spans), key=_started)
    thread = Thread()
    told = _conversation(thread, ordered)
    for span in ordered:
        if _operation(span) == "execute_tool":
            _read_tool(thread, span, whole=told)
    if not told:
        _read_ends(thread, ordered)
    return thread.sample(wanted)


def _conversation(thread: Thread, spans: list[tuple[Any, dict[str, Any]]]) -> bool:
    """Read the longest conversation that a model call saw; False when none was captured."""
    longest: list[Any] = []
    outer: list[Any] = []
    for span in spans:
        messages = [*_messages(span[1], _INPUT), *_messages(span[1], _OUTPUT)]
        if _operation(span) in ("chat", "generate_content", "text_completion") and len(messages) >= len(longest):
            longest = messages
        elif _operation(span) == "invoke_agent" and len(messages) >= len(outer):
            outer = messages
    best = longest or (outer if any(_has_call(message) for message in outer) else [])
    if not best:
        return False
    instructions = next((span[1]["gen_ai.system_instructions"] for span in spans if _instructed(span)), None)
    if instructions is not None:
        thread.system(_text(thread, _decoded(instructions)))
    for message in best:
        _read_message(thread, message)
    return True


def _instructed(span: tuple[Any, dict[str, Any]]) -> bool:
    return "gen_ai.system_instructions" in span[1]


def _has_call(message: Any) -> bool:
    return any(field(part, "type") == "tool_call" for part in field(message, "parts") or ())


def _read_message(thread: Thread, message: Any) -> None:
    role = text_field(message, "role")
    if role not in _ROLES:
        raise SampleError(f"a message of a span has the unknown role {role!r}; expected one of {', '.join(_ROLES)}.")
    parts = field(message, "parts")
    text = _text(thread, field(message, "content") if parts is None else parts)
    if role == "user" and text:
        thread.human(text)
    elif role in ("system", "developer"):
        thread.system(text)
    elif role == "assistant":
        thread.said(text)
    for part in parts or ():
        kind = text_field(part, "type")
        if kind == "tool_call":
            thread.called(field(part, "name"), field(part, "arguments"), field(part, "id"))
        elif kind == "tool_call_response":
            thread.returned(as_text(field(part, "response", "result")), field(part, "id"))


def _text(thread: Thread, parts: Any) -> str:
    if not isinstance(parts, list | tuple):
        return as_text(parts)
    texts: list[str] = []
    for part in parts:
        kind = text_field(part, "type")
        if kind == "text":
            texts.append(as_text(field(part, "content", "text")))
        elif kind not in ("tool_call", "tool_call_response"):
            thread.lose(f"parts of the type {kind!r}")
    return "\n".join(texts)


def _read_tool(thread: Thread, span: tuple[Any, dict[str, Any]], *, whole: bool) -> None:
    """A tool's span: a call that no model's span told of, or its answer."""
    known = span[1]
    name = known.get("gen_ai.tool.name") or str(field(span[0], "name") or "").removeprefix("execute_tool ")
    identifier = known.get("gen_ai.tool.call.id")
    arguments = _decoded(known.get("gen_ai.tool.call.arguments"))
    result = _decoded(known.get("gen_ai.tool.call.result"))
    answered = any(getattr(message, "tool_call_id", None) == identifier for message in thread.messages)
    if whole and (identifier is None or thread.has_call(identifier)):
        if result is not None and identifier is not None and not answered:
            thread.returned(as_text(result), identifier, name=name, status=_status(known))
        return
    if arguments is None:
        thread.called(name, "not captured", identifier)
        thread.lose(f"the arguments of a call of {name}, which were not captured: it stands as a malformed call")
    else:
        thread.called(name, arguments, identifier)
    if result is None:
        thread.lose(f"what {name} answered, which was not captured")
    else:
        thread.returned(as_text(result), identifier, name=name, status=_status(known))


def _status(known: dict[str, Any]) -> Any:
    return "error" if known.get("error.type") else None


def _read_ends(thread: Thread, spans: list[tuple[Any, dict[str, Any]]]) -> None:
    """What the agent was asked and what it said in the end, from its own span."""
    called = thread.messages
    thread.messages = []
    agents = [known for span, known in spans if _operation((span, known)) == "invoke_agent"]
    asked = [message for known in agents[:1] for message in _messages(known, _INPUT)]
    for message in asked:
        _read_message(thread, message)
    thread.messages += called
    for known in agents[:1]:
        for message in _messages(known, _OUTPUT):
            _read_message(thread, message)
    if not asked:
        thread.lose("what was said, which was not captured: only the tools' spans tell of the conversation")


def _messages(known: dict[str, Any], name: str) -> list[Any]:
    value = _decoded(known.get(name))
    return value if isinstance(value, list) else []


def _decoded(value: Any) -> Any:
    """An attribute's value: structure is often written as JSON text."""
    if not isinstance(value, str):
        return value
    try:
        return json_text.decode(value)
    except InputError:
        return value


def _operation(span: tuple[Any, dict[str, Any]]) -> str:
    said = span[1].get("gen_ai.operation.name")
    return str(said) if said else str(field(span[0], "name") or "").partition(" ")[0]


def _started(span: tuple[Any, dict[str, Any]]) -> tuple[int, str]:
    """When a span began: nanoseconds, or a date as text, which sorts the same way within one trace."""
    when = field(span[0], "start_time", "startTimeUnixNano", "start_time_unix_nano")
    if isinstance(when, str) and not when.isdigit():
        return 0, when
    return int(when or 0), ""


def _flat(spans: Any) -> list[tuple[Any, dict[str, Any]]]:
    """Every span with its attributes, out of OTLP's nesting where there is one."""
    found: list[tuple[Any, dict[str, Any]]] = []
    for span in listed(spans, "a list of spans", "spans", "resourceSpans", "resource_spans"):
        inner = field(span, "scopeSpans", "scope_spans", "spans")
        if isinstance(inner, list | tuple):
            found += _flat(inner)
        else:
            found.append((span, _attributes(field(span, "attributes"))))
    return found


def _attributes(said: Any) -> dict[str, Any]:
    if isinstance(said, list | tuple):
        return {str(field(one, "key")): _otlp(field(one, "value")) for one in said}
    return dict(plain(said)) if said is not None else {}


def _otlp(value: Any) -> Any:
    """A value as OTLP writes it: under the name of its type."""
    if not isinstance(value, dict) or len(value) != 1:
        return value
    kind, inner = next(iter(value.items()))
    if kind == "arrayValue":
        return [_otlp(one) for one in inner.get("values", ())]
    if kind == "kvlistValue":
        return {one["key"]: _otlp(one["value"]) for one in inner.get("values", ())}
    return int(inner) if kind == "intValue" else inner

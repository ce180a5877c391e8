"""The events of Google's Agent Development Kit."""

from __future__ import annotations

from typing import Any

from proctor.dataset_schema import MultiTurnSample
from proctor.formats.frameworks.objects import as_text, field, listed, plain, text_field
from proctor.formats.frameworks.thread import Thread
from proctor.formats.stabletoolbench.conversions import Conversion


def from_google_adk(events: Any, **wanted: Any) -> Conversion[MultiTurnSample]:
    """The sample of a session's events, or of the session. Pieces of a stream are left out: the whole follows them."""
    thread = Thread()
    for event in listed(events, "a list of ADK events", "events"):
        content = field(event, "content")
        if field(event, "partial") or content is None:
            continue
        user = text_field(event, "author") == "user" or (
            field(event, "author") is None and text_field(content, "role") == "user"
        )
        _read_parts(thread, field(content, "parts") or (), user=user)
    return thread.sample(wanted)


def _read_parts(thread: Thread, parts: Any, *, user: bool) -> None:
    said: list[str] = []
    for part in parts:
        call = field(part, "function_call", "functionCall")
        returned = field(part, "function_response", "functionResponse")
        text = text_field(part, "text")
        if call is not None:
            thread.called(field(call, "name"), plain(field(call, "args")), field(call, "id"))
        elif returned is not None:
            _read_response(thread, returned)
        elif field(part, "thought"):
            thread.lose("thoughts")
        elif text is not None and user:
            said.append(text)
        elif text is not None:
            thread.said(text)
        else:
            thread.lose(_named(part))
    if said:
        thread.human("\n".join(said))


def _read_response(thread: Thread, returned: Any) -> None:
    response = plain(field(returned, "response"))
    failed = isinstance(response, dict) and response.keys() == {"error"}
    whole = response["result"] if isinstance(response, dict) and response.keys() == {"result"} else response
    thread.returned(
        as_text(whole),
        field(returned, "id"),
        name=text_field(returned, "name"),
        status="error" if failed else None,
    )


def _named(part: Any) -> str:
    known = plain(part)
    names = [name for name, value in known.items() if value is not None] if isinstance(known, dict) else []
    return f"parts with {', '.join(sorted(names)) or 'nothing in them'}"

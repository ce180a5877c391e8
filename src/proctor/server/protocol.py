"""Upstream's protocol for `POST /virtual`: what is asked, what is answered, and which status it has. Pure."""

from __future__ import annotations

import json
import re
from typing import Any

import msgspec

from proctor import json_text
from proctor.errors import InputError
from proctor.records.answers import Answer

__all__ = [
    "Rejected",
    "VirtualRequest",
    "answer_body",
    "error_body",
    "observation_body",
    "provenance_header",
    "read_request",
    "tool_input",
]

PARSE_ERROR = "Tool input parse error"
"""How the error of an answer begins when the tool's input cannot be read; clients look for it."""
_LONGEST_HEADER = 4096
_MISSING = re.compile(r"missing required field `(\w+)`")
_PLACE = re.compile(r"- at `\$\.(\w+)")


class VirtualRequest(msgspec.Struct):
    """One call as upstream's clients send it. All six fields are needed."""

    category: str
    tool_name: str
    api_name: str
    tool_input: str | dict[str, Any]
    strip: str
    """Sent by clients, and without effect: the answer is always whole."""
    toolbench_key: str
    """Where the server wants a token, it may stand here; otherwise without effect, and never kept."""


class Rejected(msgspec.Struct, frozen=True):
    """A request that is not answered."""

    status: int
    body: bytes


_decode = msgspec.json.Decoder(VirtualRequest).decode
_decode_any = msgspec.json.Decoder().decode


def read_request(body: bytes) -> VirtualRequest | Rejected:
    """The request in a body; status 422 with the field's name where a field lacks or has the wrong type."""
    try:
        return _decode(body)
    except msgspec.ValidationError as error:
        return _invalid(str(error))
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        said = "the body is nested too deeply" if isinstance(error, RecursionError) else str(error)
        return _unprocessable(["body"], f"the body is not JSON: {said}", "json_invalid")


def tool_input(said: str | dict[str, Any]) -> dict[str, Any] | str:
    """The arguments of a call, or the error to answer with. No text at all means no arguments."""
    if isinstance(said, dict):
        return _checked(said)
    if not said.strip():
        return {}
    try:
        read = _decode_any(said)
        json_text.refuse_duplicates(said.encode(), _encode(read))
    except InputError as error:
        return f"{PARSE_ERROR}: {error}"
    except json_text.UNREADABLE as error:
        return f"{PARSE_ERROR}: {json_text.problem(error, said)}"
    if not isinstance(read, dict):
        return f"{PARSE_ERROR}: expected a JSON object with the arguments, not {type(read).__name__}."
    return _checked(read)


def answer_body(answer: Answer) -> bytes:
    """The body that an answer is sent as."""
    return _encode({"error": answer.error, "response": answer.response})


def error_body(error: str) -> bytes:
    """The body that says why there is no response."""
    return _encode({"error": error, "response": ""})


def observation_body(observation: str) -> bytes:
    """The body with what an agent is shown: the two fields as they are, or, as the response, a text that was cut."""
    body = observation.encode("utf-8", "replace")
    try:
        said = _decode_any(body)
    except msgspec.MsgspecError:
        return _encode({"error": "", "response": observation})
    whole = isinstance(said, dict) and said.keys() == {"error", "response"}
    return body if whole else _encode({"error": "", "response": observation})


def provenance_header(answer: Answer) -> bytes:
    """Where an answer came from, as JSON for a header: one line in ASCII."""
    said = _encode(answer.provenance)
    if not said.isascii():
        said = json.dumps(msgspec.to_builtins(answer.provenance)).encode("ascii")
    if len(said) <= _LONGEST_HEADER or answer.provenance is None:
        return said
    return json.dumps({"source": answer.provenance.source.value, "entry": answer.provenance.entry}).encode("ascii")


_encode = msgspec.json.Encoder().encode


def _checked(arguments: dict[str, Any]) -> dict[str, Any] | str:
    try:
        json_text.refuse_depth(arguments)
    except InputError as error:
        return f"{PARSE_ERROR}: {error}"
    return arguments


def _invalid(said: str) -> Rejected:
    missing = _MISSING.search(said)
    if missing is not None:
        return _unprocessable(["body", missing[1]], "Field required", "missing")
    place = _PLACE.search(said)
    return _unprocessable(["body", place[1]] if place else ["body"], said.split(" - at ", maxsplit=1)[0], "type_error")


def _unprocessable(place: list[str], message: str, kind: str) -> Rejected:
    return Rejected(422, _encode({"detail": [{"type": kind, "loc": place, "msg": message}]}))

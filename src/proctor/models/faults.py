"""The name of what went wrong when an endpoint did not answer, and what its "no" teaches. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import msgspec

from proctor.errors import (
    ModelBusyError,
    ModelError,
    ModelRefusedError,
    ModelRequestError,
    ModelTimeoutError,
    ModelUnavailableError,
    ReplyError,
)
from proctor.models.answered import Answered
from proctor.models.names import Address
from proctor.models.payloads import Form

__all__ = ["fault", "hidden_fault", "is_vague", "lesson"]

_SHOWN = 300
"""So many characters of what an endpoint said stand in an error's sentence."""

_SWITCHES = re.IGNORECASE | re.DOTALL
_UNKNOWN_MODEL = re.compile(
    r"model_not_found|(unknown|invalid|no such) model\b|not a valid model|"
    r"\bmodel\b[\s:]*([`'\"]?[\w./:@-]+[`'\"]?\s+)?((is|was|does|could) )?(not (be )?(found|exist)|unknown)",
    _SWITCHES,
)
_TOO_LONG = re.compile(r"context.{0,20}(length|window|size)|too many tokens|maximum.{0,20}tokens|too long", _SWITCHES)
_FILTERED = re.compile(r"content_filter|content management policy|moderation|flagged", _SWITCHES)
_NO_CREDIT = re.compile(
    r"insufficient_quota|billing_(not_active|hard_limit)|exceeded your current quota|"
    r"insufficient (funds|credit|balance)",
    _SWITCHES,
)
_BAD_KEY = re.compile(
    r"api[ _]?key.{0,20}(not valid|invalid|incorrect)|(invalid|incorrect).{0,5}api[ _]?key", _SWITCHES
)
_TOO_MANY = re.compile(r"rate.?limit|too many requests", _SWITCHES)
_NOT_TAKEN = re.compile(
    r"unsupported|not support|unrecognized|unknown (parameter|field|argument)|not permitted", _SWITCHES
)
_FORM_WORDS = {
    "json_schema": re.compile(r"response_format|json_schema|structured output|guided|grammar", _SWITCHES),
    "function": re.compile(r"\btool|function", _SWITCHES),
}
_SCHEMA_IS_WRONG = re.compile(r"invalid schema|invalid_json_schema", _SWITCHES)
_PARAMETERS = ("max_tokens", "temperature", "seed")
_TEACHING = frozenset({400, 404, 405, 415, 422, 500, 501})


def fault(answered: Answered, address: Address) -> ModelError:
    """The fault in an answer that is not `fine`."""
    status = answered.status
    if status is None:
        return _silence(answered, address)
    said = _said(answered)
    refusal = _refusal(status, said, address)
    if refusal is not None:
        return ModelRefusedError(refusal[1], kind=refusal[0], model=address.name, status=status)
    if status == 429 or (status == 403 and _TOO_MANY.search(said)):
        sentence = f"{address.url} says that there are too many requests ({status}){said}."
        return ModelBusyError(sentence, model=address.name, status=status)
    if status >= 500 or status in (408, 409, 425):
        sentence = f"{address.url} failed ({status}){said}."
        return ModelUnavailableError(sentence, kind="server_error", model=address.name, status=status)
    return _not_taken(status, said, answered, address)


def hidden_fault(data: Mapping[str, Any], answered: Answered, address: Address) -> ModelError | None:
    """The fault in an answer that says 200 and holds nothing but an error, as some routers send it."""
    error = data.get("error")
    if not error or "choices" in data:
        return None
    code = error.get("code") if isinstance(error, dict) else None
    status = code if type(code) is int and 400 <= code < 600 else 502
    return fault(msgspec.structs.replace(answered, status=status), address)


def lesson(answered: Answered, form: Form | None, sent: Mapping[str, Any]) -> str | None:
    """What a plain "no" teaches: the parameter or the form of the request that the endpoint lacks, if it says so."""
    if answered.status not in _TEACHING:
        return None
    said = _said(answered)
    for name in _PARAMETERS:
        if name in sent and re.search(rf"\b{name}\b", said) and _NOT_TAKEN.search(said):
            return name
    words = _FORM_WORDS.get(form or "")
    if words is not None and words.search(said) and not _SCHEMA_IS_WRONG.search(said):
        return form
    return None


def is_vague(error: ModelError) -> bool:
    """Whether it is a "no" to one request that does not say what was wrong with it."""
    return error.kind == "bad_request" and not _SCHEMA_IS_WRONG.search(str(error))


def _silence(answered: Answered, address: Address) -> ModelError:
    if answered.timed_out:
        return ModelTimeoutError(f"{address.url} did not answer in time.", model=address.name)
    return ModelUnavailableError(f"{address.url} cannot be reached: {answered.broke}.", model=address.name)


def _refusal(status: int, said: str, address: Address) -> tuple[str, str] | None:
    """The kind and the sentence of a refusal after which no request can succeed."""
    forbidden = status == 403 and not (_FILTERED.search(said) or _TOO_MANY.search(said))
    if status == 401 or forbidden or (status == 400 and _BAD_KEY.search(said)):
        key = f"the key in {address.key_variable}" if address.key_variable else "the key"
        return "refused_key", f"{address.url} refuses {key} ({status}); check that it is right and may use the model."
    if status == 402 or (status == 429 and _NO_CREDIT.search(said)):
        return "no_credit", f"the account at {address.url} has no credit left ({status}); top it up and begin again."
    if status == 404 or (status == 400 and _UNKNOWN_MODEL.search(said)):
        what = f"{address.url} does not know the model {address.model!r}"
        return "unknown_model", f"{what} ({status}){said}; check the model's name and the endpoint's address."
    return None


def _not_taken(status: int, said: str, answered: Answered, address: Address) -> ModelError:
    """The fault of one request that the endpoint does not take."""
    if _FILTERED.search(said):
        sentence = f"the content filter of {address.url} refused the request ({status}){said}."
        return ReplyError(sentence, kind="filtered", model=address.name, status=status, raw=answered.text())
    kind = "too_long" if status == 413 or _TOO_LONG.search(said) else "bad_request"
    sentence = f"{address.url} does not take the request ({status}){said}."
    return ModelRequestError(sentence, kind=kind, model=address.name, status=status, raw=answered.text())


def _said(answered: Answered) -> str:
    """What the endpoint said about it, ready to stand in a sentence: `: the words`, or nothing."""
    try:
        data = msgspec.json.decode(answered.body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return ""
    error = data.get("error", data) if isinstance(data, dict) else data
    if isinstance(error, dict):
        words = [error.get("code") or error.get("type"), error.get("message"), error.get("detail")]
        error = " ".join(word for word in words if isinstance(word, str))
    text = " ".join(error.split())[:_SHOWN].rstrip(".") if isinstance(error, str) else ""
    return f": {text}" if text else ""

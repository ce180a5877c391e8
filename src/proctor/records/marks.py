"""Which answers are suspicious: those of a backend that failed, and those that say nothing.

A failure is told by the shape of what is said (a sentence known from gateways, a status where a status stands), never
by digits or words inside data: an id 47401 or 500,000 followers are data. An API that refuses its arguments in words of
its own has answered.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import msgspec

from proctor.records.answers import Answer
from proctor.records.entries import Mark

_LONGEST_SENTENCE = 400
"""A longer text is data, not a gateway's sentence."""
_SENTENCES = re.compile(
    r"""^\W*(?:error\W+)?(?:
    (?:api\ not\ working|unauthori[sz]ed|unsubscribed|too\ many\ requests|rate\ limit|gateway|blocked|message)\ error\b
    | (?:http\ )?(?:error\ )?(?:status\ )?(?:code\ )?[:=\s]*[45]\d\d\b\W*
      (?:(?:client|server)?\ ?error|bad|unauthori[sz]ed|payment|forbidden|not\ found|method|request|too\ many
         |internal|not\ implemented|service|gateway|timeout)
    | (?:http|error|status|code)\b[\w\ :=]{0,20}\b[45]\d\d\b\W*$
    | request\ failed\ with\ status\ code\ [45]\d\d\b
    | you\ are\ not\ subscribed\ to\ this\ api
    | you\ have\ exceeded\ the\ [\w\ -]{0,30}(?:quota|rate\ limit)
    | (?:too\ many\ requests|rate\ limit\ exceeded|internal\ server\ error|bad\ gateway|service\ (?:is\ )?unavailable
        |service\ temporarily\ unavailable|gateway\ time-?out|unauthori[sz]ed|forbidden|not\ found|page\ not\ found)\W*$
    | (?:this\ )?api\ does(?:n't|\ not)\ exists?\W*$
    | endpoint\ '?[^']*'?\ (?:does(?:n't|\ not)\ exist|is\ disabled)
    | the\ api\ is\ unreachable
    | (?:invalid|missing)\ (?:api[\ -]?key|rapidapi)
    | invalid\ api\ key
    | (?:upstream\ )?(?:request|connection|read|connect)\ (?:has\ )?timed?[\ -]?out
    | (?:connection|upstream\ connect)\ (?:error|refused|reset|aborted)
    | blocked\ user
    | [^.]{0,80}\bdid\ not\ return\ useful\ information
    )""",
    re.VERBOSE | re.IGNORECASE,
)
_PAGE = re.compile(r"\s*<(?:!doctype html|html)\b.*?<title>\s*(?:error\W+)?[45]\d\d\b", re.IGNORECASE | re.DOTALL)
_STATUS_FIELDS = ("status", "statusCode", "status_code", "httpStatus", "http_code", "code")
_SAYING_FIELDS = ("message", "error", "errors", "detail", "msg", "title", "error_message", "reason")
_MOST_FIELDS = 6
"""An object with more fields than this is data with a status in it, not a gateway's report."""


def mark_of(answer: Answer) -> Mark | None:
    """Why an answer is suspicious, if it is.

    >>> mark_of(Answer({"message": "You are not subscribed to this API."}))
    <Mark.FAILURE: 'failure'>
    >>> mark_of(Answer({"id": 500, "title": "404 ways to cook"})) is None
    True
    """
    if failed(answer):
        return Mark.FAILURE
    return Mark.EMPTY if not answer.error.strip() and _is_empty(_read(answer.response)) else None


def failed(answer: Answer) -> bool:
    """Whether an answer has the shape of a backend's failure."""
    error = answer.error
    return _is_failure_sentence(error) or _is_status(error.strip()) or _is_failure(_read(answer.response))


def _read(response: Any) -> Any:
    """A response, or the JSON in it: recorded responses are often JSON text."""
    if not isinstance(response, str) or response.strip()[:1] not in {"{", "[", '"', "n"}:
        return response
    try:
        return msgspec.json.decode(response.strip())
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return response


def _is_failure(response: Any) -> bool:
    if isinstance(response, str):
        return _is_failure_sentence(response) or _PAGE.match(response[:2000]) is not None
    if not isinstance(response, Mapping) or not response or len(response) > _MOST_FIELDS:
        return False
    said = [response[name] for name in _SAYING_FIELDS if name in response]
    if any(_is_status(response.get(name)) for name in _STATUS_FIELDS) and said:
        return True
    return len(response) <= len(said) + 1 and any(isinstance(text, str) and _is_failure_sentence(text) for text in said)


def _is_failure_sentence(text: str) -> bool:
    return len(text) <= _LONGEST_SENTENCE and _SENTENCES.match(text) is not None


def _is_status(value: Any) -> bool:
    if isinstance(value, str) and re.fullmatch(r"[45]\d\d", value):
        return True
    return type(value) is int and 400 <= value <= 599


def _is_empty(value: Any) -> bool:
    if isinstance(value, str):
        return not value.strip()
    return value is None or (isinstance(value, (dict, list)) and not value)

"""Which answers are suspicious: those of a backend that failed, and those that say nothing.

This is the one rule by which the gateway keeps failures out of the store, whoever was asked, and by which the importer
marks recorded ones. A failure is told by the shape of what is said: a sentence that is known from gateways, or a status
that stands where a status stands, in an object that holds nothing else. Digits or words inside data tell nothing. An
API that refuses its arguments in words of its own (`404 Not Found: there is no user 1`) has answered.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import msgspec

from proctor.records.answers import Answer
from proctor.records.entries import Mark

REFUSED_ARGUMENTS = frozenset({400, 404, 406, 409, 410, 411, 412, 413, 414, 415, 416, 422})
"""By these statuses an API speaks about the request: what it says in words of its own is an answer."""
_SAID_OF_THE_REQUEST = REFUSED_ARGUMENTS | {403}
"""Those that tell so much in a text: `403 Forbidden: the appointment is private` is what an API says."""
_PHRASES = {
    400: "bad request",
    401: "unauthorized",
    402: "payment required",
    403: "forbidden",
    404: "not found",
    405: "method not allowed",
    406: "not acceptable",
    407: "proxy authentication required",
    408: "request timeout",
    409: "conflict",
    410: "gone",
    411: "length required",
    412: "precondition failed",
    413: "request entity too large",
    414: "request-uri too long",
    415: "unsupported media type",
    416: "requested range not satisfiable",
    417: "expectation failed",
    421: "misdirected request",
    422: "unprocessable entity",
    423: "locked",
    424: "failed dependency",
    425: "too early",
    426: "upgrade required",
    428: "precondition required",
    429: "too many requests",
    431: "request header fields too large",
    451: "unavailable for legal reasons",
    500: "internal server error",
    501: "not implemented",
    502: "bad gateway",
    503: "service unavailable",
    504: "gateway timeout",
    505: "http version not supported",
    506: "variant also negotiates",
    507: "insufficient storage",
    508: "loop detected",
    510: "not extended",
    511: "network authentication required",
}
"""HTTP's own words for its statuses."""
_STATUSES = frozenset(_PHRASES) | frozenset(range(520, 527))
"""Those of HTTP, and those of a large network of proxies."""
_LONGEST_SENTENCE = 400
"""A longer text is data, not a gateway's sentence."""
_DASHES = "\N{EN DASH}-"
_ENDS = rf"(?=\s*(?:[.:;,!…(\[<|{_DASHES}]|$))"
_SENTENCES = re.compile(
    rf"""^\W*(?:error\W+)?(?:
    (?:api\ not\ working|unauthori[sz]ed|unsubscribed|too\ many\ requests|rate\ limit|gateway|blocked|message)
        \ error{_ENDS}
    | request\ failed\ with\ status\ code\ [45]\d\d\b
    | you\ are\ not\ subscribed\ to\ this\ api
    | you\ have\ exceeded\ the\ [\w\ -]{{0,30}}(?:quota|rate\ limit)
    | (?:too\ many\ requests|rate\ limit(?:ed|\ exceeded)|internal\ server\ error|bad\ gateway
        |service\ (?:(?:is|temporarily)\ )?unavailable|gateway\ time-?out|(?:page\ )?not\ found)\W*$
    | (?:this\ )?api\ does(?:n't|\ not)\ exists?\W*$
    | endpoint\ '?[^']*'?\ (?:does(?:n't|\ not)\ exist|is\ disabled)
    | the\ api\ is\ unreachable
    | (?:invalid|missing)\ (?:api[\ -]?key|rapidapi)
    | (?:upstream\ )?(?:request|connection|read|connect)\ (?:has\ )?timed?[\ -]?out{_ENDS}
    | (?:upstream\ connect|connection)\ (?:error|refused|reset|aborted)\b
    | blocked\ user\W*$
    | [^.]{{0,80}}\bdid\ not\ return\ useful\ information
    )""",
    re.VERBOSE | re.IGNORECASE,
)
_WORDS = re.compile(r"\W*(?:unauthori[sz]ed|forbidden)\W*", re.IGNORECASE)
"""Failures where an error stands; alone as a response they may be a word out of a dictionary."""
_STATUS = re.compile(
    r"\W*(?P<named>(?:(?:http(?:/\d(?:\.\d)?)?|error|status|code)[\s:=]*)*)(?P<status>[45]\d\d)\b", re.IGNORECASE
)
_GENERIC = re.compile(
    r"[\s\W]*(?:(?:client|server)?\s*error\b|bad request|not found|page not found)?\W*", re.IGNORECASE
)
"""What may follow a status without saying anything about the request."""
_PAGE = re.compile(r"\s*<(?:!doctype html|html)\b.*?<title>([^<]{1,200})</title>", re.IGNORECASE | re.DOTALL)
_STATUS_FIELDS = ("status", "statusCode", "status_code", "httpStatus", "http_code", "httpStatusCode")
_SAYING_FIELDS = ("message", "messages", "error", "errors", "detail", "msg", "error_message", "errorMessage", "info")
_SAYING_BESIDE_A_STATUS = (*_SAYING_FIELDS, "title", "reason")
"""A title or a reason says what went wrong only where a status stands beside it; otherwise it may be that of a book."""
_REPORTED = frozenset(
    {*_STATUS_FIELDS, *_SAYING_BESIDE_A_STATUS, "code", "path", "timestamp", "type", "instance", "success", "ok"}
    | {"requestId", "request_id", "traceId", "trace_id", "documentation_url", "url", "method", "exception", "help"}
)
"""The fields of a gateway's report. An object with any other is data."""
_DEEPEST = 3


def mark_of(answer: Answer) -> Mark | None:
    """Why an answer is suspicious, if it is.

    >>> mark_of(Answer({"message": "You are not subscribed to this API."}))
    <Mark.FAILURE: 'failure'>
    >>> mark_of(Answer({"id": 500, "title": "404 ways to cook"})) is None
    True
    >>> mark_of(Answer("", "404 Not Found: there is no user 1")) is None
    True
    """
    if failed(answer):
        return Mark.FAILURE
    if answer.provenance is not None and answer.provenance.cut:
        return Mark.CUT
    return Mark.EMPTY if not answer.error.strip() and _is_empty(_read(answer.response)) else None


def failed(answer: Answer) -> bool:
    """Whether an answer has the shape of a backend's failure.

    `[]` and `{}` are answers: a search that finds nothing says so by them.
    """
    return _is_failed_error(answer.error) or _is_failed_response(_read(answer.response))


def _read(said: Any) -> Any:
    """What is said, or the JSON in it: recorded responses are often JSON text."""
    if not isinstance(said, str) or said.strip()[:1] not in {"{", "[", '"', "n"}:
        return said
    try:
        return msgspec.json.decode(said.strip())
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return said


def _is_failed_error(error: Any, depth: int = 0) -> bool:
    """Whether what stands in the place of an error is a failure of whoever stands between us and the API."""
    said = _read(error)
    if isinstance(said, Mapping):
        return _is_report(said, depth)
    if not isinstance(said, str):
        return _status_in(said) is not None
    if _is_failed_text(said) or _WORDS.fullmatch(said):
        return True
    led = _STATUS.match(said[:_LONGEST_SENTENCE])
    if led is None:
        return False
    rest = said[led.end() :]
    separated = led["named"] or not rest.strip() or rest.lstrip()[:1] in {":", ",", "(", *_DASHES}
    status = int(led["status"])
    return bool(separated or _phrase_of(status, rest)) and _is_failure_by(status, rest)


def _is_failed_response(response: Any) -> bool:
    if isinstance(response, Mapping):
        return _is_report(response)
    if not isinstance(response, str):
        return False
    page = _PAGE.match(response[:2000])
    return _is_failed_text(response) or (page is not None and _is_failed_page(page[1]))


def _is_failed_text(text: str) -> bool:
    """Whether a text is nothing but a gateway's sentence, or a status in its own words."""
    if len(text) > _LONGEST_SENTENCE:
        return False
    if _SENTENCES.match(text):
        return True
    led = _STATUS.match(text)
    if led is None:
        return False
    status, rest = int(led["status"]), text[led.end() :]
    if led["named"] and not rest.strip(" \t\r\n.!"):
        return True  # "error 500", "HTTP status code 404"
    phrase = _phrase_of(status, rest)
    return phrase is not None and re.match(rf"{_ENDS}", phrase) is not None and _is_failure_by(status, phrase)


def _is_failed_page(title: str) -> bool:
    led = _STATUS.match(title)
    if led is None:
        return False
    rest = title[led.end() :]
    return bool(led["named"]) or not rest.strip() or _phrase_of(int(led["status"]), rest) is not None


def _phrase_of(status: int, rest: str) -> str | None:
    """What follows the words that HTTP has for a status; None where they do not stand there."""
    if status not in _STATUSES:
        return None
    words = _PHRASES.get(status, "web server")
    found = re.match(
        rf"[\s:{_DASHES}]*(?:(?:client|server)\s+error[\s:{_DASHES}]*)?{re.escape(words)}\b", rest, re.IGNORECASE
    )
    return None if found is None else rest[found.end() :]


def _is_failure_by(status: int, rest: str) -> bool:
    """Whether a status, and what is said beside it, is a failure: not where an API speaks about the request."""
    if status not in _STATUSES:
        return False
    return status not in _SAID_OF_THE_REQUEST or _is_generic(status, rest)


def _is_generic(status: int, word: Any) -> bool:
    """Whether what is said beside a status is no more than the status itself."""
    if isinstance(word, bool | int):
        return True
    if not isinstance(word, str):
        return False
    rest = _phrase_of(status, word)
    return _GENERIC.fullmatch(word if rest is None else rest) is not None


def _is_report(said: Mapping[str, Any], depth: int = 0) -> bool:
    """Whether an object is a gateway's report of a failure: a status and what is said of it, and no data."""
    if not said or depth > _DEEPEST or not _REPORTED.issuperset(said):
        return False
    words = [said[name] for name in _SAYING_FIELDS if said.get(name)]
    status = next((_status_in(said[name]) for name in _STATUS_FIELDS if _status_in(said.get(name))), None)
    if status is not None:
        words = [said[name] for name in _SAYING_BESIDE_A_STATUS if said.get(name)]
    elif words:
        status = _status_in(said.get("code"))
    if status is None or not words:
        return any(_is_failed_word(word, depth) for word in words)
    own = [word for word in words if not _is_generic(status, word)]
    return status not in REFUSED_ARGUMENTS or not own or any(_is_failed_word(word, depth) for word in own)


def _is_failed_word(word: Any, depth: int) -> bool:
    if isinstance(word, list):
        word = word[0] if len(word) == 1 else None
    if isinstance(word, Mapping):
        return _is_report(word, depth + 1)
    return isinstance(word, str) and _is_failed_error(word, depth + 1)


def _status_in(value: Any) -> int | None:
    """The status that a value is: a number, or a text that begins with one."""
    if isinstance(value, str):
        found = _STATUS.match(value)
        rest = "" if found is None else value[found.end() :]
        if found is None or (rest.strip() and _phrase_of(int(found["status"]), rest) is None):
            return None
        value = int(found["status"])
    return value if type(value) is int and value in _STATUSES else None


def _is_empty(value: Any) -> bool:
    return value is None or (isinstance(value, str) and not value.strip())

"""Live sources: the APIs themselves, by their documented addresses, or a backend that knows them.

A key goes to the hosts that it is for and nowhere else, follows no redirection, and stands in no answer.
"""

from __future__ import annotations

import http.client
import json
from collections.abc import Callable
from typing import Any
from urllib.parse import SplitResult, quote, urlencode, urlsplit, urlunsplit

import msgspec

from proctor.errors import OptionError
from proctor.gateway.http_answers import backend_answer, http_answer
from proctor.gateway.lines import HttpRequest, Lines
from proctor.gateway.policy import shortened
from proctor.gateway.source import Call, Unanswered
from proctor.models.environment import Secret
from proctor.records.answers import Answer, Source
from proctor.records.queries import ApiSpec

__all__ = ["BackendSource", "HttpRequest", "RapidApiSource", "api_request"]

_IN_QUERY = frozenset({"GET", "DELETE", "HEAD"})
_LOCAL = frozenset({"127.0.0.1", "::1", "localhost"})


Read = Callable[[int, str], Answer | Unanswered]
"""What an answer of this status and text says."""


def api_request(spec: ApiSpec, arguments: dict[str, Any]) -> HttpRequest | Unanswered:
    """The request that calls an API: arguments in the path, the query, the headers or the body, where they belong."""
    if not spec.url:
        return Unanswered("undocumented", "its documentation has no address")
    parts = _parts(spec.url)
    if parts is None:
        return Unanswered("undocumented", f"its address cannot be read: {shortened(spec.url, 80)}")
    places = {parameter.name: parameter.place for parameter in spec.parameters}
    method = spec.method.upper()
    path = parts.path
    query: dict[str, Any] = {}
    body: dict[str, Any] = {}
    headers: dict[str, str] = {}
    for name, value in arguments.items():
        if f"{{{name}}}" in path:
            said = _text(value)
            if said in {".", "..", ""}:
                return Unanswered("failed", f"{name!r} cannot be part of a path")
            path = path.replace(f"{{{name}}}", quote(said, safe=""))
        elif places.get(name) == "header":
            headers[name] = _text(value)
        elif places.get(name) == "body" or (places.get(name) != "query" and method not in _IN_QUERY):
            body[name] = value
        else:
            query[name] = _text(value)
    asked = "&".join(part for part in (parts.query, urlencode(query)) if part)
    url = urlunsplit((parts.scheme, parts.netloc, path, asked, ""))
    data = json.dumps(body).encode() if body or method not in _IN_QUERY else None
    return HttpRequest(method, url, data, {**headers, **({"content-type": "application/json"} if data else {})})


class _HttpSource:
    """A source that asks over HTTP, in threads of its own."""

    source = Source.LIVE

    def __init__(self, name: str, key: Secret | None, timeout: float) -> None:
        self.name = name
        self._key = key
        self._timeout = timeout
        self._lines = Lines(timeout)

    async def _asked(
        self, request: HttpRequest, read: Callable[[int, str], Answer | Unanswered]
    ) -> Answer | Unanswered:
        try:
            status, text = await self._lines.fetch(request)
        except TimeoutError:
            return Unanswered("timeout", f"{self._timeout:g} seconds")
        except (OSError, http.client.HTTPException, ValueError) as error:
            reason = getattr(error, "reason", error)
            if isinstance(reason, TimeoutError):
                return Unanswered("timeout", f"{self._timeout:g} seconds")
            return Unanswered("unavailable", self._hidden(shortened(str(reason))))
        return read(status, self._hidden(text))

    def _hidden(self, text: str) -> str:
        return self._key.hide_in(text) if self._key is not None else text

    async def aclose(self) -> None:
        """Let the threads go."""
        self._lines.close()


class RapidApiSource(_HttpSource):
    """The APIs at their documented addresses, with the key that RapidAPI gave.

    The key is sent to hosts below `hosts` only; other addresses are not called.
    """

    def __init__(
        self, key: Secret, *, hosts: tuple[str, ...] = ("rapidapi.com",), timeout: float = 30.0, name: str = "rapidapi"
    ) -> None:
        super().__init__(name, key, timeout)
        self._rapid_key = key
        self._hosts = hosts

    async def answer(self, call: Call) -> Answer | Unanswered:
        """What the API answers."""
        if call.spec is None:
            return Unanswered("undocumented")
        request = api_request(call.spec, call.arguments)
        if isinstance(request, Unanswered):
            return request
        parts = urlsplit(request.url)
        host = parts.hostname or ""
        known = any(host == one or host.endswith(f".{one}") for one in self._hosts)
        if not known or (parts.scheme != "https" and host not in _LOCAL):
            return Unanswered("refused", f"the key is not for {shortened(host, 80)!r}")
        named = {"X-RapidAPI-Key": self._rapid_key.reveal(), "X-RapidAPI-Host": host}
        return await self._asked(msgspec.structs.replace(request, headers={**request.headers, **named}), http_answer)


class BackendSource(_HttpSource):
    """A backend of ToolBench's kind: it is sent the whole request and answers with an error and a response."""

    def __init__(self, url: str, *, key: Secret | None = None, timeout: float = 30.0, name: str = "backend") -> None:
        parts = _parts(url)
        if parts is None or parts.scheme not in {"http", "https"} or not parts.hostname:
            raise OptionError(f"the backend's address is {url!r}; expected one that begins with http:// or https://.")
        super().__init__(name, key, timeout)
        self._url = url

    async def answer(self, call: Call) -> Answer | Unanswered:
        """What the backend answers."""
        asked = {
            "category": call.api.category,
            "tool_name": call.api.tool,
            "api_name": call.api.api,
            "tool_input": call.arguments,
            "strip": "",
            "toolbench_key": self._key.reveal() if self._key is not None else "",
        }
        request = HttpRequest("POST", self._url, json.dumps(asked).encode(), {"content-type": "application/json"})
        return await self._asked(request, backend_answer)


def _parts(url: str) -> SplitResult | None:
    """An address in its parts; None where it is none."""
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError:
        return None
    return parts


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)

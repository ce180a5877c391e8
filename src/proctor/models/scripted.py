"""A model that says what a test told it to say."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Iterable
from typing import Any

import msgspec

from proctor.errors import OptionError, ScriptEndedError
from proctor.models.chat import Reply, Request
from proctor.records.traces import Usage

__all__ = ["Line", "ScriptedModel"]

Line = str | dict[str, Any] | Reply | BaseException
"""One reply of a script: text; a dictionary, given back as its JSON text; a whole `Reply`; an error, to be raised."""


class ScriptedModel:
    """A model for tests that needs no network and costs nothing.

    The script is a list of lines, given back in the order in which the model is asked, or a function from the request
    to a line (it may be async). One question more than the list has lines is a `ScriptEndedError`.

    `requests` holds what was asked, in order. Usage counts words for tokens, unless a line is a `Reply` that brings its
    own. `delay` is how many seconds each reply takes.

    >>> model = ScriptedModel(["Paris", {"verdict": 1}])
    """

    endpoint = "scripted"

    def __init__(
        self,
        script: Iterable[Line] | Callable[[Request], Any],
        *,
        name: str = "scripted",
        delay: float = 0.0,
    ) -> None:
        if isinstance(script, str | dict):
            raise OptionError("a script is a list of replies or a function; put a single reply into a list.")
        self.name = name
        self.requests: list[Request] = []
        self.spent = Usage()
        self._delay = delay
        self._function = script if callable(script) else None
        self._lines: list[Line] = [] if callable(script) else list(script)

    async def reply(self, request: Request) -> Reply:
        """The script's next line."""
        place = len(self.requests)
        self.requests.append(request)
        if self._delay:
            await asyncio.sleep(self._delay)
        line = await self._written(request) if self._function is not None else self._listed(place)
        if isinstance(line, BaseException):
            raise line
        reply = self._spoken(line, request)
        self.spent += reply.usage
        return reply

    async def aclose(self) -> None:
        """Nothing is held."""

    def __repr__(self) -> str:
        script = "a function" if self._function is not None else f"{len(self._lines)} replies"
        return f"ScriptedModel({script}, name={self.name!r}, asked {len(self.requests)} times)"

    async def _written(self, request: Request) -> Any:
        assert self._function is not None
        line = self._function(request)
        return await line if inspect.isawaitable(line) else line

    def _listed(self, place: int) -> Line:
        if place >= len(self._lines):
            raise ScriptEndedError(
                f"{self.name}: the script has {len(self._lines)} replies and the model was asked {place + 1} times; "
                f"the last question was {self.requests[place].text[:80]!r}."
            )
        return self._lines[place]

    def _spoken(self, line: Any, request: Request) -> Reply:
        if isinstance(line, dict):
            line = msgspec.json.encode(line).decode()
        if isinstance(line, str):
            line = Reply(text=line)
        if not isinstance(line, Reply):
            raise OptionError(
                f"{self.name}: a script's line must be text, a dictionary, a Reply or an exception, "
                f"not {type(line).__name__}: {line!r:.80}."
            )
        usage = _counted(request, line) if line.usage == Usage() else line.usage
        spoken: Reply = msgspec.structs.replace(line, usage=usage, model=line.model or self.name)
        return spoken


def _counted(request: Request, reply: Reply) -> Usage:
    asked = sum(len(str(message.get("content") or "").split()) for message in request.messages)
    return Usage(requests=1, prompt_tokens=asked, completion_tokens=len(reply.text.split()), cost=0.0)

"""Sources that need nobody: a script, for tests, and Python functions, for APIs that one writes oneself."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from proctor import json_text
from proctor.errors import InputError, OptionError, ScriptEndedError
from proctor.gateway.policy import shortened
from proctor.gateway.source import Call, Unanswered
from proctor.records.answers import Answer, Provenance, Source
from proctor.records.queries import ApiId

__all__ = ["CannedSource", "FunctionSource"]


class CannedSource:
    """A source for tests that says what it was told to say.

    The script is a list of lines in the order of the calls, or a function from the call to a line (it may be async). A
    line is an `Answer`, an `Unanswered`, or any other JSON value, which is a response. An exception is raised. One call
    more than the list has lines is a `ScriptEndedError`.

    `calls` holds what was asked, in order. It stands in for a source of any kind: `source` says which.

    >>> source = CannedSource([{"wind": 5}, Unanswered("timeout")])
    """

    def __init__(
        self,
        script: Iterable[Any] | Callable[[Call], Any],
        *,
        name: str = "canned",
        source: Source = Source.CANNED,
    ) -> None:
        if isinstance(script, str | dict):
            raise OptionError("a script is a list of answers or a function; put a single answer into a list.")
        self.name = name
        self.source = source
        self.calls: list[Call] = []
        self._function = script if callable(script) else None
        self._lines = [] if callable(script) else list(script)

    async def answer(self, call: Call) -> Answer | Unanswered:
        """The script's next line."""
        place = len(self.calls)
        self.calls.append(call)
        if self._function is not None:
            line = self._function(call)
            line = await line if inspect.isawaitable(line) else line
        elif place < len(self._lines):
            line = self._lines[place]
        else:
            held = f"{self.name}: the script has {len(self._lines)} answers and was asked {place + 1} times"
            raise ScriptEndedError(f"{held}; the last call was {call.api} with {call.arguments!r:.80}.")
        if isinstance(line, BaseException):
            raise line
        return line if isinstance(line, Answer | Unanswered) else Answer(line)

    async def aclose(self) -> None:
        """Nothing is held."""


class FunctionSource:
    """APIs that are Python functions, by the API that each of them plays.

    A function is called with the arguments by their names and returns the response, or an `Answer`; it may be async.
    Where it is called with arguments that it does not take, that is the API's answer, as an error. A function that
    raises has failed: the next source is asked.

    >>> words = ApiId("Data", "Random Words", "Get Word")
    >>> source = FunctionSource({words: lambda length=5: "abcdefghij"[:length]})
    """

    source = Source.COMPUTED
    """Handed to the gateway among the simulators, it answers where a policy has these."""

    def __init__(self, functions: Mapping[ApiId, Callable[..., Any]], *, name: str = "function") -> None:
        self.name = name
        self._functions = dict(functions)
        self._signatures = {api: inspect.signature(function) for api, function in self._functions.items()}

    async def answer(self, call: Call) -> Answer | Unanswered:
        """What the API's function returns."""
        function = self._functions.get(call.api)
        if function is None:
            return Unanswered("missed")
        try:
            bound = self._signatures[call.api].bind(**call.arguments)
        except TypeError as error:
            said = _misfit(self._signatures[call.api], call.arguments) or str(error)
            return Answer("", error=f"400 Bad Request: {said}.", provenance=Provenance(self.source, self.name))
        try:
            said = function(*bound.args, **bound.kwargs)
            said = await said if inspect.isawaitable(said) else said
            answer = said if isinstance(said, Answer) else Answer(said)
            json_text.refuse_foreign(answer.response)
        except InputError as error:
            return Unanswered("unreadable", str(error))
        except Exception as error:  # noqa: BLE001 - a function of somebody's own raises what it likes
            return Unanswered("failed", shortened(f"{type(error).__name__}: {error}"))
        return (
            answer if answer.provenance else Answer(answer.response, answer.error, Provenance(self.source, self.name))
        )

    async def aclose(self) -> None:
        """Nothing is held."""


def _misfit(signature: inspect.Signature, arguments: Mapping[str, Any]) -> str:
    """Which arguments a function lacks or does not know, in words for whoever called an API."""
    parameters = [one for one in signature.parameters.values() if one.kind is not one.VAR_KEYWORD]
    lacking = [one.name for one in parameters if one.default is one.empty and one.name not in arguments]
    known = [one.name for one in parameters]
    if lacking:
        return f"the parameter{'s' if len(lacking) > 1 else ''} {', '.join(lacking)} must be given"
    foreign = [name for name in arguments if name not in known]
    able = f"known are {', '.join(known)}" if known else "it takes none"
    return f"there is no parameter {', '.join(map(repr, foreign))}; {able}" if foreign else ""

"""The line to an endpoint, by the `openai` package. Nothing else in Proctor knows that package.

Whatever happens comes back as an `Answered` value: no error of the package passes. Its own repetitions are off.
"""

from __future__ import annotations

import asyncio
import contextlib
import weakref
from collections.abc import AsyncIterator, Callable
from typing import Any

import msgspec

from proctor.errors import NeedsExtraError
from proctor.models.answered import Answered

__all__ = ["Exchange", "fast_transport", "openai_package"]

_PATH = "/chat/completions"
_LINES = frozenset({"aiohttp", "httpx2", "httpcore2"})
"""The libraries that the package speaks HTTP by."""


def openai_package() -> Any:
    """The `openai` package, or the sentence that says how to get it."""
    try:
        import openai
    except ImportError:
        raise NeedsExtraError(
            "asking a model over the network needs the openai package: pip install 'proctor[openai]'."
        ) from None
    return openai


def fast_transport() -> Any:
    """The package's client over aiohttp, which needs half the time for a call; None, its usual one, without aiohttp."""
    try:
        return openai_package().DefaultAioHttpClient()
    except (AttributeError, RuntimeError):
        return None


class Exchange:
    """Sends bodies and brings back answers.

    A client belongs to one event loop: each loop gets its own from `make`, closed with the loop. A client that `make`
    merely hands on (`shared`) is its owner's to close. A client that is not async is waited for in a thread.
    """

    def __init__(self, make: Callable[[], Any], *, shared: bool = False) -> None:
        self._make = make
        self._shared = shared
        self._heads: dict[str, str] | None = None
        """What every request of a client that is made here says of itself."""
        self._lines: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, tuple[Any, Any]] = weakref.WeakKeyDictionary()

    async def send(self, body: dict[str, Any], timeout: float | None) -> Answered:  # noqa: ASYNC109 - it is an outcome
        """Send one body. Errors of the endpoint and of the line are answers too."""
        client = await self._client()
        openai = openai_package()
        try:
            async with asyncio.timeout(timeout):
                if not self._shared and type(client) is openai.AsyncOpenAI:
                    return await self._sent(client, body)
                return Answered(200, await self._post(client, body))
        except TimeoutError:
            return Answered(None, timed_out=True)
        except openai.APIStatusError as error:
            return _answered(error.status_code, error.response)
        except openai.APIConnectionError as error:
            return _silent(error)
        except Exception as error:
            if type(error).__module__.partition(".")[0] in _LINES:
                return _silent(error)  # the package lets some errors of the libraries below it pass
            raise

    async def aclose(self) -> None:
        """Close this loop's line."""
        line = self._lines.pop(asyncio.get_running_loop(), None)
        if line is not None:
            await line[1].aclose()

    async def _sent(self, client: Any, body: dict[str, Any]) -> Answered:
        """The answer by the package's client, its connections and its headers, without what it does around a call.

        Building and checking a request takes the package half a millisecond, as long as all the rest. Of a client that
        somebody else has made nothing is left out (it may have been told what to do around a call), nor of Azure's,
        whose addresses hang on the body.
        """
        if self._heads is None:
            known = {**client.default_headers, **client.auth_headers}
            self._heads = {name: value for name, value in known.items() if isinstance(value, str)}
        address = str(client.base_url).rstrip("/") + _PATH
        how = {"headers": self._heads, "timeout": client.timeout}
        answer = await client._client.post(address, content=msgspec.json.encode(body), **how)  # noqa: SLF001
        if answer.status_code >= 400:
            return _answered(answer.status_code, answer)
        return Answered(200, answer.content)

    async def _post(self, client: Any, body: dict[str, Any]) -> bytes:
        """The body of the answer as it came: reading it is our own affair, and faster than the package's."""
        how = {"cast_to": bytes, "body": body, "options": {"max_retries": 0}}
        if isinstance(client, openai_package().AsyncOpenAI):
            answer: bytes = await client.post(_PATH, **how)
            return answer
        blocking: bytes = await asyncio.to_thread(client.post, _PATH, **how)
        return blocking

    async def _client(self) -> Any:
        if self._shared:
            return self._make()
        loop = asyncio.get_running_loop()
        if loop not in self._lines:
            client = self._make()
            closing = _open_until_closed(client)
            await anext(closing)
            self._lines[loop] = (client, closing)
        return self._lines[loop][0]


async def _open_until_closed(client: Any) -> AsyncIterator[None]:
    """Closes the client when it is closed itself, which an event loop does with every generator when it ends.

    So a client never outlives its loop, not even where every call gets a loop of its own.
    """
    try:
        yield
    finally:
        await client.close()


def _answered(status: int, response: Any) -> Answered:
    body = b""
    with contextlib.suppress(Exception):  # a body that was never read; the status says enough
        body = response.content
    return Answered(status, body, {name.lower(): value for name, value in response.headers.items()})


def _silent(error: BaseException) -> Answered:
    """Nothing came: too late, or because the line broke. The innermost error knows which."""
    innermost = error
    while (cause := innermost.__cause__ or innermost.__context__) is not None:
        innermost = cause
    if isinstance(innermost, TimeoutError):
        return Answered(None, timed_out=True)
    return Answered(None, broke=str(innermost).rstrip(".") or type(innermost).__name__)

"""An endpoint that says what a test told it to say: chat completions over HTTP, on this machine.

Where `ScriptedModel` stands in for a model inside Proctor, `ScriptedServer` stands in for the network: whatever speaks
to an OpenAI-compatible endpoint (an agent under test, a framework, `OpenAIModel`) can be pointed at its `url`. It can
misbehave on purpose.

>>> with ScriptedServer(["Paris"]) as server:
...     server.url
'http://127.0.0.1:…/v1'
"""

from __future__ import annotations

import asyncio
import inspect
import threading
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Self

import msgspec

from proctor.errors import ProctorError
from proctor.models.chat import Reply

__all__ = ["Hang", "HttpReply", "ScriptedServer", "completion"]


class HttpReply(msgspec.Struct, frozen=True):
    """An HTTP answer of any kind."""

    status: int = 200
    body: Any = b""
    """Bytes as they are; anything else as its JSON."""
    headers: Mapping[str, str] = {}
    cut_after: int | None = None
    """Break the connection after so many bytes of the body, although more was promised."""


class Hang(msgspec.Struct, frozen=True):
    """No answer, for so many seconds; then the connection is closed."""

    seconds: float = 60.0


class ScriptedServer:
    """Plays `POST …/chat/completions` on a free port of 127.0.0.1 while its `with` block lasts, in a thread of its own.

    The script is a list of lines in the order of the requests, or a function from the request's body to a line. A line
    is text or a `Reply` (sent as a completion), a dictionary (sent as a completion with its JSON text), an `HttpReply`
    or a `Hang`. A list that is used up answers 400.

    `paths`, `headers` and `bodies` hold what was asked, in order. `latency` is how many seconds each answer takes.
    """

    def __init__(self, script: Iterable[Any] | Callable[[dict[str, Any]], Any], *, latency: float = 0.0) -> None:
        self.bodies: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.paths: list[str] = []
        self.most_at_once = 0
        self._at_once = 0
        self._latency = latency
        self._function = script if callable(script) else None
        self._lines = [] if callable(script) else list(script)
        self._port = 0
        self._ready = threading.Event()
        self._stop: Callable[[], object] = lambda: None
        self._broken: OSError | None = None
        self._thread = threading.Thread(target=self._run, name="proctor-scripted-server", daemon=True)

    @property
    def url(self) -> str:
        """The address to give to a client."""
        return f"http://127.0.0.1:{self._port}/v1"

    def __enter__(self) -> Self:
        self._thread.start()
        self._ready.wait()
        if self._broken is not None:
            raise ProctorError(f"the scripted server cannot listen: {self._broken}.")
        return self

    def __exit__(self, *_: object) -> None:
        self._stop()
        self._thread.join()

    def _run(self) -> None:
        asyncio.run(self._serve())

    async def _serve(self) -> None:
        stopped = asyncio.Event()
        loop = asyncio.get_running_loop()
        self._stop = lambda: loop.call_soon_threadsafe(stopped.set)
        talks: set[asyncio.Task[None]] = set()

        def begin(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            talk = loop.create_task(self._talk(reader, writer))
            talks.add(talk)
            talk.add_done_callback(talks.discard)

        try:
            server = await asyncio.start_server(begin, "127.0.0.1", 0, backlog=1024)
        except OSError as error:
            self._broken = error
            self._ready.set()
            return
        self._port = server.sockets[0].getsockname()[1]
        self._ready.set()
        await stopped.wait()
        server.close()
        for talk in talks:
            talk.cancel()
        await asyncio.gather(*talks, return_exceptions=True)

    async def _talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection, with one request after the other."""
        try:
            while (request := await _read(reader)) is not None:
                self._at_once += 1
                self.most_at_once = max(self.most_at_once, self._at_once)
                try:
                    goes_on = await self._answer(request, writer)
                finally:
                    self._at_once -= 1
                if not goes_on:
                    break
        except (ConnectionError, asyncio.IncompleteReadError):
            pass  # the client went away: that is its right
        finally:
            writer.close()

    async def _answer(self, request: tuple[str, dict[str, str], bytes], writer: asyncio.StreamWriter) -> bool:
        path, headers, body = request
        if not path.partition("?")[0].endswith("/chat/completions"):
            return await _send(HttpReply(404, {"error": {"message": f"no such path: {path}"}}), writer)
        try:
            asked = msgspec.json.decode(body, type=dict[str, Any])
        except (msgspec.DecodeError, UnicodeDecodeError):
            return await _send(HttpReply(400, {"error": {"message": "the body is no JSON object"}}), writer)
        place = len(self.bodies)
        self.bodies.append(asked)
        self.headers.append(headers)
        self.paths.append(path.partition("?")[0])
        line = await self._line(asked, place)
        if self._latency:
            await asyncio.sleep(self._latency)
        if isinstance(line, Hang):
            await asyncio.sleep(line.seconds)
            return False
        if not isinstance(line, HttpReply):
            line = HttpReply(200, completion(line, asked.get("model", "scripted")))
        return await _send(line, writer)

    async def _line(self, asked: dict[str, Any], place: int) -> Any:
        if self._function is not None:
            line = self._function(asked)
            return await line if inspect.isawaitable(line) else line
        if place < len(self._lines):
            return self._lines[place]
        ended = f"the script has {len(self._lines)} replies and was asked for more"
        return HttpReply(400, {"error": {"message": ended}})


def completion(line: str | dict[str, Any] | Reply, model: str = "scripted") -> dict[str, Any]:
    """A chat completion as OpenAI writes it: the body of an answer that says `line`."""
    if isinstance(line, dict):
        line = msgspec.json.encode(line).decode()
    reply = Reply(text=line) if isinstance(line, str) else line
    message: dict[str, Any] = {"role": "assistant", "content": reply.text}
    if reply.tool_calls:
        message["tool_calls"] = [
            {
                "id": call.id or f"call_{place}",
                "type": "function",
                "function": {
                    "name": call.name,
                    "arguments": call.malformed or msgspec.json.encode(call.args).decode(),
                },
            }
            for place, call in enumerate(reply.tool_calls)
        ]
    prompt, said = reply.usage.prompt_tokens or 10, reply.usage.completion_tokens or len(reply.text.split())
    return {
        "id": "chatcmpl-scripted",
        "object": "chat.completion",
        "created": 0,
        "model": reply.model or model,
        "choices": [{"index": 0, "finish_reason": reply.finish, "message": message}],
        "usage": {"prompt_tokens": prompt, "completion_tokens": said, "total_tokens": prompt + said},
    }


async def _read(reader: asyncio.StreamReader) -> tuple[str, dict[str, str], bytes] | None:
    """The next request of a connection: path, headers with lower-case names, body. None when the client is done."""
    try:
        head = await reader.readuntil(b"\r\n\r\n")
    except asyncio.IncompleteReadError:
        return None
    first, *lines = head.decode("latin-1").split("\r\n")
    pairs = (line.partition(":") for line in lines if line)
    headers = {name.strip().lower(): value.strip() for name, _, value in pairs}
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    return first.split(" ")[1], headers, body


async def _send(reply: HttpReply, writer: asyncio.StreamWriter) -> bool:
    """Send an answer; False when the connection ends with it."""
    body = reply.body if isinstance(reply.body, bytes) else msgspec.json.encode(reply.body)
    headers = {"content-type": "application/json", "content-length": str(len(body)), **reply.headers}
    head = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    sent = body if reply.cut_after is None else body[: reply.cut_after]
    writer.write(f"HTTP/1.1 {reply.status} Scripted\r\n{head}\r\n".encode("latin-1") + sent)
    await writer.drain()
    return reply.cut_after is None

"""An agent in another process: it reads JSON objects from its input and writes JSON objects to its output, a line each.

What is said stands in `dialogue`. A process lives on and is set one task after the other; with `once` each task has a
process of its own. One that crashes, says what nobody understands, or does not come back in time is killed with all
that it has started. Its standard error is its own, and its last words stand in the failure.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import shlex
import signal
from collections.abc import AsyncIterator, Mapping
from typing import Any

import msgspec

from proctor.agents.adapters.dialogue import (
    LONGEST,
    Message,
    read_message,
    results_message,
    setup_message,
    task_message,
)
from proctor.agents.adapters.final import DetailsReader, Said
from proctor.agents.adapters.framework import Door, ended
from proctor.agents.adapters.functions import Definitions, definitions_of
from proctor.agents.agent import Task, ToolBox
from proctor.agents.desk import Desk
from proctor.agents.diary import Diary
from proctor.errors import AgentError, OptionError
from proctor.messages import ToolCall
from proctor.records.traces import StopReason, Thought

__all__ = ["CommandAgent"]

_LAST_WORDS = 2000
"""So many characters of standard error are kept."""
_LEAVE = 2.0
"""Seconds for a process to end by itself when its input is closed."""


class CommandAgent:
    """An agent that is a command, such as `python my_agent.py`.

    `once` starts it anew for every task. `door` opens the addresses that a task's `session` tells.
    """

    def __init__(
        self,
        command: str,
        *,
        name: str | None = None,
        once: bool = False,
        details: DetailsReader | None = None,
        door: Door | None = None,
    ) -> None:
        self._words = _words(command)
        self.name = name or f"command:{command}"
        self._once = once
        self._details = details
        self._door = door
        self._free: list[_Process] = []
        self._tools = definitions_of()
        self._tasks = 0

    async def attempt(self, task: Task, tools: ToolBox, diary: Diary) -> StopReason:
        """Set the process the task, and make the calls that it asks for."""
        definitions = self._tools(tools)
        self._tasks += 1
        name = f"{task.query.id}.{self._tasks}"
        async with contextlib.AsyncExitStack() as stack, self._taken() as process:
            diary.begin()
            desk = Desk(task, tools, diary)
            session = {} if self._door is None else await stack.enter_async_context(self._door.opened(desk))
            same = isinstance(tools.offered, int)
            asked = task_message(task, name, session, None if same else definitions)
            said = await desk.outcome(process.answer(desk, name, definitions if same else None, asked))
            return ended(desk, said, self._details)

    async def aclose(self) -> None:
        """End its processes."""
        free, self._free = self._free, []
        await asyncio.gather(*(process.leave() for process in free))

    @contextlib.asynccontextmanager
    async def _taken(self) -> AsyncIterator[_Process]:
        """A process for one task. One that has not come to the end of it is killed, and never set another."""
        process = self._free.pop() if self._free else None
        if process is None or process.ended:
            process = await _Process.started(self._words, self.name)
        try:
            yield process
        finally:
            if process.at_work or process.ended:
                await asyncio.shield(process.kill())
            elif self._once:
                await asyncio.shield(process.leave())
            else:
                self._free.append(process)

    def __repr__(self) -> str:
        return f"<agent {self.name}>"


class _Process:
    """One process, and the talk with it."""

    def __init__(self, process: asyncio.subprocess.Process, who: str) -> None:
        self.at_work = False
        self._process = process
        self._who = who
        self._errors = b""
        self._listening = asyncio.create_task(self._listen())
        self._tools: Definitions | None = None

    @classmethod
    async def started(cls, words: list[str], who: str) -> _Process:
        """Start the command. OptionError where there is no such program."""
        try:
            process = await asyncio.create_subprocess_exec(
                *words,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                limit=LONGEST,
                start_new_session=True,
            )
        except OSError as error:
            raise OptionError(
                f"the agent {who!r} cannot be started: {error.strerror or error}: {words[0]!r}."
            ) from None
        return cls(process, who)

    @property
    def ended(self) -> bool:
        """Whether it is no longer there."""
        return self._process.returncode is not None

    async def answer(self, desk: Desk, name: str, tools: Definitions | None, asked: Mapping[str, Any]) -> Said:
        """What it answers to a task; its calls are made as they come, several at once where it asks so."""
        self.at_work = True
        calls: set[asyncio.Task[None]] = set()
        try:
            if tools is not None and tools is not self._tools:
                await self._say(setup_message(tools))
                self._tools = tools
            await self._say(asked)
            while True:
                message = await self._heard()
                _write_down(desk, message)
                if message.calls:
                    calls.add(asyncio.create_task(self._make(desk, name, message.calls)))
                if message.said is not None:
                    await asyncio.gather(*calls)
                    self.at_work = False
                    return message.said
        finally:
            for call in calls:
                call.cancel()
            await asyncio.gather(*calls, return_exceptions=True)

    async def leave(self) -> None:
        """Close its input, and kill it where it does not end by itself."""
        stdin = self._process.stdin
        assert stdin is not None
        stdin.close()
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._process.wait(), _LEAVE)
        await self.kill()

    async def kill(self) -> None:
        """Kill it, and what it has started."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        await self._process.wait()
        await self._last_words()

    async def _make(self, desk: Desk, name: str, calls: tuple[ToolCall, ...]) -> None:
        """Make calls and say what came of them. A limit is told to the desk, which ends the task."""
        steps = await asyncio.gather(*map(desk.call, calls), return_exceptions=True)
        done = [step for step in steps if not isinstance(step, BaseException)]
        if len(done) == len(steps):
            await self._say(results_message(name, calls, done))

    async def _say(self, message: Mapping[str, Any]) -> None:
        stdin = self._process.stdin
        assert stdin is not None
        stdin.write(msgspec.json.encode(message) + b"\n")
        with contextlib.suppress(ConnectionError):  # it has ended; what it said before is still to be heard
            await stdin.drain()

    async def _heard(self) -> Message:
        """The next thing that it says."""
        stdout = self._process.stdout
        assert stdout is not None
        try:
            line = await stdout.readline()
            while line and not line.strip():
                line = await stdout.readline()
        except ValueError:
            raise AgentError(f"the agent {self._who} said a line of more than {LONGEST} bytes.") from None
        if not line:
            raise AgentError(await self._gone())
        try:
            return read_message(line, f"the agent {self._who}")
        except AgentError as error:
            raise AgentError(f"{error}{await self._told()}") from None

    async def _gone(self) -> str:
        """How it ended, in a sentence."""
        try:
            code = await asyncio.wait_for(self._process.wait(), _LEAVE)
        except TimeoutError:
            return f"the agent {self._who} closed its output before it had answered{await self._told()}"
        how = f"with exit code {code}" if code >= 0 else f"by signal {-code}"
        return f"the agent {self._who} ended {how} before it had answered{await self._told()}"

    async def _told(self) -> str:
        """What it has written to standard error at last."""
        if self.ended:
            await self._last_words()
        words = self._errors.decode("utf-8", "replace").strip()[-_LAST_WORDS:]
        return f"; its last words: {words}" if words else "."

    async def _last_words(self) -> None:
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(asyncio.shield(self._listening), _LEAVE)

    async def _listen(self) -> None:
        """Hear its standard error, so that it never has to wait for a reader."""
        stderr = self._process.stderr
        assert stderr is not None
        while part := await stderr.read(65_536):
            self._errors = (self._errors + part)[-4 * _LAST_WORDS :]


def _write_down(desk: Desk, message: Message) -> None:
    desk.diary.spend(message.usage)
    if message.thought:
        desk.think(Thought(message.thought))


def _words(command: str) -> list[str]:
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise OptionError(f"the command {command!r} cannot be read: {error}.") from None
    if not words:
        raise OptionError("the agent 'command:' needs a command, such as command:'python my_agent.py'.")
    return words

"""An agent that does what a script says: public, for tests of benchmarks, gateways and graders."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from proctor.agents.agent import CallApis, Note, Strategy, StrategyAgent, Task, ToolBox
from proctor.errors import OptionError, ScriptEndedError
from proctor.messages import ToolCall, read_tool_call
from proctor.records.traces import Finish, StopReason, Thought

__all__ = ["Line", "ScriptedAgent"]

Line = str | ToolCall | Finish | Mapping[str, Any] | BaseException | list[Any]
"""One move: text is a thought; a call, or a list of calls that are made at once; Finish; an error, to be raised.

As plain data: `{"name": …, "args": {…}}` is a call, `{"finish": "…"}` and `{"give_up": "…"}` end the task.
"""


class ScriptedAgent(StrategyAgent):
    """Does what its script says, by query: a dictionary from query ids to lines, or a function from a task to lines.

    A script that ends without Finish leaves the query without an answer. A query without a script is a
    `ScriptEndedError`.

    >>> agent = ScriptedAgent({"7": [{"name": "get_word", "args": {"length": 5}}, {"finish": "hello"}]})
    """

    def __init__(
        self, script: Mapping[str, Sequence[Line]] | Callable[[Task], Sequence[Line]], *, name: str = "scripted"
    ) -> None:
        super().__init__(name, self._moves)
        self._script = script

    def _lines(self, task: Task) -> Sequence[Line]:
        if callable(self._script):
            return self._script(task)
        if task.query.id not in self._script:
            raise ScriptEndedError(f"{self.name}: the script has no lines for the query {task.query.id!r}.")
        return self._script[task.query.id]

    def _moves(self, task: Task, tools: ToolBox) -> Strategy:
        for line in self._lines(task):
            if isinstance(line, BaseException):
                raise line
            finish = _finish(line)
            if finish is not None:
                yield Note(finish)
                return StopReason.GAVE_UP if finish.gave_up else StopReason.FINISHED
            if isinstance(line, str):
                yield Note(Thought(line))
            else:
                yield CallApis(tuple(_call(one) for one in (line if isinstance(line, list) else [line])))
        return StopReason.NO_ANSWER


def _finish(line: Any) -> Finish | None:
    if isinstance(line, Finish):
        return line
    if isinstance(line, Mapping) and len(line) == 1 and ("finish" in line or "give_up" in line):
        key, text = next(iter(line.items()))
        return Finish(str(text), gave_up=key == "give_up")
    return None


def _call(line: Any) -> ToolCall:
    if isinstance(line, ToolCall):
        return line
    if isinstance(line, Mapping) and ("name" in line or "function" in line):
        return read_tool_call(dict(line))
    raise OptionError(f"a script's line must be text, a call, a list of calls, Finish or an error, not {line!r:.80}.")

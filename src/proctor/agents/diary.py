"""What an agent has done so far, and how much further it may go. Pure: the clock is handed in.

The diary belongs to whoever set the task, not to the agent: whatever becomes of the agent, what it did is known.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from proctor.errors import OptionError
from proctor.records.queries import ApiId
from proctor.records.traces import CallStep, Failure, Finish, Step, StopReason, Thought, Trace, Usage

__all__ = ["Diary", "Limits", "Stopped"]


class Limits(msgspec.Struct, frozen=True, omit_defaults=True):
    """How far an agent may go with one query; None is no limit."""

    steps: int | None = 60
    """Steps of the trace: thoughts, calls and Finish count one each."""
    calls: int | None = None
    """API calls, those included that reached no API."""
    tokens: int | None = None
    """Tokens of its model, prompts and completions together."""
    seconds: float | None = None
    """Seconds from its beginning."""
    observation: int | None = 1024
    """Characters of an answer that the agent is shown; the trace keeps the whole answer."""

    def __post_init__(self) -> None:
        for name in self.__struct_fields__:
            value = getattr(self, name)
            if value is not None and not value > 0:
                raise OptionError(f"the limit {name!r} must be more than 0, or None for no limit, not {value!r}.")


class Stopped(Exception):  # noqa: N818 - it is no error: the agent has come to a limit
    """The agent has come to a limit."""

    def __init__(self, stop: StopReason) -> None:
        self.stop = stop
        super().__init__(stop.value)


class Diary:
    """The steps of one agent at one query, as they are made."""

    def __init__(self, limits: Limits | None = None, *, clock: Callable[[], float]) -> None:
        self.limits = limits or Limits()
        self.steps: list[Step] = []
        self.usage = Usage()
        self.clock = clock
        self._began = clock()
        self._calls = 0
        self._back: dict[int, int] = {}

    @property
    def place(self) -> int:
        """The number of the step that the next one follows; -1 at the beginning."""
        return self._back.get(len(self.steps), len(self.steps) - 1)

    def go_back(self, place: int) -> None:
        """What comes next follows the step of that number: what was done since then is taken back."""
        self._back[len(self.steps)] = place

    def copy(self, trace: Trace) -> None:
        """Write down what an agent did elsewhere, whole: it was made under limits of its own."""
        begin = len(self.steps)
        self._back |= {begin + step: begin + before if before >= 0 else -1 for step, before in trace.back}
        self.steps.extend(trace.steps)
        self._calls += sum(isinstance(step, CallStep) for step in trace.steps)

    def begin(self) -> None:
        """The agent begins now: that it waited for its turn is no time of its own."""
        self._began = self.clock()

    @property
    def seconds(self) -> float:
        """How long the agent has been at work."""
        return self.clock() - self._began

    @property
    def seconds_left(self) -> float | None:
        """How long it may go on; None where there is no limit."""
        return None if self.limits.seconds is None else self.limits.seconds - self.seconds

    def note(self, step: Step) -> None:
        """Write a step down. `Stopped` where there is no room for it; it is then in no trace."""
        self.check(calls=1 if isinstance(step, CallStep) else 0)
        self.steps.append(step)
        self._calls += isinstance(step, CallStep)

    def spend(self, usage: Usage) -> None:
        """Write down what asking the model has cost."""
        self.usage += usage

    def check(self, calls: int = 0) -> None:
        """`Stopped` when there is no room for another step, or for so many calls."""
        limits = self.limits
        if limits.steps is not None and len(self.steps) >= limits.steps:
            raise Stopped(StopReason.STEP_LIMIT)
        if limits.calls is not None and self._calls + calls > limits.calls:
            raise Stopped(StopReason.CALL_LIMIT)
        if limits.tokens is not None and self.usage.prompt_tokens + self.usage.completion_tokens >= limits.tokens:
            raise Stopped(StopReason.TOKEN_LIMIT)
        if (left := self.seconds_left) is not None and left <= 0:
            raise Stopped(StopReason.TIME_LIMIT)

    def room(self, calls: int) -> int:
        """How many of so many calls there is room for."""
        limits, steps = self.limits, len(self.steps)
        bounds = [calls]
        if limits.calls is not None:
            bounds.append(limits.calls - self._calls)
        if limits.steps is not None:
            bounds.append(limits.steps - steps)
        return max(0, min(bounds))

    def shown(self, text: str) -> str:
        """As much of an answer as the agent is shown; `...` says that it was cut."""
        limit = self.limits.observation
        return text if limit is None or len(text) <= limit else f"{text[:limit]}..."

    def trace(
        self, query_id: str, stop: StopReason, offered: tuple[ApiId, ...] | int | None, failure: Failure | None = None
    ) -> Trace:
        """The trace of what was done. The final answer is that of Finish, else the last words where it never came."""
        last = next((step for step in reversed(self.steps) if not isinstance(step, Thought)), None)
        words = next((step.text for step in reversed(self.steps) if isinstance(step, Thought)), "")
        said = last.answer if isinstance(last, Finish) else words if stop is StopReason.NO_ANSWER else ""
        back = tuple(
            (step, before) for step, before in self._back.items() if step < len(self.steps) and before != step - 1
        )
        return Trace(query_id, stop, said, tuple(self.steps), offered, self.usage, self.seconds, failure, back)

"""What a run shows while it is at work, on standard error: standard output is for what came of it.

`full` draws on a terminal, `plain` prints a line now and then, `json` a line for every event, `none` nothing.
"""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any, TextIO

import msgspec

from proctor.cli.running import Standing
from proctor.metrics._pass_rate import POINTS
from proctor.report.terminal import amount, money, percent
from proctor.runs.watching import Again, Event, Interrupted, Planned, Watcher, nobody

__all__ = ["DISPLAYS", "displayed"]

DISPLAYS = ("full", "plain", "json", "none")
_VERDICTS = [status.value for status in POINTS]
_KINDS_OF_FAILURE = 5
"""So many different failures are told one by one; all are counted at the end."""
_PAUSE = 10.0
"""Seconds between two plain lines, when less than a tenth was done meanwhile."""


@contextlib.contextmanager
def displayed(
    kind: str | None = None, *, stream: TextIO | None = None, clock: Callable[[], float] = time.monotonic
) -> Iterator[Watcher]:
    """Hands out who watches a run. Without a kind, a terminal gets `full`, all else `plain`."""
    out = sys.stderr if stream is None else stream
    chosen = kind or ("full" if _draws(out) else "plain")
    if chosen == "none" or out is None:
        yield nobody
    elif chosen == "json":
        yield lambda event: _print(out, _as_json(event, clock()))
    elif chosen == "plain":
        plain = _Plain(out, clock)
        yield plain
        plain.close()
    else:
        from proctor.cli.drawing import drawn

        with drawn(out, clock) as watcher:
            yield watcher


def _draws(out: TextIO | None) -> bool:
    return out is not None and out.isatty() and os.environ.get("TERM") != "dumb"


def _print(out: TextIO, line: str) -> None:
    """A line, at once; a display that nobody reads on stops no run."""
    with contextlib.suppress(BrokenPipeError, ValueError):
        print(line, file=out, flush=True)


def _as_json(event: Event, now: float) -> str:
    """An event as one line: its name, when it was, and what it says, a trace by its ends only."""
    plain: dict[str, Any] = {"event": type(event).__name__.lower(), "at": round(now, 3)}
    for name in event.__struct_fields__:
        value = getattr(event, name)
        plain[name] = str(value) if name == "trial" else value
    if "trace" in plain:
        trace = plain.pop("trace")
        plain |= {"stop": trace.stop, "steps": len(trace.steps), "seconds": trace.seconds, "usage": trace.usage}
    return msgspec.json.encode(plain).decode()


class _Plain:
    """A line at the beginning, one for every tenth or every ten seconds, one for whatever is odd, one at the end.

    A failure that comes again is told once, and counted at the end.
    """

    def __init__(self, out: TextIO, clock: Callable[[], float]) -> None:
        self._out = out
        self._clock = clock
        self._standing = Standing()
        self._said_at = 0.0
        self._said = (0, 0)
        self._failures = Counter[str]()

    def __call__(self, event: Event) -> None:
        now = self._clock()
        self._standing.take(event, now)
        standing = self._standing
        if isinstance(event, Planned):
            again = f", {amount(standing.before)} of them done before" if standing.before else ""
            self._say(f"{standing.name}: {amount(standing.planned)} trials{again}", now)
        elif isinstance(event, Again):
            self._failed(event, now)
        elif isinstance(event, Interrupted):
            self._say(f"stopping: {event.at_work} trials at work are finished; Ctrl-C again leaves them", now)
        elif self._is_due(now):
            self._say(standing_line(standing, now), now)

    def close(self) -> None:
        """The last line, with all that was counted: verdicts come after the trials that they are of."""
        if self._counted() != self._said:
            now = self._clock()
            self._say(standing_line(self._standing, now), now)
        for failure, times in self._failures.most_common(_KINDS_OF_FAILURE):
            if times > 1:
                _print(self._out, f"failed through the environment {amount(times)} times: {failure}")
        if others := sum(times for _, times in self._failures.most_common()[_KINDS_OF_FAILURE:]):
            _print(self._out, f"failed through the environment in other ways: {amount(others)} times")

    def _failed(self, event: Again, now: float) -> None:
        failure = self._standing.last_failure
        self._failures[failure] += 1
        if self._failures[failure] == 1 and len(self._failures) <= _KINDS_OF_FAILURE:
            self._say(f"{event.trial} failed through the environment, to be tried again: {failure}", now)

    def _counted(self) -> tuple[int, int]:
        return self._standing.done, self._standing.verdicts.total()

    def _is_due(self, now: float) -> bool:
        if self._counted() == self._said:
            return False
        done, planned = self._standing.done, self._standing.planned
        a_tenth = done < planned and done - self._said[0] >= max(1, planned / 10)
        return a_tenth or now - self._said_at >= _PAUSE

    def _say(self, line: str, now: float) -> None:
        self._said_at, self._said = now, self._counted()
        _print(self._out, line)


def standing_line(standing: Standing, now: float) -> str:
    """Where a run stands, in one line."""
    share = f" ({standing.done * 100 // standing.planned} %)" if standing.planned else ""
    rate, left = standing.rate(now), standing.left(now)
    parts = [
        f"{amount(standing.done)} of {amount(standing.planned)}{share}",
        "" if rate is None else f"{rate:.1f}/s",
        "" if left is None else f"{duration(left)} left",
        so_far(standing),
        counted(standing.verdicts),
        f"calls: {counted(standing.sources)}" if standing.sources else "",
        tokens_and_cost(standing),
    ]
    return "; ".join(part for part in parts if part)


def tokens_and_cost(standing: Standing) -> str:
    """What models were asked for, where any was."""
    both = standing.agent + standing.judge
    return f"{amount(standing.tokens)} tokens, {money(both.cost)}" if both.requests else ""


def counted(counts: dict[str, int]) -> str:
    """Counts, each with its name."""
    return ", ".join(f"{amount(number)} {name}" for name, number in in_order(counts))


def in_order(counts: dict[str, int]) -> list[tuple[str, int]]:
    """What was counted at all: verdicts from the best to the worst, the rest by name."""
    order = sorted(counts, key=lambda name: (_VERDICTS.index(name) if name in _VERDICTS else len(_VERDICTS), name))
    return [(name, counts[name]) for name in order if counts[name]]


def so_far(standing: Standing) -> str:
    """The pass rate so far."""
    rate = standing.sopr
    by = f" ({standing.method})" if standing.method not in ("", "official") else ""
    return "" if rate is None else f"SoPR so far {percent(rate)}{by}"


def duration(seconds: float) -> str:
    """A time that people can grasp.

    >>> duration(5), duration(75), duration(7500)
    ('5 s', '1 min 15 s', '2 h 5 min')
    """
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    minutes, rest = divmod(whole, 60)
    if minutes < 60:
        return f"{minutes} min {rest} s" if rest else f"{minutes} min"
    return f"{minutes // 60} h {minutes % 60} min"

"""A run drawn on a terminal while it is at work. Colours follow NO_COLOR."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import TextIO

from rich.console import Console, Group
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from proctor.cli.display import counted, duration, so_far, tokens_and_cost
from proctor.cli.running import Standing
from proctor.report.terminal import amount
from proctor.runs.watching import Event, Watcher

_A_SECOND = 8
"""How often it is drawn anew."""
_AT_WORK = 3
"""So many of the trials at work are named."""


@contextlib.contextmanager
def drawn(out: TextIO, clock: Callable[[], float]) -> Iterator[Watcher]:
    """Hands out who watches; what is drawn goes away at the end, when the table of results takes its place."""
    console = Console(file=out)
    standing = Standing()
    with Live(
        console=console,
        get_renderable=lambda: picture(standing, clock()),
        refresh_per_second=_A_SECOND,
        transient=True,
        redirect_stdout=False,
        redirect_stderr=False,
    ):

        def watch(event: Event) -> None:
            standing.take(event, clock())

        yield watch


def picture(standing: Standing, now: float) -> Group:
    """Where a run stands, drawn: a bar, then a line for each thing that is counted."""
    head = Table.grid(padding=(0, 2), expand=True)
    head.add_column(ratio=1, min_width=12)
    head.add_column(justify="right", no_wrap=True)
    head.add_row(ProgressBar(max(standing.planned, 1), standing.done), Text(_speed(standing, now)))
    rows = Table.grid(padding=(0, 2))
    rows.add_column(style="dim", min_width=9)
    rows.add_column(overflow="fold")
    for name, text in _rows(standing):
        if text:
            rows.add_row(name, Text(text))
    return Group(Text(standing.name or "starting", style="bold"), head, rows)


def _speed(standing: Standing, now: float) -> str:
    rate, left = standing.rate(now), standing.left(now)
    parts = [f"{amount(standing.done)}/{amount(standing.planned)}"]
    parts += [f"{rate:.1f}/s"] if rate is not None else []
    parts += [f"{duration(left)} left"] if left and left >= 1 else []
    return "  ".join(parts)


def _rows(standing: Standing) -> list[tuple[str, str]]:
    named = [str(trial) for trial in list(standing.at_work)[:_AT_WORK]]
    more = len(standing.at_work) - len(named)
    trouble = f"{standing.broken} times the environment failed, last {standing.last_failure}" if standing.broken else ""
    return [
        ("verdicts", "; ".join(part for part in (counted(standing.verdicts), so_far(standing)) if part)),
        ("calls", counted(standing.sources)),
        ("models", tokens_and_cost(standing)),
        ("at work", ", ".join(named) + (f" and {more} more" if more > 0 else "")),
        ("trouble", trouble),
        ("", "stopping: what is at work is finished; Ctrl-C again leaves it" if standing.stopping else ""),
    ]

"""A run drawn on a terminal while it is at work. Colours follow NO_COLOR."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import TextIO

from rich.console import Console, Group
from rich.constrain import Constrain
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from proctor.cli.display import counted, duration, in_order, so_far, tokens_and_cost
from proctor.cli.running import Standing
from proctor.records.grades import Status
from proctor.report.tables import WIDTH
from proctor.report.terminal import amount
from proctor.runs.watching import Event, Watcher

ACCENT = "#4a86e4"
"""Halfway between the two blues of a run's page: it stands out on light terminals and on dark ones."""
_COLOURS = {Status.SOLVED.value: "green", Status.UNSURE.value: "yellow", Status.UNSOLVED.value: "red"}
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


def picture(standing: Standing, now: float) -> Constrain:
    """Where a run stands, drawn: a bar, then a line for each thing that is counted."""
    head = Table.grid(padding=(0, 2), expand=True)
    head.add_column(ratio=1, min_width=12)
    head.add_column(justify="right", no_wrap=True)
    bar = ProgressBar(max(standing.planned, 1), standing.done, complete_style=ACCENT, finished_style=ACCENT)
    head.add_row(bar, _speed(standing, now))
    rows = Table.grid(padding=(0, 2))
    rows.add_column(style="dim", min_width=9)
    rows.add_column(overflow="fold")
    for name, text in _rows(standing):
        if text:
            rows.add_row(name, text)
    return Constrain(Group(Text(standing.name or "starting", style="bold"), head, rows), WIDTH)


def _speed(standing: Standing, now: float) -> Text:
    rate, left = standing.rate(now), standing.left(now)
    text = Text(f"{amount(standing.done)}/{amount(standing.planned)}", style="bold")
    for part in (None if rate is None else f"{rate:.1f}/s", None if left is None else f"{duration(left)} left"):
        text.append("" if part is None else f"  {part}", style="not bold dim")
    return text


def _rows(standing: Standing) -> list[tuple[str, Text]]:
    named = [str(trial) for trial in list(standing.at_work)[:_AT_WORK]]
    more = len(standing.at_work) - len(named)
    trouble = f"{standing.broken} times the environment failed, last {standing.last_failure}" if standing.broken else ""
    stopping = "stopping: what is at work is finished; Ctrl-C again leaves it" if standing.stopping else ""
    return [
        ("score", Text(so_far(standing), style="bold")),
        ("verdicts", _verdicts(standing)),
        ("calls", Text(counted(standing.sources))),
        ("models", Text(tokens_and_cost(standing))),
        ("at work", Text(", ".join(named) + (f" and {more} more" if more > 0 else ""), style="dim")),
        ("trouble", Text(trouble, style="yellow")),
        ("", Text(stopping, style="bold yellow")),
    ]


def _verdicts(standing: Standing) -> Text:
    """The verdicts that were given, each count with its word: nothing is said by a colour alone."""
    text = Text()
    for name, number in in_order(standing.verdicts):
        text.append(", " if text else "")
        text.append(f"{amount(number)} {name}", style=_COLOURS.get(name, "magenta"))
    return text

"""Where the marks of a plot stand: geometry, in the units of its drawing. Pure."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import msgspec

from proctor.records.grades import Missing
from proctor.report.exhibit import Neighbour

__all__ = ["HALF", "Mark", "Plot", "Tick", "cost_plot", "robustness_plot"]

HALF, HEIGHT = 460.0, 270.0
"""How wide a plot is of which two stand side by side, and how high each is."""
LEFT, RIGHT, TOP, BOTTOM = 44.0, 16.0, 14.0, 44.0
_LINE = 15.0
"""How far apart two labels have to be."""
_LONGEST = 26
_LETTER = 7.0
"""How wide a letter is, about."""


class Tick(msgspec.Struct, frozen=True):
    """A line of the grid and what stands at it."""

    at: float
    text: str


class Mark(msgspec.Struct, frozen=True):
    """A run in a plot: a dot with its interval."""

    x: float
    y: float
    top: float | None
    """The upper end of the interval; None when there is none."""
    bottom: float | None
    label: str
    label_x: float
    label_y: float
    anchor: str
    """Which end of the label stands at `label_x`."""
    shown: bool
    """Whether it is a run of this page."""
    told: str
    """All of it in words."""


class Plot(msgspec.Struct, frozen=True):
    """A plot: two axes, marks, and lines between them."""

    x_title: str
    y_title: str
    x_ticks: tuple[Tick, ...]
    y_ticks: tuple[Tick, ...]
    marks: tuple[Mark, ...]
    lines: tuple[str, ...] = ()
    """Each line as points of a polyline."""
    width: float = HALF
    height: float = HEIGHT
    left: float = LEFT
    top: float = TOP
    bottom: float = HEIGHT - BOTTOM

    @property
    def right(self) -> float:
        """Where the x axis ends."""
        return self.width - RIGHT


class _Point(msgspec.Struct, frozen=True):
    x: float
    run: Neighbour
    label: str


def cost_plot(runs: Iterable[Neighbour], width: float = HALF) -> Plot | None:
    """Score against cost, where at least two runs have cost something that is known."""
    points = [
        _Point(run.cost, run, run.name)
        for run in runs
        if not isinstance(run.cost, Missing) and run.cost > 0 and not isinstance(run.sopr, Missing)
    ]
    if len(points) < 2:
        return None
    costs = [point.x for point in points]
    wide = max(costs) / min(costs) > 8
    ticks = _decades(min(costs), max(costs)) if wide else _round_numbers(max(costs) * 1.08)
    scale = _Scale(ticks[0], ticks[-1], width, log=wide)
    title = "US$ a trial" + (", each step ten times the one before" if wide else "")
    return _drawn(points, title, [Tick(scale(tick), f"{tick:g}") for tick in ticks], scale)


def robustness_plot(runs: Iterable[Neighbour], width: float = HALF) -> Plot | None:
    """Score against the share of spoilt answers, where a run was done with at least two shares."""
    groups: dict[str, list[Neighbour]] = {}
    for run in runs:
        if not isinstance(run.sopr, Missing):
            groups.setdefault(run.like, []).append(run)
    curves = [sorted(group, key=lambda run: run.faults) for group in groups.values()]
    curves = [curve for curve in curves if len({run.faults for run in curve}) > 1]
    if not curves:
        return None
    ticks = _round_numbers(max(run.faults for curve in curves for run in curve))
    scale = _Scale(ticks[0], ticks[-1], width)
    points = [_Point(run.faults, run, run.agent if run is curve[-1] else "") for curve in curves for run in curve]
    plot = _drawn(
        points,
        "share of answers spoilt on purpose",
        [Tick(scale(one), f"{one * 100:g} %") for one in ticks],
        scale,
        joined=True,
    )
    lines = tuple(" ".join(f"{scale(run.faults):.1f},{_height(_value(run)):.1f}" for run in curve) for curve in curves)
    return msgspec.structs.replace(plot, lines=lines)


class _Scale:
    """From a value to its place on the x axis."""

    def __init__(self, least: float, most: float, width: float, *, log: bool = False) -> None:
        self.width = width
        self._log = log
        self._least, self._most = (math.log10(least), math.log10(most)) if log else (least, most)

    def __call__(self, value: float) -> float:
        at = math.log10(value) if self._log else value
        return LEFT + (self.width - LEFT - RIGHT) * (at - self._least) / (self._most - self._least or 1.0)


def _decades(least: float, most: float) -> list[float]:
    return [10.0**power for power in range(math.floor(math.log10(least)), math.ceil(math.log10(most)) + 1)]


def _round_numbers(most: float) -> list[float]:
    """From 0 to at least `most`, in at most five steps of 1, 2 or 5 times a power of ten."""
    size = 10.0 ** math.floor(math.log10(most / 5))
    step = next(size * times for times in (1, 2, 5, 10) if size * times * 5 >= most * (1 - 1e-9))
    return [round(step * number, 12) for number in range(math.ceil(most / step - 1e-9) + 1)]


def _height(share: float) -> float:
    return TOP + (HEIGHT - TOP - BOTTOM) * (1 - share)


def _value(run: Neighbour) -> float:
    assert not isinstance(run.sopr, Missing)
    return run.sopr.value


def _drawn(
    points: Sequence[_Point], x_title: str, x_ticks: Sequence[Tick], scale: _Scale, *, joined: bool = False
) -> Plot:
    marks: list[Mark] = []
    for point in sorted(points, key=lambda one: -_value(one.run)):
        label = point.label if len(point.label) <= _LONGEST else f"{point.label[: _LONGEST - 1]}…"
        marks.append(_labelled(_mark(point, scale(point.x)), label, scale.width, marks, joined=joined))
    return Plot(
        x_title=x_title,
        y_title="SoPR",
        x_ticks=tuple(x_ticks),
        y_ticks=tuple(Tick(_height(share), f"{share * 100:g} %") for share in (0.0, 0.25, 0.5, 0.75, 1.0)),
        marks=tuple(marks),
        width=scale.width,
    )


def _mark(point: _Point, x: float) -> Mark:
    run = point.run
    assert not isinstance(run.sopr, Missing)
    low, high, y = run.sopr.low, run.sopr.high, _height(run.sopr.value)
    ends = "" if low is None or high is None else f", {low * 100:.1f} to {high * 100:.1f}"
    return Mark(
        x=x,
        y=y,
        top=None if high is None else _height(high),
        bottom=None if low is None else _height(low),
        label="",
        label_x=x + 11,
        label_y=y + 4,
        anchor="start",
        shown=run.shown,
        told=f"{run.name}: {run.sopr.value * 100:.1f} %{ends}; {point.x:g}",
    )


def _labelled(mark: Mark, label: str, width: float, placed: Sequence[Mark], *, joined: bool) -> Mark:
    """The mark with its label: to the right; where there is no room, to the left, or above where a line comes."""
    x, y, anchor = mark.label_x, mark.label_y, mark.anchor
    if x + _LETTER * len(label) > width - 4:
        x, anchor = (min(mark.x + 5, width), "end") if joined else (mark.x - 11, "end")
        y = (mark.y if mark.top is None else mark.top) - 9 if joined else y
    for other in sorted((one for one in placed if one.label), key=lambda one: one.label_y):
        if label and abs(other.x - mark.x) < _LETTER * _LONGEST and abs(other.label_y - y) < _LINE:
            y = other.label_y + _LINE
    y = min(max(y, 10.0), HEIGHT - BOTTOM)
    return msgspec.structs.replace(mark, label=label, label_x=x, label_y=y, anchor=anchor)

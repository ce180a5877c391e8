"""A run's score on a ruler from 0 to 100, beside what it can be measured by: geometry, in the drawing's units. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from proctor.records.grades import Missing
from proctor.report.exhibit import Exhibit
from proctor.stats.intervals import Estimate

__all__ = ["Flag", "Ruler", "ruler"]

TOP, THICK, LINE = 20.0, 18.0, 19.0
_END = 9.0
"""So far from the edges of the drawing the ruler ends: a mark at either end stands whole."""
_LETTER = 7.2
"""How wide a letter is, about."""
_LONGEST = 26
_REFERENCES = {"null": "null, the floor", "oracle": "oracle, the ceiling"}


class Flag(msgspec.Struct, frozen=True):
    """Something else on the ruler, with its label below."""

    x: float
    to: float
    """Where it ends, for a span of values; its beginning for a single one."""
    label_x: float
    label_y: float
    anchor: str
    name: str
    value: str


class Ruler(msgspec.Struct, frozen=True):
    """The ruler: the run's mark and interval, and flags."""

    width: float
    height: float
    at: float
    low: float | None
    high: float | None
    flags: tuple[Flag, ...]
    ticks: tuple[tuple[float, str], ...]
    told: str
    """All of it in words."""
    left: float = _END
    top: float = TOP
    thick: float = THICK

    @property
    def length(self) -> float:
        """From 0 to 100."""
        return self.width - 2 * _END


class _Reference(msgspec.Struct, frozen=True):
    name: str
    low: float
    high: float

    @property
    def value(self) -> str:
        return f"{self.low:.1f}" if self.low == self.high else f"{self.low:.1f} to {self.high:.1f}"


def ruler(exhibit: Exhibit, width: float) -> Ruler | None:
    """The ruler of a page's run; None where nothing could be measured."""
    sopr = exhibit.run.summary.overall.sopr
    if isinstance(sopr, Missing):
        return None
    references = sorted(_references(exhibit), key=lambda one: (one.low + one.high, one.name))
    flags = _placed(references, width)
    lowest = max((flag.label_y for flag in flags), default=TOP + THICK)
    marks = (0, 25, 50, 75, 100) if width > 500 else (0, 50, 100)
    return Ruler(
        width=width,
        height=lowest + 6,
        at=_x(sopr.value * 100, width),
        low=None if sopr.low is None else _x(sopr.low * 100, width),
        high=None if sopr.high is None else _x(sopr.high * 100, width),
        flags=flags,
        ticks=tuple((_x(mark, width), f"{mark} %" if mark == 100 else str(mark)) for mark in marks),
        told=_told(sopr, references),
    )


def _references(exhibit: Exhibit) -> Iterator[_Reference]:
    """What the run can be measured by: its baseline, the floor, the ceiling, and published rates."""
    other = exhibit.other.record.name if exhibit.other is not None else None
    seen: set[str] = set()
    for run in sorted(exhibit.neighbours, key=lambda one: one.name != other):
        kind = run.agent if run.agent in _REFERENCES else ""
        if run.name == exhibit.run.record.name or isinstance(run.sopr, Missing) or (run.name != other and not kind):
            continue
        if kind not in seen:
            yield _Reference(_REFERENCES.get(kind, run.name), run.sopr.value * 100, run.sopr.value * 100)
        seen |= {kind} - {""}
    for one in exhibit.published:
        rates = [rate for row in one.table.rows for rate in (row.chain[0], row.tree[0])]
        yield _Reference(f"published, {one.table.server}", min(rates), max(rates))


def _x(percent: float, width: float) -> float:
    return _END + (width - 2 * _END) * percent / 100


def _placed(references: Sequence[_Reference], width: float) -> tuple[Flag, ...]:
    """Labels below the ruler, each in the first line where it has room."""
    lines: list[float] = []
    flags = []
    for one in references:
        name = one.name if len(one.name) <= _LONGEST else f"{one.name[: _LONGEST - 1]}…"
        x, to, long = _x(one.low, width), _x(one.high, width), _LETTER * (len(name) + len(one.value) + 1)
        middle = (x + to) / 2
        begin = min(max(middle - long / 2, 0.0), width - long)
        anchor, label_x = ("start", 0.0) if begin <= 0 else ("middle", middle)
        if begin == width - long:
            anchor, label_x = "end", width
        line = next((place for place, end in enumerate(lines) if end + 14 < begin), len(lines))
        lines[line : line + 1] = [begin + long]
        flags.append(Flag(x, to, label_x, TOP + THICK + 24 + LINE * line, anchor, name, one.value))
    return tuple(flags)


def _told(sopr: Estimate, references: Sequence[_Reference]) -> str:
    ends = "" if sopr.low is None or sopr.high is None else f", interval {sopr.low * 100:.1f} to {sopr.high * 100:.1f}"
    beside = "".join(f"; {one.name}: {one.value}" for one in references)
    return f"SoPR {sopr.value * 100:.1f} %{ends}{beside}"

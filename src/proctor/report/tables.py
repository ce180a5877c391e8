"""Tables of plain text that fit a terminal, and stay readable in a file."""

from __future__ import annotations

from collections.abc import Sequence

WIDTH = 80


def table(
    head: Sequence[str], rows: Sequence[Sequence[str]], *, left: int = 1, cut: int = 0, width: int = WIDTH
) -> list[str]:
    """The lines of a table. The first `left` columns begin at their left, the others end at their right.

    Where it would be wider than `width`, the column `cut` is cut, by default the first.
    """
    columns = list(zip(head, *rows, strict=True))
    widths = [max(map(len, column)) for column in columns]
    over = sum(widths) + 2 * (len(widths) - 1) - width
    if over > 0:
        widths[cut] = max(widths[cut] - over, min(widths[cut], 12))
    return [_line(row, widths, left) for row in (head, *rows)]


def without_empty(head: Sequence[str], rows: Sequence[Sequence[str]]) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """The head and the rows of a table without the columns in which nothing stands."""
    kept = [place for place in range(len(head)) if any(row[place] for row in rows)]
    return tuple(head[place] for place in kept), [tuple(row[place] for place in kept) for row in rows]


def _line(row: Sequence[str], widths: Sequence[int], left: int) -> str:
    cells = [
        _cut(cell, width).ljust(width) if place < left else cell.rjust(width)
        for place, (cell, width) in enumerate(zip(row, widths, strict=True))
    ]
    return "  ".join(cells).rstrip()


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else f"{text[: width - 1]}…"

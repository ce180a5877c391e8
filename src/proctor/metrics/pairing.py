"""Who is paired with whom: the best pairing there is, never the first that comes along.

Rows stand for calls made, columns for calls wanted. `rows[i]` holds, for each column that row `i` may be paired with, a
weight above 0. Each function returns pairs `(row, column)`, sorted, that use every row and every column at most once
and whose weights have the largest possible sum:

    assign    in any order
    align     so that columns rise with rows (gaps allowed)
    arrange   so that a column that comes after others is paired with a later row than they are

Where only how many pairs there are is asked, a column is a mask with a bit for each row that it may be paired with:

    most      the columns that can be paired at once, in any order
    longest   how many pairs there can be when columns rise with rows
    common    the same for two sequences, where a pair counts when the two are equal

`unlike` and `unlike_middle` say what is left when equal items are paired off: in any order, and at both ends.

Equal sums are decided by the numbering alone, so a caller who numbers its rows by what they are, and not by when they
came, gets a result that does not depend on when they came.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence

from proctor.errors import UnmeasuredError

Row = dict[int, int]
Rows = Sequence[Row]
Pairs = list[tuple[int, int]]

MAX_STATES = 200_000
"""So many partial pairings `arrange` looks at before it gives up."""
TOO_LOOSE = "the partial order of the gold leaves too many ways to pair the calls"
"""The reason that it gives then."""

_LIKENESS_STEPS = 1000


class Weights:
    """Weights that put first things first, for pairings of up to `size` pairs.

    Fulfilled calls that are required count before fulfilled optional ones, these before calls of which only the name
    is right, and these before how much alike the arguments are. With `all_first` it counts first how many calls are
    fulfilled at all.
    """

    def __init__(self, size: int, *, all_first: bool = False) -> None:
        near = _LIKENESS_STEPS * (size + 1)
        one = (near + _LIKENESS_STEPS) * (size + 1)
        more = one * (size + 1)
        # Made once: a row may hold thousands of them.
        self._alike = [near + step for step in range(_LIKENESS_STEPS + 1)]
        self._optional = [(more if all_first else one) + step for step in range(_LIKENESS_STEPS + 1)]
        self._required = [(more + one if all_first else more) + step for step in range(_LIKENESS_STEPS + 1)]

    def fulfilled(self, likeness: float, *, optional: bool) -> int:
        """The weight of a pair that agrees."""
        return (self._optional if optional else self._required)[round(likeness * _LIKENESS_STEPS)]

    def alike(self, likeness: float) -> int:
        """The weight of a pair with the right name and other arguments."""
        return self._alike[round(likeness * _LIKENESS_STEPS)]


def assign(rows: Rows) -> Pairs:
    """The heaviest pairing in any order."""
    pairs: Pairs = []
    for members in _components(rows):
        pairs += _assign_connected(rows, members)
    return sorted(pairs)


def align(rows: Rows, columns: int) -> Pairs:
    """The heaviest pairing in which columns rise with rows."""
    best = [0] * (columns + 1)
    table = [best]
    for row in rows:
        if row:
            best = _next_line(row, best, columns)
        table.append(best)
    pairs: Pairs = []
    column = columns
    for index in range(len(rows), 0, -1):
        line, above = table[index], table[index - 1]
        while column and line[column] == line[column - 1]:
            column -= 1
        if line[column] != above[column]:
            column -= 1
            pairs.append((index - 1, column))
    return pairs[::-1]


def common(first: Sequence[Hashable], second: Sequence[Hashable]) -> int:
    """The length of the longest common subsequence."""
    places: dict[Hashable, int] = {}
    for index, item in enumerate(second):
        places[item] = places.get(item, 0) | 1 << index
    return longest([places.get(item, 0) for item in first], len(second))


def longest(fits: Iterable[int], rows: int) -> int:
    """The largest number of pairs in which rows rise with columns, from each column's mask of rows that fit it.

    One bit of a long integer stands for each row: a bit that is 0 says that the best length grows there. Adding carries
    a new match to the end of its stretch, so that a whole line of the usual table takes one addition.
    """
    everywhere = (1 << rows) - 1
    line = everywhere
    for mask in fits:
        found = line & mask
        line = (line + found | line - found) & everywhere
    return rows - line.bit_count()


def unlike(first: Sequence[Hashable], second: Sequence[Hashable]) -> tuple[list[int], list[int]]:
    """What is left of two sequences, by place, when each item is paired with an equal one, whatever their order."""
    free: dict[Hashable, list[int]] = {}
    for index, item in enumerate(second):
        free.setdefault(item, []).append(index)
    left = []
    for index, item in enumerate(first):
        places = free.get(item)
        if places:
            places.pop()
        else:
            left.append(index)
    return left, sorted([index for places in free.values() for index in places])


def unlike_middle(first: Sequence[Hashable], second: Sequence[Hashable]) -> tuple[range, range]:
    """What is left of two sequences, by place, without the items that are equal at the beginning and at the end."""
    shorter = min(len(first), len(second))
    begin = 0
    while begin < shorter and first[begin] == second[begin]:
        begin += 1
    end = 0
    while end < shorter - begin and first[-1 - end] == second[-1 - end]:
        end += 1
    return range(begin, len(first) - end), range(begin, len(second) - end)


def most(fits: Sequence[int], columns: Iterable[int]) -> list[int]:
    """The columns that are paired in a largest pairing, each served as long as those before it stay served.

    `fits[column]` has a bit for each row that the column may be paired with.
    """
    owner: dict[int, int] = {}
    held: dict[int, int] = {}
    taken = lost = 0
    served = []
    for column in columns:
        free = fits[column] & ~taken
        came: dict[int, int] = {}
        if free:
            found = free & -free
        else:
            found, came, seen = _way_out(column, fits, (owner, taken, lost))
            if not found:
                lost = seen  # whoever is looked at in vain leads nowhere ever after
                continue
        taken |= found
        served.append(column)
        row = found
        while (giver := came.get(row, column)) != column:
            before = held[giver]
            owner[row], held[giver] = giver, row
            row = before
        owner[row], held[column] = column, row
    return served


def _way_out(column: int, fits: Sequence[int], now: tuple[dict[int, int], int, int]) -> tuple[int, dict[int, int], int]:
    """A row that becomes free for a column when others move on: the row, who comes to each row, and the rows seen."""
    owner, taken, seen = now
    came: dict[int, int] = {}
    queue = [column]
    for each in queue:
        new = fits[each] & ~seen
        free = new & ~taken
        if free:
            row = free & -free
            came[row] = each
            return row, came, seen
        seen |= new
        while new:
            row = new & -new
            new ^= row
            came[row] = each
            queue.append(owner[row])
    return 0, came, seen


def arrange(rows: Rows, before: Sequence[int]) -> Pairs:
    """The heaviest pairing that keeps a partial order.

    `before[column]` has a bit for each column that has to come earlier (transitively closed). UnmeasuredError when the
    order is too loose for a search to end.
    """
    free = assign(rows)
    if _keeps_order(free, before):
        return free
    after = _reversed(before)
    alike = _interchangeable(rows, before, after)
    states: dict[int, tuple[int, _Chain]] = {0: (0, None)}
    looked_at = 0
    for index, relevant in enumerate(_relevant_later(rows, after)):
        states = _with_row(states, index, rows[index], (after, alike, relevant))
        looked_at += len(states)
        if looked_at > MAX_STATES:
            raise UnmeasuredError("trajectory_match", TOO_LOOSE)
    chain = states[0][1]
    pairs: Pairs = []
    while chain is not None:
        pairs.append(chain[:2])
        chain = chain[2]
    return pairs[::-1]


_Chain = tuple[int, int, "_Chain"] | None
"""The pairs of a partial pairing, the last one first."""


def _components(rows: Rows) -> list[list[int]]:
    """The rows in groups that share no column."""
    leader = list(range(len(rows)))
    owner: dict[int, int] = {}
    for index, row in enumerate(rows):
        for column in row:
            first = _leader(leader, owner.setdefault(column, index))
            leader[_leader(leader, index)] = first
    groups: dict[int, list[int]] = {}
    for index, row in enumerate(rows):
        if row:
            groups.setdefault(_leader(leader, index), []).append(index)
    return list(groups.values())


def _leader(leader: list[int], index: int) -> int:
    while leader[index] != index:
        leader[index] = leader[leader[index]]
        index = leader[index]
    return index


def _assign_connected(rows: Rows, members: list[int]) -> Pairs:
    if len(members) == 1:
        row = rows[members[0]]
        return [(members[0], min(row, key=lambda column: (-row[column], column)))]
    columns = sorted({column for index in members for column in rows[index]})
    if len(columns) == 1:
        return [(min(members, key=lambda index: (-rows[index][columns[0]], index)), columns[0])]
    return _assign_by_matrix(rows, members, columns)


def _assign_by_matrix(rows: Rows, members: list[int], columns: list[int]) -> Pairs:
    import numpy as np
    from scipy.optimize import linear_sum_assignment

    place = {column: at for at, column in enumerate(columns)}
    matrix = np.zeros((len(members), len(columns)))
    for at, index in enumerate(members):
        for column, weight in rows[index].items():
            matrix[at, place[column]] = weight
    chosen = zip(*linear_sum_assignment(matrix, maximize=True), strict=True)
    return [(members[at], columns[to]) for at, to in chosen if matrix[at, to] > 0]


def _next_line(row: dict[int, int], above: list[int], columns: int) -> list[int]:
    """The line of the alignment's table below `above`: its best sums with one row more."""
    line = above.copy()
    left = 0
    for column in range(columns):
        here = above[column + 1]
        weight = row.get(column)
        if weight is not None and above[column] + weight > here:
            here = above[column] + weight
        left = max(left, here)
        line[column + 1] = left
    return line


def _keeps_order(pairs: Pairs, before: Sequence[int]) -> bool:
    later = 0
    for _, column in reversed(pairs):
        if before[column] & later:
            return False
        later |= 1 << column
    return True


def _reversed(before: Sequence[int]) -> list[int]:
    return [sum(1 << later for later, mask in enumerate(before) if mask >> column & 1) for column in range(len(before))]


def _interchangeable(rows: Rows, before: Sequence[int], after: Sequence[int]) -> list[int]:
    """For each column a mask of the columns that are its like in everything and stand before it in the numbering."""
    seen: dict[tuple[object, ...], int] = {}
    masks = []
    for column in range(len(before)):
        kind = (before[column], after[column], *(row.get(column) for row in rows))
        masks.append(seen.get(kind, 0))
        seen[kind] = masks[-1] | 1 << column
    return masks


def _relevant_later(rows: Rows, after: Sequence[int]) -> list[int]:
    """For each row the columns whose use still matters once the row is dealt with."""
    masks = [0] * len(rows)
    for index in range(len(rows) - 1, 0, -1):
        mask = masks[index]
        for column in rows[index]:
            mask |= 1 << column | after[column]
        masks[index - 1] = mask
    return masks


def _with_row(
    states: dict[int, tuple[int, _Chain]],
    index: int,
    row: dict[int, int],
    masks: tuple[Sequence[int], Sequence[int], int],
) -> dict[int, tuple[int, _Chain]]:
    """The best partial pairings after one row more, one for each set of columns whose use still matters."""
    after, alike, relevant = masks
    found: dict[int, tuple[int, _Chain]] = {}
    for used, (weight, chain) in states.items():
        kept = used & relevant
        if kept not in found or found[kept][0] < weight:
            found[kept] = (weight, chain)
        for column, more in row.items():
            if used >> column & 1 or used & after[column] or alike[column] & ~used:
                continue
            kept = (used | 1 << column) & relevant
            if kept not in found or found[kept][0] < weight + more:
                found[kept] = (weight + more, (index, column, chain))
    return found

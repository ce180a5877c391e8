"""Facts that do not stand in the answers of APIs and follow from them by a rule: a sum, the largest. Pure."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from proctor.records.queries import Derived
from proctor.starter.values import day

__all__ = ["RULES", "Underivable", "derived"]


class Underivable(Exception):  # noqa: N818 - a finding about a query's gold, not a fault of the program
    """A rule cannot be applied: it is unknown, a path leads nowhere, or a value is of another kind."""


def derived(rule: Derived, answers: Mapping[str, Any]) -> Any:
    """What follows by the rule from the answers, which stand under their gold calls' labels.

    >>> derived(Derived("sum", ("out.fare", "back.fare", 2)), {"out": {"fare": 12.5}, "back": {"fare": 11}})
    25.5
    """
    if rule.rule not in RULES:
        raise Underivable(f"there is no rule {rule.rule!r}; known are {', '.join(sorted(RULES))}")
    values = [value for item in rule.of for value in _values(item, answers)]
    try:
        if not rule.names:
            return RULES[rule.rule](values)
        wanted = RULES[rule.rule](values)
        names = [name for item in rule.names for name in _names(item, answers)]
        return names[values.index(wanted)]
    except (TypeError, ValueError, ZeroDivisionError, IndexError) as error:
        raise Underivable(f"the rule {rule.rule!r} does not fit {values!r:.200}: {error}") from None


def _values(item: str | float, answers: Mapping[str, Any]) -> list[Any]:
    return list(_found(item.split("."), answers, item)) if isinstance(item, str) else [item]


def _names(item: str, answers: Mapping[str, Any]) -> list[Any]:
    """What a path leads to; words that are no path are themselves."""
    return _values(item, answers) if item.split(".", maxsplit=1)[0] in answers and "." in item else [item]


def _found(keys: Sequence[str], value: Any, path: str) -> Iterator[Any]:
    if not keys:
        yield value
        return
    key, *rest = keys
    if key == "*" and isinstance(value, list):
        for item in value:
            yield from _found(rest, item, path)
    elif isinstance(value, Mapping) and key in value:
        yield from _found(rest, value[key], path)
    elif isinstance(value, list) and key.isdecimal() and int(key) < len(value):
        yield from _found(rest, value[int(key)], path)
    else:
        raise Underivable(f"the path {path!r} leads nowhere at {key!r}")


def _minutes(times: Sequence[str]) -> int:
    """From the first time of day to the second, over midnight where it is earlier."""
    first, second = (int(time[:2]) * 60 + int(time[3:]) for time in times if re.fullmatch(r"\d\d:\d\d", time))
    return (second - first) % (24 * 60)


def _days(dates: Sequence[str]) -> int:
    first, second = map(day, dates)
    return abs((second - first).days)


def _difference(numbers: Sequence[float]) -> float:
    first, second = numbers
    return abs(first - second)


def _quotient(numbers: Sequence[float]) -> float:
    first, second = numbers
    return first / second


RULES: dict[str, Callable[[Sequence[Any]], Any]] = {
    "count": len,
    "days": _days,
    "difference": _difference,
    "largest": max,
    "mean": lambda numbers: sum(numbers) / len(numbers),
    "minutes": _minutes,
    "product": math.prod,
    "quotient": _quotient,
    "smallest": min,
    "sum": sum,
}
"""The rules: each makes one value of several."""

"""What the keyword door returns: a number that knows why it is this number."""

from __future__ import annotations

import json
import math
import operator
from collections.abc import Callable
from typing import Any

from proctor.errors import InputError, UnmeasuredError
from proctor.records.grades import Missing, Score

__all__ = ["MetricResult"]


def _compares(compare: Callable[[Any, Any], bool]) -> Callable[[MetricResult, Any], Any]:
    def method(self: MetricResult, other: Any) -> Any:
        plain = _plain(other)
        return NotImplemented if plain is NotImplemented else compare(float(self), plain)

    return method


def _computes(compute: Callable[[Any, Any], Any], *, reflected: bool = False) -> Callable[[MetricResult, Any], Any]:
    def method(self: MetricResult, other: Any) -> Any:
        plain = _plain(other)
        if plain is NotImplemented:
            return NotImplemented
        return compute(plain, float(self)) if reflected else compute(float(self), plain)

    return method


class MetricResult:
    """A number, why it is this number, and what went in and out on the way.

    It computes, compares, rounds and prints like its number. One that could not be measured has the value None and
    the reason; used as a number, it raises UnmeasuredError.
    """

    __slots__ = ("_value", "reason", "traces")

    def __init__(self, value: float | None, reason: str | None = None, traces: dict[str, Any] | None = None) -> None:
        if value is not None and (not hasattr(value, "__float__") or math.isnan(value)):
            raise InputError(f"a result's value must be a number, or None when it is unmeasured, not {value!r}.")
        if unknown := sorted(set(traces or ()) - {"input", "output"}):
            raise InputError(f"a result's traces have the keys 'input' and 'output', not {unknown[0]!r}.")
        self._value = None if value is None else float(value)
        self.reason = reason
        self.traces = traces

    @classmethod
    def of(cls, measured: Score | Missing) -> MetricResult:
        """The result that says what a cell says."""
        if isinstance(measured, Missing):
            return cls(None, measured.reason)
        return cls(measured.value, measured.reason or measured.warning)

    @property
    def value(self) -> float | None:
        """The number; None when it could not be measured."""
        return self._value

    def to_dict(self) -> dict[str, Any]:
        """The number under `result`, and the reason."""
        return {"result": self._value, "reason": self.reason}

    def to_json(self) -> str:
        """The number under `value`, and the reason, as JSON."""
        return json.dumps(self.__json__())

    def __json__(self) -> dict[str, Any]:
        return {"value": self._value, "reason": self.reason}

    def __float__(self) -> float:
        if self._value is None:
            raise UnmeasuredError("this result", self.reason or "no reason was given")
        return self._value

    def __int__(self) -> int:
        return int(float(self))

    def __bool__(self) -> bool:
        return bool(float(self))

    def __round__(self, digits: int | None = None) -> float:
        return round(float(self), digits)

    def __abs__(self) -> float:
        return abs(float(self))

    def __neg__(self) -> float:
        return -float(self)

    def __format__(self, spec: str) -> str:
        return format(float(self), spec) if spec else str(self)

    def __repr__(self) -> str:
        why = "" if self.reason is None else f", reason={self.reason!r}"
        return f"MetricResult(value={self._value!r}{why})"

    def __eq__(self, other: object) -> bool:
        if isinstance(other, MetricResult):
            same = self._value == other._value
            return same and (self._value is not None or self.reason == other.reason)
        return False if self._value is None else self._value == other

    def __hash__(self) -> int:
        return hash(self.reason) if self._value is None else hash(self._value)

    def __reduce__(self) -> tuple[Any, ...]:
        return MetricResult, (self._value, self.reason, self.traces)

    __lt__ = _compares(operator.lt)
    __le__ = _compares(operator.le)
    __gt__ = _compares(operator.gt)
    __ge__ = _compares(operator.ge)
    __add__ = _computes(operator.add)
    __radd__ = _computes(operator.add, reflected=True)
    __sub__ = _computes(operator.sub)
    __rsub__ = _computes(operator.sub, reflected=True)
    __mul__ = _computes(operator.mul)
    __rmul__ = _computes(operator.mul, reflected=True)
    __truediv__ = _computes(operator.truediv)
    __rtruediv__ = _computes(operator.truediv, reflected=True)
    __pow__ = _computes(operator.pow)


def _plain(other: Any) -> Any:
    """The other side of an operator as a number, or NotImplemented."""
    if isinstance(other, MetricResult):
        return float(other)
    return other if isinstance(other, int | float) else NotImplemented

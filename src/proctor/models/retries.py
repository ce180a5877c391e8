"""When to ask again, and after how long. Pure: clock and dice are handed in."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC
from email.utils import parsedate_to_datetime

import msgspec

from proctor.errors import OptionError

__all__ = ["RetryPolicy", "is_transient", "retry_after"]

_TRANSIENT = frozenset({408, 409, 425, 429})
_LASTING_SERVER_ERRORS = frozenset({501, 505})


class RetryPolicy(msgspec.Struct, frozen=True):
    """How often and how slowly a request is repeated after a fault of the line or of the server."""

    attempts: int = 5
    """How often a request is made at most, the first time included."""
    first: float = 0.5
    """The longest wait before the second attempt, in seconds; it doubles with each further one."""
    longest: float = 30.0
    """No wait of our own is longer."""
    longest_asked: float = 120.0
    """No wait that the endpoint asks for (Retry-After) is longer."""

    def __post_init__(self) -> None:
        if self.attempts < 1:
            raise OptionError(f"attempts must be at least 1, not {self.attempts}.")
        if min(self.first, self.longest, self.longest_asked) < 0:
            raise OptionError("a wait must not be negative.")

    def wait(self, failures: int, asked: float | None, dice: float) -> float:
        """How long to wait after so many failures in a row.

        `asked` is what the endpoint asked for, and is kept; otherwise the wait lies between a half of the doubled
        first wait and the whole of it, wherever the `dice` (0 to 1) fall, so that many callers do not return at once.
        """
        if asked is not None:
            return min(max(asked, 0.0), self.longest_asked)
        whole = min(self.longest, self.first * 2.0 ** min(failures - 1, 60))
        return whole * (0.5 + dice / 2)


def is_transient(status: int | None) -> bool:
    """Whether asking again may help: no answer at all, too many requests, or a failing server."""
    if status is None or status in _TRANSIENT:
        return True
    return status >= 500 and status not in _LASTING_SERVER_ERRORS


def retry_after(headers: Mapping[str, str], now: float) -> float | None:
    """The seconds that an endpoint asks to wait, from `retry-after-ms` or `Retry-After` (seconds or a date).

    `headers` has lower-case names; `now` is in seconds since 1970.
    """
    if (milliseconds := _number(headers.get("retry-after-ms"))) is not None:
        return milliseconds / 1000
    said = headers.get("retry-after")
    if said is None or (seconds := _number(said)) is not None:
        return seconds if said is not None else None
    try:
        date = parsedate_to_datetime(said)
    except ValueError:
        return None
    if date.tzinfo is None:
        date = date.replace(tzinfo=UTC)
    return max(date.timestamp() - now, 0.0)


def _number(said: str | None) -> float | None:
    try:
        value = float(said) if said is not None else None
    except ValueError:
        return None
    return value if value is not None and 0 <= value < float("inf") else None

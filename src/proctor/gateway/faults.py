"""Faults on purpose: a dial that spoils a share of the answers, so that an agent's robustness can be measured. Pure.

Which calls are hit depends on the seed and on the call alone: a run with the same seed meets the same faults, in any
order and on any machine. A larger share hits the same calls and more. What a fault says is never stored.
"""

from __future__ import annotations

import hashlib

import msgspec

from proctor.errors import OptionError
from proctor.gateway.source import Call
from proctor.records.answers import Answer

__all__ = ["FAULTS", "STALE", "Faults"]

STALE = "stale"
"""The answer of another call of the same API, where one is recorded."""
FAULTS: dict[str, Answer] = {
    "useless": Answer("The API did not return useful information."),
    "timeout": Answer("", "Timeout error: the API did not answer in time."),
    "server-error": Answer("", "API not working error: 503 Service Unavailable."),
    "rate-limit": Answer("", "Rate limit error: 429 Too Many Requests."),
    STALE: Answer("", "there is no older answer to give."),
}
"""What is answered in place of an API, by the name of the fault."""


class Faults(msgspec.Struct, frozen=True):
    """How many answers are spoilt, and how."""

    share: float
    """The share of calls (or of tools) that is hit: from 0 to 1."""
    kinds: tuple[str, ...] = ("useless", "timeout", "server-error", "rate-limit")
    """The faults that are injected, each as often as the others."""
    seed: int = 0
    by: str = "call"
    """`call` hits single calls; `tool` hits all calls of the tools that are hit."""

    def __post_init__(self) -> None:
        if not 0 <= self.share <= 1:
            raise OptionError(f"the share of faults is {self.share!r}; expected a number from 0 to 1.")
        unknown = [kind for kind in self.kinds if kind not in FAULTS]
        if unknown or not self.kinds:
            raise OptionError(
                f"there is no fault {', '.join(map(repr, unknown)) or '()'}; known are {', '.join(FAULTS)}."
            )
        if self.by not in {"call", "tool"}:
            raise OptionError(f"faults are by 'call' or by 'tool', not by {self.by!r}.")

    def of(self, call: Call) -> str | None:
        """The fault that hits a call, if one does.

        >>> call = Call.of(ApiId("Weather", "Sky Report", "Get Forecast"), {})
        >>> Faults(1.0, ("timeout",)).of(call)
        'timeout'
        """
        hit = call.key if self.by == "call" else f"{call.api.category}\n{call.api.tool}"
        if self._drawn("hit", hit) >= self.share:
            return None
        return self.kinds[int(self._drawn("kind", call.key) * len(self.kinds))]

    def place_of(self, call: Call) -> str:
        """Where among the keys of an API's recorded answers the stale one of a call is looked for."""
        return hashlib.sha256(f"{self.seed}\nstale\n{call.key}".encode("utf-8", "replace")).hexdigest()

    def _drawn(self, what: str, key: str) -> float:
        """A number from 0 to 1 that is the same for the same seed, use and key."""
        text = f"{self.seed}\n{what}\n{key}".encode("utf-8", "replace")
        return int.from_bytes(hashlib.sha256(text).digest()[:7], "big") / 2**56

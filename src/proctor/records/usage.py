"""What asking models costs."""

from __future__ import annotations

import msgspec

from proctor.records.grades import Missing


class Usage(msgspec.Struct, frozen=True):
    """What a model was asked for and what it cost."""

    requests: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float | Missing = 0.0
    """In US dollars; unmeasured when the model's price is not known."""

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            requests=self.requests + other.requests,
            prompt_tokens=self.prompt_tokens + other.prompt_tokens,
            completion_tokens=self.completion_tokens + other.completion_tokens,
            cost=_total(self.cost, other.cost),
        )


def _total(one: float | Missing, other: float | Missing) -> float | Missing:
    """A sum with an unknown part is unknown."""
    if isinstance(one, Missing):
        return one
    if isinstance(other, Missing):
        return other
    return one + other

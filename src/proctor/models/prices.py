"""What a call costs. Prices are data: the table that comes with Proctor is dated, and any of it can be replaced.

A model that is not in the table has no known price, and then its cost is `Missing`, never 0. That holds for models on
one's own machine too: electricity and hardware are not free, only unpriced here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from importlib import resources
from pathlib import Path

import msgspec

from proctor.errors import FileError
from proctor.records.grades import Missing

__all__ = ["Price", "PriceTable", "known_prices", "read_prices"]

_SNAPSHOT = re.compile(r"-\d{4}-\d{2}-\d{2}$")
_MILLION = 1_000_000


class Price(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """US dollars for a million tokens."""

    prompt: float
    completion: float
    cached_prompt: float | None = None
    """For the part of the prompt that the endpoint had in its own cache; None when that costs the same."""

    def cost(self, prompt_tokens: int, completion_tokens: int, cached_tokens: int = 0) -> float:
        """What so many tokens cost."""
        rebated = self.prompt if self.cached_prompt is None else self.cached_prompt
        fresh = max(prompt_tokens - cached_tokens, 0)
        return (fresh * self.prompt + cached_tokens * rebated + completion_tokens * self.completion) / _MILLION


class PriceTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Prices by model name, and when they were noted."""

    noted: str
    """The date, or the month."""
    models: dict[str, Price]
    """By `provider/model`. A dated snapshot of a model (`…-2024-07-18`) costs what the model costs."""

    def price(self, name: str) -> Price | Missing:
        """The price of a model, or why there is none."""
        found = self.models.get(name) or self.models.get(_SNAPSHOT.sub("", name))
        return found or Missing("the model's price is not known", f"{name} is not in the price table of {self.noted}")

    def with_prices(self, prices: Mapping[str, Price], noted: str | None = None) -> PriceTable:
        """A table in which these prices replace or join those that are there."""
        return PriceTable(noted or self.noted, {**self.models, **prices})


@cache
def known_prices() -> PriceTable:
    """The table that comes with Proctor."""
    data = resources.files("proctor.models").joinpath("prices.json").read_bytes()
    return _decode(data, "prices.json")


def read_prices(path: str | Path) -> PriceTable:
    """A table of one's own: `{"noted": "2026-06", "models": {"openai/gpt-4o-mini": {"prompt": 0.15, …}}}`."""
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise FileError(f"cannot be read: {error.strerror or error}.", path=str(path)) from None
    return _decode(data, str(path))


def _decode(data: bytes, path: str) -> PriceTable:
    try:
        table: PriceTable = msgspec.json.decode(data, type=PriceTable)
    except msgspec.MsgspecError as error:
        raise FileError(f"this is not a price table: {error}.", path=path) from None
    wrong = [name for name, price in table.models.items() if min(price.prompt, price.completion) < 0]
    if wrong:
        raise FileError(f"the price of {wrong[0]!r} is negative.", path=path)
    return table

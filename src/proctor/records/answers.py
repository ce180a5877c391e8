"""An API's answer, and where it came from."""

from __future__ import annotations

import enum
from typing import Any

import msgspec

from proctor.records.usage import Usage


class Source(enum.Enum):
    """Who answered a call."""

    RECORDED = "recorded"
    """The cache: somebody asked the same before."""
    SIMULATED = "simulated"
    """A model or a template that plays the API."""
    COMPUTED = "computed"
    """A Python function that is the API, such as those of a benchmark."""
    LIVE = "live"
    """The API itself."""
    CANNED = "canned"
    """A script of a test."""
    MISSED = "missed"
    """Nobody: no source that was allowed had an answer."""


class Provenance(msgspec.Struct, frozen=True, omit_defaults=True):
    """Where an answer came from."""

    source: Source
    """Who answered."""
    model: str | None = None
    """The model that played the API."""
    at: float | None = None
    """When the answer was first made, in seconds since 1970."""
    entry: str | None = None
    """The key under which the answer is stored."""
    attempts: tuple[str, ...] = ()
    """What was tried before, and what came of it."""
    fault: str | None = None
    """The fault that was injected on purpose, in place of the API's answer."""
    usage: Usage | None = None
    """What the models cost that were asked for it, those that said nothing useful too; not told of recorded answers."""
    run: str | None = None
    """In a store, the run that made the answer: to that run it is none of the recorded ones."""
    cut: bool = False
    """Whether the answer is what is left of a reply that was cut off."""


class Answer(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a call came back with."""

    response: Any
    """The API's response: any JSON value."""
    error: str = ""
    """The API's error, empty when there is none."""
    provenance: Provenance | None = None
    """Where it came from; the gateway never leaves it out."""

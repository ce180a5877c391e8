"""What a run is, so that it can be done again."""

from __future__ import annotations

from typing import Any

import msgspec

from proctor.records.keys import content_hash


class TrialKey(msgspec.Struct, frozen=True, order=True):
    """One agent's go at one query: the unit that is planned, journalled and resumed."""

    test_set: str
    query_id: str
    epoch: int = 0

    def __str__(self) -> str:
        return f"{self.test_set}/{self.query_id}#{self.epoch}"


class RunSpec(msgspec.Struct, frozen=True, omit_defaults=True):
    """Everything that decides what a run does. Its hash is the run's identity."""

    benchmark: str
    test_sets: tuple[str, ...]
    agent: str
    agent_model: str | None = None
    agent_options: dict[str, Any] = msgspec.field(default_factory=dict)
    simulator: str | None = None
    policy: str = "cache"
    tools: str = "all"
    epochs: int = 1
    limit: int | None = None
    seed: int = 0

    @property
    def key(self) -> str:
        """The run's identity. A field that keeps its default does not count, so that a new field changes no old key."""
        return content_hash(self)


class Manifest(msgspec.Struct, frozen=True, omit_defaults=True):
    """A run's label: the specification, and what it met when it began."""

    spec: RunSpec
    proctor_version: str
    started: float
    """In seconds since 1970."""
    query_ids: tuple[str, ...] = ()
    cache_id: str | None = None
    """The content id of the frozen cache that answered."""

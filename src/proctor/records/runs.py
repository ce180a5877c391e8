"""What a run is, so that it can be done again, and what came of it."""

from __future__ import annotations

from typing import Any

import msgspec

from proctor.records.grades import Missing, Verdict
from proctor.records.keys import content_hash
from proctor.records.queries import Query
from proctor.records.traces import Trace, Usage


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
    limits: dict[str, Any] = msgspec.field(default_factory=dict)
    """How far the agent may go with one query, where it is not the usual."""
    faults: dict[str, Any] = msgspec.field(default_factory=dict)
    """Which answers are spoilt on purpose."""
    data: str | None = None
    """What the benchmark's queries are: the hash of their content, where they are no part of Proctor."""

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
    framework: str = ""
    """What the agent is called in results."""
    config: str = ""
    """What the run is called beside it; `<framework>_<config>` is the name of its files."""
    query_ids: tuple[str, ...] = ()
    cache_id: str | None = None
    """The content id of the frozen cache that answered."""
    apis: int = 0
    """How many APIs there were in all."""
    apis_of_queries: int = 0
    """Of these, those that only the benchmark's queries document, and no tool file."""
    agent_url: str | None = None
    """Where the agent's model was asked, if that was an address of its own."""
    id: str = ""
    """What tells this run from every other, those with the same specification too: the mark of its answers."""


class Trial(msgspec.Struct, frozen=True, omit_defaults=True):
    """One trial with all that came of it."""

    key: TrialKey
    query: Query
    trace: Trace
    verdicts: tuple[Verdict | Missing, ...] = ()
    """A judge's opinions, one a repeat; none where nobody has judged yet."""
    grading_seconds: float = 0.0
    """How long the judging took."""


class RunRecord(msgspec.Struct, frozen=True, omit_defaults=True):
    """A run as it was written down: what tables, result files and pages are made of."""

    name: str
    """What it is called: the name of its folder."""
    manifest: Manifest
    trials: tuple[Trial, ...]
    """The trials that have a trace, in the order of the plan."""
    planned: int = 0
    """How many trials there are to be in all."""
    judge: str = ""
    """Who gave the verdicts."""
    method: str = ""
    """How it was judged: `official` by a model, `rubric`, `heuristic`; empty where nobody has judged yet."""
    judge_usage: Usage = Usage()
    """What judging has cost."""
    seconds: float = 0.0
    """How long the run was at work, all goes at it together."""
    damaged: int = 0
    """How many lines of its journal cannot be read: what they told of is owed, or was done again."""

"""The hall in which an exam is sat: agent, tools and gateway, built from settings that are plain data.

A hall can be built from the same settings in any process, so an engine may have trials attempted wherever it likes.
"""

from __future__ import annotations

import contextlib
import functools
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from proctor.agents.adapters.framework import FrameworkAgent
from proctor.agents.agent import Agent, Task
from proctor.agents.diary import Limits
from proctor.agents.toolbox import Box, read_at_hand
from proctor.catalog.search import ToolSearch
from proctor.config import Settings
from proctor.errors import OptionError
from proctor.gateway import policy as policies
from proctor.gateway.canned import FunctionSource
from proctor.gateway.gateway import Gateway, GatewayOptions
from proctor.gateway.remote import RemoteGateway
from proctor.gateway.simulators import ModelSource
from proctor.gateway.source import AnswerSource
from proctor.models.adapt import as_chat_model
from proctor.models.chat import ChatModel
from proctor.records.answers import Source
from proctor.records.runs import TrialKey
from proctor.records.traces import Trace
from proctor.runs import folders
from proctor.runs.trial import run_trial
from proctor.runs.underway import Recalling, recalled
from proctor.server.desks import DeskDoor
from proctor.wiring.agents import agent_named, calls_nobody
from proctor.wiring.benchmarks import Opened
from proctor.wiring.gateways import MirrorForm, faults_of, live_of, opened_store, simulators_of
from proctor.wiring.models import Models
from proctor.wiring.outsiders import Around, read_steps

__all__ = ["Given", "Hall", "limits_of"]

_CALLS_NOTHING = frozenset({"null", "oracle", "spam"})
"""Agents that never search."""


class Given(msgspec.Struct, frozen=True):
    """Objects that somebody hands over in place of names: in this process only."""

    agent: Any = None
    """An agent, or a framework: its object, its class, or what makes one."""
    model: Any = None
    judge: Any = None
    simulators: tuple[AnswerSource | ChatModel, ...] = ()
    """Who plays the APIs: sources, or models that are asked to."""


class Hall:
    """Where the trials of a run are attempted. `attempt` may be called any number of times at once.

    `place` is the run's folder, where answers are kept if no store is named, or a gateway that is somewhere else.
    `run` tells the run from every other: its answers bear that mark.
    """

    def __init__(
        self,
        settings: Settings,
        benchmark: Opened,
        place: Path | RemoteGateway,
        given: Given | None = None,
        run: str | None = None,
    ) -> None:
        self.settings = settings
        self.benchmark = benchmark
        self.run = run
        self._given = given or Given()
        self._open = contextlib.ExitStack()
        self.models = Models(settings)
        try:
            self.gateway = place if isinstance(place, RemoteGateway) else self._gateway(place)
            self._door = DeskDoor()
            self.agent = self._agent()
        except BaseException:
            self._open.close()
            raise
        self._at_hand = read_at_hand(settings.agent.tools)
        self._limits = limits_of(settings)
        self._queries = {(name, query.id): query for name, queries in benchmark.sets.items() for query in queries}
        searches = self._at_hand.kind != "query" and settings.agent.name not in _CALLS_NOTHING
        self._search = ToolSearch(benchmark.catalog) if searches else None

    async def attempt(self, trial: TrialKey) -> Trace:
        """Let the agent go at a trial."""
        query = self._queries[trial.test_set, trial.query_id]
        task = Task(query, trial.epoch, self.settings.run.seed)
        answering = recalled(self.gateway.call_api)
        box = Box(self.benchmark.catalog, query, answering, at_hand=self._at_hand, search=self._search)
        return await run_trial(self.agent, task, box, self._limits, clock=time.monotonic)

    async def aclose(self, *, wait: bool = True) -> None:
        """Close the agent, its door, the gateway, its store and the models; without `wait`, answers are left."""
        leave = getattr(self.agent, "aclose", None)
        if leave is not None and self.agent is not self._given.agent:
            await leave()
        await self._door.aclose()
        if isinstance(self.gateway, Gateway):
            await self.gateway.aclose(wait=wait)
        else:
            await self.gateway.aclose()
        await self.models.aclose()
        self._open.close()

    def _agent(self) -> Agent:
        given: Any = self._given.agent
        if isinstance(given, Agent):
            return given
        if given is not None:
            return FrameworkAgent(given, details=read_steps, door=self._door)
        said = self.settings.agent
        model = None
        if self._given.model is not None:
            model = Recalling(as_chat_model(self._given.model), "agent")
        elif said.model is not None:
            model = Recalling(self.models.plain(said.model, url=said.url), "agent")
        around = Around(self._door, self.benchmark.sets, self.benchmark.catalog)
        return agent_named(said.name, model, said.options, around)

    def _gateway(self, folder: Path) -> Gateway:
        said = self.settings.gateway
        policy = policies.named(said.policy)
        functions = (
            [FunctionSource(self.benchmark.functions, name=self.benchmark.name)] if self.benchmark.functions else []
        )
        asks = bool(said.simulator or said.live or self._given.simulators)
        where = said.cache if said.cache is not None else folder / folders.ANSWERS if asks and policy.stores else None
        store = self._open.enter_context(opened_store(where, read_only=policy.name == "frozen"))
        mirror = MirrorForm(said.simulator_thought, said.simulator_system)
        asked = Source.SIMULATED in policy.order and said.cache is None  # a cache may hold every answer
        make = functools.partial(self.models.plain, surely=asked)
        simulators = simulators_of(said.simulator, said.simulator_url, store, make, mirror=mirror)
        examples = store.examples if store is not None else None
        given = [
            one if isinstance(one, AnswerSource) else ModelSource(one, examples=examples)
            for one in self._given.simulators
        ]
        sources = [*functions, *given, *simulators]
        live = live_of(said.live)
        able = {Source.RECORDED: said.cache, Source.SIMULATED: sources, Source.LIVE: live}
        silent = self._given.agent is None and calls_nobody(self.settings.agent.name, self.settings.agent.options)
        if not silent and not any(able[kind] for kind in policy.order):
            raise OptionError(
                f"nobody answers the calls under the policy {policy.name!r}; name {_named(policy.order)}."
            )
        faults = faults_of(said.faults, said.fault, self.settings.run.seed, said.faults_by)
        return Gateway(
            self.benchmark.catalog,
            store=store,
            policy=policy,
            simulators=sources,
            live=live,
            options=GatewayOptions(faults=faults, run=self.run),
        )


def _named(order: Sequence[Source]) -> str:
    """The options that name who answers under a policy."""
    options = {
        Source.RECORDED: "--cache STORE",
        Source.SIMULATED: "--simulator KIND (template, model:NAME or mirror:NAME)",
        Source.LIVE: "--live KIND (rapidapi, or the URL of a ToolBench backend)",
    }
    return " or ".join(options[kind] for kind in order if kind in options)


def limits_of(settings: Settings) -> Limits:
    """How far the agent may go: what is said, over what is usual."""
    said = msgspec.to_builtins(settings.limits)
    return Limits(**{key.removeprefix("max_"): value for key, value in said.items()})

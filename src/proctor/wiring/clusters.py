"""A run's trials on a Ray cluster: what is sent to the workers, and the one gateway that they all ask."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Mapping, Sequence
from pathlib import Path

import msgspec

from proctor.catalog.index import Catalog
from proctor.config import Settings
from proctor.errors import OptionError
from proctor.gateway.gateway import Gateway
from proctor.gateway.remote import RemoteGateway
from proctor.records.queries import Query, ToolSpec
from proctor.runs.engines.ray import Seats, connected
from proctor.runs.running import Attempting
from proctor.server.listening import shared
from proctor.wiring.benchmarks import Opened, functions_of
from proctor.wiring.halls import Given, Hall

__all__ = ["on_cluster"]


class Elsewhere(msgspec.Struct, frozen=True):
    """A hall as data, to be built in a process that may be on another machine."""

    settings: Settings
    name: str
    sets: Mapping[str, Sequence[Query]]
    tools: tuple[ToolSpec, ...]
    hash: str
    given: Given
    run: str | None
    door: tuple[str, str] | None
    """Where the run's gateway is served, and the token; None where all share a database."""

    def build(self) -> Hall:
        """The hall, in the worker."""
        catalog = Catalog(self.tools)
        functions = functions_of(self.name) if self.door is None else {}
        benchmark = Opened(self.name, self.sets, catalog, self.hash, functions)
        place = Path() if self.door is None else RemoteGateway(*self.door)
        return Hall(self.settings, benchmark, place, self.given, self.run)


@contextlib.asynccontextmanager
async def on_cluster(hall: Hall, given: Given) -> AsyncIterator[Attempting]:
    """Lets trials be attempted by the workers of a cluster while the block lasts.

    A store in PostgreSQL is asked by the workers themselves. Any other gateway stays in this process, and they ask it
    over HTTP: it is the only one, so it changes its mind for nobody.
    """
    settings = hall.settings
    database = _is_database(settings.gateway.cache)
    if settings.run.replies is not None:
        raise OptionError(
            "--replies is a file of this machine, which workers of a Ray cluster do not reach; leave it out."
        )
    sent = Given(given.agent, given.model, simulators=given.simulators if database else ())
    async with contextlib.AsyncExitStack() as stack:
        host = stack.enter_context(connected(settings.run.ray_address))
        door = None
        if not database and isinstance(hall.gateway, Gateway):
            door = await stack.enter_async_context(shared(hall.gateway, host))
        opened = hall.benchmark
        elsewhere = Elsewhere(
            settings, opened.name, opened.sets, opened.catalog.tools, opened.hash, sent, hall.run, door
        )
        seats = Seats(elsewhere, settings.run.concurrency)
        stack.push_async_callback(seats.aclose)
        yield seats.attempt


def _is_database(store: str | None) -> bool:
    return store is not None and store.startswith(("postgresql://", "postgres://"))

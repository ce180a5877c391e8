"""The Ray engine: trials attempted by workers all over a cluster, while this process keeps the journal and judges.

Ray places workers ("seats") on the nodes, one a processor; each is a process with an event loop that has many trials at
work. What a trial is told on its way comes back at once, so that it stands in this process's files: a trial whose
worker died goes on where it was, in another one. Nobody but this process writes the journal.
"""

from __future__ import annotations

import asyncio
import contextlib
import math
import os
import socket
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from typing import Any, Protocol

import msgspec

from proctor import __version__
from proctor.errors import NeedsExtraError, OptionError, ProctorError
from proctor.records.runs import TrialKey
from proctor.records.traces import Failure, Fault, StopReason, Trace
from proctor.runs.underway import current, underway
from proctor.store.journal import Key

__all__ = ["Build", "Room", "Seats", "connected"]

_STORE = 200_000_000
"""Bytes of Ray's object store where Proctor starts Ray itself: what passes there is small."""
_WORDS = frozenset({"auto", "local"})
"""Addresses that are none: the cluster that this machine is a part of, and a new one."""
_GOES = 5
"""So often a worker is asked for that dies while it is being set up."""
_PATIENCE = 300.0
"""Seconds to wait where there is no worker at all."""


class Room(Protocol):
    """What a worker builds for itself: where trials are attempted."""

    async def attempt(self, trial: TrialKey) -> Trace:
        """Let the agent go at a trial."""
        ...


class Build(Protocol):
    """Data that is sent to every worker, and what a worker makes of it."""

    def build(self) -> Room:
        """Make the room, in the worker."""
        ...


@contextlib.contextmanager
def connected(address: str | None = None) -> Iterator[str]:
    """Ray at this address, or started on this machine; hands out the address by which workers reach this process.

    A Ray that is there already in this process is used, and left as it is.
    """
    ray = _ray()
    if address is not None and address.startswith("ray://"):
        raise OptionError(
            f"--ray-address {address!r} is that of Ray's client, which sees no worker; start the run on a node of the "
            "cluster (by ray job submit, say) with --ray-address auto."
        )
    begun = not ray.is_initialized()
    if begun:
        _begin(ray, address)
    try:
        yield str(ray.util.get_node_ip_address())
    finally:
        if begun:
            ray.shutdown()


def _begin(ray: Any, address: str | None) -> None:
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"  # Ray would tell its makers about every start
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")  # else it warns of what it will do one day
    if address is not None and address not in _WORDS:
        _knock(address)
    own = {"object_store_memory": _STORE, "include_dashboard": False} if address is None else {}
    try:
        ray.init(address=address or "local", log_to_driver=False, configure_logging=False, **own)
    except (ConnectionError, OSError, RuntimeError, ValueError) as error:
        said = str(error).strip().partition("\n")[0].partition(". ")[0].rstrip(".")
        raise (
            _no_cluster(address, said) if address is not None else OptionError(f"Ray does not start: {said}.")
        ) from None


def _knock(address: str) -> None:
    """Ray itself tries for two minutes to reach a cluster that is not there."""
    host, _, port = address.rpartition(":")
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=10).close()
    except (OSError, ValueError) as error:
        raise _no_cluster(address, str(error)) from None


def _no_cluster(address: str, said: str) -> OptionError:
    return OptionError(
        f"there is no Ray cluster at {address!r} ({said}); start one (ray start --head), or leave --ray-address out."
    )


class Seats:
    """The workers of a run. `attempt` sends a trial to the one that has least to do."""

    def __init__(self, build: Build, concurrency: int) -> None:
        self._ray = _ray()
        try:
            self._build = self._ray.put(build)
        except Exception as error:  # noqa: BLE001 - whatever a foreign object raises when it is packed
            said = str(error).strip().partition("\n")[0][:200]
            raise OptionError(
                f"what was handed over cannot be sent to the workers of a Ray cluster ({said}); name the agent as "
                "module:Object, or use the engine local."
            ) from None
        seats = min(concurrency, max(1, int(self._ray.cluster_resources().get("CPU", 1))))
        self._each = math.ceil(concurrency / seats)
        self._wanted = seats
        self._loads: dict[Any, int] = {}
        self._opening: set[asyncio.Task[None]] = set()
        self._broken: Exception | None = None
        self._news = asyncio.Event()

    async def attempt(self, trial: TrialKey) -> Trace:
        """The trace of a trial, attempted by a worker. A worker that dies is the environment's fault."""
        ray = self._ray
        at_work = current()
        seat = await self._taken()
        told = None
        try:
            known = at_work.known() if at_work is not None else {}
            told = seat.attempt.options(num_returns="streaming").remote(trial, known)
            async for one in told:
                kind, place, said = await one
                if kind == "trace":
                    trace: Trace = said
                    return trace
                if at_work is not None:
                    at_work.keep(kind, place, said)
        except asyncio.CancelledError:
            if told is not None:
                ray.cancel(told)
            raise
        except ray.exceptions.RayTaskError as error:
            raise _cause(error) from None
        except ray.exceptions.RayError as error:
            self._lose(seat)
            return _lost(trial, error)
        finally:
            if seat in self._loads:
                self._loads[seat] -= 1
            self._tell()
        raise AssertionError(trial)  # a seat says the trace last

    async def aclose(self) -> None:
        """Let all workers go."""
        for task in self._opening:
            task.cancel()
        await asyncio.gather(*self._opening, return_exceptions=True)
        for seat in self._loads:
            self._ray.kill(seat)
        self._loads.clear()

    async def _taken(self) -> Any:
        """A worker that has room, one trial the fuller."""
        while True:
            self._ask_for_more()
            free = [seat for seat, load in self._loads.items() if load < self._each]
            if free:
                seat = min(free, key=self._loads.__getitem__)
                self._loads[seat] += 1
                return seat
            self._news.clear()
            try:
                await asyncio.wait_for(self._news.wait(), _PATIENCE)
            except TimeoutError:
                if not self._loads:
                    raise ProctorError(
                        f"in {_PATIENCE:g} seconds the Ray cluster has started no worker: its processors are taken by "
                        "others (ray status tells)."
                    ) from None

    def _ask_for_more(self) -> None:
        """Ask Ray for the workers that are still wanted."""
        if self._broken is not None:
            raise self._broken
        while len(self._loads) + len(self._opening) < self._wanted:
            task = asyncio.get_running_loop().create_task(self._opened())
            self._opening.add(task)
            task.add_done_callback(self._landed)

    def _landed(self, task: asyncio.Task[None]) -> None:
        self._opening.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            self._broken = self._broken or (error if isinstance(error, Exception) else RuntimeError(str(error)))
        self._tell()

    async def _opened(self) -> None:
        """Have a worker started, wherever Ray finds room, and set it up."""
        ray = self._ray
        make = ray.remote(_Seat).options(num_cpus=1, max_concurrency=self._each + 1, scheduling_strategy="SPREAD")
        for go in range(_GOES):
            seat = make.remote()
            try:
                await seat.open.remote(self._build, __version__)
            except ray.exceptions.RayTaskError as error:
                raise _cause(error) from None
            except ray.exceptions.RayError as error:
                if go + 1 == _GOES and not self._loads:
                    said = str(error).strip().replace("\n", " ")[:500]
                    raise ProctorError(f"no worker of the Ray cluster can be set up: {said}") from None
                await asyncio.sleep(2**go / 2)
            else:
                self._loads[seat] = 0
                return

    def _lose(self, seat: Any) -> None:
        """A worker is gone, or as good as gone: nobody waits for it, and another is asked for."""
        if self._loads.pop(seat, None) is not None:
            with contextlib.suppress(Exception):
                self._ray.kill(seat)

    def _tell(self) -> None:
        self._news.set()


class _Seat:
    """A worker, in a process of its own somewhere in the cluster."""

    def __init__(self) -> None:
        self._room: Room | None = None

    async def open(self, build: Build, version: str) -> None:
        """Build the room."""
        if version != __version__:
            raise OptionError(
                f"a node of the Ray cluster has Proctor {__version__}, and this is {version}; install the same on all."
            )
        self._room = build.build()

    async def attempt(self, trial: TrialKey, known: Mapping[tuple[str, Key], bytes]) -> AsyncIterator[Any]:
        """What the trial is told, as it is told, and its trace in the end."""
        assert self._room is not None
        told = asyncio.Queue[Any]()
        with underway(trial, _Relay(known, told.put_nowait)):
            attempt = asyncio.ensure_future(self._room.attempt(trial))
        attempt.add_done_callback(lambda _: told.put_nowait(None))
        try:
            while (said := await told.get()) is not None:
                yield said
            yield "trace", (), await attempt
        finally:
            attempt.cancel()


class _Relay:
    """Keeps nothing itself: what a trial is told is passed on, and what it was told before came with it."""

    def __init__(self, known: Mapping[tuple[str, Key], bytes], tell: Callable[[Any], object]) -> None:
        self._known = known
        self._tell = tell

    def body(self, kind: str, key: Key, as_type: type[Any]) -> Any:
        """What was said at this place before."""
        said = self._known.get((kind, key))
        return None if said is None else msgspec.json.decode(said, type=as_type)

    def append(self, kind: str, key: Key, body: Any) -> None:
        """Pass it on."""
        self._tell((kind, key, body))


def _lost(trial: TrialKey, error: Exception) -> Trace:
    """The trace of a trial whose worker is gone."""
    said = f"the worker of the Ray cluster is gone ({type(error).__name__})"
    return Trace(trial.query_id, StopReason.FAILED, failure=Failure("WorkerLost", said, Fault.ENVIRONMENT))


def _cause(error: Any) -> Exception:
    """What was raised in the worker: on purpose as it is, a defect with the worker's traceback."""
    told: Exception = error.cause if isinstance(error.cause, ProctorError) else error
    return told


def _ray() -> Any:
    try:
        import ray
    except ImportError:
        raise NeedsExtraError("the engine ray needs Ray: pip install 'proctor[ray]'.") from None
    return ray

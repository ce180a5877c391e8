"""The gateway: finds the API that is meant, asks the sources as the policy says, says where the answer came from."""

from __future__ import annotations

import asyncio
import functools
import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any, ParamSpec, TypeVar

import msgspec

from proctor.catalog.index import Catalog
from proctor.errors import OptionError
from proctor.gateway import policy as policies
from proctor.gateway.aside import Aside
from proctor.gateway.directory import Directory, Place
from proctor.gateway.faults import FAULTS, STALE, Faults
from proctor.gateway.judged import judged_answer
from proctor.gateway.memory import Memory
from proctor.gateway.policy import DEFAULT, Policy
from proctor.gateway.recorded import RecordedSource, as_recorded
from proctor.gateway.source import AnswerSource, Call, Unanswered
from proctor.gateway.turns import turn
from proctor.records.answers import Answer, Provenance, Source
from proctor.records.entries import Entry, Mark
from proctor.records.marks import mark_of
from proctor.records.queries import ApiId
from proctor.records.usage import Usage
from proctor.store.responses import ResponseStore

__all__ = ["Gateway", "GatewayOptions"]


class GatewayOptions(msgspec.Struct, frozen=True):
    """How a gateway goes about its work."""

    memory: int = 100_000
    """So many answers are kept in memory in front of the store."""
    claim: float = 30.0
    """Seconds after which the claim of a process that died while asking ends."""
    wait: float = 0.02
    """Seconds between the first looks at whether another process has its answer; they grow."""
    clock: Callable[[], float] = time.time
    """Says when an answer was made, in seconds since 1970."""
    faults: Faults | None = None
    """Which answers are spoilt on purpose."""
    run: str | None = None
    """The run whose gateway this is: what it stores bears this mark, and such answers are told as what they are and
    not as recorded. Gateways of one run, in whatever process, have the same."""


Sources = AnswerSource | Iterable[AnswerSource]
P = ParamSpec("P")
T = TypeVar("T")
_ERRANDS = 8
"""So many threads run errands to the store."""


class Gateway:
    """Virtual APIs that never change their mind: the same call has the same answer.

    Without a store, answers are remembered as long as the gateway lives. `simulators` and `live` are asked in their
    order, when the policy says so. Whoever opened the store closes it; `aclose` closes the sources.

    `totals` counts the answers that were given, by where they came from.
    """

    def __init__(
        self,
        catalog: Catalog | None = None,
        *,
        store: ResponseStore | None = None,
        policy: str | Policy = DEFAULT,
        simulators: Sources = (),
        live: Sources = (),
        options: GatewayOptions | None = None,
    ) -> None:
        self.catalog = catalog
        self.store = store
        self.policy = policies.named(policy)
        self.totals: dict[Source, int] = dict.fromkeys(Source, 0)
        self._options = options or GatewayOptions()
        self._sources = {Source.SIMULATED: _listed(simulators), Source.LIVE: _listed(live)}
        self._recorded = (
            RecordedSource(store, suspicious=self.policy.takes_suspicious, run=self._options.run)
            if store is not None
            else None
        )
        self._directory = Directory(catalog, store)
        self._memory = Memory(self._options.memory if store is not None else None)
        self._aside = Aside("proctor-store", _ERRANDS)
        self._flights: dict[tuple[asyncio.AbstractEventLoop, str], asyncio.Task[Answer]] = {}

    async def call(self, category: str, tool: str, api: str, arguments: Mapping[str, Any]) -> Answer:
        """Answer a call. The names and the arguments may have any spelling that the catalogue knows."""
        place: Place | str | None = self._directory.known(category, tool, api)
        if place is None:
            place = await self._from_store(self._directory.find, category, tool, api)
        if isinstance(place, str):
            return self._counted(self._missed(place, ()))
        return await self._answer(place, arguments)

    async def call_api(self, api: ApiId, arguments: Mapping[str, Any]) -> Answer:
        """Answer a call of an API that is known by its identity."""
        return await self.call(api.category, api.tool, api.api, arguments)

    async def aclose(self, *, wait: bool = True) -> None:
        """Finish what is being asked (it is left without `wait`), and close the sources."""
        loop = asyncio.get_running_loop()
        flying = [task for (of, _), task in list(self._flights.items()) if of is loop]
        for task in flying:
            if not wait:
                task.cancel()
        await asyncio.gather(*flying, return_exceptions=True)
        for sources in self._sources.values():
            for source in sources:
                await source.aclose()
        self._aside.close()

    async def _answer(self, place: Place, arguments: Mapping[str, Any]) -> Answer:
        restored = place.restored(arguments)
        key = place.key(restored)
        if self._options.faults is not None:
            spoilt = await self._spoilt(place.call(restored, key))
            if spoilt is not None:
                return self._counted(spoilt)
        call = None
        if self.policy.reads_first:
            answer = self._memory.get(key)
            if answer is None:
                call = place.call(restored, key)
                answer = await self._look(call)
            if answer is not None:
                return self._counted(answer)
        return self._counted(await self._shared(call or place.call(restored, key)))

    async def _shared(self, call: Call) -> Answer:
        """The answer that somebody in this process is getting at the moment, or one that is got now."""
        loop = asyncio.get_running_loop()
        task = self._flights.get((loop, call.key))
        if task is None:
            task = loop.create_task(self._ask(call))
            self._flights[loop, call.key] = task
            task.add_done_callback(functools.partial(self._landed, (loop, call.key)))
        return await asyncio.shield(task)  # who asked may leave; the others still want the answer

    def _landed(self, flight: tuple[asyncio.AbstractEventLoop, str], task: asyncio.Task[Answer]) -> None:
        self._flights.pop(flight, None)
        if not task.cancelled():
            task.exception()  # looked at, in case that nobody waits any more

    async def _ask(self, call: Call) -> Answer:
        """Walk along the policy's order; where another process is asking the same, wait for its answer."""
        store = self.store
        shared = self.policy.reads_first and self._asks_anybody()
        if store is None or not shared or not await self._takes_answers(store):
            return await self._walk(call)
        pace = self._options
        look = functools.partial(self._look, call)
        async with turn(store, call.key, look, self._aside, seconds=pace.claim, wait=pace.wait) as found:
            return found if found is not None else await self._walk(call)

    async def _walk(self, call: Call) -> Answer:
        attempts: list[str] = []
        spent: Usage | None = None
        for kind in self.policy.order:
            for source in self._of_kind(kind):
                outcome = await self._outcome(source, call)
                if isinstance(outcome, Answer):
                    return await self._kept(call, outcome, source, tuple(attempts), spent)
                attempts.append(f"{source.name}: {outcome}")
                spent = _added(spent, outcome.usage)
        sentence = f"no source had an answer to {call.api} with these arguments."
        return self._missed(sentence, tuple(attempts), spent)

    async def _outcome(self, source: AnswerSource, call: Call) -> Answer | Unanswered:
        if source is self._recorded:
            return await self._from_store(self._recorded.look, call)
        return await judged_answer(source, call)

    async def _kept(
        self, call: Call, outcome: Answer, source: AnswerSource, attempts: tuple[str, ...], spent: Usage | None
    ) -> Answer:
        """The answer with its provenance, stored where the policy says so; what is stored is what is given."""
        if source.source is Source.RECORDED:
            return _with_attempts(outcome, attempts, spent)
        made = outcome.provenance or Provenance(source.source)
        told = Provenance(
            source=source.source,
            model=made.model if made.model is not None else source.name,
            at=self._options.clock(),
            attempts=(*attempts, *made.attempts),
            usage=_added(spent, made.usage),
            cut=made.cut,
        )
        fresh = msgspec.structs.replace(outcome, provenance=told)
        if not policies.stored(self.policy, source.source):
            return fresh
        store = self.store
        if store is None or not await self._takes_answers(store):
            # In memory it has its key as well: it is one answer, however often it is given, and was paid for once.
            fresh = msgspec.structs.replace(fresh, provenance=msgspec.structs.replace(told, entry=call.key))
            self._memory.put(call.key, as_recorded(self._marked(fresh), call.key, self._options.run))
            return (
                fresh if store is None else _with_attempts(fresh, (*told.attempts, f"{store.name}: takes no answers"))
            )
        return await self._stored(store, call, fresh)

    async def _stored(self, store: ResponseStore, call: Call, fresh: Answer) -> Answer:
        assert fresh.provenance is not None
        provenance = msgspec.structs.replace(fresh.provenance, entry=call.key)
        answer = msgspec.structs.replace(fresh, provenance=provenance)
        entry = Entry.of(call.api, call.arguments, self._marked(answer), mark=mark_of(answer))
        kept = await self._aside.do(_put, store, entry, replaces=self.policy.replaces)
        recorded = as_recorded(kept.answer, call.key, self._options.run)
        self._memory.put(call.key, recorded)
        if kept.answer == entry.answer:
            return answer
        attempts = (*provenance.attempts, f"{provenance.model}: another answer was stored first")
        return _with_attempts(recorded, attempts, provenance.usage)

    def _marked(self, answer: Answer) -> Answer:
        """The answer with the mark of the run that made it."""
        assert answer.provenance is not None
        provenance = msgspec.structs.replace(answer.provenance, run=self._options.run)
        return msgspec.structs.replace(answer, provenance=provenance)

    async def _spoilt(self, call: Call) -> Answer | None:
        """What the dial says in place of an answer, if it hits the call."""
        assert self._options.faults is not None
        fault = self._options.faults.of(call)
        if fault is None:
            return None
        made = Provenance(Source.CANNED, "faults", self._options.clock(), fault=fault)
        if fault != STALE:
            return msgspec.structs.replace(FAULTS[fault], provenance=made)
        if self.store is None:
            return None
        other = await self._from_store(self.store.another, call.api, self._options.faults.place_of(call), call.key)
        if other is None:
            return None
        provenance = msgspec.structs.replace(made, source=Source.RECORDED, entry=other.key)
        return msgspec.structs.replace(other.answer, provenance=provenance)

    async def _look(self, call: Call) -> Answer | None:
        """The recorded answer, which is then in memory."""
        if self._recorded is None:
            return None
        found = await self._from_store(self._recorded.look, call)
        if isinstance(found, Unanswered):
            return None
        self._memory.put(call.key, found)
        return found

    async def _from_store(self, ask: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """What the store says, at once where it can, and in a thread where it may have to wait for a network."""
        if self.store is None or not self.store.waits:
            return ask(*args, **kwargs)
        return await self._aside.do(ask, *args, **kwargs)

    def _of_kind(self, kind: Source) -> list[AnswerSource]:
        if kind is Source.RECORDED:
            return [] if self._recorded is None else [self._recorded]
        return self._sources[kind]

    def _asks_anybody(self) -> bool:
        return any(self._sources.get(kind) for kind in self.policy.order)

    async def _takes_answers(self, store: ResponseStore) -> bool:
        if not self.policy.stores or store.read_only:
            return False
        return await self._from_store(lambda: store.frozen) is None

    def _missed(self, sentence: str, attempts: tuple[str, ...], spent: Usage | None = None) -> Answer:
        """An answer that nobody gave. What was tried stands in its provenance, which is not for agents to see."""
        told = Provenance(Source.MISSED, at=self._options.clock(), attempts=attempts, usage=spent)
        return Answer("", sentence, told)

    def _counted(self, answer: Answer) -> Answer:
        assert answer.provenance is not None
        self.totals[answer.provenance.source] += 1
        return answer


def _listed(sources: Sources) -> list[AnswerSource]:
    listed = [sources] if isinstance(sources, AnswerSource) else list(sources)
    for source in listed:
        if not isinstance(source, AnswerSource):
            raise OptionError(f"a source has name, source, answer and aclose; {type(source).__name__} has not.")
    return listed


def _added(one: Usage | None, other: Usage | None) -> Usage | None:
    return one + other if one is not None and other is not None else one or other


def _put(store: ResponseStore, entry: Entry, *, replaces: bool) -> Entry:
    """Store an answer by the policy's rule; returns what is stored.

    What is left of a reply that was cut off takes no sound answer's place, nor that of another such: calls have the
    same answer until there is a whole one.
    """
    if replaces and entry.mark is None:
        return store.supersede(entry)
    kept = store.put(entry, over_suspicious=entry.mark is None)
    if entry.mark is not None and kept.mark in {Mark.FAILURE, Mark.EMPTY}:
        kept = store.put(entry, over_suspicious=True)
    return kept


def _with_attempts(answer: Answer, attempts: tuple[str, ...], spent: Usage | None = None) -> Answer:
    assert answer.provenance is not None
    if not attempts:
        return answer
    usage = _added(answer.provenance.usage, spent)
    provenance = msgspec.structs.replace(answer.provenance, attempts=attempts, usage=usage)
    return msgspec.structs.replace(answer, provenance=provenance)

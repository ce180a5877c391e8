"""The cache as a source: answers that were stored, under every key that their call may have."""

from __future__ import annotations

import itertools

import msgspec

from proctor.catalog.recorded import answer_keys
from proctor.gateway.source import Call, Unanswered
from proctor.records.answers import Answer, Provenance, Source
from proctor.store.responses import ResponseStore

__all__ = ["RecordedSource", "as_recorded"]


class RecordedSource:
    """Answers out of a store.

    Suspicious entries (recorded failures, empty answers) do not count unless `suspicious` says so. `run` as in
    `as_recorded`.
    """

    name = "recorded"
    source = Source.RECORDED

    def __init__(self, store: ResponseStore, *, suspicious: bool = False, run: str | None = None) -> None:
        self._store = store
        self._suspicious = suspicious
        self._run = run

    async def answer(self, call: Call) -> Answer | Unanswered:
        """The stored answer."""
        return self.look(call)

    def look(self, call: Call) -> Answer | Unanswered:
        """The stored answer, for those who cannot wait."""
        answer = self._store.answer(call.key, suspicious=self._suspicious)
        if answer is not None:
            return as_recorded(answer, call.key, self._run)
        doubtful = not self._suspicious and self._store.answer(call.key) is not None
        for key in itertools.islice(answer_keys(call.api, call.arguments), 1, None):
            answer = self._store.answer(key, suspicious=self._suspicious)
            if answer is not None:
                return as_recorded(answer, key, self._run)
            doubtful = doubtful or (not self._suspicious and self._store.answer(key) is not None)
        return Unanswered("suspicious" if doubtful else "missed")

    async def aclose(self) -> None:
        """Nothing is held: the store belongs to whoever opened it."""


def as_recorded(answer: Answer, key: str, run: str | None = None) -> Answer:
    """A stored answer as it is handed out: it comes from the cache, and keeps who made it and when.

    What `run` made itself it did not find in the cache, so that keeps its source and its cost. A run that counts its
    calls by source counts the same whichever of two equal calls came first, however often it was interrupted, and
    whoever else fills the same store.
    """
    made = answer.provenance
    if made is None:
        return msgspec.structs.replace(answer, provenance=Provenance(Source.RECORDED, entry=key))
    own = run is not None and made.run == run
    source, usage = (made.source, made.usage) if own else (Source.RECORDED, None)
    told = Provenance(source, made.model, made.at, key, usage=usage, cut=made.cut)
    return msgspec.structs.replace(answer, provenance=told)

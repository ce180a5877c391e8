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

    Suspicious entries (recorded failures, empty answers) do not count unless `suspicious` says so. `since` as in
    `as_recorded`.
    """

    name = "recorded"
    source = Source.RECORDED

    def __init__(self, store: ResponseStore, *, suspicious: bool = False, since: float | None = None) -> None:
        self._store = store
        self._suspicious = suspicious
        self._since = since

    async def answer(self, call: Call) -> Answer | Unanswered:
        """The stored answer."""
        return self.look(call)

    def look(self, call: Call) -> Answer | Unanswered:
        """The stored answer, for those who cannot wait."""
        answer = self._store.answer(call.key, suspicious=self._suspicious)
        if answer is not None:
            return as_recorded(answer, call.key, self._since)
        doubtful = not self._suspicious and self._store.answer(call.key) is not None
        for key in itertools.islice(answer_keys(call.api, call.arguments), 1, None):
            answer = self._store.answer(key, suspicious=self._suspicious)
            if answer is not None:
                return as_recorded(answer, key, self._since)
            doubtful = doubtful or (not self._suspicious and self._store.answer(key) is not None)
        return Unanswered("suspicious" if doubtful else "missed")

    async def aclose(self) -> None:
        """Nothing is held: the store belongs to whoever opened it."""


def as_recorded(answer: Answer, key: str, since: float | None = None) -> Answer:
    """A stored answer as it is handed out: it comes from the cache, and keeps who made it and when.

    What was made `since` then was not in the cache at that time, so it keeps its source too. A run that counts its
    calls by source counts the same whichever of two equal calls came first, and however often it was interrupted.
    """
    made = answer.provenance
    if made is None:
        return msgspec.structs.replace(answer, provenance=Provenance(Source.RECORDED, entry=key))
    young = since is not None and made.at is not None and made.at >= since
    source = made.source if young else Source.RECORDED
    return msgspec.structs.replace(answer, provenance=Provenance(source, made.model, made.at, key))

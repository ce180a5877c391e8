"""Trials underway: what was paid for in a trial that has no trace yet is kept, so that a killed run asks it only once.

While a trial is at work, `current()` is what is known of it. A model that stands behind `Recalling`, and API calls
that go through `recalled`, are then written into a file of their own as soon as they are answered. When the trial is
begun again its questions are the same, so they are answered from there, at the price that was paid, up to the place
where it was cut off. Only what was on its way at that moment is asked twice.
"""

from __future__ import annotations

import contextlib
from collections.abc import Awaitable, Callable, Collection, Iterator, Mapping
from contextvars import ContextVar
from pathlib import Path
from typing import Any, Protocol

import msgspec

from proctor.errors import ModelError, SampleError
from proctor.models.chat import ChatModel, Reply, Request
from proctor.records.answers import Answer, Source
from proctor.records.keys import canonical_json
from proctor.records.queries import ApiId
from proctor.records.runs import TrialKey
from proctor.records.traces import Usage
from proctor.store.journal import Journal, Key

__all__ = ["Keeping", "Recalling", "Underway", "current", "keeping", "recalled", "settled", "settled_but", "underway"]

UNDERWAY = "underway.jsonl"
_KINDS = ("agent", "judge", "answer")
"""What is kept: the replies of the models, by their role, and the answers of the APIs."""
_now: ContextVar[Underway | None] = ContextVar("underway", default=None)
Answering = Callable[[ApiId, Mapping[str, Any]], Awaitable[Answer]]


class Keeping(Protocol):
    """Where what was told is kept: a journal, or whoever passes it on to one."""

    def body(self, kind: str, key: Key, as_type: type[Any]) -> Any:
        """What stands there, or None."""
        ...

    def append(self, kind: str, key: Key, body: Any) -> None:
        """Write it down."""
        ...


class Underway:
    """One trial at work: what it has been told so far, and what its models have cost."""

    def __init__(self, trial: TrialKey, kept: Keeping | None = None) -> None:
        self.trial = trial
        self.usage = Usage()
        """What was spent on models since it began."""
        self._kept = kept
        self._times: dict[tuple[str, str], int] = {}

    def place(self, kind: str, asked: str) -> tuple[str, str, int, str, int]:
        """The key of a question: the same one asked again in the same trial is another."""
        times = self._times.get((kind, asked), 0)
        self._times[kind, asked] = times + 1
        return self.trial.test_set, self.trial.query_id, self.trial.epoch, asked, times

    def find(self, kind: str, place: Key, as_type: type[Any]) -> Any:
        """What a question was answered before it was cut off."""
        return None if self._kept is None else self._kept.body(kind, place, as_type)

    def keep(self, kind: str, place: Key, said: Any) -> None:
        """Write an answer down."""
        if self._kept is not None:
            self._kept.append(kind, place, said)

    def known(self) -> dict[tuple[str, Key], bytes]:
        """All that this trial was told before it was cut off, as JSON: for whoever lets it go on somewhere else."""
        kept = self._kept
        if not isinstance(kept, Journal):
            return {}
        found = {(kind, place): kept.body(kind, place, msgspec.Raw) for kind, place in _of_trial(kept, self.trial)}
        return {place: bytes(said) for place, said in found.items() if said is not None}


def current() -> Underway | None:
    """The trial at work in this task, if there is one."""
    return _now.get()


def settled(trial: TrialKey, kept: Journal | None) -> None:
    """All that a trial needs is in the run's own journal: what was kept for it is let go, so that this stays small."""
    if kept is not None:
        for kind, place in _of_trial(kept, trial):
            kept.drop(kind, place)


def settled_but(owed: Collection[TrialKey], kept: Journal | None) -> None:
    """All trials but those that are owed have what they need."""
    if kept is not None:
        still = {(trial.test_set, trial.query_id, trial.epoch) for trial in owed}
        for kind in _KINDS:
            for place in kept.keys(kind):
                if place[:3] not in still:
                    kept.drop(kind, place)


def _of_trial(kept: Journal, trial: TrialKey) -> list[tuple[str, Key]]:
    whose = (trial.test_set, trial.query_id, trial.epoch)
    return [(kind, place) for kind in _KINDS for place in kept.keys(kind) if place[:3] == whose]


@contextlib.contextmanager
def underway(trial: TrialKey, kept: Keeping | None = None) -> Iterator[Underway]:
    """All that is asked in this block, and in the tasks that it begins, belongs to this trial."""
    at_work = Underway(trial, kept)
    token = _now.set(at_work)
    try:
        yield at_work
    finally:
        _now.reset(token)


@contextlib.contextmanager
def keeping(folder: Path) -> Iterator[Journal]:
    """The file in a run's folder for what is underway. It is gone when all that was begun is settled."""
    path = folder / UNDERWAY
    kept = Journal(path)
    try:
        yield kept
    finally:
        all_settled = not any(kept.keys(kind) for kind in _KINDS)
        kept.close()
        if all_settled:
            for one in (path, Path(f"{path}.lock")):
                one.unlink(missing_ok=True)


class Recalling:
    """A model whose replies are kept while a trial is underway, and whose cost is the trial's.

    `role` keeps the agent's questions and the judge's apart.
    """

    def __init__(self, model: ChatModel, role: str) -> None:
        self.model = model
        self.role = role

    @property
    def name(self) -> str:
        """The model's name."""
        return self.model.name

    @property
    def endpoint(self) -> str:
        """Where the model is asked."""
        return str(getattr(self.model, "endpoint", ""))

    async def reply(self, request: Request) -> Reply:
        """The reply that came before the trial was cut off, else the model's."""
        at_work = current()
        if at_work is None:
            return await self.model.reply(request)
        place = at_work.place(self.role, request.key())
        reply = at_work.find(self.role, place, Reply)
        if reply is None:
            try:
                reply = await self.model.reply(request)
            except ModelError as error:
                at_work.usage += error.usage if isinstance(error.usage, Usage) else Usage()
                raise
            at_work.keep(self.role, place, reply)
        at_work.usage += reply.usage
        told: Reply = reply
        return told

    async def aclose(self) -> None:
        """Close the model."""
        await self.model.aclose()

    def __repr__(self) -> str:
        return f"Recalling({self.model!r}, {self.role!r})"


def recalled(answering: Answering) -> Answering:
    """Answers of APIs that are kept while a trial is underway. A call that nobody answered is made again."""

    async def answer(api: ApiId, arguments: Mapping[str, Any]) -> Answer:
        at_work = current()
        if at_work is None:
            return await answering(api, arguments)
        place = at_work.place("answer", _written(api, arguments))
        known = at_work.find("answer", place, Answer)
        if known is None:
            known = await answering(api, arguments)
            if known.provenance is None or known.provenance.source is not Source.MISSED:
                at_work.keep("answer", place, known)
        told: Answer = known
        return told

    return answer


def _written(api: ApiId, arguments: Mapping[str, Any]) -> str:
    try:
        return canonical_json([msgspec.structs.astuple(api), dict(arguments)]).decode()
    except SampleError:
        return repr((api, sorted(arguments)))

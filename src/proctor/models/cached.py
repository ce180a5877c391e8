"""A model whose replies are kept: what was asked once is not asked again, and a run can be repeated offline."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Literal, get_args

import msgspec

from proctor.errors import FileError, NotRecordedError, OptionError, nearest
from proctor.models.chat import ChatModel, Reply, Request
from proctor.records.keys import content_hash
from proctor.records.traces import Usage
from proctor.store.replies import ReplyStore

__all__ = ["CachedModel", "Mode"]

Mode = Literal["auto", "record", "replay", "off"]
"""`auto` asks what is not kept, `record` asks all and keeps it anew, `replay` never asks, `off` keeps nothing."""

_FORMAT = 1
"""A part of every key: raised when a reply is kept in another way."""


class CachedModel:
    """A model with a recording of its replies, in one file that can be handed over.

    A reply is kept under the hash of everything that decides it: the model's name, its endpoint, the messages, the
    parameters, the tools, the wanted shape, and the request's repeat number. Errors are never kept. Requests that are
    equal and under way at the same time are asked once.

    A reply from the recording says so (`from_cache`), costs nothing (`usage`), and says what it once cost
    (`recorded_usage`). `endpoint` overrides the model's own, for a recording that is to outlive a changing address.
    """

    def __init__(
        self,
        model: ChatModel,
        store: ReplyStore | str | Path,
        mode: Mode = "auto",
        *,
        endpoint: str | None = None,
    ) -> None:
        if mode not in get_args(Mode):
            raise OptionError(f"the mode of a recording cannot be {mode!r}; {nearest(str(mode), get_args(Mode))}")
        self.model = model
        self.mode = mode
        self.endpoint = endpoint if endpoint is not None else str(getattr(model, "endpoint", ""))
        self.store = store if isinstance(store, ReplyStore) else ReplyStore(store, read_only=mode == "replay")
        self._asking: dict[tuple[int, str], asyncio.Task[Reply]] = {}

    @property
    def name(self) -> str:
        """The model's name."""
        return self.model.name

    def __repr__(self) -> str:
        return f"CachedModel({self.model!r}, {str(self.store.path)!r}, {self.mode!r})"

    async def reply(self, request: Request) -> Reply:
        """The kept reply, or the model's."""
        if self.mode == "off":
            return await self.model.reply(request)
        key = self.key(request)
        if self.mode != "record" and (kept := self._kept(key)) is not None:
            return kept
        if self.mode == "replay":
            raise self._not_recorded(request)
        return await self._ask_once(key, request)

    async def aclose(self) -> None:
        """Close the model and the file."""
        await self.model.aclose()
        self.store.close()

    def key(self, request: Request) -> str:
        """The key that a request's reply is kept under."""
        return content_hash([_FORMAT, self.name, self.endpoint, request.key()])

    async def _ask_once(self, key: str, request: Request) -> Reply:
        """Ask, or wait for one who asks the same. Whoever gives up waiting leaves the question to the others."""
        place = (id(asyncio.get_running_loop()), key)
        asking = self._asking.get(place)
        if asking is not None:
            return _from_cache(await asyncio.shield(asking))
        asking = asyncio.create_task(self._ask(key, request))
        self._asking[place] = asking
        asking.add_done_callback(lambda task: self._forget(place, task))
        return await asyncio.shield(asking)

    async def _ask(self, key: str, request: Request) -> Reply:
        reply = await self.model.reply(request)
        about = (self.name, self.endpoint, msgspec.json.encode(request))
        self.store.put(key, msgspec.json.encode(reply), about=about, replace=self.mode == "record")
        return reply

    def _forget(self, place: tuple[int, str], task: asyncio.Task[Reply]) -> None:
        self._asking.pop(place, None)
        if not task.cancelled():
            task.exception()  # seen: everybody who waited may have gone

    def _kept(self, key: str) -> Reply | None:
        data = self.store.get(key)
        if data is None:
            return None
        try:
            return _from_cache(msgspec.json.decode(data, type=Reply))
        except msgspec.MsgspecError as error:
            raise FileError(f"the reply {key[:12]}… is damaged: {error}.", path=str(self.store.path)) from None

    def _not_recorded(self, request: Request) -> NotRecordedError:
        counts = self.store.counts()
        of_this = counts.get((self.name, self.endpoint), 0)
        there = [
            f"{model} at {endpoint or 'no address'} ({count})" for (model, endpoint), count in sorted(counts.items())
        ]
        holds = f"{of_this} replies of this model" if of_this else f"replies of {', '.join(there) or 'no model'}"
        return NotRecordedError(
            f"{self.store.path} holds {holds} and none to this request, which ends {request.text[-80:]!r}; "
            "record it with the mode 'auto' or 'record'.",
            model=self.name,
            attempts=0,
        )


def _from_cache(reply: Reply) -> Reply:
    cost = reply.usage if reply.recorded_usage is None else reply.recorded_usage
    kept: Reply = msgspec.structs.replace(reply, usage=Usage(), recorded_usage=cost, from_cache=True)
    return kept

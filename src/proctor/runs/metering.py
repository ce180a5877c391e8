"""What models were asked for, counted on the way to them."""

from __future__ import annotations

import asyncio
from typing import Any

from proctor.errors import ModelError
from proctor.models.chat import ChatModel, Reply, Request
from proctor.records.grades import Missing
from proctor.records.traces import Usage
from proctor.run_config import RunConfig

_CUT = Usage(requests=1, cost=Missing("a call was cut off, and nobody said what it cost"))


class Meter:
    """Adds up the usage of any number of models."""

    def __init__(self) -> None:
        self.usage = Usage()
        self._metered: dict[Any, tuple[Any, Metered]] = {}
        self._own: list[ChatModel] = []

    def on(self, thing: Any, config: RunConfig) -> Metered:
        """Whatever a user gives as a model, as a model whose replies are counted; the same thing is the same model."""
        key = thing if isinstance(thing, str) else id(thing)
        if key not in self._metered:
            self._metered[key] = (thing, Metered(self._model(thing, config), self))
        return self._metered[key][1]

    def own(self, model: ChatModel) -> ChatModel:
        """Close this model too, when all is done."""
        self._own.append(model)
        return model

    async def aclose(self) -> None:
        """Close the models that were made here, from their names; those that were handed over are their owner's."""
        for model in self._own:
            await model.aclose()

    def _model(self, thing: Any, config: RunConfig) -> ChatModel:
        from proctor.models.adapt import as_chat_model

        if not isinstance(thing, str):
            return as_chat_model(thing)
        from proctor.models.openai import Options
        from proctor.models.retries import RetryPolicy

        retries = RetryPolicy(attempts=config.max_retries + 1, longest=config.max_wait)
        options = Options(timeout=config.timeout, concurrency=int(config.max_workers), retries=retries)
        self._own.append(as_chat_model(thing, options=options))
        return self._own[-1]


class Metered:
    """A model whose replies are counted by a meter. The model itself is not changed: others may ask it meanwhile."""

    def __init__(self, model: ChatModel, meter: Meter) -> None:
        self._model = model
        self._meter = meter

    @property
    def name(self) -> str:
        """The model's name."""
        return self._model.name

    @property
    def endpoint(self) -> str:
        """Where the model is asked."""
        return str(getattr(self._model, "endpoint", ""))

    async def reply(self, request: Request) -> Reply:
        """Ask the model, and count what the reply cost, or what it cost that there is none."""
        try:
            reply = await self._model.reply(request)
        except ModelError as error:
            if isinstance(error.usage, Usage):
                self._meter.usage += error.usage
            raise
        except asyncio.CancelledError:
            self._meter.usage += _CUT
            raise
        self._meter.usage += reply.usage
        return reply

    async def aclose(self) -> None:
        """Nothing: whoever made the model closes it."""

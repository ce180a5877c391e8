"""Sources that play an API: a model trained for it, any other model with documents and examples, or a template."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from proctor.errors import ModelBusyError, ModelError, ModelRefusedError, ModelTimeoutError, ReplyError
from proctor.gateway.aside import Aside
from proctor.gateway.envelopes import Unreadable, read_envelope
from proctor.gateway.policy import shortened
from proctor.gateway.prompts import EXAMPLES, mirror_request, model_request
from proctor.gateway.source import Call, Unanswered
from proctor.gateway.templates import filled, salvaged
from proctor.models.chat import ChatModel, Request
from proctor.records.answers import Answer, Provenance, Source
from proctor.records.entries import Entry
from proctor.records.queries import ApiId
from proctor.records.usage import Usage

__all__ = ["MirrorSource", "ModelSource", "TemplateSource"]

Examples = Callable[[ApiId, int], list[Entry]]
"""Recorded entries of an API, at most so many: `ResponseStore.examples`."""
_READERS = 4
"""So many threads read examples."""


class _AskedSource:
    """A source that asks a model and reads its reply."""

    source = Source.SIMULATED

    def __init__(self, model: ChatModel, *, parameters: Mapping[str, Any] | None = None) -> None:
        self.name = model.name
        self._model = model
        self._parameters = dict(parameters or {})

    async def answer(self, call: Call) -> Answer | Unanswered:
        """What the model says that the API returns; a failure of the model is no answer."""
        if call.spec is None:
            return Unanswered("undocumented")
        try:
            reply = await self._model.reply(await self._request(call))
        except ModelError as error:
            usage = error.usage if isinstance(error.usage, Usage) else None
            return Unanswered(_kind(error), shortened(error.problem), usage)
        read = read_envelope(reply.text)
        if isinstance(read, Unreadable):
            return Unanswered("unreadable", read.problem, reply.usage)
        cut = read.how == "cut off"
        noted = ("the reply was cut off",) if cut or reply.finish == "length" else ()
        made = Provenance(self.source, reply.model or self.name, attempts=noted, usage=reply.usage, cut=cut)
        return Answer(read.response, read.error, made)

    async def _request(self, call: Call) -> Request:
        raise AssertionError(call)  # every kind has its own

    async def aclose(self) -> None:
        """Close the model's connections."""
        await self._model.aclose()


class MirrorSource(_AskedSource):
    """A MirrorAPI, asked by the form that it was trained on.

    `thought` is for the models that reason first. `system` replaces the instructions; the words of the training are
    found in upstream's repository. `parameters` go with every request (`max_tokens`, `temperature`, `seed` …).
    """

    def __init__(
        self,
        model: ChatModel,
        *,
        thought: bool = False,
        system: str | None = None,
        parameters: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(model, parameters={"temperature": 0.0, **(parameters or {})})
        self._thought = thought
        self._system = system

    async def _request(self, call: Call) -> Request:
        return mirror_request(call, thought=self._thought, system=self._system, **self._parameters)


class ModelSource(_AskedSource):
    """Any model, with the API's documents and up to five recorded examples of the same API.

    `examples` finds them: the `examples` of the store.
    """

    def __init__(
        self,
        model: ChatModel,
        *,
        examples: Examples | None = None,
        parameters: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(model, parameters=parameters)
        self._examples = examples
        self._aside = Aside("proctor-examples", _READERS)

    async def _request(self, call: Call) -> Request:
        found = [] if self._examples is None else await self._aside.do(self._examples, call.api, EXAMPLES + 1)
        others = [entry for entry in found if entry.key != call.key]  # an old answer to this very call gives it away
        return model_request(call, others[:EXAMPLES], **self._parameters)

    async def aclose(self) -> None:
        """Close the model's connections."""
        await super().aclose()
        self._aside.close()


class TemplateSource:
    """Answers in the shape of the documented response, with the call's arguments in their places.

    It needs no model and no network, and the same call has the same answer on every machine. It knows nothing: values
    that the arguments do not give are those of the documentation. Of a documented response that is cut off, the fields
    that are whole are answered. An API without a documented response is not answered.
    """

    name = "template"
    source = Source.SIMULATED

    async def answer(self, call: Call) -> Answer | Unanswered:
        """The documented response, filled; a required argument that lacks is the API's error."""
        if call.spec is None or call.spec.template_response is None:
            return Unanswered("undocumented")
        template = salvaged(call.spec.template_response)
        if template is None:
            return Unanswered("undocumented", "its documented response is cut off before its first field")
        made = Provenance(self.source, self.name)
        lacking = [parameter.name for parameter in call.spec.required if parameter.name not in call.arguments]
        if lacking:
            return Answer("", f"Missing required parameter: {', '.join(lacking)}.", made)
        return msgspec.structs.replace(Answer(filled(template, call)), provenance=made)

    async def aclose(self) -> None:
        """Nothing is held."""


def _kind(error: ModelError) -> str:
    kinds: tuple[tuple[type[ModelError], str], ...] = (
        (ModelRefusedError, "refused"),
        (ModelTimeoutError, "timeout"),
        (ModelBusyError, "busy"),
        (ReplyError, "unreadable"),
    )
    return next((kind for branch, kind in kinds if isinstance(error, branch)), "unavailable")

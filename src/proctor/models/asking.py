"""The course of one question, with its repetitions, as a generator. Pure: it yields what is to be done.

`asking(…)` yields `Ask` (send this body) and `Wait` (so many seconds), is sent an `Answered` for each `Ask`, and
returns the `Reply` or raises the `ModelError`.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Generator
from typing import Any

import msgspec

from proctor.errors import ModelBusyError, ModelError, ModelUnavailableError, ReplyError
from proctor.models.answered import Answered, decoded, read_answer
from proctor.models.chat import Reply, Request
from proctor.models.faults import fault, hidden_fault, is_vague, lesson
from proctor.models.names import Address
from proctor.models.payloads import Form, form_for, payload
from proctor.models.prices import Price
from proctor.models.retries import RetryPolicy, is_transient, retry_after
from proctor.records.grades import Missing
from proctor.records.traces import Usage

__all__ = ["Ask", "Learned", "Surroundings", "Wait", "asking"]

_REFUSABLE = ("json_schema", "function")
"""Forms that an endpoint may lack."""
_log = logging.getLogger("proctor.models")


class Ask(msgspec.Struct, frozen=True):
    """Send this."""

    body: dict[str, Any]


class Wait(msgspec.Struct, frozen=True):
    """Wait before the next attempt."""

    seconds: float
    after: Answered


class Learned:
    """What an endpoint has taught: the forms and parameters that it does not take. Shared by all questions to it."""

    def __init__(self, form: Form | None = None) -> None:
        self.lacks: frozenset[str] = frozenset()
        self.fixed = form
        self.taken: frozenset[str] = frozenset()

    def form(self, request: Request, doubted: Collection[str] = ()) -> Form | None:
        """The form to ask for a shape in: the one that was chosen, else the surest that is not known to be lacking."""
        if request.output is not None and self.fixed is not None:
            return self.fixed
        return form_for(request, self.lacks | frozenset(doubted))

    def may_lack(self, form: str) -> bool:
        """Whether a form may be what an endpoint does not take: nobody chose it, and it never worked."""
        return self.fixed is None and form not in self.taken

    def note_form(self, form: Form | None, doubted: Collection[str], model: str) -> None:
        """Remember the form that worked, and those that did not for the same question."""
        if form is not None:
            self.taken |= {form}
        for wrong in doubted:
            if wrong not in self.taken:  # another question has shown meanwhile that it works
                self.note(wrong, model)

    def note(self, lacking: str, model: str) -> None:
        """Remember, and say so the first time."""
        if lacking not in self.lacks:
            self.lacks |= {lacking}
            _log.warning("%s does not take %s; from now on it is asked without.", model, lacking)


class Surroundings(msgspec.Struct, frozen=True):
    """What a question is asked under."""

    address: Address
    policy: RetryPolicy
    price: Price | Missing
    dice: Callable[[], float]
    """A number from 0 to 1."""
    wall: Callable[[], float]
    """Seconds since 1970."""


def asking(request: Request, learned: Learned, around: Surroundings) -> Generator[Ask | Wait, Answered | None, Reply]:
    """Ask until there is a reply, or a fault that another attempt would not mend."""
    attempts = failures = 0
    doubted: list[Form] = []
    while True:
        form, lacks = learned.form(request, doubted), learned.lacks
        body = payload(request, around.address.model, form, lacks)
        answered = yield Ask(body)
        assert answered is not None
        attempts += 1
        try:
            reply = _read(answered, request, form, around)
        except ModelError as error:
            lacking = lesson(answered, form, body)
            if lacking is not None and lacking not in lacks and not (lacking == form and learned.fixed):
                learned.note(lacking, around.address.name)
                continue
            if form in _REFUSABLE and learned.may_lack(form) and is_vague(error):
                doubted.append(form)  # it does not say what it does not take: perhaps the form
                continue
            failures += 1
            if not _mends(error) or failures >= around.policy.attempts:
                raise _counted(error, attempts) from None
        else:
            learned.note_form(form, doubted, around.address.name)
            return msgspec.structs.replace(reply, usage=msgspec.structs.replace(reply.usage, requests=attempts))
        asked = retry_after(answered.headers, around.wall())
        yield Wait(around.policy.wait(failures, asked, around.dice()), answered)


def _read(answered: Answered, request: Request, form: Form | None, around: Surroundings) -> Reply:
    if not answered.fine:
        raise fault(answered, around.address)
    try:
        wanted = None if request.output is None else request.output.name
        return read_answer(answered, around.address.name, form, around.price, wanted)
    except (ModelUnavailableError, ReplyError):
        if hidden := _hidden(answered, around.address):
            raise hidden from None
        raise


def _hidden(answered: Answered, address: Address) -> ModelError | None:
    try:
        return hidden_fault(decoded(answered, address.name), answered, address)
    except ModelUnavailableError:
        return None


def _mends(error: ModelError) -> bool:
    """Whether another attempt may mend it: only faults of the line and of the server are repeated."""
    if isinstance(error, ModelBusyError):
        return True
    return isinstance(error, ModelUnavailableError) and (error.kind == "garbled" or is_transient(error.status))


def _counted(error: ModelError, attempts: int) -> ModelError:
    error.attempts = attempts
    spent = error.usage if isinstance(error.usage, Usage) else Usage()
    error.usage = msgspec.structs.replace(spent, requests=attempts)
    if attempts > 1:
        error.args = (f"{error} Asked {attempts} times.",)
    return error

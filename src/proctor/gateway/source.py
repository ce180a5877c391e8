"""The waist between the gateway and whoever answers: `AnswerSource.answer(call) -> Answer | Unanswered`."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

import msgspec

from proctor.records.answers import Answer, Source
from proctor.records.keys import call_key
from proctor.records.queries import ApiId, ApiSpec
from proctor.records.usage import Usage

__all__ = ["AnswerSource", "Call", "Unanswered"]


class Call(msgspec.Struct, frozen=True, omit_defaults=True):
    """One API call: which API, and with which arguments."""

    api: ApiId
    arguments: dict[str, Any]
    """Under the names that the API documents."""
    key: str
    """The identity of the call: the same API with the same arguments has the same."""
    spec: ApiSpec | None = None
    """The API's documentation, where there is one."""
    tool_description: str = ""

    @classmethod
    def of(cls, api: ApiId | ApiSpec, arguments: dict[str, Any], tool_description: str = "") -> Call:
        """The call of an API, under its key."""
        spec = api if isinstance(api, ApiSpec) else None
        identity = api.id if isinstance(api, ApiSpec) else api
        key = call_key(identity.category, identity.tool, identity.api, arguments)
        return cls(identity, arguments, key, spec, tool_description)


class Unanswered(msgspec.Struct, frozen=True, omit_defaults=True):
    """A source has no answer: it does not know one, or it failed. The next source is asked."""

    kind: str
    """One word from `KINDS`, to count by."""
    detail: str = ""
    """What happened, with no key in it."""
    usage: Usage | None = None
    """What it cost all the same."""

    def __str__(self) -> str:
        sentence = KINDS.get(self.kind, self.kind)
        return f"{sentence}: {self.detail}" if self.detail else sentence


KINDS = {
    "missed": "holds no answer",
    "suspicious": "holds only a suspicious answer",
    "undocumented": "lacks the documentation that it needs",
    "unavailable": "could not be reached",
    "timeout": "did not answer in time",
    "busy": "was too busy to answer",
    "refused": "refused the request",
    "failed": "failed",
    "unreadable": "said nothing that can be read",
    "empty": "said nothing",
}
"""Every way in which a source has no answer, with its words."""


@runtime_checkable
class AnswerSource(Protocol):
    """Whoever answers calls.

    A source that has no answer returns `Unanswered`. What it returns as an `Answer` is judged by the shape of what it
    says before it is given or stored, so the failure of a backend is none either way; a source that raises has failed.
    An error by which an API refuses its arguments is an answer. `provenance` may be left out, or hold only the
    `model`; the gateway fills in the rest.
    """

    @property
    def name(self) -> str:
        """What it is called in provenance and in reports."""
        ...

    @property
    def source(self) -> Source:
        """Which kind of source it is."""
        ...

    async def answer(self, call: Call) -> Answer | Unanswered:
        """Answer a call, or say why not."""
        ...

    async def aclose(self) -> None:
        """Give back connections. It may be called twice."""
        ...

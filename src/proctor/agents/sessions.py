"""Which desk a call from outside belongs to: doors over HTTP and MCP are shown a token, and ask here."""

from __future__ import annotations

import contextlib
import contextvars
import secrets
from collections.abc import Iterator

from proctor.agents.desk import Desk

__all__ = ["CURRENT", "Sessions"]

CURRENT: contextvars.ContextVar[Desk | None] = contextvars.ContextVar("proctor_desk", default=None)
"""The desk of the task that this thread or coroutine works on."""


class Sessions:
    """The tasks at work, each under a token that nobody can guess."""

    def __init__(self) -> None:
        self._desks: dict[str, Desk] = {}

    def __len__(self) -> int:
        return len(self._desks)

    @contextlib.contextmanager
    def opened(self, desk: Desk) -> Iterator[str]:
        """The token of a task while it is at work."""
        token = secrets.token_urlsafe(18)
        self._desks[token] = desk
        try:
            yield token
        finally:
            del self._desks[token]

    def find(self, token: str) -> Desk | None:
        """The desk of the task that has this token; None when it is over, or never was."""
        return self._desks.get(token)

"""A conversation as a judge is shown it. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from proctor.messages import AnyMessage

__all__ = ["transcript"]


def transcript(messages: Iterable[AnyMessage]) -> str:
    """Each message under who said it. Further lines are indented, so that nobody can write another's turn."""
    return "\n".join(message.pretty_repr().replace("\n", "\n    ") for message in messages)

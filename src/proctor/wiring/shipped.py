"""What comes with Proctor: the word `starter` where a command expects a file or a folder of that kind."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Final

from proctor import starter

__all__ = ["CALIBRATION", "CONVERSATIONS", "LABELS", "STARTER", "TOOLS", "shipped"]

CONVERSATIONS: Final = "conversations"
LABELS: Final = "labels"
CALIBRATION: Final = "calibration"
TOOLS: Final = "tools"
STARTER: Final = "starter"
_FILES: Mapping[str, Callable[[], Path]] = MappingProxyType(
    {
        CONVERSATIONS: starter.conversations,
        LABELS: starter.labels,
        CALIBRATION: starter.calibration,
        TOOLS: lambda: Path(starter.folder()) / "tools",
    }
)


def shipped(said: str, kind: str) -> str:
    """The path of the starter's file or folder of this kind where `starter` was said; else what was said.

    A file of the user's own that is called `starter` goes first.
    """
    return str(_FILES[kind]()) if said == STARTER and not Path(said).exists() else said

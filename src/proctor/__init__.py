"""Proctor sets the exam for agents that use tools.

The names below are loaded when they are first used, so that `import proctor` costs next to nothing
(docs/decisions/names-load-when-used.md).
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from proctor.dataset_schema import EvaluationDataset as EvaluationDataset
    from proctor.dataset_schema import MultiTurnSample as MultiTurnSample
    from proctor.dataset_schema import SingleTurnSample as SingleTurnSample
    from proctor.errors import ProctorError as ProctorError
    from proctor.records.grades import Missing as Missing
    from proctor.records.grades import Score as Score
    from proctor.runs.evaluate import aevaluate as aevaluate
    from proctor.runs.evaluate import evaluate as evaluate
    from proctor.wiring.sitting import arun as arun
    from proctor.wiring.sitting import run as run

_ROOMS = {
    "EvaluationDataset": "proctor.dataset_schema",
    "Missing": "proctor.records.grades",
    "MultiTurnSample": "proctor.dataset_schema",
    "ProctorError": "proctor.errors",
    "Score": "proctor.records.grades",
    "SingleTurnSample": "proctor.dataset_schema",
    "aevaluate": "proctor.runs.evaluate",
    "arun": "proctor.wiring.sitting",
    "evaluate": "proctor.runs.evaluate",
    "run": "proctor.wiring.sitting",
}

__all__ = [
    "EvaluationDataset",
    "Missing",
    "MultiTurnSample",
    "ProctorError",
    "Score",
    "SingleTurnSample",
    "__version__",
    "aevaluate",
    "arun",
    "evaluate",
    "run",
]


def __getattr__(name: str) -> Any:
    if name in _ROOMS:
        return getattr(importlib.import_module(_ROOMS[name]), name)
    msg = f"module 'proctor' has no attribute {name!r}"
    raise AttributeError(msg)


def __dir__() -> list[str]:
    return list(__all__)

"""The starter: an embedded benchmark of invented places, whose APIs really work.

    folder()      its files, laid out as a ToolBench data folder: tools/<Category>/<tool>.json, queries/<set>/*.json
    functions()   what answers its APIs, for the gateway's `FunctionSource`
    tools()       the tools with their functions
    sets()        the test sets, each with the folder that holds its queries
    fingerprint() a word that is another one when data or functions are, and with them answers
    conversations()   recorded conversations of several turns, right and wrong, for the metrics of conversations
    answers()     recorded answers to its queries, good, bad and tempting
    labels()      what people say of those answers, beside what the rubric says
    calibration() the rubric's errors by those labels

Nothing here asks a model, a clock, a die or the network: the same call has the same answer, always and everywhere.
"""

from __future__ import annotations

import functools
import hashlib
import importlib
import pkgutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from proctor.records.queries import ApiId
from proctor.starter import apis
from proctor.starter.tables import FOLDER
from proctor.starter.tool import Tool

__all__ = ["answers", "calibration", "conversations", "fingerprint", "folder", "functions", "labels", "sets", "tools"]


def folder() -> Path:
    """Where the starter's files are."""
    return FOLDER


def sets() -> dict[str, Path]:
    """The test sets, each with the folder that holds its queries."""
    return {path.name: path for path in sorted((FOLDER / "queries").iterdir()) if path.is_dir()}


def conversations() -> Path:
    """The file of recorded conversations, a `MultiTurnSample` on each line.

    The metadata of the first message says what a conversation shows and whether the user's goal was reached.
    """
    return FOLDER / "conversations" / "conversations.jsonl"


def answers() -> Path:
    """The file of recorded answers, one on each line: its id, the query's, the calls, and the final answer."""
    return FOLDER / "labels" / "answers.jsonl"


def labels() -> Path:
    """The table of labels of those answers, which `proctor judge calibrate` reads."""
    return FOLDER / "labels" / "labels.csv"


def calibration() -> Path:
    """The rubric's calibration by those labels, which `--calibration` reads."""
    return FOLDER / "labels" / "rubric.json"


@functools.cache
def tools() -> tuple[Tool, ...]:
    """The tools, by category and name: all that the modules of `apis` hold."""
    found: list[Tool] = []
    for module in pkgutil.iter_modules(apis.__path__, f"{apis.__name__}."):
        found += [value for value in vars(importlib.import_module(module.name)).values() if isinstance(value, Tool)]
    return tuple(sorted(found, key=lambda tool: (tool.category, tool.name)))


def functions() -> dict[ApiId, Callable[..., Any]]:
    """What answers each API."""
    return {api.id: api.function for tool in tools() for api in tool.apis}


def fingerprint(where: Path | None = None) -> str:
    """Of the data sets and the functions: while it is the same, every call has the answer that it had."""
    where = where or FOLDER
    digest = hashlib.sha256()
    for path in sorted([*where.glob("data/*.json"), *where.glob("apis/*.py"), *where.glob("*.py")]):
        digest.update(path.relative_to(where).as_posix().encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()

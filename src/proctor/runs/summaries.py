"""What stands at the head of a run's result file: its figures, read without the results below them.

A list of many runs is to be quick, and a result file can be large: it is read up to its first result and no further.
"""

from __future__ import annotations

from pathlib import Path

import msgspec

from proctor import json_text
from proctor.records.grades import Missing
from proctor.stats.denominators import Denominators
from proctor.stats.intervals import Estimate

__all__ = ["Summary", "read_summary"]

_RESULTS = b'\n  "results":'
"""Where the results begin, as Proctor writes its files."""
_CHUNK = 1 << 16
_MOST = 1 << 24
"""A head that is longer is none of ours."""


class Summary(msgspec.Struct, frozen=True):
    """The figures of a run as its result file has them."""

    sopr: Estimate | Missing
    api_call_score: Estimate | Missing
    denominators: Denominators
    method: str
    """How it was judged; empty where nobody has judged."""
    denominator: str = ""
    """Who is in the denominator, in words."""
    judge: str = ""
    """Who judged."""


class _Config(msgspec.Struct):
    evaluation_method: str = "none"
    evaluator_model: str | None = None


class _Metadata(msgspec.Struct):
    config: _Config


class _Figures(msgspec.Struct):
    sopr: Estimate | Missing
    api_call_score: Estimate | Missing
    denominators: Denominators
    denominator: str = ""


class _Head(msgspec.Struct):
    metadata: _Metadata
    summary: _Figures


def read_summary(path: Path) -> Summary | Missing:
    """The figures at the head of a result file; Missing where there is none that could be read."""
    try:
        head = msgspec.json.decode(_head(path), type=_Head)
    except FileNotFoundError:
        return Missing("there is no result file yet")
    except OSError as error:
        return Missing("the result file cannot be read", error.strerror)
    except json_text.UNREADABLE as error:
        return Missing("the result file is not one of this version", str(error))
    config, found = head.metadata.config, head.summary
    method = "" if config.evaluation_method == "none" else config.evaluation_method
    judge = config.evaluator_model or ""
    return Summary(found.sopr, found.api_call_score, found.denominators, method, found.denominator, judge)


def _head(path: Path) -> bytes:
    """The document as if it had no results."""
    read = bytearray()
    with path.open("rb") as file:
        while len(read) < _MOST and (more := file.read(_CHUNK)):
            read += more
            end = read.find(_RESULTS, max(0, len(read) - len(more) - len(_RESULTS)))
            if end >= 0:
                return bytes(read[:end]).rstrip().removesuffix(b",") + b"}"
    return bytes(read)

"""Data inside a page: JSON, compressed, as text that no markup can be hidden in. Pure."""

from __future__ import annotations

import base64
import gzip
import json
from typing import Any

__all__ = ["packed"]

_LEVEL = 6
"""Beyond this, time grows and pages hardly shrink."""


def packed(value: Any) -> str:
    """Plain data as base64 of gzip of JSON: the same bytes for the same data.

    JSON is written in ASCII: half of a surrogate pair, which no file can hold, travels as an escape.
    """
    plain = json.dumps(value, separators=(",", ":"), allow_nan=False).encode("ascii")
    return base64.b64encode(gzip.compress(plain, _LEVEL, mtime=0)).decode("ascii")

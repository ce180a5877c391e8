"""Text that wants to be more than text, put into every field of a record."""

from __future__ import annotations

import enum
from typing import Any

import msgspec

ATTACKS = (
    "</script><script>window.owned='closed script'</script>",
    "<!--<script>window.owned='comment'",
    "<img src=x onerror=\"window.owned='image'\">",
    "\"><svg onload=window.owned='svg'>",
    "' autofocus onfocus=window.owned='attribute' x='",
    "javascript:window.owned='address'",
    "{{ 7 * 191 }}{% raw %}${7 * 191}",
    "</style><style>*{display:none}</style>",
    "]]>&lt;&amp;&#x27;",
    "\u202eturned round\u2066",
    "\x00nothing\x1b[31m\x7f\u2028line",
    "https://example.invalid/beacon",
)
TEXT = " ".join(ATTACKS)
LONG_WORD = "W" * 400


def spoilt(value: Any) -> Any:
    """The value with hostile text at the end of every text in it, names of arguments too."""
    if isinstance(value, str):
        return f"{value} {TEXT} {LONG_WORD}"
    if isinstance(value, enum.Enum):
        return value
    if isinstance(value, msgspec.Struct):
        fields = {name: spoilt(getattr(value, name)) for name in value.__struct_fields__}
        return type(value)(**fields)
    if isinstance(value, dict):
        return {spoilt(name): spoilt(item) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(spoilt(item) for item in value)
    return value

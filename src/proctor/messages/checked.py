"""What messages, calls and samples have in common: they are checked when somebody builds them in Python.

A decoder builds them without coming by here: what it read is of the right types already, and the check costs nothing.
"""

from __future__ import annotations

from typing import Any

import msgspec

from proctor import json_text
from proctor.errors import SampleError, nearest


class CheckedMeta(msgspec.StructMeta):
    """Looks at what is built by a call of the class."""

    def __call__(self, *args: Any, **fields: Any) -> Any:
        """Build, then check; SampleError for a field that nobody knows, one that lacks, and a value of a wrong type."""
        given = self._given(fields)  # type: ignore[attr-defined]
        try:
            made = super().__call__(*args, **given)
        except TypeError as error:
            raise SampleError(_not_built(self, given, error)) from None
        made._check()  # noqa: SLF001 - the class is Checked, below
        return made


def _not_built(kind: type, fields: dict[str, Any], error: TypeError) -> str:
    known = kind.__struct_fields__  # type: ignore[attr-defined]
    for field in fields:
        if field not in known:
            return f"{article(kind)} has the unknown field {field!r}; {nearest(str(field), known)}"
    return f"{article(kind)} cannot be made: {str(error)[:1].lower()}{str(error)[1:]}."


class Checked(msgspec.Struct, metaclass=CheckedMeta):
    """A structure that is checked when it is built in Python."""

    @classmethod
    def _given(cls, fields: dict[str, Any]) -> dict[str, Any]:
        """The named arguments, as the structure takes them."""
        return fields

    def _check(self) -> None:
        """SampleError where a value is not of its field's type."""

    def _expect(self, field: str, kind: type, wanted: str, *, optional: bool = True) -> None:
        """SampleError unless the field's value is of the kind, or None where it is optional."""
        value = getattr(self, field)
        if isinstance(value, kind) or (optional and value is None):
            return
        msg = f"{field!r} of {article(type(self))} must be {wanted}, not {shown(value)}."
        raise SampleError(msg)

    def to_dict(self) -> dict[str, Any]:
        """All as plain data, fields that are None left out."""
        plain: dict[str, Any] = msgspec.to_builtins(self, enc_hook=json_text.plain)
        return plain


def shown(value: Any, limit: int = 60) -> str:
    """A value in an error's sentence: its type, and as much of it as helps."""
    if value is None:
        return "None"
    text = repr(value)
    return f"{type(value).__name__}: {text if len(text) <= limit else f'{text[:limit]}…'}"


def article(kind: type) -> str:
    """The name of a class with its article."""
    name = kind.__name__
    return f"{'an' if name[0] in 'AEIOU' else 'a'} {name}"

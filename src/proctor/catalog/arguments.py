"""The arguments of a call, back under the names that the API documents."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from proctor.catalog.names import shown_parameters, standard_spellings


class Restored(msgspec.Struct, frozen=True):
    """The arguments of a call as the API documents them, and what could not be restored."""

    arguments: dict[str, Any]
    """Under documented names; an argument that is named in `unknown` or `collisions` keeps the name it came with."""
    renamed: dict[str, str] = {}
    """From the name that was used to the documented one, where they differ."""
    unknown: tuple[str, ...] = ()
    """Names that no parameter has in any spelling."""
    collisions: tuple[str, ...] = ()
    """Names that may stand for several parameters, or for one that was given twice."""


class ArgumentNames:
    """Knows how the parameters of one API may be spelled.

    >>> ArgumentNames(["userId", "from"]).restore({"userid": 7, "is_from": "here"}).arguments
    {'userId': 7, 'from': 'here'}
    """

    def __init__(self, documented: Iterable[str]) -> None:
        self._documented = tuple(name for name in dict.fromkeys(documented) if name.strip())
        self.shown: Mapping[str, str] = shown_parameters(self._documented)
        """From the documented name of each parameter to the one that a model is shown."""
        self._by_shown = {shown: name for name, shown in self.shown.items()}
        self._by_spelling: dict[str, tuple[str, ...]] = {}
        for name in self._documented:
            for spelling in {*standard_spellings(name), name.strip(), name.strip().casefold()}:
                self._by_spelling[spelling] = (*self._by_spelling.get(spelling, ()), name)

    def restore(self, arguments: Mapping[str, Any]) -> Restored:
        """The arguments under their documented names; a name that fits several is reported and left as it is."""
        meant = {used: self._candidates(used) for used in arguments}
        given = [names[0] for names in meant.values() if len(names) == 1]
        restored: dict[str, Any] = {}
        renamed: dict[str, str] = {}
        collisions: list[str] = []
        for used, value in arguments.items():
            names = meant[used]
            clashes = len(names) > 1 or (names and names[0] != used and given.count(names[0]) > 1)
            if clashes:
                collisions.append(used)
            name = used if clashes or not names else names[0]
            restored[name] = value
            if name != used:
                renamed[used] = name
        unknown = tuple(used for used, names in meant.items() if not names)
        return Restored(restored, renamed, unknown, tuple(collisions))

    def _candidates(self, used: str) -> tuple[str, ...]:
        if used in self._documented:
            return (used,)
        if used in self._by_shown:
            return (self._by_shown[used],)
        return self._by_spelling.get(used, ())

"""Whether a store of answers is whole: the database sound, every entry readable and under its own key."""

from __future__ import annotations

import msgspec

from proctor.store.responses import ResponseStore


class Verification(msgspec.Struct, frozen=True):
    """What came of looking through a whole store."""

    entries: int
    damage: tuple[str, ...]
    """What is broken, a sentence each."""
    content_id: str | None
    """The hash of all keys and answers; None where the damage prevents one."""
    frozen: str | None
    """The content id with which the store was frozen, if it was."""

    @property
    def sound(self) -> bool:
        """Whether nothing is broken."""
        return not self.damage


def verify(store: ResponseStore) -> Verification:
    """Look through all of a store: the database, each entry, each key, and the content id of a frozen one."""
    damage = store.damage()
    if damage:
        return Verification(0, tuple(damage), None, None)
    content, frozen = store.content_id(), store.frozen
    if frozen is not None and frozen != content:
        damage = [f"the store was frozen with the content id {frozen}, and holds {content}: it was changed since"]
    return Verification(store.count(), tuple(damage), content, frozen)

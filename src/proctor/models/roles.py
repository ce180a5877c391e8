"""Who asks which model: the agent under test, the judge, and the simulator of APIs are named apart. Pure."""

from __future__ import annotations

import re

import msgspec

from proctor.errors import OptionError
from proctor.models.names import address

__all__ = ["Role", "Roles", "judge_role", "self_judging"]


_THIS_MACHINE = re.compile(r"//(127\.[\d.]+|\[::1\])")


class Role(msgspec.Struct, frozen=True, omit_defaults=True):
    """A model in a role."""

    model: str
    """Its name, as `OpenAIModel` takes it."""
    url: str | None = None
    """The address of its endpoint, where it is one's own."""


class Roles(msgspec.Struct, frozen=True, omit_defaults=True):
    """The models of a run, each in its role. None: nobody plays it."""

    agent: Role | None = None
    judge: Role | None = None
    simulator: Role | None = None


def judge_role(roles: Roles) -> Role:
    """The judge. Where none is named nobody steps in: least of all the model under test."""
    if roles.judge is None:
        raise OptionError(
            "a judge is needed and none is named; say which model judges (the model under test never does unasked)."
        )
    return roles.judge


def self_judging(roles: Roles) -> str | None:
    """What to warn of when the judge is the model under test, whichever way the two are written; else None."""
    if roles.agent is None or roles.judge is None or _where(roles.agent) != _where(roles.judge):
        return None
    return (
        f"the judge is the model under test ({roles.judge.model}): models tend to prefer what they wrote themselves, "
        "so read the judged numbers with care or name another judge."
    )


def _where(role: Role) -> tuple[str, str]:
    """What a role's model is, as far as its name can say: an address that needs the environment is left open."""
    try:
        found = address(role.model, role.url)
    except OptionError:
        return role.model, role.url or ""
    return found.model, _THIS_MACHINE.sub("//localhost", found.url)

"""Agents that Proctor does not drive, by name: objects, commands, addresses, scripts and recordings."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec

from proctor.agents.adapters.command import CommandAgent
from proctor.agents.adapters.endpoint import EndpointAgent
from proctor.agents.adapters.framework import Door, FrameworkAgent
from proctor.agents.adapters.objects import is_object_name
from proctor.agents.agent import Agent
from proctor.agents.recorded import RecordedAgent
from proctor.agents.scripted import ScriptedAgent
from proctor.catalog.index import Catalog
from proctor.errors import AgentError, FileError, InputError, OptionError, nearest
from proctor.formats.stabletoolbench.converted import ConvertedAnswer, read_details
from proctor.formats.stabletoolbench.json_files import read_json
from proctor.formats.stabletoolbench.recordings import find_recordings
from proctor.formats.stabletoolbench.traced import trace_of
from proctor.models.environment import read_environment
from proctor.records.queries import Query
from proctor.records.traces import Step
from proctor.runs.recorded import Label, recorded_run

__all__ = ["AS_RECORDED", "BY_NAME", "Around", "maker_of_kind", "read_steps"]

AS_RECORDED = "recorded"
_AGAIN = "again"
_TOKEN = "PROCTOR_AGENT_TOKEN"  # noqa: S105 - the name of a variable


class Around(msgspec.Struct, frozen=True):
    """What an agent from outside may need to know."""

    door: Door | None = None
    sets: Mapping[str, Sequence[Query]] = {}
    catalog: Catalog | None = None


Maker = Callable[[str, Mapping[str, Any], Around], Agent]


def maker_of_kind(name: str) -> Maker | None:
    """Who makes the agent of that name; None where it is no agent from outside."""
    if name in BY_NAME:
        return BY_NAME[name]
    prefix, colon, _ = name.partition(":")
    if colon and prefix in _BY_PREFIX:
        return _BY_PREFIX[prefix]
    return _framework if is_object_name(name) else None


def read_steps(details: Any, catalog: Catalog) -> Sequence[Step]:
    """The steps that `answer_details` tell of."""
    try:
        opening, turns, notes = read_details(details)
        answer = ConvertedAnswer("", "", (), "", "", turns, opening, notes=notes)
        return trace_of(answer, Query("", ""), catalog).value.steps
    except InputError as error:
        raise AgentError(f"the agent's answer_details cannot be read: {error}") from None


def _framework(name: str, options: Mapping[str, Any], around: Around) -> Agent:
    _checked(name, options, ())
    return FrameworkAgent(name, details=read_steps, door=around.door)


def _command(name: str, options: Mapping[str, Any], around: Around) -> Agent:
    _checked(name, options, ("once",))
    once = options.get("once", False)
    if not isinstance(once, bool):
        raise OptionError(f"the option 'once' of the agent {name!r} is true or false, not {once!r}.")
    command = name.removeprefix("command:")
    return CommandAgent(command, name=name, once=once, details=read_steps, door=around.door)


def _endpoint(name: str, options: Mapping[str, Any], around: Around) -> Agent:
    _checked(name, options, ())
    token = read_environment().get(_TOKEN)
    return EndpointAgent(name, token=token, details=read_steps, door=around.door)


def _recorded(name: str, options: Mapping[str, Any], around: Around) -> Agent:
    """Upstream's answers, raw or converted, replayed; with `calls=again` the gateway of this run answers the calls."""
    _checked(name, options, ("answers", "calls"))
    place, calls = options.get("answers"), options.get("calls", AS_RECORDED)
    if not isinstance(place, str):
        raise OptionError("the agent 'recorded' replays answers; say which: -A answers=DIR.")
    if calls not in {AS_RECORDED, _AGAIN}:
        raise OptionError(f"the option 'calls' of the agent 'recorded' is {AS_RECORDED} or {_AGAIN}, not {calls!r}.")
    run = recorded_run(find_recordings([place]), around.sets, Label("", "", "", 0.0), around.catalog)
    traces = {(key.test_set, key.query_id): trace for key, trace in run.traces.items()}
    return RecordedAgent(traces, again=calls == _AGAIN)


def _scripted(name: str, options: Mapping[str, Any], _: Around) -> Agent:
    _checked(name, options, ("script",))
    place = options.get("script")
    if not isinstance(place, str):
        raise OptionError("the agent 'scripted' does what a file says; say which: -A script=FILE.")
    script = read_json(place)
    if not isinstance(script, dict) or not all(isinstance(lines, list) for lines in script.values()):
        raise FileError("a script is an object from query ids to lists of lines.", path=place)
    return ScriptedAgent(script)


def _checked(name: str, options: Mapping[str, Any], known: Sequence[str]) -> None:
    for key in options:
        if key not in known:
            told = nearest(key, known) if known else "it has none."
            raise OptionError(f"the agent {name!r} has no option {key!r}; {told}")


BY_NAME: dict[str, Maker] = {"recorded": _recorded, "scripted": _scripted}
"""Agents that are known by their whole name."""
_BY_PREFIX: dict[str, Maker] = {"command": _command, "http": _endpoint, "https": _endpoint}

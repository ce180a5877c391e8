"""Agents by name."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from proctor.agents.agent import Agent, Settings, Strategy, StrategyAgent
from proctor.agents.baseline import baseline
from proctor.agents.chain import chain
from proctor.agents.probes import null, oracle, spam
from proctor.agents.tree import tree
from proctor.errors import OptionError, nearest
from proctor.models.chat import ChatModel
from proctor.wiring.outsiders import AS_RECORDED, BY_NAME, Around, maker_of_kind

__all__ = ["AGENTS", "Kind", "agent_named", "asks_model", "calls_nobody"]


class Kind(msgspec.Struct, frozen=True):
    """A strategy that is known by name."""

    strategy: Callable[..., Strategy]
    asks_model: bool = False


AGENTS: dict[str, Kind] = {
    "baseline": Kind(baseline),
    "dfs": Kind(tree, asks_model=True),
    "null": Kind(null),
    "oracle": Kind(oracle),
    "react": Kind(chain, asks_model=True),
    "spam": Kind(spam),
}
"""The strategies by name."""


def asks_model(name: str) -> bool:
    """Whether an agent of that name asks a model that Proctor hands to it."""
    return name in AGENTS and AGENTS[name].asks_model


def calls_nobody(name: str, options: Mapping[str, Any]) -> bool:
    """Whether an agent makes no call, so that nobody has to be there to answer."""
    return name == "null" or (name == "recorded" and options.get("calls", AS_RECORDED) == AS_RECORDED)


def agent_named(
    name: str,
    model: ChatModel | None = None,
    options: Mapping[str, Any] | None = None,
    around: Around | None = None,
) -> Agent:
    """The agent of that name. `options` are its strategy's, with `temperature` and `max_tokens` of its model."""
    maker = maker_of_kind(name)
    if maker is not None:
        if model is not None:
            raise OptionError(f"the agent {name!r} asks no model of Proctor's; leave --model out.")
        return maker(name, options or {}, around or Around())
    kind = AGENTS.get(name)
    if kind is None:
        raise OptionError(f"there is no agent {name!r}; {nearest(name, [*AGENTS, *BY_NAME])}")
    if kind.asks_model and model is None:
        raise OptionError(f"the agent {name!r} asks a model; say which: --model openai/gpt-4o-mini.")
    if model is not None and not kind.asks_model:
        raise OptionError(f"the agent {name!r} asks no model; leave --model out.")
    of_model = set(Settings.__struct_fields__) if kind.asks_model else set()
    own = {key: value for key, value in (options or {}).items() if key not in of_model}
    _check_options(name, kind, own, of_model)
    settings = _settings({key: value for key, value in (options or {}).items() if key in of_model})

    def strategy(task: Any, tools: Any) -> Strategy:
        return kind.strategy(task, **own) if kind.asks_model else kind.strategy(task, tools, **own)

    return StrategyAgent(name, strategy, model, settings)


def _check_options(name: str, kind: Kind, own: Mapping[str, Any], of_model: set[str]) -> None:
    parameters = [one for one in inspect.signature(kind.strategy).parameters.values() if one.default is not one.empty]
    known = {one.name: type(one.default) for one in parameters}
    for key, value in own.items():
        if key not in known:
            able = sorted({*known, *of_model})
            told = nearest(key, able) if able else "it has none."
            raise OptionError(f"the agent {name!r} has no option {key!r}; {told}")
        if not isinstance(value, known[key]) or isinstance(value, bool):
            raise OptionError(f"the option {key!r} of the agent {name!r} is of type {known[key].__name__}: {value!r}.")


def _settings(said: Mapping[str, Any]) -> Settings:
    try:
        return msgspec.convert(said, Settings)
    except msgspec.ValidationError as error:
        raise OptionError(f"an option of the agent's model: {error}.") from None

"""`proctor.run`: an exam from Python, with the options of the command and objects in place of names."""

from __future__ import annotations

import copy
import os
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypedDict, Unpack

from proctor.agents.adapters.objects import maker_of
from proctor.agents.agent import Agent
from proctor.config import read_settings, settings_of
from proctor.errors import OptionError
from proctor.gateway.source import AnswerSource
from proctor.judges.judge import AsksModel, Judge
from proctor.judges.panel import Panel
from proctor.judges.solving import SolvingJudge
from proctor.metrics.blocking import wait_for
from proctor.models.adapt import as_chat_model
from proctor.models.chat import ChatModel
from proctor.runs.underway import Recalling
from proctor.runs.watching import Watcher, nobody
from proctor.wiring.exams import Ended, prepare, sit
from proctor.wiring.halls import Given

__all__ = ["Options", "arun", "run"]

Place = str | os.PathLike[str]


class Options(TypedDict, total=False):
    """The options of `proctor run`, by their names; where an object may stand in place of a name, any type."""

    benchmark: Place
    data: Place
    tool_dir: Place
    index: Place
    test_set: str | Sequence[str]
    ids: Place
    limit: int
    agent: Any
    """A name; an agent; or a framework: an object with `setup_tools` and `answer`, its class, or what makes one."""
    model: Any
    """A name; a `ChatModel`; or whatever `as_chat_model` takes."""
    model_url: str
    agent_options: Mapping[str, Any]
    tools: str
    judge: Any
    """A name; a `Judge`; a `ChatModel`, which is asked whether answers solve their queries; or a list: a panel."""
    judge_url: str
    judge_repeats: int
    judge_template: Place
    calibration: Place
    policy: str
    cache: Place
    simulator: Any
    """A name; an `AnswerSource`; or a `ChatModel`, which plays the APIs."""
    simulator_url: str
    simulator_thought: bool
    simulator_system: Place
    live: str
    faults: float
    fault: str | Sequence[str]
    faults_by: str
    max_steps: int
    max_calls: int
    max_tokens: int
    max_seconds: float
    max_observation: int
    output: Place
    name: str
    epochs: int
    seed: int
    concurrency: int
    tries: int
    engine: str
    ray_address: str
    prices: Place
    replies: Place
    replay: bool


def run(
    config: Place | None = None,
    *,
    resume: bool = False,
    fresh: bool = False,
    watch: Watcher = nobody,
    **options: Unpack[Options],
) -> Ended:
    """Set an exam: what `proctor run` does, with the same options, and settings from the same files.

    `agent`, `model`, `judge` and `simulator` may be objects. `watch` is told of all that happens, as it happens. Works
    inside a running loop (a notebook, a web server).
    """
    return wait_for(lambda: arun(config, resume=resume, fresh=fresh, watch=watch, **options))


async def arun(
    config: Place | None = None,
    *,
    resume: bool = False,
    fresh: bool = False,
    watch: Watcher = nobody,
    **options: Unpack[Options],
) -> Ended:
    """`run` for code that is async."""
    named, given = handed_over(dict(options))
    settings = settings_of(named, read_settings(None if config is None else os.fspath(config)))
    prepared = prepare(settings, given)
    if prepared.warning is not None:
        warnings.warn(prepared.warning, UserWarning, stacklevel=2)
    return await sit(prepared, resume=resume, fresh=fresh, watch=watch)


def handed_over(options: Mapping[str, Any]) -> tuple[dict[str, Any], Given]:
    """The options by names alone, and the objects that stood among them."""
    named = {name: _plain(value) for name, value in options.items()}
    agent, model, judge, simulator = (named.get(name) for name in ("agent", "model", "judge", "simulator"))
    known: dict[str, Any] = {}
    if agent is not None and not isinstance(agent, str):
        known["agent"] = agent
        named["agent"] = agent.name if isinstance(agent, Agent) else maker_of(agent).name
    if model is not None and not isinstance(model, str):
        known["model"] = as_chat_model(model)
        named["model"] = known["model"].name
    if judge is not None and not _is_named(judge):
        known["judge"] = _judge(judge)
        del named["judge"]
    if simulator is not None and not isinstance(simulator, str):
        known["simulators"] = tuple(map(_simulator, simulator if isinstance(simulator, list | tuple) else [simulator]))
        del named["simulator"]
    return named, Given(**known)


def _plain(value: Any) -> Any:
    return os.fspath(value) if isinstance(value, Path) else value


def _is_named(judge: Any) -> bool:
    return isinstance(judge, str) or (isinstance(judge, list | tuple) and all(isinstance(one, str) for one in judge))


def _judge(said: Any) -> Judge:
    """A judge of objects. What its model says is kept while a trial is underway, and what it costs is counted."""
    if isinstance(said, list | tuple):
        return Panel([_judge(one) for one in said])
    if isinstance(said, AsksModel):
        kept = copy.copy(said)
        kept.model = Recalling(said.model, "judge")
        return kept  # type: ignore[return-value] # each that asks has judge() too
    if isinstance(said, Judge):
        return said
    if isinstance(said, ChatModel):
        return SolvingJudge(Recalling(said, "judge"))
    raise OptionError(
        f"a judge is a name, a Judge, a ChatModel, or a list of one kind of these, not {type(said).__name__}."
    )


def _simulator(said: Any) -> AnswerSource | ChatModel:
    if isinstance(said, AnswerSource | ChatModel):
        return said
    raise OptionError(f"a simulator is a name, an AnswerSource or a ChatModel, not {type(said).__name__}.")

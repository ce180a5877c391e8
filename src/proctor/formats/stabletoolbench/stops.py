"""Why a recorded agent stopped, and what it had used by then."""

from __future__ import annotations

from typing import Any

import msgspec

from proctor.formats.stabletoolbench.answers import RawAnswer
from proctor.formats.stabletoolbench.paths import Path
from proctor.formats.stabletoolbench.turns import Called, Turn
from proctor.records.finishing import FINISH, finish_of
from proctor.records.grades import Missing
from proctor.records.traces import Finish, StopReason, Usage

_COST = Missing("the recording does not say what it cost")
_NODES_OF_A_CALL = 2
"""An action and its input: upstream's limit of steps counts both."""


def header_of(raw: RawAnswer, path: Path) -> dict[str, Any]:
    """What a raw answer says of the whole trace, as plain data: why it stopped, and what it used.

    The file has prompts and replies in one number; all of it stands under `prompt_tokens`.
    """
    usage = Usage(requests=raw.requests, prompt_tokens=raw.tokens, cost=_COST)
    return {"stop": _stop(raw, path).value, "usage": msgspec.to_builtins(usage)}


def last_finish(turns: tuple[Turn, ...]) -> Finish | None:
    """What the last call said, if it was a Finish that can be read."""
    calls = [turn for turn in turns if isinstance(turn, Called)]
    said = finish_of(calls[-1].arguments) if calls and calls[-1].name == FINISH else None
    return said if isinstance(said, Finish) else None


def stop_of(turns: tuple[Turn, ...]) -> StopReason:
    """Why an agent stopped, as far as its turns say."""
    finish = last_finish(turns)
    if finish is None:
        return StopReason.NO_ANSWER
    return StopReason.GAVE_UP if finish.gave_up else StopReason.FINISHED


def _stop(raw: RawAnswer, path: Path) -> StopReason:
    stop = stop_of(path.turns)
    if stop is not StopReason.NO_ANSWER:
        return stop
    limit = raw.arguments.get("single_chain_max_step")
    depth = sum(_NODES_OF_A_CALL if isinstance(turn, Called) else 1 for turn in path.turns)
    return StopReason.STEP_LIMIT if isinstance(limit, int) and depth >= limit else StopReason.NO_ANSWER

"""Selection: of the APIs that a query needs, which were offered to the agent, chosen by it, and called."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from proctor.metrics._api_calls import called
from proctor.records.finishing import FINISH
from proctor.records.queries import GoldApi, Query
from proctor.records.traces import CallStep, Trace

__all__ = ["Selection", "joined", "selection"]


class Selection(msgspec.Struct, frozen=True, omit_defaults=True):
    """How many of the APIs that were needed came so far. Each stage is part of the one before it."""

    needed: int = 0
    """Gold APIs."""
    offered: int = 0
    """Of these, those that were at the agent's hand."""
    chosen: int = 0
    """Of these, those that the agent named in a call."""
    called: int = 0
    """Of these, those that a call has reached: its arguments could be read, and there was an answer."""
    unknown: int = 0
    """Gold APIs of answers of which nobody knows what was at hand. They are in no stage."""


def selection(trace: Trace, query: Query) -> Selection:
    """The selection of one trial.

    Where all APIs were handed over, each that is needed was offered; where a model had to search, those that its
    searches have shown. An API that was called was at hand, whatever the trace says was offered: the agent may have
    known its name.
    """
    needed = {_pair(gold) for gold in query.gold if gold.api != FINISH}
    if trace.offered is None:
        return Selection(unknown=len(needed))
    chosen = needed & called(trace)
    at_hand = needed if isinstance(trace.offered, int) else {(api.tool, api.api) for api in trace.offered}
    reached = {
        (step.api.tool, step.api.api)
        for step in trace.path
        if isinstance(step, CallStep) and step.api is not None and step.answer is not None
    }
    return Selection(len(needed), len(needed & (at_hand | chosen)), len(chosen), len(chosen & reached))


def joined(several: Iterable[Selection]) -> Selection:
    """The selection of several trials together."""
    listed = list(several)
    return Selection(
        sum(one.needed for one in listed),
        sum(one.offered for one in listed),
        sum(one.chosen for one in listed),
        sum(one.called for one in listed),
        sum(one.unknown for one in listed),
    )


def _pair(gold: GoldApi) -> tuple[str, str]:
    return gold.tool, gold.api

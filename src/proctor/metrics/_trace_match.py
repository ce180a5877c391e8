"""Whether a trace makes the calls that its query's gold asks for: trajectory matching, over records.

Names are compared by the API that they stand for, so it does not matter how a function was spelt.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from proctor.catalog.resolver import Resolver
from proctor.errors import UnmeasuredError
from proctor.messages import ToolCall
from proctor.metrics._trials import broken
from proctor.metrics.comparators import Answers
from proctor.metrics.matching import Matcher
from proctor.metrics.trajectories import Trajectory
from proctor.records.gold import AnyOf, GoldCall, GoldItem, read_gold
from proctor.records.grades import Missing, Score
from proctor.records.runs import Trial
from proctor.records.traces import CallStep, Trace

__all__ = ["NO_GOLD_CALLS", "TraceMatch"]

NO_GOLD_CALLS = "the query has no gold calls"


class TraceMatch:
    """Matches the calls of traces against gold calls: 1.0 where they fulfil the gold under the mode, else 0.0."""

    name = "trace_match"

    def __init__(self, resolver: Resolver, mode: str = "unordered") -> None:
        self._resolver = resolver
        self._matcher = Matcher(mode)

    def measure(self, trial: Trial) -> Score | Missing:
        """Match a trial. `details` holds the whole result."""
        if (lost := broken(trial)) is not None:
            return lost
        if not trial.query.calls:
            return Missing(NO_GOLD_CALLS)
        wanted = self._named(read_gold(list(trial.query.calls)))
        try:
            result = self._matcher.match_calls(_made(trial.trace), wanted, Answers())
        except UnmeasuredError as error:
            return Missing("the calls could not be matched", error.reason)
        return Score(float(result.matched), details=result.to_dict())

    def _named(self, items: Sequence[GoldItem]) -> list[GoldItem]:
        """The gold with its names as those of APIs."""
        named: list[GoldItem] = []
        for item in items:
            if isinstance(item, AnyOf):
                options = [self._named(option) for option in item.options]
                named.append(AnyOf(options, item.optional, item.label, item.after))
            else:
                named.append(self._called(item))
        return named

    def _called(self, call: GoldCall) -> GoldCall:
        api = self._resolver.resolve(call.name).api
        return call if api is None else msgspec.structs.replace(call, name=str(api))


def _made(trace: Trace) -> Trajectory:
    made = Trajectory()
    for step in trace.path:
        if isinstance(step, CallStep):
            name = step.name if step.api is None else str(step.api)
            made.add(ToolCall(name=name, args=dict(step.arguments), malformed=step.malformed))
    return made

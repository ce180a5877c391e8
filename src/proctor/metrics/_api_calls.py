"""Which of the APIs that a query needs were called."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from typing import Any

from proctor.records.finishing import FINISH
from proctor.records.grades import Missing, Score
from proctor.records.queries import Query
from proctor.records.traces import CallStep, Fault, Trace

_VACUOUS = "vacuous: the query names no API that it needs"


class ApiCallScore:
    """The share of a query's gold APIs that a trace has called, whatever it asked them."""

    name = "api_call_score"

    def measure(self, trace: Trace, query: Query) -> Score | Missing:
        """Compare the APIs of the trace's calls with the query's gold. A call that stands for no API is not counted."""
        failure = trace.failure
        if failure is not None and failure.fault is not Fault.AGENT:
            return Missing("the trial failed through no fault of the agent", f"{failure.kind}: {failure.message}")
        return api_call_score(called(trace), {(gold.tool, gold.api) for gold in query.gold})


def called(trace: Trace) -> set[tuple[str, str]]:
    """The APIs that a trace has called on its path, each as tool and API. Ways that were taken back do not count."""
    steps = [step for step in trace.path if isinstance(step, CallStep)]
    return {(step.api.tool, step.api.api) for step in steps if step.api is not None}


def api_call_score(called: AbstractSet[tuple[str, str]], gold: AbstractSet[tuple[str, str]]) -> Score:
    """The share of `gold` that is in `called`, both sets of tool and API; Finish is no API and is left out of both.

    Without gold it is 0.0 and `details["vacuous"]` is true. `details` also names what was `matched` and `missed`.

    >>> api_call_score({("Weather", "now"), ("News", "top")}, {("Weather", "now"), ("Weather", "week")}).value
    0.5
    """
    wanted = {pair for pair in gold if pair[1] != FINISH}
    matched = wanted & called
    details: dict[str, Any] = {
        "matched": sorted(map(list, matched)),
        "missed": sorted(map(list, wanted - matched)),
        "vacuous": not wanted,
    }
    if not wanted:
        return Score(0.0, reason=_VACUOUS, details=details)
    return Score(len(matched) / len(wanted), details=details)

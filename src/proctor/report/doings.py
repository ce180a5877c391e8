"""What the agents of a run did, counted: their calls, who answered, why they stopped, what broke. Pure."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator

import msgspec

from proctor.records.answers import Source
from proctor.records.queries import ApiId
from proctor.records.runs import Trial
from proctor.records.traces import CallStep, Fault, Resolution, StopReason, Usage

__all__ = ["Calls", "ToolUse", "Troubles", "calls_of", "simulation_of", "tool_use", "troubles_of"]


class _Made(msgspec.Struct, frozen=True):
    """One making of an answer: calls that were answered by it have it in common."""

    entry: str | None
    at: float | None
    api: ApiId | None


class Calls(msgspec.Struct, frozen=True):
    """API calls, and what came of them."""

    total: int
    sources: dict[str, int]
    """Who answered, those that reached an API."""
    unanswered: int
    """Calls that never reached an API."""
    resolutions: dict[str, int]
    """What came of the names that were called."""
    malformed: int
    """Calls whose arguments could not be read."""
    errors: int
    """Answers that are errors of the API."""
    spoilt: dict[str, int]
    """Answers that were spoilt on purpose, by the fault."""


class ToolUse(msgspec.Struct, frozen=True):
    """How one tool was used, whether it was needed or not."""

    category: str
    tool: str
    calls: int
    errors: int
    sources: dict[str, int]


class Troubles(msgspec.Struct, frozen=True):
    """Why agents stopped, and what broke."""

    stops: dict[str, int]
    """Every reason to stop, those that never occurred too."""
    faults: dict[str, int]
    """Failures by whose fault they were."""
    kinds: dict[str, int]
    """Failures by the name of the error, the most frequent first."""


def calls_of(trials: Iterable[Trial]) -> Calls:
    """All calls of the trials, counted."""
    sources, resolutions, spoilt = Counter[str](), Counter[str](), Counter[str]()
    total = malformed = errors = unanswered = 0
    for step in _steps(trials):
        total += 1
        malformed += step.malformed is not None
        resolutions[step.resolution.value] += 1
        unanswered += step.answer is None
        if step.answer is not None:
            errors += bool(step.answer.error)
            made = step.answer.provenance
            sources[made.source.value if made is not None else _UNKNOWN] += 1
            if made is not None and made.fault is not None:
                spoilt[made.fault] += 1
    return Calls(
        total=total,
        sources=_in_order(sources, [source.value for source in Source]),
        unanswered=unanswered,
        resolutions=_in_order(resolutions, [one.value for one in Resolution]),
        malformed=malformed,
        errors=errors,
        spoilt=dict(sorted(spoilt.items())),
    )


def simulation_of(trials: Iterable[Trial]) -> Usage:
    """What playing the APIs has cost: each answer that the run had made counts once, for all the calls it answered."""
    paid: dict[_Made, Usage] = {}
    for step in _steps(trials):
        made = step.answer.provenance if step.answer is not None else None
        if made is not None and made.usage is not None:
            key = _Made(made.entry, made.at, step.api)
            before = paid.get(key)
            # Who asked in vain, because another's answer was stored first, has paid for that one and for its own.
            if before is None or made.usage.requests > before.requests:
                paid[key] = made.usage
    return sum(paid.values(), Usage())


def tool_use(trials: Iterable[Trial]) -> tuple[ToolUse, ...]:
    """The tools that were called, the most called first."""
    called, errors = Counter[tuple[str, str]](), Counter[tuple[str, str]]()
    sources: defaultdict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for step in _steps(trials):
        if step.api is None:
            continue
        key = (step.api.category, step.api.tool)
        called[key] += 1
        if step.answer is not None:
            errors[key] += bool(step.answer.error)
            made = step.answer.provenance
            sources[key][made.source.value if made is not None else _UNKNOWN] += 1
    order = sorted(called, key=lambda key: (-called[key], key))
    return tuple(ToolUse(*key, calls=called[key], errors=errors[key], sources=dict(sources[key])) for key in order)


def troubles_of(trials: Iterable[Trial]) -> Troubles:
    """Why the agents stopped, and what broke."""
    stops, faults, kinds = Counter[str](), Counter[str](), Counter[str]()
    for trial in trials:
        stops[trial.trace.stop.value] += 1
        if trial.trace.failure is not None:
            faults[trial.trace.failure.fault.value] += 1
            kinds[trial.trace.failure.kind] += 1
    return Troubles(
        stops={stop.value: stops[stop.value] for stop in StopReason},
        faults={fault.value: faults[fault.value] for fault in Fault},
        kinds=dict(kinds.most_common()),
    )


_UNKNOWN = "unknown"


def _steps(trials: Iterable[Trial]) -> Iterator[CallStep]:
    return (step for trial in trials for step in trial.trace.steps if isinstance(step, CallStep))


def _in_order(counted: Counter[str], order: list[str]) -> dict[str, int]:
    """The counts in the order of their names' own list; what is in no list comes last."""
    known = {name: counted[name] for name in order if counted[name]}
    return {**known, **{name: number for name, number in counted.items() if name not in known and number}}

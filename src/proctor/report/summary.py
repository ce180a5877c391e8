"""The figures of a run, each with what it rests on: what tables and pages show. Pure."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from statistics import fmean
from typing import TypeVar

import msgspec

from proctor.metrics import ApiCallScore
from proctor.metrics._pass_rate import Compat, PassRate, average_of_sets, pass_rate
from proctor.metrics._selection import Selection, joined, selection
from proctor.metrics._trials import broken, dissent, has_finish, points, status, verdicts
from proctor.records.grades import Missing, Score, Status
from proctor.records.runs import RunRecord, Trial
from proctor.records.traces import Usage
from proctor.report.doings import Calls, ToolUse, Troubles, calls_of, simulation_of, tool_use, troubles_of
from proctor.stats.averages import macro
from proctor.stats.calibration import Calibration, corrected_rate
from proctor.stats.denominators import Denominators
from proctor.stats.estimates import repeated
from proctor.stats.intervals import Estimate

__all__ = ["Figures", "RunSummary", "SetMeans", "Spent", "headline", "summarise", "tokens_of"]

_UNIT = (0.0, 1.0)
Name = TypeVar("Name", str, int)


class Figures(msgspec.Struct, frozen=True):
    """The scores of some trials of a run: of all, of a set, of a tool."""

    name: str
    queries: int
    """Unique queries."""
    trials: int
    """Trials that have a trace."""
    denominators: Denominators
    sopr: Estimate | Missing
    """The solvable pass rate: over repeats first, then over queries, which its interval is of."""
    errors_as_failures: Estimate | Missing
    """The same with what broke or could not be read counted as 0; what nobody has judged yet is in neither."""
    pass_rate: PassRate | Missing
    """The rate of each repeat, their mean and their population standard deviation, as published tables have it."""
    solved: int
    """Trials by the status of most of their verdicts."""
    unsure: int
    unsolved: int
    solved_rate: Estimate | Missing
    """The share of measured trials that are Solved, over repeats first: Unsure counts nothing here."""
    corrected: Estimate | Missing | None
    """The solved rate with the judge's known errors taken out; None without a calibration."""
    api_call_score: Estimate | Missing
    vacuous: int
    """Trials whose query names no API that it needs: they are in no mean of the API call score."""
    finish: Estimate | Missing
    """The share of trials whose last act was Finish, over repeats first."""
    selection: Selection
    """Which of the APIs that were needed were offered, chosen and called."""
    calls: Calls
    """Their API calls, and where the answers came from."""


class SetMeans(msgspec.Struct, frozen=True):
    """The unweighted means of the sets' figures, beside their pass rate: each set counts the same."""

    api_call_score: Estimate | Missing
    finish: Estimate | Missing
    offered: float | Missing
    """The share of the APIs needed that were offered."""
    chosen: float | Missing
    called: float | Missing
    sources: dict[str, float]
    """The share of the calls that each kind of source answered, over the sets with any call."""


class Spent(msgspec.Struct, frozen=True):
    """What a run has cost."""

    agent: Usage
    judge: Usage
    simulator: Usage
    """The models that played the APIs; an answer that another run had paid for costs nothing."""
    cost: float | Missing
    """In US dollars, all of them together."""
    seconds: float
    """How long the run was at work."""
    trial_seconds: float | Missing
    """How long one trial took, in the mean."""
    grading_seconds: float
    """How long judging took, all trials together."""

    @property
    def tokens(self) -> int:
        """Tokens of all of them, prompts and completions together."""
        return sum(map(tokens_of, (self.agent, self.judge, self.simulator)))


class RunSummary(msgspec.Struct, frozen=True):
    """The figures of a run."""

    name: str
    agent: str
    model: str | None
    benchmark: str
    judge: str
    method: str
    """How it was judged: it stands wherever the scores stand."""
    overall: Figures
    """Over all queries: each counts the same."""
    sets: tuple[Figures, ...]
    by_tool: tuple[Figures, ...]
    """By the tools of a query's gold: a query of two tools is in both."""
    by_gold_calls: tuple[Figures, ...]
    """By how many calls a query needs; named by the number."""
    by_expected: tuple[Figures, ...]
    """By what a right answer does; empty where every query wants an answer."""
    sets_mean: Estimate | Missing
    """The unweighted mean of the sets' pass rates: each set counts the same."""
    sets_mean_published: float | Missing
    """The same from the means over repeats, as published tables have it; unmeasured when one set is."""
    sets_means: SetMeans
    """The same for the other figures."""
    selection: Selection
    calls: Calls
    tools: tuple[ToolUse, ...]
    troubles: Troubles
    spent: Spent
    flips: Estimate | Missing = Missing("every answer was judged once, by one judge")
    """The share of answers about which a panel's ballots, or the repeats of a judge, disagree."""
    calibration: Calibration | None = None
    """What is known of the judge's errors, where it was handed over."""


def summarise(
    run: RunRecord, *, level: float = 0.95, calibration: Calibration | None = None, compat: Compat = "proctor"
) -> RunSummary:
    """The figures of a run, of a whole one or of one that is still at work.

    `compat` says who is in the denominator of the pass rates, where the trials are only those that left an answer.
    """
    figures = _Maker(level, calibration, compat)
    trials, spec = run.trials, run.manifest.spec
    overall = figures.of("all", trials, planned=max(run.planned, len(trials)))
    sets = tuple(figures.of(name, some) for name, some in _grouped(trials, _set_of))
    expected = _grouped(trials, _expected_of)
    return RunSummary(
        name=run.name,
        agent=run.manifest.framework or spec.agent,
        model=spec.agent_model,
        benchmark=spec.benchmark,
        judge=run.judge,
        method=run.method,
        overall=overall,
        sets=sets,
        by_tool=tuple(figures.of(name, some) for name, some in sorted(_grouped(trials, _gold_tools))),
        by_gold_calls=tuple(
            figures.of(str(number), some) for number, some in sorted(_grouped(trials, lambda one: [gold_calls(one)]))
        ),
        by_expected=tuple(figures.of(name, some) for name, some in expected) if len(expected) > 1 else (),
        sets_mean=macro((one.sopr for one in sets), level=level),
        sets_mean_published=average_of_sets({one.name: one.pass_rate for one in sets}),
        sets_means=_means(sets, level),
        selection=overall.selection,
        calls=overall.calls,
        tools=tool_use(trials),
        troubles=troubles_of(trials),
        spent=_spent(run),
        flips=_flips(trials, level),
        calibration=calibration,
    )


def tokens_of(usage: Usage) -> int:
    """Prompts and completions together."""
    return usage.prompt_tokens + usage.completion_tokens


def headline(run: RunRecord, *, level: float = 0.95) -> tuple[Estimate | Missing, Estimate | Missing]:
    """The solvable pass rate and the API call score of a run, without all its other figures."""
    trials = run.trials
    sopr = _over_queries(trials, [points(trial) for trial in trials], level)
    return sopr, _over_queries(trials, [_api_calls(trial) for trial in trials], level)


def gold_calls(trial: Trial) -> int:
    """How many calls the trial's query needs: its gold calls where it has them, else its gold APIs."""
    return len(trial.query.calls) or len(trial.query.gold)


class _Maker:
    """Makes figures, all at one level and with one calibration."""

    def __init__(self, level: float, calibration: Calibration | None, compat: Compat) -> None:
        self.level = level
        self.calibration = calibration
        self.compat: Compat = compat

    def of(self, name: str, trials: Sequence[Trial], *, planned: int | None = None) -> Figures:
        """The figures of these trials."""
        statuses = Counter(found for found in map(status, trials) if isinstance(found, Status))
        solved_rate = self._over_queries(trials, [_is_solved(trial) for trial in trials])
        called = [_api_calls(trial) for trial in trials]
        said = {str(trial.key): verdicts(trial) for trial in trials if verdicts(trial)}
        return Figures(
            name=name,
            queries=len({_query_of(trial) for trial in trials}),
            trials=len(trials),
            denominators=_denominators(trials, len(trials) if planned is None else planned),
            sopr=self._over_queries(trials, [points(trial) for trial in trials]),
            errors_as_failures=self._over_queries(trials, [_or_failed(trial) for trial in trials]),
            pass_rate=pass_rate(said, list(said), self.compat),
            solved=statuses[Status.SOLVED],
            unsure=statuses[Status.UNSURE],
            unsolved=statuses[Status.UNSOLVED],
            solved_rate=solved_rate,
            corrected=None
            if self.calibration is None
            else corrected_rate(solved_rate, self.calibration, level=self.level),
            api_call_score=self._over_queries(trials, called),
            vacuous=sum(isinstance(one, Missing) and one.reason == _VACUOUS for one in called),
            finish=self._over_queries(trials, [_has_finished(trial) for trial in trials]),
            selection=joined(selection(one.trace, one.query) for one in trials if broken(one) is None),
            calls=calls_of(trials),
        )

    def _over_queries(self, trials: Sequence[Trial], scores: Sequence[Score | Missing]) -> Estimate | Missing:
        return _over_queries(trials, scores, self.level)


def _over_queries(trials: Sequence[Trial], scores: Sequence[Score | Missing], level: float) -> Estimate | Missing:
    """The mean over queries, over the epochs of each first: repeats are not more queries.

    What is unmeasured is in no mean.
    """
    by_query: defaultdict[tuple[str, str], list[float]] = defaultdict(list)
    for trial, score in zip(trials, scores, strict=True):
        if isinstance(score, Score):
            by_query[_query_of(trial)].append(score.value)
    if by_query:
        return repeated(by_query, level=level, bounds=_UNIT)
    reasons = Counter(score.reason for score in scores if isinstance(score, Missing))
    told = "; ".join(f"{reason} ({count})" for reason, count in reasons.most_common())
    return Missing("nothing could be measured", told or "there is no trial")


_VACUOUS = "the query names no API that it needs"


def _api_calls(trial: Trial) -> Score | Missing:
    found = ApiCallScore().measure(trial.trace, trial.query)
    vacuous = isinstance(found, Score) and bool(found.details["vacuous"])
    return Missing(_VACUOUS) if vacuous else found


def _is_solved(trial: Trial) -> Score | Missing:
    found = status(trial)
    return found if isinstance(found, Missing) else Score(float(found is Status.SOLVED))


def _has_finished(trial: Trial) -> Score | Missing:
    lost = broken(trial)
    return Score(float(has_finish(trial))) if lost is None else lost


def _or_failed(trial: Trial) -> Score | Missing:
    """What a trial is worth when all that went wrong counts as failed; what nobody has judged stays unmeasured."""
    found = points(trial)
    if isinstance(found, Missing) and (trial.verdicts or broken(trial) is not None):
        return Score(0.0)
    return found


def _denominators(trials: Sequence[Trial], planned: int) -> Denominators:
    environment = sum(broken(trial) is not None for trial in trials)
    worth = [points(trial) for trial in trials if broken(trial) is None]
    unmeasured = Counter(one.reason for one in worth if isinstance(one, Missing))
    return Denominators(
        planned=planned,
        answered=len(worth),
        scored=len(worth) - unmeasured.total(),
        unmeasured=dict(sorted(unmeasured.items())),
        failed_by_environment=environment,
        failed_by_agent=sum(trial.trace.failure is not None for trial in trials) - environment,
    )


def _means(sets: Sequence[Figures], level: float) -> SetMeans:
    """Every set counts the same; one that needs no API, or made no call, is in no share of them."""
    chosen_from = [one.selection for one in sets if one.selection.needed]
    reached = [(one.calls.sources, sum(one.calls.sources.values())) for one in sets if one.calls.sources]
    kinds = dict.fromkeys(kind for sources, _ in reached for kind in sources)
    return SetMeans(
        api_call_score=macro((one.api_call_score for one in sets), level=level),
        finish=macro((one.finish for one in sets), level=level),
        offered=_mean([one.offered / one.needed for one in chosen_from]),
        chosen=_mean([one.chosen / one.needed for one in chosen_from]),
        called=_mean([one.called / one.needed for one in chosen_from]),
        sources={kind: fmean(sources.get(kind, 0) / total for sources, total in reached) for kind in sorted(kinds)},
    )


def _mean(shares: Sequence[float]) -> float | Missing:
    return fmean(shares) if shares else Missing("no query names an API that it needs")


def _flips(trials: Sequence[Trial], level: float) -> Estimate | Missing:
    split = [dissent(trial) for trial in trials]
    if all(one is None for one in split):
        return Missing("every answer was judged once, by one judge")
    alone = Missing("one judge spoke once")
    return _over_queries(trials, [alone if one is None else Score(float(one)) for one in split], level)


def _spent(run: RunRecord) -> Spent:
    agent = sum((trial.trace.usage for trial in run.trials), Usage())
    simulator = simulation_of(run.trials)
    took = [trial.trace.seconds for trial in run.trials]
    return Spent(
        agent=agent,
        judge=run.judge_usage,
        simulator=simulator,
        cost=(agent + run.judge_usage + simulator).cost,
        seconds=run.seconds,
        trial_seconds=fmean(took) if took else Missing("there is no trial"),
        grading_seconds=sum(trial.grading_seconds for trial in run.trials),
    )


def _query_of(trial: Trial) -> tuple[str, str]:
    return trial.key.test_set, trial.key.query_id


def _set_of(trial: Trial) -> list[str]:
    return [trial.key.test_set]


def _expected_of(trial: Trial) -> list[str]:
    return [trial.query.expected.value]


def _gold_tools(trial: Trial) -> Iterable[str]:
    return dict.fromkeys(gold.tool for gold in trial.query.gold)


def _grouped(trials: Iterable[Trial], names: Callable[[Trial], Iterable[Name]]) -> list[tuple[Name, list[Trial]]]:
    groups: dict[Name, list[Trial]] = {}
    for trial in trials:
        for name in names(trial):
            groups.setdefault(name, []).append(trial)
    return list(groups.items())

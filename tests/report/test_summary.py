"""The figures of a run: whatever is counted here is counted again by hand."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from statistics import fmean, pstdev

import msgspec
import numpy as np
import pytest

from proctor.metrics._pass_rate import PassRate
from proctor.metrics._selection import Selection, joined, selection
from proctor.metrics._trials import NOT_JUDGED, points, scores_by_query, status
from proctor.records.answers import Answer, Provenance, Source
from proctor.records.grades import Missing, Score, Status, Verdict
from proctor.records.queries import ApiId, GoldApi, Query
from proctor.records.runs import Manifest, RunRecord, RunSpec, Trial, TrialKey
from proctor.records.traces import CallStep, Failure, Fault, Finish, Resolution, StopReason, Trace, Usage
from proctor.report.summary import summarise
from proctor.stats.calibration import Calibration, corrected
from proctor.stats.intervals import Estimate, proportion

SOLVED, UNSURE, UNSOLVED = (Verdict(one, "so it is", "judge") for one in Status)
LOST = Missing("the reply could not be read")
GOLD = (GoldApi("Weather", "now"), GoldApi("News", "top"))
Make = Callable[..., RunRecord]


def trial(
    query: str,
    *verdicts: Verdict | Missing,
    test_set: str = "one",
    epoch: int = 0,
    trace: Trace | None = None,
    gold: tuple[GoldApi, ...] = GOLD,
) -> Trial:
    asked = Query(query, "What is new?", gold=gold, test_set=test_set)
    done = trace or Trace(query, StopReason.FINISHED, "this", (Finish("this"),))
    return Trial(TrialKey(test_set, query, epoch), asked, done, verdicts)


def run(*trials: Trial, planned: int = 0, **more: object) -> RunRecord:
    manifest = Manifest(RunSpec("starter", ("one", "two"), "baseline"), "0.1", 0.0)
    return RunRecord("baseline_x", manifest, trials, planned, "judge", "official", **more)  # type: ignore[arg-type]


def call(api: ApiId | None, answer: Answer | None = None) -> CallStep:
    return CallStep("f", {}, Resolution.RESOLVED if api else Resolution.HALLUCINATED, "", api=api, answer=answer)


def broken(fault: Fault) -> Trace:
    return Trace("9", StopReason.FAILED, failure=Failure("Oops", "it broke", fault))


def value(estimate: Estimate | Missing | float | None) -> float:
    assert isinstance(estimate, Estimate)
    return estimate.value


def test_the_pass_rate_is_per_repeat_and_its_interval_over_queries() -> None:
    overall = summarise(run(trial("1", SOLVED, UNSURE), trial("2", UNSOLVED, SOLVED))).overall
    assert isinstance(overall.pass_rate, PassRate)
    assert overall.pass_rate.repeats == (0.5, 0.75)
    assert overall.pass_rate.mean == fmean([0.5, 0.75])
    assert overall.pass_rate.sd == pstdev([0.5, 0.75])
    assert isinstance(overall.sopr, Estimate)
    assert (overall.sopr.value, overall.sopr.n) == (0.625, 2)
    assert (overall.solved, overall.unsure, overall.unsolved) == (0, 2, 0)


def test_epochs_are_not_more_queries() -> None:
    overall = summarise(run(*[trial("1", SOLVED, epoch=epoch) for epoch in range(9)], trial("2", UNSOLVED))).overall
    assert isinstance(overall.sopr, Estimate)
    assert (overall.sopr.value, overall.sopr.n) == (0.5, 2)
    assert (overall.queries, overall.trials) == (2, 10)


def estimates(value: object, where: str = "") -> dict[str, dict[str, object]]:
    """Every figure with an interval that stands anywhere in plain data, by where it stands."""
    if isinstance(value, dict):
        if value.get("type") == "estimate":
            return {where: value}
        return {at: one for key, part in value.items() for at, one in estimates(part, f"{where}/{key}").items()}
    parts = value if isinstance(value, list | tuple) else ()
    return {at: one for place, part in enumerate(parts) for at, one in estimates(part, f"{where}/{place}").items()}


@pytest.mark.parametrize("how", [{"panel": True}, {"repeats": 3}, {"broken": 0.2}])
def test_identical_repeats_leave_every_interval_as_it_was(make_run: Make, how: dict[str, object]) -> None:
    judge = Calibration(q0=0.8, m0=200, q1=0.9, m1=200)
    once = make_run(queries=60, **how)
    again = [
        msgspec.structs.replace(one, key=msgspec.structs.replace(one.key, epoch=epoch))
        for epoch in range(8)
        for one in once.trials
    ]
    many = msgspec.structs.replace(once, trials=tuple(again), planned=len(again))
    before, after = (estimates(msgspec.to_builtins(summarise(one, calibration=judge))) for one in (once, many))
    kinds = ("sopr", "errors_as_failures", "solved_rate", "corrected", "api_call_score", "finish")
    assert {f"/overall/{kind}" for kind in kinds} <= before.keys() == after.keys()
    if "broken" not in how:
        assert "/flips" in before
    for where, one in before.items():
        for name in ("value", "low", "high", "n", "se"):
            assert after[where].get(name) == pytest.approx(one.get(name)), (where, name)


def test_intervals_hold_the_truth_as_often_as_they_say_where_queries_differ_and_are_repeated() -> None:
    dice, queries, epochs, rounds = np.random.default_rng(5), 24, 6, 150
    ended = {True: None, False: Trace("1", StopReason.STEP_LIMIT)}
    held = Counter[str]()
    for chances in dice.beta(0.8, 0.8, (rounds, queries)):
        drawn = dice.random((2, epochs, queries)) < chances
        trials = [
            trial(str(query), SOLVED if drawn[0, epoch, query] else UNSOLVED, epoch=epoch, trace=ended[finished])
            for epoch in range(epochs)
            for query, finished in enumerate(drawn[1, epoch].tolist())
        ]
        overall = summarise(run(*trials)).overall
        for name, found in (("solved", overall.solved_rate), ("finish", overall.finish)):
            assert isinstance(found, Estimate)
            assert found.n == queries
            held[name] += found.low is not None and found.high is not None and found.low <= 0.5 <= found.high
    assert {name: count / rounds for name, count in held.items()} == {
        "solved": pytest.approx(0.95, abs=0.04),
        "finish": pytest.approx(0.95, abs=0.04),
    }


def test_what_could_not_be_measured_is_counted_by_reason_and_is_no_zero() -> None:
    trials = [trial("1", SOLVED), trial("2", LOST), trial("3"), trial("4", UNSOLVED, trace=broken(Fault.ENVIRONMENT))]
    overall = summarise(run(*trials, planned=6)).overall
    assert value(overall.sopr) == 1.0
    assert value(overall.errors_as_failures) == pytest.approx(1 / 3)  # the third waits for its judge
    found = overall.denominators
    assert (found.planned, found.answered, found.scored, found.failed_by_environment, found.owed) == (6, 3, 1, 1, 2)
    assert found.unmeasured == {LOST.reason: 1, NOT_JUDGED: 1}


def test_what_the_agent_broke_counts_against_it() -> None:
    overall = summarise(run(trial("1", UNSOLVED, trace=broken(Fault.AGENT)), trial("2", SOLVED))).overall
    assert value(overall.sopr) == 0.5
    assert value(overall.finish) == 0.5
    assert overall.denominators.failed_by_environment == 0


def test_a_run_without_verdicts_has_no_pass_rate_and_says_why() -> None:
    overall = summarise(run(trial("1"), trial("2"))).overall
    assert overall.sopr == Missing("nothing could be measured", f"{NOT_JUDGED} (2)")
    assert isinstance(overall.errors_as_failures, Missing)
    assert isinstance(overall.pass_rate, Missing)


def test_a_run_without_trials_has_figures_too() -> None:
    found = summarise(run(planned=5))
    assert found.overall.denominators.owed == 5
    assert isinstance(found.overall.sopr, Missing)
    assert isinstance(found.spent.trial_seconds, Missing)
    assert found.sets == ()


def test_each_set_counts_the_same_in_the_mean_of_sets() -> None:
    some = [trial(str(number), SOLVED) for number in range(3)]
    found = summarise(run(*some, trial("9", UNSOLVED, test_set="two")))
    assert [one.name for one in found.sets] == ["one", "two"]
    assert value(found.overall.sopr) == 0.75
    assert value(found.sets_mean) == 0.5
    assert found.sets_mean_published == 0.5


def test_an_unmeasured_set_leaves_the_published_mean_unmeasured() -> None:
    found = summarise(run(trial("1", SOLVED), trial("2", LOST, test_set="two")))
    assert isinstance(found.sets_mean_published, Missing)
    assert isinstance(found.sets_mean, Estimate)
    assert found.sets_mean.note is not None


def test_the_calibrated_rate_stands_beside_the_raw_one() -> None:
    judge = Calibration(q0=0.8, m0=200, q1=0.9, m1=200)
    trials = [trial(str(number), SOLVED if number < 30 else UNSOLVED) for number in range(50)]
    overall = summarise(run(*trials), calibration=judge).overall
    assert overall.solved_rate == proportion(30, 50)
    assert overall.corrected == corrected(30, 50, judge)
    assert summarise(run(*trials)).overall.corrected is None


def test_judges_that_disagree_are_counted_over_ballots_and_repeats() -> None:
    said = Verdict(Status.SOLVED, "", "one")
    other = Verdict(Status.UNSOLVED, "", "other")
    split = Verdict(Status.SOLVED, "", "panel", ballots=(said, said, other))
    agreed = Verdict(Status.SOLVED, "", "panel", ballots=(said, said, LOST))
    alone = Verdict(Status.SOLVED, "", "panel", ballots=(said, LOST))
    found = summarise(
        run(trial("1", split), trial("2", agreed), trial("3", said, other), trial("4", alone), trial("5", said))
    )
    assert found.flips == proportion(2, 3)
    assert isinstance(summarise(run(trial("1", said))).flips, Missing)


def test_a_query_without_gold_is_in_no_mean_of_the_api_call_score() -> None:
    weather = Trace("1", StopReason.FINISHED, steps=(call(ApiId("S", "Weather", "now"), Answer("dry")), Finish("dry")))
    overall = summarise(run(trial("1", SOLVED, trace=weather), trial("2", SOLVED, gold=()))).overall
    assert value(overall.api_call_score) == 0.5
    assert overall.vacuous == 1


def test_groups_are_by_gold_tool_and_by_number_of_calls() -> None:
    found = summarise(run(trial("1", SOLVED), trial("2", UNSOLVED, gold=(GoldApi("News", "top"),))))
    assert [(one.name, one.trials, value(one.sopr)) for one in found.by_tool] == [("News", 2, 0.5), ("Weather", 1, 1.0)]
    assert [(one.name, value(one.sopr)) for one in found.by_gold_calls] == [("1", 0.0), ("2", 1.0)]
    assert found.by_expected == ()


def test_calls_are_counted_by_source_resolution_and_error() -> None:
    weather, news = ApiId("S", "Weather", "now"), ApiId("M", "News", "top")
    steps = (
        call(weather, Answer("dry", provenance=Provenance(Source.RECORDED))),
        call(weather, Answer("", "503", Provenance(Source.SIMULATED, fault="timeout"))),
        call(news, Answer("x")),
        call(None),
    )
    found = summarise(run(trial("1", SOLVED, trace=Trace("1", StopReason.STEP_LIMIT, steps=steps))))
    assert found.calls.total == 4
    assert found.calls.sources == {"recorded": 1, "simulated": 1, "unknown": 1}
    assert (found.calls.unanswered, found.calls.errors, found.calls.spoilt) == (1, 1, {"timeout": 1})
    assert found.calls.resolutions == {"resolved": 3, "hallucinated": 1}
    assert [(one.tool, one.calls, one.errors) for one in found.tools] == [("Weather", 2, 1), ("News", 1, 0)]
    assert found.troubles.stops["step_limit"] == 1
    assert found.selection == Selection(2, 2, 2, 2)


def test_an_answer_that_was_paid_for_counts_once_however_many_calls_it_answered() -> None:
    def called(entry: str | None, at: float, usage: Usage | None) -> CallStep:
        made = Provenance(Source.SIMULATED, "mirror", at, entry, usage=usage)
        return CallStep("a", {}, Resolution.RESOLVED, "x", answer=Answer("x", provenance=made))

    paid = Usage(1, 10, 2, 0.5)
    first = Trace(
        "1", StopReason.FINISHED, steps=(called("a", 1.0, paid), called("a", 1.0, paid), called("b", 1.0, paid))
    )
    other = Trace(
        "2", StopReason.FINISHED, steps=(called("a", 1.0, paid), called("a", 2.0, paid), called("c", 3.0, None))
    )
    unstored = Trace("3", StopReason.FINISHED, steps=(called(None, 4.0, paid), called(None, 5.0, paid)))
    spent = summarise(run(*(trial(one.query_id, trace=one) for one in (first, other, unstored)))).spent
    assert spent.simulator == Usage(5, 50, 10, 2.5)
    assert (spent.tokens, spent.cost) == (60, 2.5)


def test_an_unknown_price_leaves_the_cost_unmeasured() -> None:
    unknown = Missing("the model's price is not known")
    priced = Trace("1", StopReason.FINISHED, usage=Usage(1, 10, 5, unknown), seconds=2.0)
    spent = summarise(run(trial("1", SOLVED, trace=priced), judge_usage=Usage(1, 100, 1, 0.5))).spent
    assert spent.cost == unknown
    assert spent.tokens == 116
    assert spent.trial_seconds == 2.0


def test_selection_goes_from_needed_to_called() -> None:
    weather, news = ApiId("S", "Weather", "now"), ApiId("M", "News", "top")
    query = Query("1", "What is new?", gold=(*GOLD, GoldApi("Railway", "fares"), GoldApi("x", "Finish")))
    trace = Trace("1", StopReason.FINISHED, steps=(call(weather, Answer("dry")), call(news)), offered=(weather,))
    assert selection(trace, query) == Selection(needed=3, offered=2, chosen=2, called=1)
    everything = msgspec.structs.replace(trace, offered=5000)
    assert selection(everything, query).offered == 3
    assert joined([selection(trace, query)] * 2) == Selection(6, 4, 4, 2)


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ((SOLVED, SOLVED, UNSOLVED), Status.SOLVED),
        ((SOLVED, UNSOLVED), Status.UNSURE),
        ((LOST, UNSOLVED), Status.UNSOLVED),
        ((LOST,), LOST),
        ((), Missing(NOT_JUDGED)),
    ],
)
def test_a_trial_has_the_status_of_most_verdicts(
    said: tuple[Verdict | Missing, ...], expected: Status | Missing
) -> None:
    assert status(trial("1", *said)) == expected


def test_what_a_trial_is_worth() -> None:
    assert points(trial("1", SOLVED, UNSURE, LOST)) == Score(0.75)
    assert isinstance(points(trial("1", SOLVED, trace=broken(Fault.PROCTOR))), Missing)
    assert scores_by_query([trial("1", SOLVED), trial("1", LOST, epoch=1)]) == {("one", "1"): [1.0, LOST]}


def test_the_parts_of_a_large_run_add_up(make_run: Make) -> None:
    made = make_run(queries=200, epochs=2, repeats=3)
    found = summarise(made)
    overall = found.overall
    assert sum(one.trials for one in found.sets) == overall.trials == 400
    assert sum(found.troubles.stops.values()) == 400
    assert sum(found.calls.sources.values()) + found.calls.unanswered == found.calls.total
    assert overall.solved + overall.unsure + overall.unsolved == overall.denominators.scored
    worth = [points(one) for one in made.trials]
    by_query: dict[str, list[float]] = {}
    for one, score in zip(made.trials, worth, strict=True):
        if isinstance(score, Score):
            by_query.setdefault(one.key.query_id, []).append(score.value)
    assert value(overall.sopr) == pytest.approx(fmean(map(fmean, by_query.values())))
    assert msgspec.json.decode(msgspec.json.encode(found.overall), type=type(found.overall)) == found.overall


def test_each_set_has_its_selection_and_its_sources_and_their_means_count_each_set_the_same() -> None:
    now, top = (ApiId("Any", gold.tool, gold.api) for gold in GOLD)
    recorded, simulated = (Answer("", provenance=Provenance(source)) for source in (Source.RECORDED, Source.SIMULATED))
    finish = Finish("this")
    both = Trace("1", StopReason.FINISHED, "this", (call(now, recorded), call(top, simulated), finish), offered=9)
    half = Trace("2", StopReason.FINISHED, "this", (call(now, simulated), finish), offered=(now,))
    none = Trace("3", StopReason.NO_ANSWER, "this", (), offered=(now,))
    found = summarise(
        run(
            trial("1", SOLVED, trace=both),
            trial("2", SOLVED, trace=half, test_set="two"),
            trial("3", SOLVED, trace=none, test_set="two"),
            trial("4", SOLVED, test_set="three", gold=()),
        )
    )
    by_name = {one.name: one for one in found.sets}
    assert by_name["one"].selection == Selection(2, 2, 2, 2)
    assert by_name["two"].selection == Selection(4, 2, 1, 1)
    assert (by_name["one"].calls.sources, by_name["two"].calls.sources) == (
        {"recorded": 1, "simulated": 1},
        {"simulated": 1},
    )
    means = found.sets_means
    assert value(means.api_call_score) == fmean([1, 0.25])
    assert value(means.finish) == fmean([1, 0.5, 1])
    assert (means.offered, means.chosen, means.called) == (fmean([1, 0.5]), fmean([1, 0.25]), fmean([1, 0.25]))
    assert means.sources == {"recorded": fmean([0.5, 0]), "simulated": fmean([0.5, 1])}
    assert isinstance(summarise(run(trial("4", SOLVED, gold=()))).sets_means.offered, Missing)


def test_what_the_agent_itself_broke_is_answered_and_counted() -> None:
    trials = [
        trial("1", SOLVED),
        trial("2", UNSOLVED, trace=broken(Fault.AGENT)),
        trial("3", trace=broken(Fault.PROCTOR)),
    ]
    counts = summarise(run(*trials)).overall.denominators
    assert (counts.answered, counts.failed_by_agent, counts.failed_by_environment) == (2, 1, 1)


def test_the_denominator_says_who_is_in_it() -> None:
    rate = summarise(run(trial("1", SOLVED)), compat="stabletoolbench").overall.pass_rate
    assert isinstance(rate, PassRate)
    assert rate.denominator == "queries with an answer (as StableToolBench counts)"

"""Two runs, compared query by query."""

from collections.abc import Callable

import pytest

from proctor.errors import InputError, OptionError
from proctor.records.grades import Missing
from proctor.records.runs import RunRecord, TrialKey
from proctor.runs.comparing import RunComparison, compare_runs, in_common
from proctor.stats.comparisons import Comparison, Outcome, mcnemar

MakeRun = Callable[..., RunRecord]


def overall(found: RunComparison) -> Comparison:
    assert isinstance(found.overall, Comparison)
    return found.overall


def test_a_run_that_solves_more_of_the_same_queries_has_improved(make_run: MakeRun) -> None:
    before, after = make_run("old", {"G1": ["N"] * 12 + ["S"] * 8}), make_run("new", {"G1": ["S"] * 20})
    found = compare_runs(before, after)
    assert found.outcome is Outcome.IMPROVED
    assert (overall(found).better, overall(found).worse, overall(found).equal) == (12, 0, 8)
    assert overall(found).p == mcnemar(12, 0)
    assert found.sentence.startswith("new improved on old: SoPR 100.0 % against 40.0 %, +60.0 points (95 % interval +")
    assert compare_runs(after, before).outcome is Outcome.REGRESSED


def test_what_is_not_decided_says_what_could_have_shown(make_run: MakeRun) -> None:
    before, after = make_run("old", {"G1": ["N", *"SSSSSSSSS"]}), make_run("new", {"G1": ["S"] * 10})
    found = compare_runs(before, after)
    assert found.outcome is Outcome.NOT_DECISIVE
    detectable = overall(found).detectable
    assert not isinstance(detectable, Missing)
    assert "Not decisive whether new is better than old" in found.sentence
    assert f"difference of {detectable * 100:.1f} points would have shown" in found.sentence


def test_epochs_and_repeats_of_a_query_are_one_query(make_run: MakeRun) -> None:
    before = make_run("old", {"G1": [["NNS", "NNN"]] * 10}, epochs=2)
    after = make_run("new", {"G1": [["SSS", "SSS"]] * 10}, epochs=2)
    found = overall(compare_runs(before, after))
    assert found.difference.n == 10
    assert found.other_mean == pytest.approx(1 / 6)
    assert found.difference.value == pytest.approx(5 / 6)


def test_an_unsure_verdict_counts_half_and_an_unread_one_not_at_all(make_run: MakeRun) -> None:
    before, after = make_run("old", {"G1": ["UU", "?"]}), make_run("new", {"G1": ["S?", "S"]})
    found = compare_runs(before, after)
    assert (overall(found).other_mean, overall(found).mean, overall(found).unmeasured) == (0.5, 1.0, 1)
    assert found.unmeasured == {"the judge's reply could not be read": 1}


def test_each_set_is_by_itself_and_their_verdicts_hold_together(make_run: MakeRun) -> None:
    before = make_run("old", {"G1": ["N"] * 6, "G2": ["N"] * 6, "G3": ["S"] * 4})
    after = make_run("new", {"G1": ["S"] * 6, "G2": ["S"] * 6, "G3": ["S"] * 4})
    found = compare_runs(before, after)
    outcomes = {name: one.outcome for name, one in found.sets.items() if isinstance(one, Comparison)}
    assert outcomes == dict.fromkeys(("G1", "G2", "G3"), Outcome.NOT_DECISIVE)
    alone = found.sets["G1"]
    assert isinstance(alone, Comparison)
    assert (alone.p, alone.adjusted_p) == (mcnemar(6, 0), 3 * mcnemar(6, 0))
    assert found.outcome is Outcome.IMPROVED
    assert not isinstance(found.average, Missing)
    assert found.average.value == pytest.approx(2 / 3)


def test_what_only_one_run_has_is_dropped_named_and_counted(make_run: MakeRun) -> None:
    before, after = make_run("old", {"G1": ["S", "S", ""]}), make_run("new", {"G1": ["S", "", "S"]})
    found = compare_runs(before, after)
    assert (overall(found).only_here, overall(found).only_there, overall(found).difference.n) == (1, 1, 1)
    assert found.only_baseline == (TrialKey("G1", "1"),)
    assert found.only_candidate == (TrialKey("G1", "2"),)


def test_a_trial_that_the_environment_broke_counts_against_nobody(make_run: MakeRun) -> None:
    before, after = make_run("old", {"G1": ["S", "!"]}), make_run("new", {"G1": ["S", "S"]})
    found = compare_runs(before, after)
    assert overall(found).difference.n == 1
    assert found.unmeasured == {"the trial failed through no fault of the agent": 1}


def test_runs_that_nobody_judged_are_compared_by_what_they_called(make_run: MakeRun) -> None:
    before, after = make_run("old", {"G1": ["-"] * 8}, called=False), make_run("new", {"G1": ["-"] * 8})
    assert isinstance(compare_runs(before, after).overall, Missing)
    assert compare_runs(before, after).sentence == (
        "SoPR cannot be compared: no task has a score from both (8 tasks here, 8 there)."
    )
    assert compare_runs(before, after, measure="api_call_score").outcome is Outcome.IMPROVED


def test_flips_are_named_the_largest_first(make_run: MakeRun) -> None:
    before, after = make_run("old", {"G1": ["S", "U", "N", "S"]}), make_run("new", {"G1": ["S", "S", "S", "N"]})
    flips = compare_runs(before, after).flips
    assert [(flip.query_id, flip.before, flip.after) for flip in flips] == [("2", 0, 1), ("3", 1, 0), ("1", 0.5, 1)]
    assert flips[0].text == "When does the ferry 2 leave?"


def test_queries_that_need_the_same_tools_may_be_one_cluster(make_run: MakeRun) -> None:
    before, after = make_run("old", {"G1": ["N"] * 12}), make_run("new", {"G1": ["S"] * 12})
    assert compare_runs(before, after).outcome is Outcome.IMPROVED
    clustered = overall(compare_runs(before, after, cluster="tool"))
    assert (clustered.difference.groups, clustered.outcome) == (1, Outcome.NOT_DECISIVE)


def test_what_the_runs_were_told_differently_stands_beside(make_run: MakeRun) -> None:
    before, after = make_run("old", {"G1": ["S"]}, seed=1), make_run("new", {"G1": ["S"]}, tools="query", seed=1)
    assert compare_runs(before, after).differs == {"agent": ("old", "new"), "tools": ("all", "query")}


def test_another_exam_is_refused(make_run: MakeRun) -> None:
    run = make_run("old", {"G1": ["S"], "G2": ["S"]})
    for other, said in (
        (make_run("new", {"G1": ["S"], "G2": ["S"]}, benchmark="city"), "one is over the benchmark 'town'"),
        (make_run("new", {"G1": ["S"], "G2": ["S"]}, data="beef"), "the queries of 'town' were not the same"),
        (make_run("new", {"G1": ["S"]}), "name those that both have: --test-set G1"),
        (make_run("new", {"G3": ["S"]}), "they have no test set in common"),
        (make_run("new", {"G1": ["S"], "G2": ["S"]}, judge="bob"), "old was judged by ann, new by bob; let one judge"),
    ):
        with pytest.raises(InputError, match=said):
            compare_runs(run, other)


def test_the_sets_that_both_have_can_be_named(make_run: MakeRun) -> None:
    run, other = make_run("old", {"G1": ["S"], "G2": ["S"]}), make_run("new", {"G1": ["S"]})
    assert in_common(run, other, ["G1"]) == {"G1"}
    assert list(compare_runs(run, other, test_sets=["G1"]).sets) == ["G1"]
    with pytest.raises(InputError, match="cannot be compared on 'G2': they share G1"):
        compare_runs(run, other, test_sets=["G2"])


def test_another_question_under_the_same_id_is_refused(make_run: MakeRun) -> None:
    one, other = make_run("old", {"G1": ["S"]}), make_run("new", {"G1": ["S"]})
    trial = other.trials[0]
    changed = type(trial)(trial.key, type(trial.query)("0", "What else?"), trial.trace, trial.verdicts)
    with pytest.raises(InputError, match="the query '0' of G1 asks one thing in the one run"):
        compare_runs(one, RunRecord("new", other.manifest, (changed,), 1, other.judge, other.method))


def test_an_unknown_word_is_refused(make_run: MakeRun) -> None:
    run = make_run("old", {"G1": ["S"]})
    with pytest.raises(OptionError, match="measure cannot be 'sapr'; did you mean 'sopr'"):
        compare_runs(run, run, measure="sapr")  # type: ignore[arg-type]

"""A run's figures and its trials, in a terminal."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import pytest

from proctor.records.grades import Missing
from proctor.records.queries import ApiId
from proctor.records.runs import RunRecord, Trial
from proctor.records.traces import CallStep, Resolution, StopReason, Usage
from proctor.report.summary import summarise
from proctor.report.terminal import overview, plain
from proctor.report.traces import trial_lines, trial_row
from proctor.stats.calibration import Calibration

Made = Callable[..., RunRecord]


def told(run: RunRecord, calibration: Calibration | None = None, *, full: bool = False) -> str:
    return plain(overview(summarise(run, calibration=calibration), full=full))


def test_an_overview_has_a_row_for_each_set_and_for_all(make_run: Made) -> None:
    lines = told(make_run(queries=60, sets=3)).splitlines()
    assert lines[0] == "baseline_seed0: baseline on starter, judged by rubric"
    assert [line.split("  ")[0] for line in lines[2:8]] == [
        "set",
        "single_tool",
        "multi_tool",
        "conversation",
        "all",
        "mean of sets",
    ]


def test_one_set_needs_no_row_for_all(make_run: Made) -> None:
    assert "mean of sets" not in told(make_run(sets=1))


@pytest.mark.parametrize("how", [{}, {"sets": 1, "repeats": 3}, {"judged": False}, {"queries": 900, "faults": 0.3}])
def test_an_overview_fits_80_columns(make_run: Made, how: dict[str, object]) -> None:
    for full in (False, True):
        assert max(map(len, told(make_run(**how), full=full).splitlines())) <= 80


def test_an_overview_of_six_sets_stays_on_a_screen_and_the_full_one_tells_more(make_run: Made) -> None:
    made = make_run(queries=200, sets=4, agent="react", broken=0.0)
    few, all_of_it = told(made).splitlines(), told(made, full=True).splitlines()
    assert len(few) <= 20
    assert all_of_it[: few.index("", 3)] == few[: few.index("", 3)]
    assert "offered %" not in "".join(few)
    assert "offered %" in "".join(all_of_it)


def test_a_judge_whose_name_is_long_has_lines_of_its_own(make_run: Made) -> None:
    made = msgspec.structs.replace(
        make_run(), judge="openai/a-model-with-a-long-name@2024-07-18 prompts 0123456789abcdef"
    )
    lines = told(made).splitlines()
    assert lines[0] == "baseline_seed0: baseline on starter"
    assert lines[1].startswith("judged by   openai/a-model")


def test_heads_totals_and_notes_are_told_apart(make_run: Made) -> None:
    lines = overview(summarise(make_run(queries=60, sets=3)), full=True)
    by_kind = {kind: [one.text.split("  ")[0] for one in lines if one.kind == kind] for kind in ("head", "total")}
    assert by_kind == {"head": ["set"] * 3, "total": ["all"] * 3}
    assert lines[0].kind == "title"
    assert next(one for one in lines if one.text.startswith("selection")).kind == "note"


def test_what_went_as_it_should_and_cost_nothing_is_told_only_in_full(make_run: Made) -> None:
    made = make_run(broken=0.0)
    finished = [
        msgspec.structs.replace(
            one,
            trace=msgspec.structs.replace(one.trace, stop=StopReason.FINISHED, failure=None, usage=Usage()),
        )
        for one in made.trials
    ]
    made = msgspec.structs.replace(made, trials=tuple(finished), judge_usage=Usage())
    for word in ("\nstopped", "\nspent"):
        assert word not in told(made)
        assert word in told(made, full=True)
    odd = msgspec.structs.replace(
        finished[0], trace=msgspec.structs.replace(finished[0].trace, stop=StopReason.STEP_LIMIT)
    )
    assert "\nstopped     39 finished, 1 step limit" in told(msgspec.structs.replace(made, trials=(odd, *finished[1:])))


def test_what_nobody_has_judged_is_unmeasured_and_not_0(make_run: Made) -> None:
    text = told(make_run(judged=False))
    assert text.startswith("baseline_seed0: baseline on starter, nobody has judged yet\n")
    assert "nobody has judged it yet (38)" in text
    assert "0.0 %" not in text.split("APIs  ")[0]


def test_who_judged_stands_by_the_score(make_run: Made) -> None:
    assert ", judged by heuristic\n" in told(make_run(method="heuristic"))


def test_repeats_of_the_judge_have_their_spread(make_run: Made) -> None:
    assert "over 3\n            repeats of the judge" in told(make_run(repeats=3, sets=1)) or "over 3 repeats" in told(
        make_run(repeats=3, sets=1)
    )


def test_an_unknown_price_is_unmeasured(make_run: Made) -> None:
    assert "unmeasured (the model's price is not known)" in " ".join(
        told(make_run(priced=False, agent="react")).split()
    )


def test_a_calibrated_rate_stands_beside_the_raw_one(make_run: Made) -> None:
    calibration = Calibration(q0=0.9, m0=50, q1=0.8, m1=50, judge="rubric", labels="labels.csv")
    text = " ".join(told(make_run(), calibration).split())
    assert "as judged" in text
    assert "with the judge's known errors taken out, by 100 labels of the judge 'rubric'" in text


def test_how_often_judges_disagree_stands_below_the_scores(make_run: Made) -> None:
    assert "flips       the judges disagree about" in told(make_run(panel=True))
    assert "flips" not in told(make_run())


@pytest.fixture
def trial(make_run: Made) -> Trial:
    return next(
        one for one in make_run(panel=True).trials if any(isinstance(step, CallStep) for step in one.trace.steps)
    )


def test_a_trial_is_told_from_the_query_to_the_verdicts(trial: Trial) -> None:
    text = "\n".join(trial_lines(trial))
    for heading in (str(trial.key), "steps", "end", "verdicts"):
        assert heading in text.splitlines()
    assert trial.query.text[:40] in text
    assert "gold      {" in text
    assert "  ballot  " in text


def test_a_trial_fits_its_width(trial: Trial) -> None:
    for width in (40, 80, 200):
        assert max(map(len, trial_lines(trial, width=width))) <= width


def test_a_long_answer_is_cut_and_says_by_how_much(trial: Trial) -> None:
    step = CallStep("f", {}, Resolution.RESOLVED, "x" * 5000, api=ApiId("c", "t", "a"))
    long = msgspec.structs.replace(trial, trace=msgspec.structs.replace(trial.trace, steps=(step,)))
    assert "more characters; --full shows them" in " ".join("\n".join(trial_lines(long)).split())
    assert sum(line.count("x") for line in trial_lines(long, full=True)) >= 5000


def test_nothing_that_an_agent_wrote_moves_the_cursor(trial: Trial) -> None:
    hostile = "\x1b[2J\x1b]0;owned\x07\x00\u202e"
    step = CallStep(hostile, {hostile: hostile}, Resolution.HALLUCINATED, hostile, malformed=hostile)
    trace = msgspec.structs.replace(trial.trace, steps=(step,), final_answer=hostile)
    text = "\n".join(trial_lines(msgspec.structs.replace(trial, trace=trace, verdicts=(Missing("r", hostile),))))
    assert not set(text) & set("\x1b\x07\x00\u202e")
    assert "\\x1b[2J" in text


def test_a_row_says_what_a_trial_is_worth(trial: Trial) -> None:
    key, worth, stop, calls, _ = trial_row(trial)
    assert (key, stop) == (str(trial.key), trial.trace.stop.value.replace("_", " "))
    assert float(worth) in (0.0, 0.5, 1.0)
    assert int(calls) >= 1
    assert trial_row(msgspec.structs.replace(trial, verdicts=()))[1] == "-"


def test_several_sets_have_their_selection_and_their_sources_and_one_has_not(make_run: Made) -> None:
    lines = told(make_run(queries=60, sets=3), full=True).splitlines()
    for word in ("offered %", "recorded %"):
        place = next(number for number, line in enumerate(lines) if line.startswith("set") and word in line)
        names = [line.split("  ")[0] for line in lines[place + 1 : place + 6]]
        assert names == ["single_tool", "multi_tool", "conversation", "all", "mean of sets"]
        assert word not in told(make_run(sets=1), full=True)

from typing import Any

import pytest

from proctor.errors import InputError
from proctor.formats.stabletoolbench.converted import ConvertedAnswer
from proctor.formats.stabletoolbench.recordings import Kind, Recording
from proctor.formats.stabletoolbench.turns import Called
from proctor.metrics._selection import Selection, selection
from proctor.records.answers import Answer
from proctor.records.finishing import FINISH, written_finish
from proctor.records.grades import Status, Verdict
from proctor.records.queries import ApiId, ApiSpec, GoldApi, Query
from proctor.records.runs import RunRecord, Trial, TrialKey
from proctor.records.traces import CallStep, Fault, StopReason
from proctor.runs.recorded import Label, Recorded, answered_only, recorded_run

FORECAST = ApiId("Weather", "Sky", "forecast")
LABEL = Label("sailing", "recorded", "1", 0.0)


def query(query_id: str) -> Query:
    return Query(query_id, "May I sail?", (GoldApi("Sky", "forecast"),), (ApiSpec(FORECAST),), "G1")


def answer(query_id: str, response: str = '{"error": "", "response": {"wind": 5}}') -> ConvertedAnswer:
    final = written_finish("Yes.")
    turns = (Called("forecast_for_sky", "{}", response), Called(FINISH, final))
    functions = ({"name": "forecast_for_sky"}, {"name": FINISH})
    return ConvertedAnswer(query_id, "May I sail?", functions, "CoT@1", final, turns)


def recording(*answers: ConvertedAnswer, **more: Any) -> Recording:
    return Recording(
        **{"kind": Kind.CONVERTED, "model": "gpt", "test_set": "G1", "paths": ("g1.json",), **more}, answers=answers
    )


SETS = {"G1": [query("1"), query("2")], "G2": [query("9")]}


def run_of(recorded: Recorded) -> RunRecord:
    queries = {key.query_id: query(key.query_id) for key in recorded.traces}
    trials = tuple(Trial(key, queries[key.query_id], trace) for key, trace in recorded.traces.items())
    return RunRecord("gpt_recorded", recorded.manifest, trials, planned=len(trials))


def test_a_recording_becomes_the_traces_of_its_set() -> None:
    recorded = recorded_run([recording(answer("1"))], SETS, LABEL)
    assert recorded.manifest.query_ids == ("G1/1", "G1/2")
    assert (recorded.manifest.framework, recorded.manifest.spec.test_sets) == ("gpt", ("G1",))
    trace = recorded.traces[TrialKey("G1", "1")]
    step = trace.steps[0]
    assert isinstance(step, CallStep)
    assert (step.api, step.answer, trace.offered) == (FORECAST, Answer({"wind": 5}), (FORECAST,))
    assert selection(trace, query("1")) == Selection(1, 1, 1, 1)


def test_a_query_without_an_answer_says_so_and_is_left_out_as_upstream_counts() -> None:
    recorded = recorded_run([recording(answer("1"))], SETS, LABEL)
    nothing = recorded.traces[TrialKey("G1", "2")]
    assert nothing.stop is StopReason.NO_ANSWER
    assert nothing.failure is not None
    assert (nothing.failure.kind, nothing.failure.fault) == ("NoAnswer", Fault.AGENT)
    counted = answered_only(run_of(recorded))
    assert ([trial.key.query_id for trial in counted.trials], counted.planned) == (["1"], 1)


@pytest.mark.parametrize(
    ("shown", "expected"),
    [
        ("rain", Answer("rain")),
        ('{"error": "API not working error...", "response": ""}', Answer("", "API not working error...")),
        ('{"wind": 5}', Answer({"wind": 5})),
        ("", None),
    ],
)
def test_what_the_agent_was_shown_is_taken_for_the_answer(shown: str, expected: Answer | None) -> None:
    step = recorded_run([recording(answer("1", shown))], SETS, LABEL).traces[TrialKey("G1", "1")].steps[0]
    assert isinstance(step, CallStep)
    assert step.answer == expected


def test_recorded_verdicts_stand_with_the_traces() -> None:
    verdicts = {"1": (Verdict(Status.SOLVED, "", "recorded"),)}
    recorded = recorded_run([recording(answer("1"), verdicts=verdicts)], SETS, LABEL)
    assert recorded.verdicts == {TrialKey("G1", "1"): verdicts["1"]}


def test_a_set_is_known_by_its_queries_where_the_name_says_nothing() -> None:
    assert recorded_run([recording(answer("9"), test_set="answers")], SETS, LABEL).manifest.spec.test_sets == ("G2",)


def test_other_answers_are_another_run_and_the_same_ones_the_same() -> None:
    one, same, other = (
        recorded_run([recording(each)], SETS, LABEL).manifest.spec.key
        for each in (answer("1"), answer("1"), answer("1", "rain"))
    )
    assert one == same
    assert one != other


@pytest.mark.parametrize(
    ("recordings", "complaint"),
    [
        ([recording(answer("1")), recording(answer("1"), model="other")], "a run is of one model; found .* gpt, other"),
        ([recording(answer("1")), recording(answer("2"))], "g1.json: the set G1 is recorded twice"),
        ([recording(answer("7"))], "g1.json: not one answer is to a query of G1"),
        ([recording(answer("7"), test_set="answers")], r"belong to no one set of the benchmark; .*\(G1, G2\)"),
    ],
)
def test_what_does_not_belong_together_is_a_sentence(recordings: list[Recording], complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        recorded_run(recordings, SETS, LABEL)


def test_an_answer_to_a_query_of_another_benchmark_is_counted() -> None:
    lost = recorded_run([recording(answer("1"), answer("77"))], SETS, LABEL).lost
    assert lost[-1] == "left out: an answer to a query that the benchmark does not have"

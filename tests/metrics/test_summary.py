import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proctor.metrics._summary import Evaluation, summarise
from proctor.records.grades import Missing, Score, Status, Verdict


def one(status: Status | None, calls: float | None = 0.5, query_id: str = "7", **more: bool | float) -> Evaluation:
    verdict = Missing("the reply was cut") if status is None else Verdict(status, "", "judge")
    score = Missing("the trial failed") if calls is None else Score(calls)
    return Evaluation(query_id, verdict, score, bool(more.get("has_finish", True)), float(more.get("seconds", 1.0)))


def test_the_figures_of_a_small_exam() -> None:
    figures = summarise(
        [
            one(Status.SOLVED, 1.0, "7", seconds=2.0),
            one(Status.UNSURE, 0.5, "7"),
            one(Status.UNSOLVED, 0.0, "8", has_finish=False),
            one(None, None, "9"),
        ]
    )
    assert figures.plain() == {
        "total_queries": 3,
        "total_evaluations": 4,
        "solved_count": 1,
        "solved_percentage": pytest.approx(100 / 3),
        "finish_count": 3,
        "finish_percentage": 75.0,
        "average_sopr_score": 0.5,
        "average_api_call_score": 0.5,
        "total_evaluation_time": 5.0,
        "average_evaluation_time": 1.25,
        "unsure_count": 1,
        "unsolved_count": 1,
        "unmeasured_count": 1,
        "majority_solved_count": 1,
        "unmeasured_api_call_count": 1,
        "vacuous_api_call_count": 0,
    }


def test_of_several_verdicts_only_all_solved_is_solved() -> None:
    solved, unsolved = (Verdict(status, "", "judge") for status in (Status.SOLVED, Status.UNSOLVED))
    said = [(solved, 1.0), (solved, 2 / 3), (solved, 0.5), (unsolved, 1 / 3), (unsolved, 0.0)]
    evaluations = [
        Evaluation(str(number), verdict, Score(1.0), has_finish=True, worth=worth)
        for number, (verdict, worth) in enumerate(said)
    ]
    figures = summarise(evaluations)
    assert (figures.solved_count, figures.unsure_count, figures.unsolved_count) == (1, 3, 1)
    assert (figures.majority_solved_count, figures.solved_percentage) == (3, 20.0)
    assert figures.average_sopr_score == pytest.approx(0.5)


def test_of_nothing_nothing_is_measured_and_nothing_is_nought() -> None:
    figures = summarise([])
    assert isinstance(figures.average_sopr_score, Missing)
    assert figures.plain()["solved_percentage"] is None
    assert isinstance(summarise([one(None)]).average_sopr_score, Missing)


def test_scores_that_say_nothing_are_counted() -> None:
    vacuous = Evaluation("7", Missing("x"), Score(0.0, details={"vacuous": True}), has_finish=False)
    assert summarise([vacuous]).vacuous_api_call_count == 1


@settings(deadline=None, max_examples=50)
@given(st.lists(st.tuples(st.none() | st.sampled_from(Status), st.none() | st.floats(0, 1)), max_size=12))
def test_every_answer_is_counted_once(given_: list[tuple[Status | None, float | None]]) -> None:
    figures = summarise([one(status, calls, str(number)) for number, (status, calls) in enumerate(given_)])
    counted = figures.solved_count + figures.unsure_count + figures.unsolved_count + figures.unmeasured_count
    assert counted == figures.total_evaluations == len(given_)
    points = [{Status.SOLVED: 1.0, Status.UNSURE: 0.5, Status.UNSOLVED: 0.0}[status] for status, _ in given_ if status]
    if points:
        assert figures.average_sopr_score == pytest.approx(math.fsum(points) / len(points))

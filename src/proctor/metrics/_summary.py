"""The summary of an exam's evaluations: counts, percentages and means, with what was not measured counted beside."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import msgspec

from proctor.metrics._pass_rate import POINTS
from proctor.records.grades import Missing, Score, Status, Verdict

_NOTHING = Missing("nothing was measured")


class Evaluation(msgspec.Struct, frozen=True):
    """One answer to one query, and what came of grading it."""

    query_id: str
    verdict: Verdict | Missing
    api_calls: Score | Missing
    has_finish: bool
    seconds: float = 0.0
    """How long the grading took."""
    worth: float | None = None
    """The mean points of several verdicts, of which `verdict` has the status of most; None where there was one."""

    @property
    def points(self) -> float | None:
        """What the answer is worth, from 0 to 1; None without a verdict."""
        if isinstance(self.verdict, Missing):
            return None
        return POINTS[self.verdict.status] if self.worth is None else self.worth


class Summary(msgspec.Struct, frozen=True):
    """The figures of a result file. Percentages and means are over what was measured, never over a made-up 0."""

    total_queries: int
    """Unique queries."""
    total_evaluations: int
    """Answers, of which a query may have several."""
    solved_count: int
    """Answers that are worth 1: every verdict on them says Solved."""
    solved_percentage: float | Missing
    """Of the answers with a verdict."""
    finish_count: int
    finish_percentage: float | Missing
    """Of all answers."""
    average_sopr_score: float | Missing
    average_api_call_score: float | Missing
    total_evaluation_time: float
    average_evaluation_time: float | Missing
    unsure_count: int
    """Answers that are worth something and not 1."""
    unsolved_count: int
    """Answers that are worth 0."""
    unmeasured_count: int
    """Answers without a verdict."""
    majority_solved_count: int
    """Answers of which most verdicts say Solved, as their status does."""
    unmeasured_api_call_count: int
    vacuous_api_call_count: int
    """Answers whose query names no API that it needs: their API call score is 0 and says nothing."""

    def plain(self) -> dict[str, Any]:
        """The figures as they are written: what was not measured is null."""
        return {name: None if isinstance(value, Missing) else value for name, value in _fields(self)}


def summarise(evaluations: Sequence[Evaluation]) -> Summary:
    """The figures over all evaluations.

    >>> one = Evaluation("7", Verdict(Status.SOLVED, "", "judge"), Score(0.5), has_finish=True)
    >>> other = Evaluation("8", Missing("the reply was cut"), Score(1.0), has_finish=True)
    >>> figures = summarise([one, other])
    >>> figures.average_sopr_score, figures.average_api_call_score, figures.unmeasured_count
    (1.0, 0.75, 1)
    """
    statuses = [one.verdict.status for one in evaluations if isinstance(one.verdict, Verdict)]
    worth = [points for one in evaluations if (points := one.points) is not None]
    called = [one.api_calls for one in evaluations if isinstance(one.api_calls, Score)]
    seconds = [one.seconds for one in evaluations]
    finished = [one.has_finish for one in evaluations]
    solved = [points == 1.0 for points in worth]
    return Summary(
        total_queries=len({one.query_id for one in evaluations}),
        total_evaluations=len(evaluations),
        solved_count=sum(solved),
        solved_percentage=_percentage(solved),
        finish_count=sum(finished),
        finish_percentage=_percentage(finished),
        average_sopr_score=_mean(worth),
        average_api_call_score=_mean([score.value for score in called]),
        total_evaluation_time=math.fsum(seconds),
        average_evaluation_time=_mean(seconds),
        unsure_count=sum(0.0 < points < 1.0 for points in worth),
        unsolved_count=worth.count(0.0),
        unmeasured_count=len(evaluations) - len(statuses),
        majority_solved_count=statuses.count(Status.SOLVED),
        unmeasured_api_call_count=len(evaluations) - len(called),
        vacuous_api_call_count=sum(
            isinstance(one.details, dict) and bool(one.details.get("vacuous")) for one in called
        ),
    )


def _mean(values: Sequence[float]) -> float | Missing:
    return math.fsum(values) / len(values) if values else _NOTHING


def _percentage(marks: Sequence[bool]) -> float | Missing:
    return 100 * sum(marks) / len(marks) if marks else _NOTHING


def _fields(figures: Summary) -> list[tuple[str, Any]]:
    return [(name, getattr(figures, name)) for name in figures.__struct_fields__]

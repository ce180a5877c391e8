from __future__ import annotations

import pytest

from proctor.errors import OptionError
from proctor.judges.attempts import Attempt
from proctor.judges.preference import Preference, PreferenceJudge, over_rounds, verdict_first
from proctor.judges.templates import template_from
from proctor.metrics._win_rate import solvable_win_rate
from proctor.models.chat import Request
from proctor.models.scripted import ScriptedModel
from proctor.records.grades import Missing, Status
from proctor.stats.intervals import Estimate
from proctor.stats.preferences import Preferred, WinRate

S, U, N = Status.SOLVED, Status.UNSURE, Status.UNSOLVED
REFERENCE, CANDIDATE, TIE = Preferred.REFERENCE, Preferred.CANDIDATE, Preferred.TIE
ONE, OTHER = Attempt("q", "the reference's answer"), Attempt("q", "the candidate's answer")


@pytest.mark.parametrize(
    ("reference", "candidate", "settled"),
    [
        (S, U, REFERENCE),
        (S, N, REFERENCE),
        (U, S, CANDIDATE),
        (N, S, CANDIDATE),
        (U, N, REFERENCE),
        (N, U, CANDIDATE),
        (S, S, None),
        (U, U, None),
        (N, N, None),
        (None, S, None),
        (S, None, None),
        (None, None, None),
    ],
)
def test_verdicts_come_first(reference: Status | None, candidate: Status | None, settled: Preferred | None) -> None:
    assert verdict_first(reference, candidate) is settled


async def test_a_settled_pair_is_not_compared() -> None:
    model = ScriptedModel([])
    preference = await PreferenceJudge(model).compare(ONE, OTHER, (S, N))
    assert (preference.preferred, preference.judge, preference.flipped) == (REFERENCE, "verdicts first", False)
    assert model.requests == []


def better(word: str) -> ScriptedModel:
    """A judge that prefers the answer with this word, wherever it stands."""

    def said(request: Request) -> dict[str, object]:
        return {"reason": word, "index": 0 if request.text.index(word) < request.text.index("<<<answer_1") else 1}

    return ScriptedModel(said)


@pytest.mark.parametrize(("word", "preferred"), [("reference's", REFERENCE), ("candidate's", CANDIDATE)])
async def test_a_judge_that_looks_at_the_answers_says_the_same_in_both_orders(word: str, preferred: Preferred) -> None:
    model = better(word)
    preference = await PreferenceJudge(model).compare(ONE, OTHER)
    assert preference.preferred is preferred
    assert not preference.flipped
    assert len(model.requests) == 2
    assert preference.reasons == (word, word)


@pytest.mark.parametrize("index", [0, 1, "1"])
async def test_a_judge_that_looks_at_the_position_gives_ties_that_are_counted(index: int | str) -> None:
    preference = await PreferenceJudge(ScriptedModel(lambda _: {"index": index})).compare(ONE, OTHER)
    assert preference.preferred is TIE
    assert preference.flipped


async def test_a_number_that_is_no_position_is_unmeasured() -> None:
    preference = await PreferenceJudge(ScriptedModel(lambda _: {"index": 2})).compare(ONE, OTHER)
    assert isinstance(preference.preferred, Missing)
    assert preference.preferred.detail is not None
    assert preference.preferred.detail.startswith("its field 'index' must be one of 0, 1.")
    assert not preference.flipped


def test_a_template_without_a_number_is_refused() -> None:
    config = "functions: [{name: select_better_answer, parameters: {properties: {x: {type: string}}}}]"
    texts = "<function><name>select_better_answer</name><description>{query}</description></function>"
    with pytest.raises(OptionError, match="must have one field that is a number"):
        PreferenceJudge(ScriptedModel([]), template_from("odd", config, texts))


def said(one: Preferred | Missing, other: Preferred | Missing | None = None, *, compared: bool = True) -> Preference:
    return Preference((one, one if other is None else other), "j", ("a", "b") if compared else ())


LOST = Missing("the judge's reply could not be read")


@pytest.mark.parametrize(
    ("rounds", "together"),
    [
        ([said(CANDIDATE)], CANDIDATE),
        ([said(CANDIDATE), said(REFERENCE), said(CANDIDATE)], CANDIDATE),
        ([said(CANDIDATE), said(REFERENCE), said(TIE)], TIE),
        ([said(TIE), said(TIE), said(REFERENCE)], REFERENCE),
        ([said(CANDIDATE, REFERENCE)], TIE),
        ([said(LOST), said(REFERENCE)], REFERENCE),
        ([said(LOST)], LOST),
        ([said(CANDIDATE, LOST)], LOST),
        ([], Missing("the query was not judged")),
    ],
)
def test_rounds_are_counted_together(rounds: list[Preference], together: Preferred | Missing) -> None:
    assert over_rounds(rounds) == together


def test_the_win_rate_is_over_queries_and_the_flips_are_over_comparisons() -> None:
    rounds = {
        "1": [said(CANDIDATE), said(CANDIDATE, REFERENCE), said(CANDIDATE)],
        "2": [said(REFERENCE, compared=False)] * 3,
        "3": [said(CANDIDATE, REFERENCE)],
        "4": [said(LOST)],
    }
    rate = solvable_win_rate(rounds)
    assert isinstance(rate, WinRate)
    assert (rate.wins, rate.ties, rate.losses, rate.n) == (1, 1, 1, 3)
    assert isinstance(rate.flips, Estimate)
    assert (rate.rate.value, rate.flips.value, rate.flips.n) == (0.5, 0.5, 4)
    assert rate.unmeasured == {LOST.reason: 1}
    assert isinstance(solvable_win_rate({"4": [said(LOST)]}), Missing)
    settled = solvable_win_rate({"2": [said(REFERENCE, compared=False)]})
    assert isinstance(settled, WinRate)
    assert settled.flips == Missing("no pair was compared in both orders")

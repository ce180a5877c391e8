from __future__ import annotations

import msgspec
import pytest

from proctor.errors import OptionError
from proctor.judges.attempts import Attempt
from proctor.judges.heuristic import HeuristicJudge
from proctor.judges.panel import Panel, flip_rate, majority
from proctor.judges.solving import SolvingJudge
from proctor.models.scripted import ScriptedModel
from proctor.records.grades import Missing, Status, Verdict
from proctor.runs.judging import judging_of
from proctor.stats.intervals import Estimate

S, U, N = Status.SOLVED, Status.UNSURE, Status.UNSOLVED
ATTEMPT = Attempt("When is the next train?", "It leaves at 09:24.")
LOST = Missing("the judge's reply could not be read")


def ballots(*said: Status | Missing) -> list[Verdict | Missing]:
    return [one if isinstance(one, Missing) else Verdict(one, f"says {one.value}", "j") for one in said]


@pytest.mark.parametrize(
    ("said", "status"),
    [
        ([S], S),
        ([S, S, N], S),
        ([N, S, N], N),
        ([S, N], U),
        ([S, S, N, N, U], U),
        ([U, U, S], U),
        ([S, N, U], U),
        ([S, S, LOST], S),
        ([S, N, LOST], U),
        ([S, LOST], None),
        ([LOST], None),
        ([S, LOST, LOST], None),
    ],
)
def test_the_majority_decides_and_a_shared_first_place_is_unsure(
    said: list[Status | Missing], status: Status | None
) -> None:
    verdict = majority(ballots(*said), "panel")
    assert (verdict.status if isinstance(verdict, Verdict) else None) is status


def test_the_ballots_are_kept_and_can_be_written_down() -> None:
    verdict = majority(ballots(S, S, N, LOST), "panel", 3)
    assert isinstance(verdict, Verdict)
    assert verdict.reason == "2 Solved, 1 Unsolved, 1 unread: says Solved"
    assert (verdict.judge, verdict.repeat, len(verdict.ballots)) == ("panel", 3, 4)
    assert msgspec.json.decode(msgspec.json.encode(verdict), type=Verdict) == verdict
    lost = majority(ballots(S, LOST), "panel")
    assert lost == Missing("too few ballots of the panel could be read", f"1 of 2; {LOST.reason} (1)")
    told = majority([Missing("unread", "no JSON.\nPerhaps."), Missing("unread", "no JSON.\nWell.")], "p")
    assert told == Missing(lost.reason, "0 of 2; unread (2)\nno JSON.\nPerhaps.\nno JSON.\nWell.")


async def test_every_member_is_asked_as_often_as_was_wanted_each_time_anew() -> None:
    model = ScriptedModel([{"answer_status": word} for word in ("Solved", "Unsolved", "Solved")])
    panel = Panel([SolvingJudge(model)], repeats=3)
    verdict = await panel.judge(ATTEMPT, repeat=1)
    assert isinstance(verdict, Verdict)
    assert verdict.status is S
    assert [request.repeat for request in model.requests] == [3, 4, 5]
    assert panel.name.startswith("panel of 1, 3 times each: solving (scripted, prompts solving@")


async def test_a_heuristic_in_a_panel_stays_visible() -> None:
    mixed = Panel([HeuristicJudge(), SolvingJudge(ScriptedModel([{"answer_status": "Solved"}]))])
    assert mixed.name.startswith("panel of 2: heuristic; solving (")
    assert (mixed.method, Panel([HeuristicJudge()]).method) == ("heuristic and judge", "heuristic")
    assert judging_of(mixed).method == "heuristic and judge"
    assert judging_of(Panel([SolvingJudge(ScriptedModel([]))])).method == "official"
    verdict = await mixed.judge(ATTEMPT)
    assert isinstance(verdict, Verdict)
    assert [ballot.judge.split()[0] for ballot in verdict.ballots if isinstance(ballot, Verdict)] == [
        "heuristic",
        "solving",
    ]


def test_the_flip_rate_is_the_share_of_verdicts_with_dissent() -> None:
    verdicts = [majority(ballots(*said), "p") for said in ([S, S], [S, N], [S, S, LOST], [N, N, S], [LOST])]
    rate = flip_rate(verdicts)
    assert isinstance(rate, Estimate)
    assert (rate.value, rate.n) == (0.5, 4)
    assert isinstance(flip_rate([LOST]), Missing)


def test_an_empty_panel_is_refused() -> None:
    with pytest.raises(OptionError, match="at least one judge"):
        Panel([])
    with pytest.raises(OptionError, match="at least once"):
        Panel([HeuristicJudge()], repeats=0)

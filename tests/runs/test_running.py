"""A run: what is owed is done once, whatever happens in between."""

import asyncio
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.runs.pets import broken, damage, key, manifest, query, trace

from proctor.errors import (
    ModelError,
    ModelRefusedError,
    ModelRequestError,
    ModelTimeoutError,
    ModelUnavailableError,
)
from proctor.judges.attempts import Attempt
from proctor.judges.heuristic import HeuristicJudge
from proctor.judges.solving import SolvingJudge
from proctor.models.chat import Request
from proctor.models.scripted import ScriptedModel
from proctor.records.grades import Missing, Status, Verdict
from proctor.records.runs import TrialKey
from proctor.records.traces import Trace, Usage
from proctor.runs.ledger import Judging, Ledger
from proctor.runs.running import Exam, Pace, run_exam
from proctor.runs.schedule import Patience, State
from proctor.runs.underway import Recalling
from proctor.runs.watching import Again, Event, Judged, Planned, Tried

Opens = Callable[..., Ledger]
QUICK = Pace(2, Patience(2, 0.001))
QUERIES = {"pets": [query(1), query(2), query(3)]}
HEURISTIC = Judging("heuristic", "heuristic")


class Attempts:
    """Attempts every trial well, and counts how often."""

    def __init__(self, **special: Any) -> None:
        self.made: Counter[TrialKey] = Counter()
        self._special = {key(int(name.removeprefix("of_"))): list(lines) for name, lines in special.items()}

    async def __call__(self, trial: TrialKey) -> Trace:
        self.made[trial] += 1
        await asyncio.sleep(0)
        lines = self._special.get(trial)
        line = lines.pop(0) if lines else trace(trial.query_id)
        if isinstance(line, BaseException):
            raise line
        found: Trace = line
        return found


async def sat(ledger: Ledger, attempt: Any, judge: Any = None, repeats: int = 1, **more: Any) -> State:
    exam = Exam(manifest(), QUERIES, attempt, judge or HeuristicJudge(), repeats)
    return await run_exam(exam, ledger, pace=QUICK, **more)


async def test_every_trial_is_tried_and_judged(ledger: Opens) -> None:
    opened, told = ledger(), list[Event]()
    state = await sat(opened, Attempts(), watch=told.append)
    assert state.left == 0
    assert opened.traced == {key(1), key(2), key(3)}
    assert all(
        isinstance(one.verdict, Verdict) for number in (1, 2, 3) for one in opened.opinions(key(number), HEURISTIC)
    )
    assert Counter(type(event) for event in told)[Tried] == 3
    assert told[0] == Planned(3, 0, "", "heuristic")


async def test_what_is_there_already_is_not_done_again(ledger: Opens) -> None:
    first = ledger()
    with pytest.raises(ModelRefusedError):
        await sat(first, Attempts(of_3=[ModelRefusedError("no", model="m")]))
    done = first.traced
    attempts = Attempts()
    await sat(ledger(), attempts)
    assert set(attempts.made) == {key(1), key(2), key(3)} - done
    again = Attempts()
    state = await sat(ledger(), again)
    assert (again.made, state.left) == (Counter(), 0)


async def test_a_trial_with_a_trace_and_no_verdict_is_only_judged(ledger: Opens) -> None:
    ledger().keep_trace(key(1), trace(1))
    opened, attempts = ledger(), Attempts()
    await sat(opened, attempts)
    assert attempts.made == Counter([key(2), key(3)])
    assert len(opened.opinions(key(1), HEURISTIC)) == 1


async def test_a_trial_whose_trace_was_damaged_is_tried_and_judged_again(ledger: Opens, tmp_path: Path) -> None:
    def says(request: Request) -> dict[str, str]:
        good = "Rex" in str(request.messages)
        return {"answer_status": "Solved" if good else "Unsolved", "reason": "so it is"}

    model = ScriptedModel(says)
    judge = SolvingJudge(Recalling(model, "judge"))
    await sat(ledger(), Attempts(), judge)
    damage(tmp_path, "trace", 2)
    opened, attempts = ledger(), Attempts(of_2=[trace(2, "Sorry, I cannot help.")])
    await sat(opened, attempts, judge)
    assert (opened.journal.damaged, attempts.made) == (1, Counter([key(2)]))
    found = {number: opened.opinions(key(number), Judging(judge.name, "official"))[0] for number in (1, 2)}
    assert [one.verdict.status for one in found.values() if isinstance(one.verdict, Verdict)] == [
        Status.SOLVED,
        Status.UNSOLVED,
    ]
    assert len(model.requests) == 4


async def test_more_repeats_ask_only_for_those_that_lack(ledger: Opens) -> None:
    model = ScriptedModel(lambda _: {"answer_status": "Solved", "reason": "so it is"})
    judge = SolvingJudge(Recalling(model, "judge"))
    await sat(ledger(), Attempts(), judge)
    asked = len(model.requests)
    opened = ledger()
    await sat(opened, Attempts(), judge, 3)
    assert (asked, len(model.requests)) == (3, 9)
    judging = Judging(judge.name, "official", 3)
    verdicts = [one.verdict for one in opened.opinions(key(1), judging)]
    assert [one.repeat for one in verdicts if isinstance(one, Verdict)] == [0, 1, 2]


async def test_a_verdict_carries_what_it_cost_and_how_long_it_took(ledger: Opens) -> None:
    model = ScriptedModel(lambda _: {"answer_status": "Solved", "reason": "so it is"}, delay=0.01)
    judge, opened = SolvingJudge(Recalling(model, "judge")), ledger()
    await sat(opened, Attempts(), judge)
    opinions = [opened.opinions(key(number), Judging(judge.name, "official"))[0] for number in (1, 2, 3)]
    assert sum((one.usage for one in opinions), Usage()) == model.spent
    assert all(one.seconds >= 0.01 for one in opinions)


async def test_a_failure_of_the_environment_is_kept_apart_and_tried_again(ledger: Opens) -> None:
    opened, told = ledger(), list[Event]()
    state = await sat(opened, Attempts(of_2=[broken(2)]), watch=told.append)
    assert state.left == 0
    assert opened.trace(key(2)) == trace(2)
    assert opened.failed == {key(2): 1}
    assert [event.trial for event in told if isinstance(event, Again)] == [key(2)]


async def test_a_trial_that_the_environment_keeps_breaking_is_owed_to_the_next_run(ledger: Opens) -> None:
    opened = ledger()
    state = await sat(opened, Attempts(of_2=[broken(2), broken(2)]))
    assert state.left == 1
    assert opened.traced == {key(1), key(3)}
    attempts = Attempts()
    await sat(ledger(), attempts)
    assert attempts.made == Counter([key(2)])


@pytest.mark.parametrize(
    "down",
    [
        ModelTimeoutError("no answer", model="m"),
        ModelUnavailableError("a web page", model="m", kind="garbled"),
        ModelRequestError("something is wrong here today", model="m"),
    ],
)
async def test_a_judge_that_is_down_leaves_its_verdict_owed_and_the_trace_is_kept(
    ledger: Opens, down: ModelError
) -> None:
    opened, attempts = ledger(), Attempts()
    state = await sat(opened, attempts, SolvingJudge(Recalling(ScriptedModel(lambda _: down), "judge")))
    assert state.left == 3
    assert attempts.made == Counter({key(1): 1, key(2): 1, key(3): 1})
    model = ScriptedModel(lambda _: {"answer_status": "Solved", "reason": "so it is"})
    judge, again = SolvingJudge(Recalling(model, "judge")), Attempts()
    state = await sat(ledger(), again, judge)
    assert (state.left, again.made) == (0, Counter())


@pytest.mark.parametrize("said", ["well, who knows", ModelRequestError("it is long", model="m", kind="too_long")])
async def test_a_reply_that_cannot_be_read_is_unmeasured_and_final(ledger: Opens, said: str | ModelError) -> None:
    model = ScriptedModel(lambda _: said)
    judge, opened = SolvingJudge(Recalling(model, "judge")), ledger()
    state = await sat(opened, Attempts(), judge)
    assert state.left == 0
    verdict = opened.opinions(key(1), Judging(judge.name, "official"))[0].verdict
    assert isinstance(verdict, Missing)
    asked = len(model.requests)
    await sat(ledger(), Attempts(), judge)
    assert len(model.requests) == asked


async def test_what_needs_no_judge_asks_none(ledger: Opens) -> None:
    model = ScriptedModel([])
    quiet = trace(1, answer="")
    opened, told = ledger(), list[Event]()
    attempts = Attempts(of_1=[quiet], of_2=[quiet], of_3=[quiet])
    await sat(opened, attempts, SolvingJudge(Recalling(model, "judge")), watch=told.append)
    judged = [event.verdict for event in told if isinstance(event, Judged)]
    assert [one.status for one in judged if isinstance(one, Verdict)] == [Status.UNSOLVED] * 3
    assert model.requests == []


async def test_a_run_without_a_judge_is_only_tried(ledger: Opens) -> None:
    opened = ledger()
    state = await run_exam(Exam(manifest(), QUERIES, Attempts()), opened, pace=QUICK)
    assert (state.left, opened.judging) == (0, None)


async def test_a_defect_of_a_judge_stops_the_run_and_keeps_what_was_done(ledger: Opens) -> None:
    class Broken(HeuristicJudge):
        async def judge(self, attempt: Attempt, repeat: int = 0) -> Verdict:
            raise ZeroDivisionError(attempt.query)

    opened = ledger()
    with pytest.raises(ZeroDivisionError):
        await sat(opened, Attempts(), Broken())
    assert opened.traced

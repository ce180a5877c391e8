"""The local engine: work at once, Ctrl-C, and errors that stop a run."""

import asyncio
import os
import signal

import pytest

from proctor.records.runs import TrialKey
from proctor.runs.engines.local import carry_out
from proctor.runs.schedule import Outcome, Patience

TRIALS = [TrialKey("G1", str(place)) for place in range(12)]


async def test_all_that_is_owed_is_done_so_many_at_once() -> None:
    at_work, most, done = 0, 0, []

    async def work(trial: TrialKey) -> Outcome:
        nonlocal at_work, most
        at_work += 1
        most = max(most, at_work)
        await asyncio.sleep(0.005)
        at_work -= 1
        done.append(trial)
        return Outcome.DONE

    state = await carry_out(TRIALS, work, concurrency=4)
    assert sorted(done) == sorted(TRIALS)
    assert most == 4
    assert state.left == 0


async def test_what_failed_through_the_environment_is_tried_again() -> None:
    gone = [TRIALS[3], TRIALS[3], TRIALS[5]]

    async def work(trial: TrialKey) -> Outcome:
        if trial in gone:
            gone.remove(trial)
            return Outcome.ENVIRONMENT
        return Outcome.DONE

    state = await carry_out(TRIALS, work, patience=Patience(3, 0.001))
    assert state.left == 0
    assert gone == []


async def test_ctrl_c_finishes_what_is_at_work_and_begins_nothing_more() -> None:
    done, told = [], []

    async def work(trial: TrialKey) -> Outcome:
        if trial == TRIALS[2]:
            os.kill(os.getpid(), signal.SIGINT)
        await asyncio.sleep(0.02)
        done.append(trial)
        return Outcome.DONE

    state = await carry_out(TRIALS, work, concurrency=3, interrupted=lambda: told.append(True))
    assert done == TRIALS[:3]
    assert state.stopped
    assert state.left == 9
    assert told == [True]


async def test_a_second_ctrl_c_does_not_wait() -> None:
    async def work(_: TrialKey) -> Outcome:
        os.kill(os.getpid(), signal.SIGINT)
        await asyncio.sleep(60)
        return Outcome.DONE

    state = await asyncio.wait_for(carry_out(TRIALS, work, concurrency=2), 10)
    assert (state.left, state.at_once) == (12, True)


async def test_an_error_lets_the_others_finish_and_is_raised_then() -> None:
    done = []

    async def work(trial: TrialKey) -> Outcome:
        if trial == TRIALS[1]:
            raise ZeroDivisionError("gone")
        await asyncio.sleep(0.01)
        done.append(trial)
        return Outcome.DONE

    with pytest.raises(ZeroDivisionError, match="gone"):
        await carry_out(TRIALS, work, concurrency=3)
    assert done == [TRIALS[0], TRIALS[2]]

import asyncio

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proctor.errors import OptionError
from proctor.models.limiter import Gate, Limiter


def test_too_many_halves_and_answers_grow_by_one_a_round() -> None:
    limiter = Limiter(8).refused(0)
    assert limiter.room == 4
    for _ in range(4):
        limiter = limiter.answered()
    assert limiter.room in (4, 5)
    assert limiter.answered().room == 5


def test_a_burst_of_refusals_halves_once() -> None:
    limiter = Limiter(64)
    for _ in range(64):
        limiter = limiter.refused(cuts_at_start=0)
    assert (limiter.room, limiter.cuts) == (32, 1)
    assert limiter.refused(cuts_at_start=1).room == 16


@settings(deadline=None, max_examples=50)
@given(st.integers(1, 100), st.lists(st.booleans(), max_size=200))
def test_there_is_always_room_for_one_and_never_for_more_than_the_ceiling(ceiling: int, course: list[bool]) -> None:
    limiter = Limiter(ceiling)
    for fine in course:
        limiter = limiter.answered() if fine else limiter.refused(limiter.cuts)
        assert 1 <= limiter.room <= ceiling


def test_after_trouble_it_finds_back_to_the_ceiling() -> None:
    limiter = Limiter(10).refused(0)
    for _ in range(100):
        limiter = limiter.answered()
    assert limiter.room == 10


def test_no_room_at_all_is_an_error() -> None:
    with pytest.raises(OptionError, match="concurrency must be at least 1"):
        Limiter(0)


async def test_a_gate_lets_in_as_many_as_there_is_room_for_in_their_order() -> None:
    gate = Gate(Limiter(2))
    order: list[int] = []
    most = 0

    async def call(number: int) -> None:
        nonlocal most
        entered = await gate.enter()
        order.append(number)
        most = max(most, gate.under_way)
        await asyncio.sleep(0)
        gate.leave(entered, taken=True)

    await asyncio.gather(*(call(number) for number in range(20)))
    assert order == list(range(20))
    assert (most, gate.under_way) == (2, 0)


async def test_one_who_gives_up_waiting_takes_no_place() -> None:
    gate = Gate(Limiter(1))
    entered = await gate.enter()
    impatient = asyncio.create_task(gate.enter())
    patient = asyncio.create_task(gate.enter())
    await asyncio.sleep(0)
    impatient.cancel()
    gate.leave(entered)
    assert await asyncio.wait_for(patient, 1) == 0
    assert gate.under_way == 1


async def test_one_who_gives_up_in_the_moment_of_his_turn_hands_it_on() -> None:
    gate = Gate(Limiter(1))
    entered = await gate.enter()
    unlucky = asyncio.create_task(gate.enter())
    next_one = asyncio.create_task(gate.enter())
    await asyncio.sleep(0)
    gate.leave(entered)
    unlucky.cancel()
    assert await asyncio.wait_for(next_one, 1) == 0
    assert gate.under_way == 1


async def test_while_the_endpoint_wants_to_be_left_alone_nobody_enters() -> None:
    now = [100.0]
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)
        now[0] += seconds

    gate = Gate(Limiter(4), clock=lambda: now[0], sleep=sleep)
    gate.leave(await gate.enter(), taken=False, wait=7.0)
    await gate.enter()
    assert slept == [7.0]
    assert gate.limiter.room == 2


async def test_a_failure_that_says_nothing_of_capacity_changes_nothing() -> None:
    gate = Gate(Limiter(4).refused(0))
    gate.leave(await gate.enter())
    assert gate.limiter == Limiter(4).refused(0)

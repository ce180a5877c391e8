"""The schedule, held to its laws by random courses of events."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proctor.errors import OptionError
from proctor.records.runs import TrialKey
from proctor.runs.schedule import Ended, Outcome, Patience, Start, Stop, after, begin


def trials(number: int) -> tuple[TrialKey, ...]:
    return tuple(TrialKey("G1", str(place)) for place in range(number))


def test_as_many_begin_as_there_is_room_for() -> None:
    one, two, three = trials(3)
    state, starts = begin((one, two, three), 2, Patience())
    assert starts == (Start(one), Start(two))
    state, starts = after(state, Ended(two, Outcome.DONE))
    assert starts == (Start(three),)
    state, starts = after(state, Ended(one, Outcome.DONE))
    assert starts == ()
    state, _ = after(state, Ended(three, Outcome.DONE))
    assert state.over
    assert state.left == 0


def test_a_failure_of_the_environment_goes_to_the_end_and_waits_longer_each_time() -> None:
    one, two = trials(2)
    state, _ = begin((one, two), 1, Patience(tries=3, pause=2))
    state, starts = after(state, Ended(one, Outcome.ENVIRONMENT))
    assert starts == (Start(two),)
    state, starts = after(state, Ended(two, Outcome.DONE))
    assert starts == (Start(one, 2.0),)
    state, starts = after(state, Ended(one, Outcome.ENVIRONMENT))
    assert starts == (Start(one, 4.0),)
    state, starts = after(state, Ended(one, Outcome.ENVIRONMENT))
    assert starts == ()
    assert state.over
    assert state.left == 1


def test_after_a_stop_nothing_begins_and_what_is_at_work_is_waited_for() -> None:
    one, two, three = trials(3)
    state, _ = begin((one, two, three), 2, Patience())
    state, starts = after(state, Stop())
    assert starts == ()
    assert not state.over
    state, starts = after(state, Ended(one, Outcome.DONE))
    assert starts == ()
    state, _ = after(state, Ended(two, Outcome.ENVIRONMENT))
    assert state.over
    assert state.left == 2


def test_nothing_owed_is_over_at_once() -> None:
    state, starts = begin((), 4, Patience())
    assert state.over
    assert starts == ()


def test_a_schedule_that_cannot_be_is_refused() -> None:
    with pytest.raises(OptionError, match="at least 1 trial"):
        begin((), 0, Patience())
    with pytest.raises(OptionError, match="at least once"):
        Patience(tries=0)


@settings(deadline=None, max_examples=80)
@given(number=st.integers(0, 12), room=st.integers(1, 5), tries=st.integers(1, 3), data=st.data())
def test_whatever_happens_each_trial_ends_done_or_used_up(
    number: int, room: int, tries: int, data: st.DataObject
) -> None:
    state, starts = begin(trials(number), room, Patience(tries=tries, pause=0))
    begun: dict[TrialKey, int] = {}
    done: set[TrialKey] = set()
    while True:
        for start in starts:
            begun[start.trial] = begun.get(start.trial, 0) + 1
            assert start.trial not in done
        assert len(state.running) <= room
        if state.over:
            break
        trial = data.draw(st.sampled_from(sorted(state.running)))
        outcome = data.draw(st.sampled_from(Outcome))
        if outcome is Outcome.DONE:
            done.add(trial)
        state, starts = after(state, Ended(trial, outcome))
    assert set(begun) == set(trials(number))
    assert all(times <= tries for times in begun.values())
    assert all(trial in done or begun[trial] == tries for trial in begun)
    assert state.left == number - len(done)

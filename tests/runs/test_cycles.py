"""Looking for cycles: seldom while a run is at work, and as before afterwards."""

import gc

import pytest

from proctor.runs.cycles import looked_for_seldom


def test_the_pace_is_put_back_even_after_an_error() -> None:
    usual = gc.get_threshold()
    seen = list[int]()
    with pytest.raises(ZeroDivisionError):
        _broken(seen)
    assert seen[0] > usual[0]
    assert gc.get_threshold() == usual


def test_whoever_switched_it_off_keeps_it_off() -> None:
    usual = gc.get_threshold()
    gc.set_threshold(0)
    try:
        with looked_for_seldom():
            assert gc.get_threshold()[0] == 0
    finally:
        gc.set_threshold(*usual)


def test_blocks_that_overlap_put_the_pace_back_once() -> None:
    usual = gc.get_threshold()
    first, second = looked_for_seldom(), looked_for_seldom()
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    assert gc.get_threshold()[0] > usual[0]
    second.__exit__(None, None, None)
    assert gc.get_threshold() == usual


def _broken(seen: list[int]) -> None:
    with looked_for_seldom():
        seen.append(gc.get_threshold()[0])
        raise ZeroDivisionError

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proctor.errors import OptionError
from proctor.models.retries import RetryPolicy, is_transient, retry_after

NOW = 1_700_000_000.0


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "3"}, 3.0),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after": "Tue, 14 Nov 2023 22:13:50 GMT"}, 30.0),
        ({"retry-after": "Tue, 14 Nov 2023 22:13:50"}, 30.0),
        ({"retry-after": "Tue, 14 Nov 2023 22:00:00 GMT"}, 0.0),
        ({"retry-after": "-4"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "9", "retry-after-ms": "250"}, 0.25),
    ],
)
def test_what_an_endpoint_asks_for_is_read(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after(headers, NOW) == seconds


@pytest.mark.parametrize("status", [None, 408, 409, 425, 429, 500, 502, 503, 504, 529])
def test_faults_that_may_pass_are_asked_again(status: int | None) -> None:
    assert is_transient(status)


@pytest.mark.parametrize("status", [400, 401, 403, 404, 413, 422, 501, 505])
def test_faults_that_stay_are_not(status: int) -> None:
    assert not is_transient(status)


@settings(deadline=None)
@given(st.integers(1, 10_000), st.floats(0, 1))
def test_a_wait_grows_with_the_failures_and_never_beyond_the_longest(failures: int, dice: float) -> None:
    policy = RetryPolicy(first=0.5, longest=30)
    wait = policy.wait(failures, None, dice)
    whole = min(30.0, 0.5 * 2.0 ** min(failures - 1, 60))
    assert whole / 2 <= wait <= whole


@settings(deadline=None)
@given(st.floats(0, 1e9))
def test_what_was_asked_for_is_kept_up_to_the_cap(asked: float) -> None:
    assert RetryPolicy(longest_asked=60).wait(1, asked, 0.5) == min(asked, 60)


@pytest.mark.parametrize("wrong", [{"attempts": 0}, {"first": -1.0}])
def test_a_policy_that_cannot_be_is_an_error(wrong: dict[str, int]) -> None:
    with pytest.raises(OptionError):
        RetryPolicy(**wrong)

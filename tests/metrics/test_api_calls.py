from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proctor.metrics import ApiCallScore
from proctor.metrics._api_calls import api_call_score
from proctor.records.grades import Missing, Score
from proctor.records.queries import ApiId, GoldApi, Query
from proctor.records.traces import CallStep, Failure, Fault, Finish, Resolution, StopReason, Thought, Trace

QUERY = Query(id="7", text="When does it rain?", gold=(GoldApi("Weather", "now"), GoldApi("Weather", "week")))


def call(tool: str, api: str) -> CallStep:
    return CallStep(f"{api}_for_{tool}", {}, Resolution.RESOLVED, "", api=ApiId("Science", tool, api))


def trace(*steps: CallStep | Thought | Finish, failure: Failure | None = None) -> Trace:
    return Trace("7", StopReason.FINISHED, steps=steps, failure=failure)


def test_the_score_is_the_share_of_gold_apis_that_were_called() -> None:
    walked = trace(Thought("Let me see."), call("Weather", "now"), call("News", "top"), Finish("Today."))
    assert ApiCallScore().measure(walked, QUERY) == Score(
        0.5, details={"matched": [["Weather", "now"]], "missed": [["Weather", "week"]], "vacuous": False}
    )


def test_calling_an_api_twice_is_calling_it() -> None:
    measured = ApiCallScore().measure(trace(call("Weather", "now"), call("Weather", "now")), QUERY)
    assert isinstance(measured, Score)
    assert measured.value == 0.5


def test_a_name_that_stands_for_no_api_is_not_counted() -> None:
    made_up = CallStep("now_for_weather", {}, Resolution.HALLUCINATED, "no such function")
    measured = ApiCallScore().measure(trace(made_up), QUERY)
    assert isinstance(measured, Score)
    assert measured.value == 0.0


def test_without_gold_the_score_is_0_and_flagged_vacuous() -> None:
    measured = ApiCallScore().measure(trace(call("Weather", "now")), Query(id="8", text="Hello."))
    assert isinstance(measured, Score)
    assert measured.value == 0.0
    assert measured.details["vacuous"] is True
    assert str(measured.reason).startswith("vacuous")


def test_finish_is_no_api() -> None:
    assert api_call_score({("Weather", "now")}, {("Weather", "now"), ("Finish", "Finish")}).value == 1.0
    assert api_call_score({("Finish", "Finish")}, {("Finish", "Finish")}).details["vacuous"] is True


@pytest.mark.parametrize("fault", [Fault.ENVIRONMENT, Fault.PROCTOR])
def test_a_trial_that_failed_through_no_fault_of_the_agent_is_unmeasured(fault: Fault) -> None:
    broken = trace(call("Weather", "now"), failure=Failure("ReadTimeout", "no answer", fault))
    assert ApiCallScore().measure(broken, QUERY) == Missing(
        "the trial failed through no fault of the agent", "ReadTimeout: no answer"
    )


def test_a_trial_that_failed_through_the_agents_fault_counts() -> None:
    broken = trace(call("Weather", "now"), failure=Failure("Loop", "the same call ten times", Fault.AGENT))
    measured = ApiCallScore().measure(broken, QUERY)
    assert isinstance(measured, Score)
    assert measured.value == 0.5


pairs = st.sets(st.tuples(st.sampled_from("ab"), st.sampled_from("xyz")))


@settings(deadline=None, max_examples=60)
@given(called=pairs, more=pairs, gold=pairs)
def test_calling_more_never_lowers_the_score(
    called: set[tuple[str, str]], more: set[tuple[str, str]], gold: set[tuple[str, str]]
) -> None:
    assert 0.0 <= api_call_score(called, gold).value <= api_call_score(called | more, gold).value <= 1.0

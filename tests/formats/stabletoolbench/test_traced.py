import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from proctor.catalog.names import canonical_name, plain_name
from proctor.errors import InputError
from proctor.formats.stabletoolbench.answers import answer_files, answer_of, read_answer
from proctor.formats.stabletoolbench.converted import converted, read_converted, read_converted_answer, written_answer
from proctor.formats.stabletoolbench.queries import read_queries
from proctor.formats.stabletoolbench.traced import answer_of as answer_of_trace
from proctor.formats.stabletoolbench.traced import functions_of, trace_of
from proctor.records.answers import Answer, Provenance, Source
from proctor.records.grades import Missing
from proctor.records.queries import ApiId, Query
from proctor.records.traces import (
    CallStep,
    Failure,
    Fault,
    Finish,
    Resolution,
    StopReason,
    Thought,
    Trace,
    Usage,
)

FORECAST = ApiId("Weather", "Sky Report", "Get Forecast")
PORTS = ApiId("Weather", "Sky Report", "List Ports")
SAILING = Query("7", "May I sail from Kiel?")


def again(answer: Any) -> Any:
    """What is read of an answer's JSON text."""
    return read_converted_answer(json.loads(json.dumps(written_answer(answer))), answer.query_id)


def test_a_raw_answer_becomes_a_trace(chain: dict[str, Any], sailing: Query) -> None:
    trace, lost = trace_of(converted(answer_of(chain, "7", "CoT@1")).value, sailing)
    assert trace == Trace(
        query_id="7",
        stop=StopReason.FINISHED,
        final_answer="Yes, the wind is fair.",
        steps=(
            Thought("I look at the wind."),
            CallStep(
                "get_forecast_for_sky_report",
                {"portName": "Kiel"},
                Resolution.RESOLVED,
                '{"error": "", "response": {"wind": 5}}',
                FORECAST,
            ),
            Finish("Yes, the wind is fair."),
        ),
        usage=Usage(requests=3, prompt_tokens=210, cost=Missing("the recording does not say what it cost")),
    )
    assert lost == ()


def test_what_a_called_name_stands_for_is_recorded(chain: dict[str, Any], sailing: Query) -> None:
    for called, outcome, api in [
        ("Sky Report_List Ports", Resolution.REPAIRED, PORTS),
        ("list_tides_for_sky_report", Resolution.HALLUCINATED, None),
    ]:
        message = chain["answer_generation"]["train_messages"][-1][3]
        message["function_call"] = {"name": called, "arguments": "{}"}
        step = trace_of(converted(answer_of(chain, "7", "CoT@1")).value, sailing).value.steps[1]
        assert isinstance(step, CallStep)
        assert (step.name, step.resolution, step.api) == (called, outcome, api)


def test_why_an_agent_stopped_is_read(chain: dict[str, Any], tree: dict[str, Any], sailing: Query) -> None:
    assert trace_of(converted(answer_of(tree, "7", "DFS")).value, sailing).value.stop is StopReason.NO_ANSWER
    tree["forward_args"]["single_chain_max_step"] = 3
    assert trace_of(converted(answer_of(tree, "7", "DFS")).value, sailing).value.stop is StopReason.STEP_LIMIT
    call = chain["answer_generation"]["train_messages"][-1][-1]["function_call"]
    call["arguments"] = '{"return_type": "give_up_and_restart"}'
    chain["answer_generation"]["final_answer"] = call["arguments"]
    trace = trace_of(converted(answer_of(chain, "7", "CoT@1")).value, sailing).value
    assert (trace.stop, trace.final_answer, trace.steps[-1]) == (StopReason.GAVE_UP, "", Finish("", gave_up=True))
    call["arguments"] = '{"return'
    trace = trace_of(converted(answer_of(chain, "7", "CoT@1")).value, sailing).value
    assert trace.stop is StopReason.NO_ANSWER
    assert trace.steps[-1] == CallStep("Finish", {}, Resolution.RESOLVED, "", malformed='{"return')


def test_of_a_cut_call_the_trace_keeps_the_text(sailing: Query) -> None:
    cut = str({"name": "get_forecast_for_sky_report", "arguments": "x" * 200})[:100]
    answer = read_converted_answer({"answer": {"answer_details": [{"role": "tool", "message": cut}]}}, "7")
    trace, lost = trace_of(answer, sailing)
    (step,) = trace.steps
    assert isinstance(step, CallStep)
    assert (step.api, step.arguments, step.malformed, step.observation) == (FORECAST, {}, cut, "")
    assert "only its name is known" in lost[0]
    assert "does not say what the agent used" in lost[1]


def test_the_recorded_answers_call_apis_of_their_queries(benchmark_data: Path) -> None:
    queries = {query.id: query for query in read_queries(benchmark_data / "test_instruction" / "G1_instruction.json")}
    traces = {}
    for path in answer_files(benchmark_data / "answer" / "virtual_chatgpt_cot" / "G1_instruction"):
        raw = read_answer(path)
        traces[raw.query_id] = trace_of(converted(raw).value, queries[raw.query_id]).value
    calls = [step for trace in traces.values() for step in trace.steps if isinstance(step, CallStep)]
    assert len(calls) == 10
    assert {step.resolution for step in calls} == {Resolution.RESOLVED}
    stops = {query_id: trace.stop for query_id, trace in traces.items()}
    assert stops == {"1073": StopReason.FINISHED, "588": StopReason.STEP_LIMIT, "608": StopReason.FINISHED}
    recorded = read_converted(benchmark_data / "model_predictions_converted/virtual_chatgpt_cot/G1_instruction.json")
    for query_id, answer in recorded.items():
        assert trace_of(answer, queries[query_id]).value.steps == traces[query_id].steps


def test_a_trace_is_written_as_the_format_has_it(sailing: Query) -> None:
    trace = Trace(
        query_id="7",
        stop=StopReason.FINISHED,
        final_answer="Yes.",
        steps=(
            Thought("Hm."),
            CallStep("f", {"port": "Kiel"}, Resolution.RESOLVED, "5", FORECAST, answer=Answer(5), seconds=0.5),
            Finish("Yes."),
        ),
        offered=(FORECAST,),
        usage=Usage(1, 2, 3, 0.5),
        seconds=1.0,
    )
    answer, lost = answer_of_trace(trace, sailing, "react", compat=True)
    written = written_answer(answer, compat=True)
    assert written["query"] == "May I sail from Kiel?"
    assert [one["name"] for one in written["available_tools"]] == [
        "f",
        "Finish",
    ]
    assert (written["answer"]["method"], written["answer"]["total_steps"]) == ("react", 5)
    assert json.loads(written["answer"]["final_answer"]) == {"return_type": "give_answer", "final_answer": "Yes."}
    assert b"proctor" not in json.dumps(written).encode().replace(b'"Finish"', b"")
    assert lost == (
        "the APIs' whole answers and where they came from",
        "how long it took",
        "what was asked of the model and what it cost",
        "which APIs were at hand",
    )
    back = trace_of(again(answer), sailing).value
    assert (back.final_answer, back.stop, len(back.steps)) == ("Yes.", StopReason.FINISHED, 3)


def offered(query: Query, *steps: CallStep, at_hand: tuple[ApiId, ...] | int = 900) -> list[str]:
    """The functions that the answer says were offered."""
    trace = Trace("7", StopReason.NO_ANSWER, steps=steps, offered=at_hand)
    return [function["name"] for function in functions_of(trace, query)]


def call(name: str, api: ApiId | None = FORECAST, outcome: Resolution = Resolution.RESOLVED) -> CallStep:
    return CallStep(name, {}, outcome, "", api)


def test_functions_are_shown_with_finish(sailing: Query) -> None:
    *functions, finish = functions_of(Trace("7", StopReason.NO_ANSWER, offered=2), sailing)
    assert functions[0]["parameters"]["properties"]["portName"]["type"] == "string"
    assert finish["parameters"]["required"] == ["return_type"]


def test_functions_have_the_names_by_which_they_are_called(sailing: Query) -> None:
    plain, canonical = plain_name(FORECAST), canonical_name(FORECAST)
    assert offered(sailing, call(canonical)) == [canonical, canonical_name(PORTS), "Finish"]
    assert offered(sailing, call(plain)) == [plain, plain_name(PORTS), "Finish"]
    assert offered(sailing, call("Sky Report_List Ports", PORTS, Resolution.REPAIRED)) == [
        canonical,
        canonical_name(PORTS),
        "Finish",
    ]
    assert offered(sailing, call("made up", None, Resolution.HALLUCINATED))[-1] == "Finish"


def test_what_was_not_at_hand_is_not_shown_and_what_was_called_is(sailing: Query) -> None:
    tides = ApiId("Sea", "Tides", "Next Tide")
    assert offered(sailing, at_hand=(PORTS,)) == [canonical_name(PORTS), "Finish"]
    assert offered(sailing, call(canonical_name(tides), tides))[-2:] == [canonical_name(tides), "Finish"]
    trace = Trace("7", StopReason.NO_ANSWER, steps=(call(canonical_name(tides), tides),), offered=900)
    assert answer_of_trace(trace, sailing).lost == ("what functions say and take that are not the query's own",)


def test_facts_that_were_changed_are_a_sentence(sailing: Query) -> None:
    trace = Trace("7", StopReason.FINISHED, "Yes.", (CallStep("f", {}, Resolution.RESOLVED, ""), Finish("Yes.")))
    written = written_answer(answer_of_trace(trace, sailing).value)
    written["proctor"]["trace"]["stop"] = "bored"
    with pytest.raises(InputError, match="what Proctor wrote into the answer '7' was changed"):
        trace_of(read_converted_answer(written, "7"), sailing)


text = st.text(max_size=12)
values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | text,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(text, inner, max_size=2),
    max_leaves=4,
)
arguments = st.dictionaries(text, values, max_size=3)
apis = st.builds(ApiId, text, text, text)
answers = st.builds(Answer, values, text, st.none() | st.builds(Provenance, st.sampled_from(Source)))
calls = st.builds(
    CallStep,
    name=text,
    arguments=arguments,
    resolution=st.sampled_from(Resolution),
    observation=text,
    api=st.none() | apis,
    malformed=st.none() | text,
    answer=st.none() | answers,
    seconds=st.integers(0, 9).map(float),
)
steps = st.lists(st.builds(Thought, text) | calls | st.builds(Finish, text, st.booleans()), max_size=5).map(tuple)
usage = st.builds(Usage, st.integers(0, 9), st.integers(0, 9), st.integers(0, 9), st.just(0.5) | st.just(Missing("no")))
traces = st.builds(
    Trace,
    query_id=st.just("7"),
    stop=st.sampled_from(StopReason),
    final_answer=text,
    steps=steps,
    offered=st.none() | st.integers(0, 9) | st.lists(apis, max_size=2).map(tuple),
    usage=usage,
    seconds=st.integers(0, 9).map(float),
    failure=st.none() | st.builds(Failure, text, text, st.sampled_from(Fault)),
)


@st.composite
def wandering(draw: Any) -> Trace:
    """A trace of an agent that went back now and then."""
    trace: Trace = draw(traces)
    places = [(step, draw(st.integers(-1, step - 2))) for step in range(1, len(trace.steps)) if draw(st.booleans())]
    return msgspec.structs.replace(trace, back=tuple(places))


@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(wandering())
def test_a_trace_that_is_written_and_read_is_the_same(trace: Trace) -> None:
    answer, lost = answer_of_trace(trace, SAILING)
    assert set(lost) <= {"what functions say and take that are not the query's own"}
    assert trace_of(again(answer), SAILING).value == trace


@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(traces)
def test_even_without_additions_the_steps_say_what_was_done(trace: Trace) -> None:
    answer = answer_of_trace(trace, SAILING, compat=True).value
    back = trace_of(read_converted_answer(json.loads(json.dumps(written_answer(answer, compat=True))), "7"), SAILING)
    assert len(back.value.steps) == len(trace.steps)
    for was, now in zip(trace.steps, back.value.steps, strict=True):
        if isinstance(was, CallStep) and isinstance(now, CallStep):
            assert (now.name, now.observation) == (was.name, was.observation)
            assert was.malformed is not None or now.arguments == was.arguments
        elif not isinstance(was, CallStep):
            assert now == was

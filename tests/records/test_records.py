import inspect
import math
import pickle
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proctor.errors import InputError
from proctor.records import answers, grades, queries, runs, traces
from proctor.records.grades import Missing, Score
from proctor.records.queries import ApiId, ApiSpec, Parameter
from proctor.records.runs import Manifest, RunRecord, RunSpec, Trial, TrialKey
from proctor.records.traces import CallStep, Finish, Resolution, Step, StopReason, Thought, Trace, Usage

RECORDS = [
    kind
    for room in (answers, grades, queries, runs, traces)
    for _, kind in inspect.getmembers(room, inspect.isclass)
    if issubclass(kind, msgspec.Struct) and kind.__module__ == room.__name__
]

text = st.text(st.characters(exclude_categories=["Cs"]), max_size=6)
floats = st.floats(allow_nan=False, allow_infinity=False)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | floats | text,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(text, inner, max_size=3),
    max_leaves=5,
)
objects = st.dictionaries(text, json_values, max_size=3)
st.register_type_strategy(float, floats)
st.register_type_strategy(str, text)
made = {
    Score: st.builds(Score, details=json_values),
    Parameter: st.builds(Parameter, default=json_values, schema=st.none() | objects),
    answers.Answer: st.builds(answers.Answer, response=json_values),
    RunSpec: st.builds(RunSpec, agent_options=objects, limits=objects, faults=objects),
    CallStep: st.builds(
        CallStep, arguments=objects, answer=st.none() | st.builds(answers.Answer, response=json_values)
    ),
}
made[ApiSpec] = st.builds(
    ApiSpec,
    template_response=json_values,
    required=st.lists(made[Parameter], max_size=2).map(tuple),
    optional=st.lists(made[Parameter], max_size=2).map(tuple),
)
steps = st.builds(Thought) | made[CallStep] | st.builds(Finish)
made[Trace] = st.builds(Trace, steps=st.lists(steps, max_size=3).map(tuple))
made[Manifest] = st.builds(Manifest, spec=made[RunSpec])
apis = st.lists(made[ApiSpec], max_size=2).map(tuple)
made[queries.ToolSpec] = st.builds(queries.ToolSpec, apis=apis)
calls = st.lists(objects, max_size=2).map(tuple)
made[queries.Query] = st.builds(queries.Query, apis=apis, calls=calls)
made[Trial] = st.builds(Trial, query=made[queries.Query], trace=made[Trace], verdicts=st.just(()))
trials = st.lists(made[Trial], max_size=2).map(tuple)
made[RunRecord] = st.builds(RunRecord, manifest=made[Manifest], trials=trials)


def some(kind: type[msgspec.Struct]) -> st.SearchStrategy[Any]:
    return made.get(kind, st.builds(kind))


def test_there_are_records_of_every_noun() -> None:
    assert len(RECORDS) >= 18


@pytest.mark.parametrize("kind", RECORDS, ids=lambda kind: kind.__name__)
def test_every_record_is_frozen(kind: type[msgspec.Struct]) -> None:
    assert kind.__struct_config__.frozen


@pytest.mark.parametrize("kind", RECORDS, ids=lambda kind: kind.__name__)
def test_every_record_is_the_same_after_a_trip_through_json(kind: type[msgspec.Struct]) -> None:
    @settings(deadline=None, max_examples=40)
    @given(some(kind))
    def law(record: Any) -> None:
        back = msgspec.json.decode(msgspec.json.encode(record), type=kind)
        assert back == record
        assert repr(back) == repr(record)
        assert pickle.loads(pickle.dumps(record)) == record  # noqa: S301 - our own bytes

    law()


@settings(deadline=None, max_examples=40)
@given(steps)
def test_a_step_says_itself_what_it_is(step: Any) -> None:
    assert msgspec.json.decode(msgspec.json.encode(step), type=Step) == step


@settings(deadline=None, max_examples=40)
@given(made[Score] | st.builds(Missing))
def test_a_cell_says_itself_whether_it_was_measured(cell: Any) -> None:
    assert msgspec.json.decode(msgspec.json.encode(cell), type=Score | Missing) == cell


def test_a_step_is_written_with_its_kind() -> None:
    step = CallStep("weather", {"city": "Paris"}, Resolution.RESOLVED, "20", ApiId("Weather", "Open", "now"))
    trace = Trace("q1", StopReason.FINISHED, steps=(step, Finish("20")))
    assert msgspec.json.decode(msgspec.json.encode(trace)) == {
        "query_id": "q1",
        "stop": "finished",
        "steps": [
            {
                "type": "call",
                "name": "weather",
                "arguments": {"city": "Paris"},
                "resolution": "resolved",
                "observation": "20",
                "api": {"category": "Weather", "tool": "Open", "api": "now"},
            },
            {"type": "finish", "answer": "20"},
        ],
    }


def test_what_was_not_measured_is_neither_true_nor_false() -> None:
    with pytest.raises(TypeError, match=r"unmeasured \(no answer\) is neither true nor false"):
        bool(Missing("no answer"))


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_a_score_is_a_number(value: float) -> None:
    with pytest.raises(InputError, match="a score must be a finite number, not"):
        Score(value)


def test_usage_adds_up() -> None:
    total = Usage(1, 10, 5, 0.25) + Usage(2, 20, 5, 0.5)
    assert total == Usage(3, 30, 10, 0.75)
    assert total + Usage() == total


def test_a_cost_with_an_unknown_part_is_unknown() -> None:
    unknown = Missing("the price is not known")
    assert (Usage(1, cost=unknown) + Usage(1, cost=1.0)).cost == unknown
    assert (Usage(1, cost=1.0) + Usage(1, cost=unknown)).cost == unknown


def test_names_are_read_aloud() -> None:
    assert str(ApiId("Weather", "Open", "now")) == "Weather/Open/now"
    assert str(TrialKey("G1", "17", 2)) == "G1/17#2"
    assert min([TrialKey("b", "1"), TrialKey("a", "2", 1), TrialKey("a", "2")]) == TrialKey("a", "2", 0)


def test_a_run_is_what_its_specification_says() -> None:
    spec = RunSpec("stabletoolbench", ("G1",), "react", agent_options={"depth": 2})
    assert spec.key == RunSpec("stabletoolbench", ("G1",), "react", agent_options={"depth": 2.0}).key
    assert spec.key != RunSpec("stabletoolbench", ("G1",), "react", agent_options={"depth": "2"}).key
    assert spec.key != msgspec.structs.replace(spec, seed=1).key
    assert RunSpec("a", (), "b").agent_options is not RunSpec("a", (), "b").agent_options


def test_a_field_that_keeps_its_default_does_not_change_a_runs_identity() -> None:
    class LaterSpec(RunSpec, frozen=True, omit_defaults=True):
        invented_later: str = "as before"

    assert LaterSpec("a", ("b",), "c").key == RunSpec("a", ("b",), "c").key
    assert LaterSpec("a", ("b",), "c", invented_later="x").key != RunSpec("a", ("b",), "c").key

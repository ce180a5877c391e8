from __future__ import annotations

import asyncio
import contextvars
import dataclasses
import threading
from dataclasses import dataclass, field
from typing import Any

import pytest

from proctor.dataset_schema import MultiTurnSample, SingleTurnSample
from proctor.errors import InputError, UnmeasuredError
from proctor.messages import HumanMessage
from proctor.metrics import ExactMatch, MetricType, MetricWithLLM, MultiTurnMetric, SingleTurnMetric, ToolCallAccuracy
from proctor.metrics.blocking import wait_for
from proctor.records.grades import Missing, Score

PAIR = SingleTurnSample(response="a", reference="a")


@dataclass
class Shortness(SingleTurnMetric):
    """Written as for ragas."""

    name: str = "shortness"
    limit: int = 10
    _required_columns: dict[MetricType, set[str]] = field(
        default_factory=lambda: {
            MetricType.SINGLE_TURN: {"response", "retrieved_contexts:optional", "rubrics:ignored"},
        }
    )

    def init(self, run_config: Any) -> None:
        pass

    async def _single_turn_ascore(self, sample: SingleTurnSample, callbacks: Any = None) -> float:
        return len(sample.response or "") <= self.limit

    async def _ascore(self, row: dict[str, Any], callbacks: Any = None) -> float:
        return await self._single_turn_ascore(SingleTurnSample(**row), callbacks)


async def test_a_metric_written_for_ragas_has_all_the_doors() -> None:
    metric = Shortness(limit=3)
    assert await metric.single_turn_ascore(PAIR) == 1.0
    assert metric.single_turn_score(PAIR) == 1.0
    assert await metric.ameasure(PAIR) == Score(1.0)
    assert await metric._ascore({"response": "abcd"}, None) == 0.0
    assert not metric.immediate


def test_a_metric_written_for_ragas_says_what_it_needs() -> None:
    metric = Shortness()
    assert metric.required_columns == {"SINGLE_TURN": {"response"}}
    assert metric.get_required_columns(with_optional=True) == {"SINGLE_TURN": {"response", "retrieved_contexts"}}
    assert metric.lacks(SingleTurnSample(reference="a")) == Missing("the sample has no response")
    assert metric.lacks(PAIR) is None


async def test_a_metric_written_for_ragas_is_unmeasured_where_a_field_is_not_there() -> None:
    assert await Shortness().ameasure(SingleTurnSample(reference="a")) == Missing("the sample has no response")
    with pytest.raises(UnmeasuredError, match="shortness is unmeasured: the sample has no response"):
        await Shortness().single_turn_ascore(SingleTurnSample(reference="a"))


def test_what_a_metric_needs_can_be_set_but_only_to_fields_that_there_are() -> None:
    metric = Shortness()
    metric.required_columns = {MetricType.SINGLE_TURN: {"reference", "rubrics:ignored"}}
    assert metric.required_columns == {"SINGLE_TURN": {"reference"}}
    with pytest.raises(ValueError, match=r"Invalid column 'referense:optional': it must be one of .*reference"):
        metric.required_columns = {MetricType.SINGLE_TURN: {"referense:optional"}}


def test_a_sample_can_be_cut_down_to_what_a_metric_reads() -> None:
    sample = SingleTurnSample(user_input="q", response="a", reference="b", retrieved_contexts=["c"])
    cut = Shortness()._only_required_columns_single_turn(sample)
    assert cut == SingleTurnSample(response="a", retrieved_contexts=["c"])
    talk = MultiTurnSample(user_input=[HumanMessage(content="q")], reference="x", reference_tool_calls=[])
    assert ToolCallAccuracy()._only_required_columns_multi_turn(talk) == MultiTurnSample(
        user_input=[HumanMessage(content="q")], reference_tool_calls=[]
    )


def test_a_metric_of_conversations_written_for_ragas_works() -> None:
    class Turns(MultiTurnMetric):
        name = "turns"

        async def _multi_turn_ascore(self, sample: MultiTurnSample, callbacks: Any = None) -> float:
            return len(sample.user_input)

    sample = MultiTurnSample(user_input=[HumanMessage(content="q")])
    assert Turns().multi_turn_score(sample) == 1.0
    assert asyncio.run(Turns()._ascore({"user_input": sample.user_input})) == 1.0
    assert Turns().name == "turns"


def test_a_metric_without_a_name_is_called_after_its_class() -> None:
    class HTTPStatusOfAnswer(SingleTurnMetric):
        def measure(self, sample: SingleTurnSample) -> Score | Missing:
            return Score(1.0)

    assert HTTPStatusOfAnswer().name == "http_status_of_answer"
    assert HTTPStatusOfAnswer(name="status").name == "status"


def test_any_metric_can_be_given_a_model_that_it_does_not_need() -> None:
    metric = ExactMatch()
    assert metric.llm is None
    metric.llm = "openai/gpt-4o-mini"
    assert metric.single_turn_score(PAIR) == 1.0
    assert "llm" not in {field.name for field in dataclasses.fields(metric)}
    assert not metric.asks_model
    assert MetricWithLLM.asks_model


def test_metrics_are_shareable_and_told_apart() -> None:
    assert len({ExactMatch(), ExactMatch()}) == 2


@pytest.mark.parametrize("returned", ["0.5", None, b"1", [1]])
async def test_a_metric_has_to_return_a_number(returned: Any) -> None:
    class Odd(SingleTurnMetric):
        async def _single_turn_ascore(self, sample: SingleTurnSample, callbacks: Any = None) -> float:
            return returned  # type: ignore[no-any-return]

    with pytest.raises(InputError, match=r"the metric 'odd' returned .* a metric has to return a number"):
        await Odd().ameasure(PAIR)


async def test_nan_is_unmeasured_not_a_number() -> None:
    class Odd(SingleTurnMetric):
        async def _single_turn_ascore(self, sample: SingleTurnSample, callbacks: Any = None) -> float:
            return float("nan")

    assert await Odd().ameasure(PAIR) == Missing("the metric returned NaN")
    with pytest.raises(UnmeasuredError, match="odd is unmeasured: the metric returned NaN"):
        await Odd().single_turn_ascore(PAIR)


async def test_the_inner_door_and_the_one_for_rows_give_the_number_too() -> None:
    assert await ExactMatch()._single_turn_ascore(PAIR) == 1.0
    assert await ExactMatch()._ascore({"response": "a", "reference": "b"}) == 0.0


async def test_a_metric_may_return_a_score_with_its_reason() -> None:
    class Reasoned(SingleTurnMetric):
        async def _single_turn_ascore(self, sample: SingleTurnSample, callbacks: Any = None) -> float:
            return Score(0.5, reason="one of two")  # type: ignore[return-value]

    assert await Reasoned().ameasure(PAIR) == Score(0.5, reason="one of two")
    assert await Reasoned().single_turn_ascore(PAIR) == 0.5


async def test_what_a_metric_inside_could_not_measure_the_outer_one_could_not_either() -> None:
    class Outer(SingleTurnMetric):
        async def _single_turn_ascore(self, sample: SingleTurnSample, callbacks: Any = None) -> float:
            return await ExactMatch().single_turn_ascore(SingleTurnSample(response="a"))

    assert await Outer().ameasure(PAIR) == Missing("the sample has no reference")


def test_a_metric_that_measures_nothing_says_what_it_has_to_define() -> None:
    class Empty(SingleTurnMetric):
        pass

    with pytest.raises(TypeError, match=r"Empty cannot be measured .*_single_turn_ascore"):
        Empty().single_turn_score(PAIR)


async def test_the_most_derived_way_of_measuring_is_taken() -> None:
    class ByDoor(ExactMatch):
        async def _single_turn_ascore(self, sample: SingleTurnSample, callbacks: Any = None) -> float:
            return 0.25

    class ByMeasure(ByDoor):
        def measure(self, sample: SingleTurnSample) -> Score | Missing:
            return Score(0.75)

    assert await ByDoor().ameasure(PAIR) == Score(0.25)
    assert await ByMeasure().ameasure(PAIR) == Score(0.75)
    assert (ExactMatch().immediate, ByDoor().immediate, ByMeasure().immediate) == (True, False, True)


async def test_a_method_replaced_on_one_metric_object_is_the_one_that_counts() -> None:
    async def quarter(*_: Any) -> float:
        return 0.25

    metric: Any = ExactMatch()
    metric._single_turn_ascore = quarter
    assert not metric.immediate
    assert await metric.ameasure(PAIR) == Score(0.25)
    assert await metric.single_turn_ascore(PAIR) == 0.25
    assert metric.single_turn_score(PAIR) == 0.25
    assert ExactMatch().immediate


async def test_the_door_without_async_works_inside_a_running_loop() -> None:
    assert Shortness().single_turn_score(PAIR) == 1.0


async def test_a_metric_that_takes_too_long_is_stopped() -> None:
    class Slow(SingleTurnMetric):
        async def ameasure(self, sample: Any, callbacks: Any = None) -> Score | Missing:
            await asyncio.sleep(60)
            return Score(1.0)

    with pytest.raises(TimeoutError):
        await Slow().single_turn_ascore(PAIR, timeout=0.01)


async def test_work_that_is_waited_for_inside_a_loop_keeps_its_context_and_its_errors() -> None:
    said: contextvars.ContextVar[str] = contextvars.ContextVar("said")
    said.set("hello")

    async def work() -> tuple[str, str]:
        return said.get(), threading.current_thread().name

    async def broken() -> None:
        raise KeyError("x")

    assert wait_for(work) == ("hello", "proctor-wait")
    with pytest.raises(KeyError):
        wait_for(broken)


def test_an_error_of_work_that_is_waited_for_came_of_nothing_else() -> None:
    async def broken() -> None:
        raise KeyError("x")

    with pytest.raises(KeyError) as caught:
        wait_for(broken)
    assert caught.value.__context__ is None

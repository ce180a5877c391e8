"""`evaluate`: metrics over a dataset."""

import asyncio
import logging
import threading
from typing import Any

import pytest

import proctor
from proctor import EvaluationDataset, Missing, MultiTurnSample, Score, SingleTurnSample, aevaluate, evaluate
from proctor.errors import InputError, ModelRefusedError, OptionError, ReplyError, SampleError
from proctor.messages import AIMessage, HumanMessage, ToolCall
from proctor.metrics import (
    ApiCallScore,
    ExactMatch,
    NonLLMStringSimilarity,
    StringPresence,
    ToolCallAccuracy,
    ToolCallF1,
)
from proctor.metrics.base import MetricWithLLM, MultiTurnMetric, SingleTurnMetric
from proctor.models.chat import Reply, Request
from proctor.models.scripted import ScriptedModel
from proctor.records.traces import Usage
from proctor.run_config import RunConfig
from proctor.stats.estimates import Estimate

TURNS: list[dict[str, Any]] = [
    {"user_input": "capital?", "response": "Paris", "reference": "Paris"},
    {"user_input": "capital?", "response": "It is Paris", "reference": "Paris"},
    {"user_input": "capital?", "response": "Rome"},
]


def conversation(made: str, wanted: str | None) -> MultiTurnSample:
    return MultiTurnSample(
        user_input=[HumanMessage("q"), AIMessage("", tool_calls=[ToolCall(made, {"x": 1})])],
        reference_tool_calls=None if wanted is None else [ToolCall(wanted, {"x": 1})],
    )


class Judged(MetricWithLLM, SingleTurnMetric):
    """Asks a model for a number."""

    name = "judged"
    needs = frozenset({"response"})
    asks_model = True

    async def ameasure(self, sample: Any, callbacks: Any = None) -> Score | Missing:
        reply = await self.llm.reply(Request.of(sample.response))
        return Score(float(reply.text))


class Broken(SingleTurnMetric):
    name = "broken"
    needs = frozenset({"response"})

    def measure(self, sample: Any) -> Score | Missing:
        return Score(1 / len(sample.response.removeprefix("Rome")))


class TestResult:
    @pytest.fixture
    def result(self) -> Any:
        return evaluate(EvaluationDataset.from_list(TURNS), metrics=[ExactMatch(), StringPresence()])

    def test_each_sample_has_a_value_or_a_reason_for_each_metric(self, result: Any) -> None:
        lack = Missing("the sample has no reference")
        assert result.scores == [
            {"exact_match": 1.0, "string_present": 1.0},
            {"exact_match": 0.0, "string_present": 1.0},
            {"exact_match": lack, "string_present": lack},
        ]
        assert result["exact_match"] == [1.0, 0.0, lack]

    def test_the_repr_has_the_means_and_counts_the_unmeasured(self, result: Any) -> None:
        assert repr(result) == (
            "{'exact_match': 0.5000 (1 of 3 unmeasured), 'string_present': 1.0000 (1 of 3 unmeasured)}"
        )
        assert repr(evaluate(TURNS[:2], [ExactMatch()])) == "{'exact_match': 0.5000}"

    def test_an_interval_ends_at_the_bounds_of_its_metric(self) -> None:
        class Likeness(SingleTurnMetric):
            needs = frozenset({"response"})

            def measure(self, sample: Any) -> Score | Missing:
                return Score(0.5 if sample.response == "no" else 1.0)

        class Share(Likeness):
            bounds = (0.0, 1.0)

        turns = [SingleTurnSample(response=text) for text in ("a", "b", "c", "no")]
        result = evaluate(turns, [Likeness(), Share()])
        ends = {name: estimate.high for name, estimate in result.estimates.items() if isinstance(estimate, Estimate)}
        assert ends == {"likeness": pytest.approx(1.2728, abs=1e-4), "share": 1.0}

    def test_means_have_intervals_and_reasons_are_counted(self, result: Any) -> None:
        assert result.means == {"exact_match": 0.5, "string_present": 1.0}
        assert result.estimates["exact_match"].method == "wilson"
        assert result.estimate("exact_match", level=0.5).high < result.estimates["exact_match"].high
        assert result.unmeasured["exact_match"] == {"the sample has no reference": 1}

    def test_nothing_was_asked_and_nothing_was_paid(self, result: Any) -> None:
        assert result.usage == Usage(requests=0, prompt_tokens=0, completion_tokens=0, cost=0.0)
        assert (result.total_tokens(), result.total_cost()) == (Usage(), 0.0)

    def test_a_frame_has_a_column_for_each_metric_and_no_nan(self, result: Any) -> None:
        frame = result.to_pandas()
        assert list(frame.columns) == [
            *("user_input", "response", "reference"),
            *("exact_match", "exact_match_unmeasured", "string_present", "string_present_unmeasured"),
        ]
        assert frame["exact_match"].mean() == 0.5
        assert frame["exact_match"].isna().tolist() == [False, False, True]
        assert frame["exact_match_unmeasured"].tolist()[2] == "the sample has no reference"
        whole = evaluate(TURNS[:2], [ExactMatch()]).to_pandas()
        assert list(whole.columns)[-1] == "exact_match"
        assert whole["exact_match"].dtype == float

    def test_an_unknown_metric_names_the_nearest(self, result: Any) -> None:
        assert list(result) == ["exact_match", "string_present"]
        with pytest.raises(OptionError, match="did you mean 'exact_match'"):
            result["exact_mach"]

    def test_warnings_are_counted_and_not_emitted(self) -> None:
        odd = MultiTurnSample(user_input=[HumanMessage("q")], reference_tool_calls=[ToolCall("a", {})])
        result = evaluate([odd, odd, conversation("a", "a")], [ToolCallAccuracy()])
        assert result["tool_call_accuracy"] == [0.0, 0.0, 1.0]
        assert result.warnings == {"tool_call_accuracy": {"No tool calls found in the user input": 2}}
        assert isinstance(result.cells["tool_call_accuracy"][0], Score)


class TestDatasets:
    EXPECTED = (1.0, 0.0)

    @pytest.mark.parametrize("form", ["list", "samples", "tuple", "dataset", "pandas", "hugging face"])
    def test_a_dataset_may_be_many_things(self, form: str) -> None:
        import datasets
        import pandas as pd

        forms: dict[str, Any] = {
            "list": TURNS[:2],
            "tuple": tuple(TURNS[:2]),
            "samples": [SingleTurnSample(**turn) for turn in TURNS[:2]],
            "dataset": EvaluationDataset.from_list(TURNS[:2]),
            "pandas": pd.DataFrame(TURNS[:2]),
            "hugging face": datasets.Dataset.from_list(TURNS[:2]),
        }
        assert evaluate(forms[form], [ExactMatch()])["exact_match"] == list(self.EXPECTED)

    @pytest.mark.parametrize("form", ["list", "pandas", "hugging face"])
    def test_columns_may_have_other_names(self, form: str) -> None:
        import datasets
        import pandas as pd

        rows = [{"answer": turn["response"], "gold": turn["reference"]} for turn in TURNS[:2]]
        forms = {"list": rows, "pandas": pd.DataFrame(rows), "hugging face": datasets.Dataset.from_list(rows)}
        names = {"response": "answer", "reference": "gold"}
        assert evaluate(forms[form], [ExactMatch()], column_map=names)["exact_match"] == list(self.EXPECTED)
        with pytest.raises(OptionError, match="column_map looks for 'gould' as our 'reference'; did you mean 'gold'"):
            evaluate(forms[form], [ExactMatch()], column_map={**names, "reference": "gould"})

    @pytest.mark.parametrize(
        ("dataset", "sentence"),
        [
            (None, "not NoneType"),
            ("samples.jsonl", "EvaluationDataset.from_jsonl"),
            ({"response": ["a"]}, "not dict"),
            ([3], "sample 0 must be a sample or a dictionary, not int"),
            ([], "the dataset is empty"),
            (EvaluationDataset([]), "the dataset is empty"),
            ([{"refrence": "x"}], "did you mean 'reference'"),
            ([TURNS[0], {"user_input": []}], "Sample at index 1 is of type MultiTurnSample, expected SingleTurnSample"),
        ],
    )
    def test_what_is_no_dataset_is_refused(self, dataset: Any, sentence: str) -> None:
        with pytest.raises(InputError, match=sentence):
            evaluate(dataset, [ExactMatch()])


class TestMetrics:
    @pytest.mark.parametrize(
        ("metrics", "sentence"),
        [
            (None, "metrics must be a list"),
            (ExactMatch(), "metrics must be a list"),
            ([], "there is no metric to measure by"),
            ([ExactMatch], "metrics holds the class ExactMatch"),
            ([3], "metrics holds 3, which is no metric"),
            (["exact_mach"], "did you mean 'exact_match'"),
            ([ExactMatch(), ExactMatch()], "two metrics would share the column 'exact_match'"),
            ([Judged()], "the metric 'judged' asks a model; say which"),
        ],
    )
    def test_what_is_no_metric_is_refused(self, metrics: Any, sentence: str) -> None:
        with pytest.raises(OptionError, match=sentence):
            evaluate(TURNS, metrics)

    def test_a_metric_may_be_named(self) -> None:
        assert evaluate(TURNS[:1], ["exact_match"])["exact_match"] == [1.0]

    def test_a_metric_for_the_other_kind_of_sample_is_refused(self) -> None:
        with pytest.raises(InputError, match="'tool_call_f1' is for conversations, and the samples are single-turn"):
            evaluate(TURNS, [ExactMatch(), ToolCallF1()])
        with pytest.raises(InputError, match="'exact_match' is for single-turn samples"):
            evaluate([conversation("a", "a")], [ExactMatch()])

    def test_a_column_that_no_sample_has_is_refused_before_anything_is_asked(self) -> None:
        model = ScriptedModel(["1", "1"])
        with pytest.raises(InputError, match="the metric 'exact_match' needs 'reference', which no sample has"):
            evaluate([{"response": "a"}], [Judged(), ExactMatch()], llm=model)
        assert model.requests == []

    def test_a_column_that_some_lack_leaves_those_unmeasured(self) -> None:
        result = evaluate([conversation("a", "a"), conversation("a", None)], [ToolCallF1()])
        assert result["tool_call_f1"] == [1.0, Missing("the sample has no reference_tool_calls")]

    def test_a_mode_stands_in_the_columns_name(self) -> None:
        class Moded(ExactMatch):
            mode = "loose"

        result = evaluate(TURNS[:1], [Moded(name="match")])
        assert list(result.cells) == ["match(mode=loose)"]
        assert result["match"] == [1.0]

    def test_the_metrics_are_not_changed(self) -> None:
        metric = Judged()
        before = dict(vars(metric))
        evaluate(TURNS, [metric], llm=ScriptedModel(lambda _: "1"))
        assert vars(metric) == before

    def test_a_metric_that_wants_to_be_prepared_is_prepared_as_a_copy(self) -> None:
        class Prepared(ExactMatch):
            timeout = 0.0

            def init(self, run_config: Any) -> None:
                self.timeout = run_config.timeout

            def measure(self, sample: Any) -> Score | Missing:
                return Score(self.timeout)

        metric = Prepared(name="prepared")
        assert evaluate(TURNS[:1], [metric], run_config=RunConfig(timeout=7))["prepared"] == [7]
        assert metric.timeout == 0.0


class TestExceptions:
    def test_an_exception_is_a_reason_and_its_traceback_is_kept(self, caplog: pytest.LogCaptureFixture) -> None:
        with caplog.at_level(logging.WARNING, logger="proctor"):
            result = evaluate([*TURNS, TURNS[2]], [Broken()])
        assert result["broken"][:2] == [0.2, pytest.approx(1 / 11)]
        cell = result.cells["broken"][2]
        assert isinstance(cell, Missing)
        assert cell.reason == "the metric failed with ZeroDivisionError"
        assert "in measure" in str(cell.detail)
        assert [record.exc_info is not None for record in caplog.records] == [True], "the first of its kind is logged"

    def test_an_exception_is_raised_on_request(self) -> None:
        with pytest.raises(ZeroDivisionError):
            evaluate(TURNS, [Broken()], raise_exceptions=True)
        with pytest.raises(ReplyError):
            evaluate(TURNS, [Judged()], llm=ScriptedModel([ReplyError("?", model="m")]), raise_exceptions=True)

    def test_a_number_that_is_none_is_unmeasured(self) -> None:
        class Odd(ExactMatch):
            def measure(self, sample: Any) -> Any:
                return {"Paris": Score(1e200), "Rome": 0.5}.get(sample.response) or Score(float("nan"))

        reasons = [cell.reason for cell in evaluate(TURNS, [Odd()]).cells["exact_match"][:2]]
        assert reasons == ["the metric's value is too large", "the metric failed with InputError"]
        lone = evaluate([{**TURNS[0], "response": "Rome"}], [Odd()]).cells["exact_match"]
        assert lone == [Missing("the metric returned neither a Score nor a Missing", "it returned 0.5")]

    def test_a_metric_that_measures_nothing_is_not_zero(self) -> None:
        result = evaluate([{"response": "Rome"}], [Broken()])
        assert repr(result) == "{'broken': unmeasured (1 of 1)}"
        assert result.means == {
            "broken": Missing("nothing could be measured", "the metric failed with ZeroDivisionError (1)")
        }


class TestModels:
    def test_tokens_and_cost_are_counted(self) -> None:
        usage = Usage(requests=1, prompt_tokens=10, completion_tokens=2, cost=0.25)
        model = ScriptedModel([Reply(text="1", usage=usage)] * 3)
        result = evaluate(TURNS, [Judged()], llm=model)
        assert result["judged"] == [1.0, 1.0, 1.0]
        assert result.usage == Usage(requests=3, prompt_tokens=30, completion_tokens=6, cost=0.75)

    def test_two_evaluations_at_once_share_a_metric_and_are_counted_apart(self) -> None:
        metric = Judged()

        async def both() -> Any:
            return await asyncio.gather(
                aevaluate(TURNS[:2], [metric], llm=ScriptedModel(lambda _: "1", delay=0.01)),
                aevaluate(TURNS, [metric], llm=ScriptedModel(lambda _: "0", delay=0.01)),
            )

        one, other = asyncio.run(both())
        assert (one["judged"], other["judged"]) == ([1.0, 1.0], [0.0, 0.0, 0.0])
        assert (one.usage.requests, other.usage.requests) == (2, 3)

    def test_a_metrics_own_model_goes_first(self) -> None:
        own, given = ScriptedModel(lambda _: "1"), ScriptedModel(lambda _: "0")
        assert evaluate(TURNS[:1], [Judged(llm=own)], llm=given)["judged"] == [1.0]
        assert given.requests == []

    def test_a_function_is_a_model(self) -> None:
        assert evaluate(TURNS[:1], [Judged()], llm=lambda prompt: str(len(prompt)))["judged"] == [5.0]

    def test_a_model_that_fails_once_leaves_one_cell_unmeasured(self) -> None:
        model = ScriptedModel(["1", ReplyError("nothing came", model="m", kind="empty_reply"), "1"])
        result = evaluate(TURNS, [Judged()], llm=model, run_config=RunConfig(max_workers=1))
        assert result["judged"] == [1.0, Missing("the model's reply was empty", "m: nothing came"), 1.0]

    def test_a_refused_key_stops_everything_at_once(self) -> None:
        model = ScriptedModel(lambda _: ModelRefusedError("the key is refused.", model="m"))
        with pytest.raises(ModelRefusedError, match="the key is refused"):
            evaluate(TURNS * 50, [Judged()], llm=model, run_config=RunConfig(max_workers=2))
        assert len(model.requests) <= 2

    def test_what_takes_too_long_is_unmeasured(self) -> None:
        model = ScriptedModel(lambda _: "1", delay=5)
        result = evaluate(TURNS[:1], [Judged()], llm=model, run_config=RunConfig(timeout=0.02))
        assert result["judged"] == [Missing("no answer came in time", "judged waited 0.02 s")]
        assert result.usage.requests == 1, "what was asked is counted, though it was cut off"
        assert isinstance(result.usage.cost, Missing)

    @pytest.mark.parametrize(("config", "batch", "most"), [(RunConfig(max_workers=3), None, 3), (None, 2, 2)])
    def test_no_more_are_at_work_at_once_than_allowed(self, config: Any, batch: Any, most: int) -> None:
        busy, peak = 0, 0

        async def ask(_: Request) -> str:
            nonlocal busy, peak
            busy += 1
            peak = max(peak, busy)
            await asyncio.sleep(0.002)
            busy -= 1
            return "1"

        evaluate(TURNS * 5, [Judged()], llm=ScriptedModel(ask), run_config=config, batch_size=batch)
        assert peak == most

    @pytest.mark.parametrize("wrong", [{"batch_size": 0}, {"batch_size": True}, {"run_config": 3}])
    def test_options_that_cannot_be_are_refused(self, wrong: Any) -> None:
        with pytest.raises(OptionError):
            evaluate(TURNS, [ExactMatch()], **wrong)

    def test_a_metric_written_for_ragas_is_measured(self) -> None:
        class Length(SingleTurnMetric):
            name = "length"

            async def _single_turn_ascore(self, sample: Any, callbacks: Any = None) -> float:
                await asyncio.sleep(0)
                return len(sample.response)

        class Turns(MultiTurnMetric):
            name = "turns"

            async def _multi_turn_ascore(self, sample: Any, callbacks: Any = None) -> float:
                return len(sample.user_input)

        assert evaluate(TURNS, [Length(), ExactMatch()])["length"] == [5.0, 11.0, 4.0]
        assert evaluate([conversation("a", "b")], [Turns()])["turns"] == [2.0]


class TestLoops:
    def test_it_works_inside_a_running_loop_and_leaves_it_alone(self) -> None:
        async def inside() -> tuple[Any, Any]:
            loop = asyncio.get_running_loop()
            patched = type(loop).run_until_complete
            found = evaluate(TURNS, [Judged()], llm=ScriptedModel(lambda _: "1"))["judged"]
            assert type(loop).run_until_complete is patched
            return found, (await aevaluate(TURNS, [ExactMatch()]))["exact_match"][:2]

        assert asyncio.run(inside()) == ([1.0, 1.0, 1.0], [1.0, 0.0])

    def test_metrics_that_need_not_wait_start_no_thread_and_no_loop(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def refuse(*_: Any, **__: Any) -> None:
            raise AssertionError

        monkeypatch.setattr(asyncio, "run", refuse)
        monkeypatch.setattr(threading.Thread, "start", refuse)
        assert evaluate(TURNS, [NonLLMStringSimilarity(), ExactMatch()])["exact_match"][0] == 1.0

    async def test_the_loop_gets_its_turn(self) -> None:
        ticks = 0

        async def tick() -> None:
            nonlocal ticks
            while True:
                ticks += 1
                await asyncio.sleep(0)

        ticking = asyncio.create_task(tick())
        await aevaluate(TURNS * 1000, [ExactMatch()])
        ticking.cancel()
        assert ticks >= 10


def test_the_front_door_has_them() -> None:
    assert {"evaluate", "aevaluate", "EvaluationDataset"} <= set(proctor.__all__)
    assert issubclass(SampleError, InputError)


@pytest.mark.parametrize("metric", [ApiCallScore(), ApiCallScore])
def test_a_metric_of_runs_says_what_it_needs_and_who_gives_it(metric: Any) -> None:
    with pytest.raises(
        OptionError, match=r"'api_call_score' is a metric of runs, .*: it needs a trace, .*; see proctor"
    ):
        evaluate([SingleTurnSample(response="a")], [metric], show_progress=False)

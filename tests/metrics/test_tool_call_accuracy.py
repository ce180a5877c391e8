from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proctor.dataset_schema import MultiTurnSample, SingleTurnSample
from proctor.errors import OptionError, UnmeasuredError
from proctor.messages import AIMessage, HumanMessage, ToolCall, ToolMessage
from proctor.metrics import ExactMatch, NonLLMStringSimilarity, SingleTurnMetric, ToolCallAccuracy, ToolCallF1
from proctor.records.grades import Missing, Score

Conversation = Callable[[list[ToolCall], list[ToolCall] | None], MultiTurnSample]


def value(measured: Score | Missing) -> float:
    assert isinstance(measured, Score)
    return measured.value


def trip() -> MultiTurnSample:
    return MultiTurnSample(
        user_input=[
            HumanMessage(content="When is the next train from Ghent to Ostend?"),
            AIMessage(
                content="I look it up.",
                tool_calls=[ToolCall(name="timetable", args={"origin": "Ghent", "destination": "Ostend"})],
            ),
            ToolMessage(content="09:24, 46 km"),
            HumanMessage(content="How many miles is that?"),
            AIMessage(content="A moment.", tool_calls=[ToolCall(name="to_miles", args={"km": 46})]),
            ToolMessage(content="28.6"),
            AIMessage(content="It leaves at 09:24 and goes 28.6 miles."),
        ],
        reference_tool_calls=[
            ToolCall(name="timetable", args={"origin": "Ghent", "destination": "Ostend"}),
            ToolCall(name="to_miles", args={"km": 46}),
        ],
    )


async def test_a_conversation_with_all_the_wanted_calls_scores_1() -> None:
    scorer = ToolCallAccuracy()
    scorer.llm = object()
    assert await scorer.multi_turn_ascore(trip()) == 1.0


async def test_the_argument_comparison_can_be_replaced_by_a_metric_that_is_more_lenient(
    conversation: Conversation,
) -> None:
    sample = conversation(
        [ToolCall(name="search", args={"query": "trains to Ostend"})],
        [ToolCall(name="search", args={"query": "train to Ostend"})],
    )
    metric = ToolCallAccuracy()
    assert await metric.multi_turn_ascore(sample) == 0.0
    metric.arg_comparison_metric = NonLLMStringSimilarity()
    assert await metric.multi_turn_ascore(sample) == pytest.approx(15 / 16)


def test_the_score_is_the_mean_over_calls_of_the_share_of_right_arguments(conversation: Conversation) -> None:
    sample = conversation(
        [ToolCall(name="a", args={"x": 1, "y": 2}), ToolCall(name="b", args={"z": 3})],
        [ToolCall(name="a", args={"x": 1, "y": 9}), ToolCall(name="b", args={"z": 3})],
    )
    assert ToolCallAccuracy().multi_turn_score(sample) == 0.75


def test_an_argument_that_was_not_given_counts_0_and_one_too_many_costs_nothing(conversation: Conversation) -> None:
    sample = conversation([ToolCall(name="a", args={"x": 1, "z": 5})], [ToolCall(name="a", args={"x": 1, "y": 2})])
    assert ToolCallAccuracy().multi_turn_score(sample) == 0.5


def test_a_call_that_wants_no_arguments_must_get_none(conversation: Conversation) -> None:
    bare = ToolCall(name="now", args={})
    assert ToolCallAccuracy().multi_turn_score(conversation([bare], [bare])) == 1.0
    assert ToolCallAccuracy().multi_turn_score(conversation([ToolCall(name="now", args={"tz": "CET"})], [bare])) == 0.0


def test_no_calls_made_and_none_wanted_is_1(conversation: Conversation) -> None:
    assert ToolCallAccuracy().multi_turn_score(conversation([], [])) == 1.0


def test_order_matters_only_when_it_is_strict(conversation: Conversation) -> None:
    one, two = ToolCall(name="a", args={"x": 1}), ToolCall(name="b", args={"y": 2})
    swapped = conversation([two, one], [one, two])
    assert ToolCallAccuracy().multi_turn_score(swapped) == 0.0
    assert ToolCallAccuracy(strict_order=False).multi_turn_score(swapped) == 1.0


def test_the_reason_tells_another_order_from_other_tools(conversation: Conversation) -> None:
    one, two, three = (ToolCall(name=name, args={}) for name in "abc")
    metric = ToolCallAccuracy()
    assert metric.measure(conversation([two, one], [one, two])) == Score(
        0.0, reason="the wanted tools were called in another order"
    )
    assert metric.measure(conversation([one, three], [one, two])) == Score(0.0, reason="other tools were called")


@pytest.mark.parametrize(
    ("made", "wanted", "warning"),
    [
        (0, 2, "No tool calls found in the user input"),
        (1, 0, "Reference tool calls are empty but predictions exist"),
        (1, 2, r"Length mismatch: predicted tool calls \(1\) vs reference tool calls \(2\)\."),
    ],
)
@pytest.mark.parametrize("strict_order", [True, False])
async def test_odd_numbers_of_calls_score_0_and_warn_at_the_door_only(
    conversation: Conversation, made: int, wanted: int, warning: str, strict_order: bool
) -> None:
    call = ToolCall(name="a", args={})
    sample = conversation([call] * made, [call] * wanted)
    metric = ToolCallAccuracy(strict_order=strict_order)
    assert value(metric.measure(sample)) == 0.0
    with pytest.warns(UserWarning, match=warning):
        assert await metric.multi_turn_ascore(sample) == 0.0
    with pytest.warns(UserWarning, match=warning):
        assert await metric._multi_turn_ascore(sample, None) == 0.0
    with pytest.warns(UserWarning, match=warning):
        assert metric.multi_turn_score(sample) == 0.0


def test_a_sample_without_a_reference_is_unmeasured(conversation: Conversation) -> None:
    sample = conversation([ToolCall(name="a", args={})], None)
    assert ToolCallAccuracy().measure(sample) == Missing("the sample has no reference_tool_calls")
    with pytest.raises(UnmeasuredError, match="no reference_tool_calls"):
        ToolCallAccuracy().multi_turn_score(sample)


@pytest.mark.parametrize("comparison", [ExactMatch(), NonLLMStringSimilarity()])
def test_the_order_of_keys_inside_an_argument_never_matters(
    conversation: Conversation, comparison: SingleTurnMetric
) -> None:
    made = ToolCall(name="a", args={"where": [{"from": {"x": 1, "y": 2}, "to": None}]})
    wanted = ToolCall(name="a", args={"where": [{"to": None, "from": {"y": 2, "x": 1}}]})
    assert ToolCallAccuracy(arg_comparison_metric=comparison).multi_turn_score(conversation([made], [wanted])) == 1.0


def test_identifiers_never_matter(conversation: Conversation) -> None:
    sample = conversation([ToolCall(name="a", args={"x": 1}, id="call_7")], [ToolCall(name="a", args={"x": 1}, id="1")])
    assert ToolCallAccuracy().multi_turn_score(sample) == 1.0


@pytest.mark.parametrize("comparison", [ExactMatch(), NonLLMStringSimilarity()])
def test_a_call_whose_arguments_cannot_be_read_is_always_wrong(
    conversation: Conversation, comparison: SingleTurnMetric
) -> None:
    broken, bare = ToolCall(name="a", args={}, malformed='{"x": '), ToolCall(name="a", args={})
    metric = ToolCallAccuracy(arg_comparison_metric=comparison)
    assert metric.multi_turn_score(conversation([broken], [bare])) == 0.0
    half = Score(0.5, reason='a call made cannot be compared, a: {"x": ')
    assert metric.measure(conversation([bare, broken], [bare, bare])) == half
    wanted = Missing("a call wanted cannot be compared", 'a: {"x": ')
    assert metric.measure(conversation([broken], [broken])) == wanted


def test_without_order_a_broken_call_stands_behind_the_readable_ones(conversation: Conversation) -> None:
    broken, good = ToolCall(name="a", args={}, malformed="oops"), ToolCall(name="a", args={"x": 1})
    other = ToolCall(name="a", args={"x": 2})
    metric = ToolCallAccuracy(strict_order=False)
    assert metric.multi_turn_score(conversation([broken, good], [good, other])) == 0.5


def test_calls_are_sorted_by_name_then_by_their_arguments_names_and_texts() -> None:
    key = ToolCallAccuracy._sorted_key_for_tool_call
    assert key(ToolCall(name="a", args={"y": 2, "x": {"q": 1, "p": 2}})) == ("a", "x", "{'p': 2, 'q': 1}", "y", "2")


def test_a_question_with_its_answer_has_no_calls_to_compare() -> None:
    wrong: Any = SingleTurnSample(response="a")
    assert ToolCallAccuracy().measure(wrong) == Missing("the sample has no reference_tool_calls")


def test_the_sequences_can_be_compared_alone() -> None:
    assert ToolCallAccuracy().is_sequence_aligned(["a", "b"], ["a", "b"]) is True
    assert ToolCallAccuracy().is_sequence_aligned(["a", "b"], ["b", "a"]) is False
    flexible = ToolCallAccuracy(strict_order=False)
    assert flexible.is_sequence_aligned(["a", "b"], ["b", "a"]) is True
    assert flexible.is_sequence_aligned(["a", "a", "b"], ["a", "b", "b"]) is False


class Recorder:
    """A comparison with `single_turn_ascore` and nothing else; remembers what it was asked."""

    def __init__(self, *values: float) -> None:
        self.values = list(values)
        self.asked: list[tuple[str | None, str | None, Any]] = []

    async def single_turn_ascore(self, sample: SingleTurnSample, callbacks: Any = None) -> float:
        await asyncio.sleep(0)
        self.asked.append((sample.response, sample.reference, callbacks))
        return self.values.pop(0)


async def test_the_comparison_is_awaited_in_the_order_of_the_reference_for_arguments_that_were_given(
    conversation: Conversation,
) -> None:
    recorder = Recorder(1.0, 0.5, 0.25)
    sample = conversation(
        [ToolCall(name="a", args={"y": "2", "x": 1}), ToolCall(name="b", args={"z": [3]})],
        [ToolCall(name="a", args={"x": 1, "w": 0, "y": "2"}), ToolCall(name="b", args={"z": [4]})],
    )
    metric = ToolCallAccuracy(arg_comparison_metric=recorder)
    assert not metric.immediate
    assert await metric._multi_turn_ascore(sample, "callbacks") == pytest.approx((1.5 / 3 + 0.25) / 2)
    assert recorder.asked == [("1", "1", "callbacks"), ("2", "2", "callbacks"), ("[3]", "[4]", "callbacks")]


async def test_a_comparison_replaced_on_the_metric_object_is_the_one_that_is_asked(conversation: Conversation) -> None:
    metric = ToolCallAccuracy()
    comparison: Any = metric.arg_comparison_metric
    comparison.single_turn_ascore = Recorder(0.25).single_turn_ascore
    sample = conversation([ToolCall(name="a", args={"x": 1})], [ToolCall(name="a", args={"x": 1})])
    assert await metric.multi_turn_ascore(sample) == 0.25


def test_a_comparison_written_for_ragas_works_from_code_that_is_not_async(conversation: Conversation) -> None:
    @dataclass
    class FirstLetter(SingleTurnMetric):
        name: str = "first_letter"

        async def _single_turn_ascore(self, sample: SingleTurnSample, callbacks: Any = None) -> float:
            return float(str(sample.response)[:1] == str(sample.reference)[:1])

    metric = ToolCallAccuracy(arg_comparison_metric=FirstLetter())
    sample = conversation([ToolCall(name="a", args={"x": "ab"})], [ToolCall(name="a", args={"x": "ac"})])
    assert metric.multi_turn_score(sample) == 1.0


def test_a_comparison_that_does_not_wait_may_be_written_without_async(conversation: Conversation) -> None:
    class Plain:
        def single_turn_score(self, sample: SingleTurnSample, callbacks: Any = None) -> float:
            return 0.5

    metric = ToolCallAccuracy(arg_comparison_metric=Plain())
    sample = conversation([ToolCall(name="a", args={"x": 1})], [ToolCall(name="a", args={"x": 1})])
    assert metric.multi_turn_score(sample) == 0.5


class Undecided(SingleTurnMetric):
    async def ameasure(self, sample: Any, callbacks: Any = None) -> Score | Missing:
        return Missing("the judge's reply could not be read", "Well…")


async def test_when_an_argument_cannot_be_compared_the_whole_is_unmeasured(conversation: Conversation) -> None:
    sample = conversation([ToolCall(name="a", args={"x": 1})], [ToolCall(name="a", args={"x": 1})])
    metric = ToolCallAccuracy(arg_comparison_metric=Undecided())
    reason = "an argument could not be compared: the judge's reply could not be read"
    assert await metric.ameasure(sample) == Missing(reason, "Well…")
    with pytest.raises(UnmeasuredError, match=reason) as caught:
        await metric.multi_turn_ascore(sample)
    assert caught.value.detail == "Well…"


async def test_what_has_to_wait_for_its_comparison_says_so_when_it_is_measured_at_once(
    conversation: Conversation,
) -> None:
    metric = ToolCallAccuracy(arg_comparison_metric=Undecided())
    with pytest.raises(TypeError, match=r"ToolCallAccuracy cannot be measured without waiting: use ameasure\(\)"):
        metric.measure(conversation([], []))


def test_a_comparison_that_is_unmeasured_at_once_leaves_the_whole_unmeasured(conversation: Conversation) -> None:
    class Unsure(SingleTurnMetric):
        def measure(self, sample: SingleTurnSample) -> Score | Missing:
            return Missing("too short to say")

    sample = conversation([ToolCall(name="a", args={"x": (1,)})], [ToolCall(name="a", args={"x": (1,)})])
    metric = ToolCallAccuracy(arg_comparison_metric=Unsure())
    assert metric.immediate
    assert metric.measure(sample) == Missing("an argument could not be compared: too short to say")


@pytest.mark.parametrize(("number", "name"), [("nan", "NaN"), ("inf", "infinity"), ("-inf", "infinity")])
async def test_a_comparison_that_gives_no_number_leaves_the_whole_unmeasured(
    conversation: Conversation, number: str, name: str
) -> None:
    sample = conversation([ToolCall(name="a", args={"x": 1})], [ToolCall(name="a", args={"x": 1})])
    metric = ToolCallAccuracy(arg_comparison_metric=Recorder(float(number)))
    assert await metric.ameasure(sample) == Missing(f"an argument could not be compared: the metric returned {name}")


@pytest.mark.parametrize("wrong", [1.5, -0.5])
async def test_a_comparison_outside_0_to_1_is_refused(conversation: Conversation, wrong: float) -> None:
    sample = conversation([ToolCall(name="a", args={"x": 1})], [ToolCall(name="a", args={"x": 1})])
    with pytest.raises(OptionError, match=r"'Recorder' gave .*from 0 to 1"):
        await ToolCallAccuracy(arg_comparison_metric=Recorder(wrong)).multi_turn_ascore(sample)


class NeedsContexts(SingleTurnMetric):
    needs = frozenset({"response", "retrieved_contexts"})


class Stars(SingleTurnMetric):
    bounds = (1.0, 5.0)


@pytest.mark.parametrize(
    ("comparison", "sentence"),
    [
        (
            "exact",
            "arg_comparison_metric must be a metric with single_turn_ascore(sample, callbacks), not str: 'exact'.",
        ),
        (3, "arg_comparison_metric must be a metric with single_turn_ascore(sample, callbacks), not int: 3."),
        (ExactMatch, "arg_comparison_metric is the class ExactMatch; give an object of it: ExactMatch(…)."),
        (ToolCallF1(), "cannot be 'tool_call_f1', which looks at conversations: an argument is only text."),
        (NeedsContexts(), "cannot be 'needs_contexts', which needs 'retrieved_contexts': of an argument there is only"),
        (Stars(), "arg_comparison_metric cannot be 'stars', which gives 1 to 5; it has to give 0 to 1."),
    ],
)
def test_what_cannot_compare_two_texts_is_refused_when_it_is_set(comparison: Any, sentence: str) -> None:
    with pytest.raises(OptionError) as made:
        ToolCallAccuracy(arg_comparison_metric=comparison)
    metric = ToolCallAccuracy()
    with pytest.raises(OptionError) as later:
        metric.arg_comparison_metric = comparison
    assert sentence in str(made.value)
    assert str(made.value) == str(later.value)
    assert isinstance(metric.arg_comparison_metric, ExactMatch)


def test_a_subclass_that_measures_in_its_own_way_is_measured_in_its_own_way(conversation: Conversation) -> None:
    class Half(ToolCallAccuracy):
        async def _multi_turn_ascore(self, sample: MultiTurnSample, callbacks: Any = None) -> float:
            return 0.5

    sample = conversation([], [])
    assert not Half().immediate
    assert asyncio.run(Half().ameasure(sample)) == Score(0.5)
    assert Half().multi_turn_score(sample) == 0.5


values = st.sampled_from([0, 1, "1", None, 1.5, [1], {"k": 1, "l": 2}])
calls = st.builds(ToolCall, name=st.sampled_from("ab"), args=st.dictionaries(st.sampled_from("xy"), values, max_size=2))


@settings(deadline=None, max_examples=60)
@given(made=st.lists(calls, max_size=4), wanted=st.lists(calls, max_size=4), strict_order=st.booleans())
def test_waiting_for_the_comparison_and_not_waiting_come_to_the_same(
    made: list[ToolCall], wanted: list[ToolCall], strict_order: bool
) -> None:
    class Awaited:
        async def single_turn_ascore(self, sample: SingleTurnSample, callbacks: Any = None) -> float:
            return float(sample.response == sample.reference)

    sample = MultiTurnSample(user_input=[AIMessage(content="", tool_calls=made)], reference_tool_calls=wanted)
    at_once = ToolCallAccuracy(strict_order=strict_order).measure(sample)
    awaited = asyncio.run(ToolCallAccuracy(strict_order=strict_order, arg_comparison_metric=Awaited()).ameasure(sample))
    assert at_once == awaited
    assert 0.0 <= value(at_once) <= 1.0


@settings(deadline=None, max_examples=60)
@given(made=st.lists(calls, min_size=1, max_size=5), data=st.data())
def test_without_order_the_order_of_calls_changes_nothing(made: list[ToolCall], data: st.DataObject) -> None:
    wanted = data.draw(st.permutations(made))
    sample = MultiTurnSample(user_input=[AIMessage(content="", tool_calls=made)], reference_tool_calls=wanted)
    assert value(ToolCallAccuracy(strict_order=False).measure(sample)) == 1.0

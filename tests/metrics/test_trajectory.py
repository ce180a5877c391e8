"""TrajectoryMatch: the metric over matching."""

from __future__ import annotations

import asyncio
import copy
import json
import pickle
from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from proctor import evaluate
from proctor.dataset_schema import MultiTurnSample, SingleTurnSample, read_sample
from proctor.errors import OptionError, SampleError, UnmeasuredError
from proctor.messages import AIMessage, HumanMessage, ToolCall
from proctor.metrics import ExactMatch, SingleTurnMetric, ToolCallF1, TrajectoryMatch, registry
from proctor.metrics.comparators import AtLeast
from proctor.metrics.matching import Matcher, match_trajectories
from proctor.metrics.trajectory_result import TrajectoryResult
from proctor.records.gold import GoldCall, OneOf
from proctor.records.grades import Missing, Score

Conversation = Callable[[list[ToolCall], list[ToolCall] | None], MultiTurnSample]


def call(name: str, **args: Any) -> ToolCall:
    return ToolCall(name=name, args=args)


MADE = [call("search", q="rome"), call("book", hotel="Forum", nights=3), call("weather", city="Rome")]
WANTED = [call("search", q="rome"), call("book", hotel="Forum", nights=2)]


class Likeness(SingleTurnMetric):
    """Says how much alike two texts are, by a table, after waiting."""

    name = "likeness"

    def __init__(self, table: dict[tuple[str, str], float]) -> None:
        super().__init__()
        self.table = table
        self.asked: list[tuple[str, str]] = []
        self.at_once = 0
        self._open = 0

    async def _single_turn_ascore(self, sample: SingleTurnSample, callbacks: Any = None) -> float:
        pair = (str(sample.response), str(sample.reference))
        self.asked.append(pair)
        self._open += 1
        self.at_once = max(self.at_once, self._open)
        await asyncio.sleep(0)
        self._open -= 1
        return self.table[pair]


class ReadsContexts(SingleTurnMetric):
    needs = frozenset({"response", "retrieved_contexts"})

    def measure(self, sample: SingleTurnSample) -> Score:
        return Score(1.0)


class Stars(SingleTurnMetric):
    bounds = (1.0, 5.0)

    def measure(self, sample: SingleTurnSample) -> Score:
        return Score(5.0)


@pytest.mark.parametrize(("score", "value"), [("match", 0.0), ("f1", 0.4), ("precision", 1 / 3), ("recall", 0.5)])
def test_the_score_that_is_asked_for_is_given(conversation: Conversation, score: Any, value: float) -> None:
    metric = TrajectoryMatch(mode="superset", score=score)
    assert metric.multi_turn_score(conversation(MADE, WANTED)) == pytest.approx(value)


def test_details_tell_every_call_and_every_difference(conversation: Conversation) -> None:
    measured = TrajectoryMatch(mode="superset", details=True).measure(conversation(MADE, WANTED))
    assert isinstance(measured, Score)
    told = json.loads(msgspec.json.encode(measured.details))
    assert told["matched"] is False
    assert told["calls"] == {
        "matched": 1, "missing": 1, "extra": 2, "fulfilled": 1,
        "precision": pytest.approx(1 / 3), "recall": 0.5, "f1": 0.4, "exact": False,
    }  # fmt: skip
    assert [pair["made"]["name"] for pair in told["pairs"]] == ["search"]
    assert told["differing"] == [
        {
            "made": {"index": 1, "name": "book", "args": {"hotel": "Forum", "nights": 3}},
            "wanted": {"where": "1", "name": "book", "args": {"hotel": "Forum", "nights": 2}},
            "differences": [{"path": "nights", "kind": "differs", "wanted": 2, "made": 3}],
        }
    ]
    assert [each["where"] for each in told["missing"]] == ["1"]
    assert [each["index"] for each in told["extra"]] == [1, 2]


def test_a_score_that_is_not_perfect_says_why(conversation: Conversation) -> None:
    metric = TrajectoryMatch(mode="superset")
    assert metric.measure(conversation(MADE, WANTED)) == Score(0.0, reason="1 of 2 calls wanted was made, 2 extra")
    assert metric.measure(conversation(WANTED, WANTED)) == Score(1.0)
    extra = Score(1.0, reason="2 of 2 calls wanted were made, 1 extra")
    assert metric.measure(conversation([*WANTED, call("weather")], WANTED)) == extra
    turned = Score(0.0, reason="in order, 1 of 2 calls wanted was made, 1 extra")
    assert TrajectoryMatch(mode="strict").measure(conversation(WANTED[::-1], WANTED)) == turned


def test_messages_that_are_no_sample_are_matched_as_they_are() -> None:
    def made(arguments: str) -> list[dict[str, Any]]:
        call = {"id": "1", "type": "function", "function": {"name": "search", "arguments": arguments}}
        return [{"role": "user", "content": "Rome?"}, {"role": "assistant", "content": None, "tool_calls": [call]}]

    metric = TrajectoryMatch(mode="unordered")
    assert metric.match(made('{"q": "rome", "n": 1}'), made('{"n": 1.0, "q": "rome"}')).matched
    assert not metric.match(made('{"q": "rome"}'), [call("search", q="oslo")]).matched


def test_the_result_reads_well(conversation: Conversation) -> None:
    gold = GoldCall("note", {"text": OneOf(("a", "b"))}, optional=True)
    result = TrajectoryMatch(mode="in_order").result(
        MultiTurnSample(
            user_input=conversation([*MADE[::-1], call("note", text="b")], []).user_input,
            gold=[*WANTED, gold, call("pay")],
        )
    )
    assert str(result) == result.explain()
    assert result.explain().splitlines() == [
        "The trajectory does not match (in_order): 1 of 3 calls wanted was made, 1 optional, 2 extra.",
        '  = search(q="rome")',
        '  = note(text="b")',
        '  ≠ book(hotel="Forum", nights=3)',
        "      nights: wanted 2, made 3",
        "  - pay()   missing",
        '  + weather(city="Rome")   extra',
        "name and arguments: precision 0.50, recall 0.33, F1 0.50",
        "name alone: precision 0.50, recall 0.33, F1 0.50",
    ]


def test_a_ratio_of_nothing_is_missing_with_its_reason(conversation: Conversation) -> None:
    nothing_made, nothing_wanted = conversation([], WANTED), conversation(MADE, [])
    precision, recall = (TrajectoryMatch(mode="unordered", score=score) for score in ("precision", "recall"))
    assert precision.measure(nothing_made) == Missing("no call was made, so precision is 0 of 0")
    assert recall.measure(nothing_wanted) == Missing("no call was wanted, so recall is 0 of 0")
    with pytest.raises(UnmeasuredError, match="no call was made"):
        precision.multi_turn_score(nothing_made)


def test_a_vacuous_score_is_perfect_and_warns(conversation: Conversation) -> None:
    measured = TrajectoryMatch(details=True).measure(conversation([], []))
    assert isinstance(measured, Score)
    assert measured.value == 1.0
    assert measured.details["vacuous"] is True
    with pytest.warns(UserWarning, match="No call was made and none was wanted"):
        assert TrajectoryMatch().multi_turn_score(conversation([], [])) == 1.0


def test_a_sample_that_wants_nothing_in_particular_is_unmeasured(conversation: Conversation) -> None:
    sample = conversation(MADE, None)
    assert TrajectoryMatch().measure(sample) == Missing("the sample has no reference_tool_calls")
    with pytest.raises(UnmeasuredError, match="no reference_tool_calls"):
        TrajectoryMatch().result(sample)


def test_gold_stands_in_samples_and_goes_before_the_plain_list() -> None:
    data = {
        "user_input": [
            {"role": "user", "content": "hi"},
            {"role": "assistant", "tool_calls": [{"function": {"name": "f", "arguments": '{"x": 2}'}}]},
        ],
        "reference_tool_calls": [],
        "gold": [{"name": "f", "args": {"x": {"$one_of": [1, 2]}}}],
    }
    sample = read_sample(data)
    assert TrajectoryMatch().measure(sample).value == 1.0  # type: ignore[arg-type, union-attr]
    assert read_sample(sample.to_dict()) == sample
    with pytest.raises(SampleError, match=r"gold\[0\]: a gold call needs a name"):
        read_sample({**data, "gold": [{"args": {}}]})


def test_a_comparator_that_asks_is_asked_about_all_at_once_and_about_each_pair_once() -> None:
    table = {("rome", "Rome"): 0.9, ("paris", "Rome"): 0.1, ("rome", "Paris"): 0.2, ("paris", "Paris"): 0.95}
    metric = Likeness(table)
    match = TrajectoryMatch(mode="unordered", overrides={"go": {"to": metric}})
    sample = MultiTurnSample(
        user_input=[
            HumanMessage(content="go"),
            AIMessage(content="", tool_calls=[call("go", to="rome"), call("go", to="paris"), call("go", to="rome")]),
        ],
        reference_tool_calls=[call("go", to="Paris"), call("go", to="Rome"), call("go", to="Rome")],
    )
    assert not match.immediate
    assert match.multi_turn_score(sample) == 1.0
    assert sorted(metric.asked) == sorted(table)
    assert metric.at_once == 4
    with pytest.raises(TypeError, match="use ameasure"):
        match.measure(sample)


async def test_metrics_work_inside_a_running_loop() -> None:
    metric = Likeness({("rome", "Rome"): 0.7})
    made, wanted = [call("go", to="rome")], [call("go", to="Rome")]
    strict = await Matcher(overrides={"*": {"to": AtLeast(metric, 0.75)}}).amatch(made, wanted)
    assert not strict.matched
    assert strict.differing[0].differences[0].grade == 0.7
    assert (await Matcher(overrides={"*": {"to": AtLeast(metric, 0.7)}}).amatch(made, wanted)).matched
    with pytest.raises(UnmeasuredError, match="use amatch"):
        match_trajectories(made, wanted, overrides={"go": {"to": metric}})


async def test_a_comparator_without_a_usable_number_leaves_the_sample_unmeasured(conversation: Conversation) -> None:
    sample = conversation([call("go", to="rome")], [call("go", to="Rome")])
    metric = TrajectoryMatch(overrides={"go": {"to": Likeness({("rome", "Rome"): 1.5})}})
    measured = await metric.ameasure(sample)
    assert measured == Missing("an argument could not be compared", "likeness gave 1.5, not a number from 0 to 1")
    failing = TrajectoryMatch(overrides={"go": {"to": lambda *_: 1 / 0}})
    measured = failing.measure(sample)
    assert isinstance(measured, Missing)
    assert "division by zero" in str(measured.detail)


def test_a_partial_order_too_loose_leaves_the_sample_unmeasured(conversation: Conversation) -> None:
    made = [call("f", x=n % 9, y=n % 4) for n in range(40)]
    gold = [
        GoldCall("f", {"x": OneOf(tuple(range(n % 5, n % 5 + 4)))}, args_mode="superset", label=str(n), after=after)
        for n in range(40)
        for after in [[str(n - 3)] if n > 2 else []]
    ]
    sample = MultiTurnSample(user_input=conversation(made, []).user_input, gold=gold)
    measured = TrajectoryMatch(mode="superset").measure(sample)
    assert measured == Missing("the partial order of the gold leaves too many ways to pair the calls")


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"mode": "loose"}, "'loose' is no matching mode; known are strict, exact, in_order"),
        ({"args": "some"}, "'some' is no argument mode; known are exact, ignore, subset, superset"),
        ({"score": "mean"}, "'mean' is no score of TrajectoryMatch; known are match, f1, precision, recall"),
        ({"threshold": 0}, "a threshold must be a number above 0"),
        ({"overrides": ["f"]}, "overrides must be a dictionary by tool name"),
        ({"overrides": {"f": 3}}, "tool 'f': 3 cannot say how its arguments are compared"),
        ({"overrides": {"f": "some"}}, "tool 'f': 'some' is no argument mode"),
        ({"overrides": {"f": [3]}}, "tool 'f': a list of arguments holds names"),
        ({"overrides": {"f": {"x": 3}}}, "argument 'x' of tool 'f': 3 is no comparator"),
        (
            {"overrides": {"f": {"x": ExactMatch}}},
            r"argument 'x' of tool 'f' is the class ExactMatch; give an object of",
        ),
        ({"overrides": {"f": {"x": ToolCallF1()}}}, "'x' of tool 'f' cannot be 'tool_call_f1', which looks at conv"),
        ({"overrides": {"f": {"x": ReadsContexts()}}}, "cannot be 'reads_contexts', which needs 'retrieved_contexts'"),
        ({"overrides": {"f": {"x": AtLeast(Stars(), 0.5)}}}, "cannot be 'stars', which gives 1 to 5; it has to give"),
        ({"overrides": {"f": {3: "exact"}}}, "tool 'f': an argument's name must be text"),
        ({"tools": "f"}, "tools must be a list of tool schemas, not str"),
        ({"tools": [{"description": "?"}]}, r"tools\[0\] has no name"),
        ({"tools": {"f": 3}}, r"tools\[0\] \(f\): its parameters must be a JSON schema"),
    ],
)
def test_options_that_cannot_be_are_refused(options: dict[str, Any], sentence: str) -> None:
    with pytest.raises(OptionError, match=sentence):
        TrajectoryMatch(**options)


@pytest.mark.parametrize(
    ("option", "value", "made", "wanted"),
    [
        ("mode", "subset", [call("f")], [call("f"), call("g")]),
        ("args", "ignore", [call("f", x=1)], [call("f")]),
        ("overrides", {"f": {"x": "ignore"}}, [call("f", x=1)], [call("f", x=2)]),
        ("tools", {"f": {"properties": {"x": {"type": "integer"}}}}, [call("f", x="1")], [call("f", x=1)]),
        ("coerce", True, [call("f", x="1")], [call("f", x=1)]),
    ],
)
def test_an_option_that_is_set_later_counts_from_then_on(
    conversation: Conversation, option: str, value: Any, made: list[ToolCall], wanted: list[ToolCall]
) -> None:
    metric = TrajectoryMatch()
    assert metric.multi_turn_score(conversation(made, wanted)) == 0.0
    setattr(metric, option, value)
    assert metric.multi_turn_score(conversation(made, wanted)) == 1.0
    assert copy.copy(metric).multi_turn_score(conversation(made, wanted)) == 1.0
    assert metric.match(made, wanted).matched


def test_a_threshold_that_is_set_later_counts_and_so_does_a_comparator_that_waits(conversation: Conversation) -> None:
    sample = conversation([call("f", x="ab")], [call("f", x="ac")])
    metric = TrajectoryMatch(overrides={"f": {"x": lambda *_: 0.5}})
    assert metric.multi_turn_score(sample) == 0.0
    metric.threshold = 0.5
    assert metric.multi_turn_score(sample) == 1.0
    metric.overrides = {"f": {"x": Likeness({("ab", "ac"): 0.5})}}
    assert not metric.immediate
    assert metric.multi_turn_score(sample) == 1.0


def test_the_column_says_the_mode_that_counts(conversation: Conversation) -> None:
    metric = TrajectoryMatch()
    metric.mode = "subset"
    result = evaluate([conversation([call("f")], [call("f"), call("g")])], [metric], show_progress=False)
    assert result.scores == [{"trajectory_match(mode=subset)": 1.0}]


@pytest.mark.parametrize(
    ("option", "value"), [("mode", "loose"), ("args", "some"), ("score", "mean"), ("threshold", 2), ("overrides", 3)]
)
def test_an_option_that_cannot_be_is_refused_when_it_is_set_later_too(option: str, value: Any) -> None:
    metric = TrajectoryMatch()
    before = getattr(metric, option)
    with pytest.raises(OptionError):
        setattr(metric, option, value)
    assert getattr(metric, option) == before


def test_a_reason_counts_one_call_as_one(conversation: Conversation) -> None:
    told = TrajectoryMatch().measure(conversation([], [call("f")]))
    assert told == Score(0.0, reason="in order, 0 of 1 call wanted was made, none extra")


def test_the_command_line_knows_it() -> None:
    metric = registry.make("trajectory_match", {"mode": "any_order", "score": "f1", "overrides": '{"f": "ignore"}'})
    assert isinstance(metric, TrajectoryMatch)
    assert (metric.mode, metric.score, metric.overrides) == ("any_order", "f1", {"f": "ignore"})
    with pytest.raises(OptionError, match="mode cannot be 'sorted'; allowed is strict, exact"):
        registry.make("trajectory_match", {"mode": "sorted"})


def test_results_are_values() -> None:
    result = match_trajectories(MADE, WANTED, "superset")
    assert copy.copy(result) == copy.deepcopy(result) == pickle.loads(pickle.dumps(result)) == result  # noqa: S301
    assert hash(result) == hash(match_trajectories(MADE, WANTED, "superset"))
    assert result != match_trajectories(MADE, WANTED, "subset")
    assert result != "a result"
    assert repr(result).startswith("TrajectoryResult(mode='superset', matched=False")
    with pytest.raises(AttributeError, match="cannot be changed"):
        result.matched = True
    assert isinstance(result, TrajectoryResult)

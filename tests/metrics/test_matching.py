"""Matching says what a correct matcher says: the cases that others get wrong, and the laws that hold for all cases."""

from __future__ import annotations

import copy
import itertools
import json
import time
import tracemalloc
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import structs

from proctor.errors import OptionError, SampleError, UnmeasuredError
from proctor.messages import AIMessage, HumanMessage, ToolCall, read_message
from proctor.metrics.gold_slots import plain_slots
from proctor.metrics.matching import MODES, Matcher, match_trajectories, matches
from proctor.metrics.trajectories import read_trajectory
from proctor.records.gold import AnyOf, Anything, GoldCall, Near, OneOf, Pattern

ALL_MODES = ["strict", "in_order", "unordered", "subset", "superset"]
UNORDERED = ["unordered", "subset", "superset"]


def call(name: str, **args: Any) -> ToolCall:
    return ToolCall(name=name, args=args)


A, B, C = call("a"), call("b"), call("c")


# The cases.


@pytest.mark.parametrize("mode", ALL_MODES)
@pytest.mark.parametrize("times", [2, 3, 5, 100, 500])
def test_identical_calls_wanted_as_often_as_made_match(mode: str, times: int) -> None:
    result = match_trajectories([A] * times, [A] * times, mode)
    assert result.matched
    assert result.calls.f1 == 1.0
    assert [(pair.made.index, pair.wanted.where) for pair in result.pairs] == [(n, str(n)) for n in range(times)]


def test_a_call_wanted_twice_is_needed_twice() -> None:
    result = match_trajectories([A], [A, A], "unordered")
    assert not result.matched
    assert (result.calls.recall, result.calls.precision) == (0.5, 1.0)
    assert [missing.where for missing in result.missing] == ["1"]


def test_one_call_never_satisfies_two_golds_and_doubles_count() -> None:
    result = match_trajectories([A, A, B], [A, B, B], "unordered")
    assert not result.matched
    assert result.calls.f1 == pytest.approx(2 / 3)
    assert [extra.name for extra in result.extra] == ["a"]
    assert [missing.name for missing in result.missing] == ["b"]


@pytest.mark.parametrize("order", [0, 1])
def test_arguments_in_superset_mode_match_in_either_order_of_making(order: int) -> None:
    made = [call("f", x=1, y=2), call("f", x=1)]
    made = made[::-1] if order else made
    result = match_trajectories(made, [call("f", x=1), call("f", x=1, y=2)], "unordered", args="superset")
    assert result.matched
    assert result.calls.exact


@pytest.mark.parametrize("size", [5, 20])
def test_the_best_pairing_is_found_among_many_loose_calls(size: int) -> None:
    gold = [call("f", **{f"k{n}": n for n in range(width)}) for width in range(1, size + 1)]
    assert match_trajectories(gold[::-1], gold, "unordered", args="superset").matched
    assert match_trajectories(gold, gold[::-1], "unordered", args="subset").matched


def test_seven_calls_and_one_gold_are_not_perfect() -> None:
    result = match_trajectories([A] * 7, [A], "unordered")
    assert not result.matched
    assert result.calls.precision == pytest.approx(1 / 7)
    assert result.calls.recall == 1.0
    assert match_trajectories([A] * 7, [A], "superset").matched


@pytest.mark.parametrize(("made", "wanted"), [(1, 1.0), (0, -0.0), ([1.0], [1]), ({"a": 2.0}, {"a": 2})])
def test_whole_numbers_are_one_number_however_they_are_written(made: Any, wanted: Any) -> None:
    assert match_trajectories([call("f", x=made)], [call("f", x=wanted)]).matched


@pytest.mark.parametrize(("made", "wanted"), [*itertools.permutations([1, "1", True, None, [1], {"a": 1}], 2)])
def test_values_of_different_types_are_different(made: Any, wanted: Any) -> None:
    result = match_trajectories([call("f", x=made)], [call("f", x=wanted)])
    assert not result.matched
    [pair] = result.differing
    [difference] = pair.differences
    assert (difference.path, difference.made, difference.wanted) == ("x", made, wanted)


@pytest.mark.parametrize("said", ["", "null", '""', "{}", " {} ", None, {}])
def test_no_arguments_are_no_arguments_however_they_are_written(said: Any) -> None:
    made = [{"role": "assistant", "tool_calls": [{"id": "1", "function": {"name": "f", "arguments": said}}]}]
    assert match_trajectories(made, [call("f")]).matched
    assert match_trajectories([{"name": "f", "args": None}], [call("f")]).matched
    assert match_trajectories([call("f")], [{"name": "f", "args": ""}]).matched


BROKEN = ToolCall(name="f", args={}, malformed="{x:")


@pytest.mark.parametrize("mode", ALL_MODES)
@pytest.mark.parametrize("args", ["exact", "ignore", "subset", "superset"])
def test_a_malformed_call_matches_nothing(mode: str, args: str) -> None:
    result = match_trajectories([BROKEN], [call("f")], mode, args=args)
    assert (result.calls.matched, result.calls.missing, result.calls.extra) == (0, 1, 1)
    assert (result.names.matched, result.pairs, result.differing) == (0, (), ())


@pytest.mark.parametrize("mode", ALL_MODES)
@pytest.mark.parametrize("args", ["exact", "ignore", "subset", "superset"])
@pytest.mark.parametrize("wanted", [[BROKEN], [call("f", x=float("nan"))], [A, GoldCall("f", {"x": float("nan")})]])
def test_nothing_is_held_against_a_wish_that_cannot_be_compared(mode: str, args: str, wanted: list[Any]) -> None:
    with pytest.raises(UnmeasuredError, match=r"a call wanted cannot be compared: .*f: (\{x:|JSON has no number nan)"):
        match_trajectories([A], wanted, mode, args=args)


def test_arguments_that_json_cannot_hold_are_malformed_and_stop_nothing() -> None:
    result = match_trajectories([call("f", x=float("nan")), A], [A], "superset")
    assert result.matched
    assert result.extra[0].malformed == "JSON has no number nan."


def test_a_key_that_stands_twice_makes_arguments_malformed() -> None:
    made = [{"role": "assistant", "tool_calls": [{"function": {"name": "f", "arguments": '{"x": 1, "x": 2}'}}]}]
    assert match_trajectories(made, [call("f", x=2)]).extra[0].malformed == '{"x": 1, "x": 2}'


def test_no_calls_and_no_gold_are_perfect_and_say_nothing() -> None:
    for mode in ALL_MODES:
        result = match_trajectories([], [], mode)
        assert result.matched
        assert result.vacuous
        assert (result.calls.precision, result.calls.recall, result.calls.f1) == (1.0, 1.0, 1.0)
    assert not match_trajectories([A], [A]).vacuous


def test_a_ratio_of_nothing_is_no_number() -> None:
    nothing_made = match_trajectories([], [A], "unordered")
    assert (nothing_made.calls.precision, nothing_made.calls.recall, nothing_made.calls.f1) == (None, 0.0, 0.0)
    nothing_wanted = match_trajectories([A], [], "unordered")
    assert (nothing_wanted.calls.precision, nothing_wanted.calls.recall, nothing_wanted.calls.f1) == (0.0, None, 0.0)


@pytest.mark.parametrize(
    ("made", "fits"),
    [
        ([A, B], {"strict", "in_order", "unordered", "subset", "superset"}),
        ([B, A], {"unordered", "subset", "superset"}),
        ([A, C, B], {"in_order", "superset"}),
        ([B, C, A], {"superset"}),
        ([A], {"subset"}),
        ([], {"subset"}),
        ([C], set()),
        ([A, A, B], {"in_order", "superset"}),
    ],
)
def test_each_mode_means_what_it_says_of_the_calls_made(made: list[ToolCall], fits: set[str]) -> None:
    assert {mode for mode in ALL_MODES if match_trajectories(made, [A, B], mode).matched} == fits


@pytest.mark.parametrize(("alias", "mode"), [("exact", "strict"), ("any_order", "superset"), ("in_order", "in_order")])
def test_modes_are_known_by_both_vocabularies(alias: str, mode: str) -> None:
    assert match_trajectories([A], [A], alias).mode == mode


def test_an_unknown_mode_lists_all() -> None:
    with pytest.raises(OptionError, match="'sorted' is no matching mode; known are") as caught:
        match_trajectories([], [], "sorted")
    assert all(mode in str(caught.value) for mode in MODES)


@pytest.mark.parametrize(
    ("args", "made", "matched"),
    [
        ("exact", {"x": 1}, False),
        ("exact", {"x": 1, "y": 2, "z": 3}, False),
        ("subset", {"x": 1}, True),
        ("subset", {}, True),
        ("subset", {"x": 1, "z": 3}, False),
        ("superset", {"x": 1, "y": 2, "z": 3}, True),
        ("superset", {"x": 1}, False),
        ("superset", {"x": 1, "y": 3, "z": 3}, False),
        ("ignore", {"z": 9}, True),
    ],
)
def test_each_argument_mode_means_what_it_says_of_the_call_made(args: str, made: dict[str, int], matched: bool) -> None:
    wanted = [call("f", x=1, y=2)]
    assert match_trajectories([call("f", **made)], wanted, args=args).matched is matched


def test_argument_modes_are_seen_from_the_call_made_in_every_mode() -> None:
    for mode in ALL_MODES:
        assert match_trajectories([call("f", x=1)], [call("f", x=1, y=2)], mode, args="subset").matched
        assert not match_trajectories([call("f", x=1)], [call("f", x=1, y=2)], mode, args="superset").matched


def test_every_difference_has_its_path() -> None:
    made = [call("book", hotel="Ritz", stay={"nights": 3, "beds": [1, 2]}, breakfast=True)]
    wanted = [call("book", hotel="Ritz", stay={"nights": 2, "beds": [1, 3], "view": "sea"})]
    [pair] = match_trajectories(made, wanted).differing
    assert [(each.path, each.kind, each.wanted, each.made) for each in pair.differences] == [
        ("stay.beds[1]", "differs", 3, 2),
        ("stay.nights", "differs", 2, 3),
        ("stay.view", "missing", "sea", None),
        ("breakfast", "extra", None, True),
    ]


def test_a_call_left_over_is_held_against_the_one_most_like_it() -> None:
    made = [call("f", x=1, y=9), call("f", x=2, y=9)]
    result = match_trajectories(made, [call("f", x=2, y=8), call("f", x=1, y=8)], "unordered")
    assert [(pair.made.args["x"], pair.wanted.args["x"]) for pair in result.differing] == [(1, 1), (2, 2)]


def test_calls_in_the_wrong_order_are_told_from_wrong_calls() -> None:
    result = match_trajectories([B, A, C], [A, B, C], "in_order")
    assert not result.matched
    assert result.calls.matched == 2
    assert [pair.made.name for pair in result.moved] in (["a"], ["b"])
    assert result.differing == ()


def test_by_name_alone_is_what_it_would_be_without_arguments() -> None:
    result = match_trajectories([call("f", x=1), A], [call("f", x=2), A, B], "unordered")
    assert (result.calls.matched, result.names.matched) == (1, 2)
    assert result.names.recall == pytest.approx(2 / 3)


# What is read.


def openai(calls: list[ToolCall]) -> list[dict[str, Any]]:
    """Messages as OpenAI writes them, one call a message."""
    messages: list[dict[str, Any]] = [{"role": "user", "content": "go"}]
    for number, each in enumerate(calls):
        function = {"name": each.name, "arguments": json.dumps(each.args)}
        told = {"id": str(number), "type": "function", "function": function}
        messages.append({"role": "assistant", "content": None, "tool_calls": [told]})
        messages.append({"role": "tool", "tool_call_id": str(number), "content": "done"})
    return [*messages, {"role": "assistant", "content": "Done."}]


def test_all_shapes_of_calls_and_messages_are_read_alike() -> None:
    calls = [call("f", x=1), call("g", y="z")]
    shapes: list[Any] = [
        calls,
        openai(calls),
        {"messages": openai(calls)},
        [HumanMessage(content="go"), AIMessage(content="", tool_calls=calls)],
        [{"name": each.name, "args": each.args} for each in calls],
        [{"name": each.name, "args": each.args, "id": "1", "type": "tool_call"} for each in calls],
        [{"function": {"name": each.name, "arguments": json.dumps(each.args)}} for each in calls],
        [{"type": "ai", "content": "", "tool_calls": [{"name": c.name, "args": c.args} for c in calls]}],
    ]
    for made, wanted in itertools.product(shapes, shapes):
        assert match_trajectories(made, wanted).matched


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=2), inner, max_size=2),
    max_leaves=4,
)
TEXTS = st.dictionaries(st.text(max_size=2), JSON, max_size=3).map(json.dumps) | st.sampled_from(
    [
        '{"x": 1e400}',
        '{"x": 1e300}',
        '{"x": 1e22}',
        '{"x": 1, "x": 1}',
        '{"x": -0.0}',
        "[]",
        "{",
        '{"x": "\\ud800"}',
        '{"\\u0078": 1}',
    ]
)


@settings(deadline=None, max_examples=150)
@given(TEXTS)
def test_quick_reading_of_openai_messages_is_careful_reading(text: str) -> None:
    told = {"role": "assistant", "tool_calls": [{"id": "1", "function": {"name": "f", "arguments": text}}]}
    quick, careful = read_trajectory([told], "side"), read_trajectory([read_message(told)], "side")
    assert quick.keys == careful.keys
    assert quick.calls == careful.calls


@pytest.mark.parametrize(
    ("bad", "sentence"),
    [
        ("calls", "outputs must be a list of messages or of tool calls, not str"),
        ([3], r"outputs\[0\]: a tool call must be a ToolCall or a dictionary"),
        ([{"role": "asistant", "content": ""}], r"outputs\[0\]: .*'asistant'"),
        ([{"role": "assistant", "content": "", "tool_cals": []}], r"outputs\[0\]: .*did you mean 'tool_calls'"),
        ([{"role": "user", "content": "", "tool_calls": [{}]}], r"outputs\[0\]: .*tool_calls"),
    ],
)
def test_what_holds_no_calls_is_refused_with_its_place(bad: Any, sentence: str) -> None:
    with pytest.raises(SampleError, match=sentence):
        match_trajectories(bad, [])


@pytest.mark.parametrize("mode", ALL_MODES)
def test_inputs_are_never_changed_and_results_do_not_change_with_them(mode: str) -> None:
    made, wanted = openai([call("f", x={"y": [1.0]}), A]), [call("f", x={"y": [2]}), GoldCall("a", optional=True)]
    before = copy.deepcopy((made, wanted))
    result = match_trajectories(made, wanted, mode)
    str(result)
    assert (made, wanted) == before
    own = [call("f", x={"y": 1})]
    result = match_trajectories(own, [call("f", x={"y": 2})], mode)
    own[0].args["x"]["y"] = 2
    assert result.differing[0].differences[0].made == 1


# Richer gold.


def test_any_one_of_several_calls_will_do() -> None:
    gold = [AnyOf((call("fly", to="Rome"), call("drive", to="Rome"))), B]
    assert match_trajectories([call("drive", to="Rome"), B], gold).matched
    assert not match_trajectories([call("drive", to="Rome"), call("fly", to="Rome"), B], gold).matched
    assert match_trajectories([B], gold, "unordered").calls.missing == 1


def test_groups_of_calls_belong_together() -> None:
    gold: list[Any] = [{"any_of": [{"name": "fly"}, [{"name": "drive"}, {"name": "park"}]]}]
    assert match_trajectories([call("fly")], gold).matched
    assert match_trajectories([call("drive"), call("park")], gold).matched
    half = match_trajectories([call("park")], gold)
    assert not half.matched
    assert [missing.where for missing in half.missing] == ["0.any_of[1].0"]
    assert match_trajectories([call("drive"), call("fly")], gold).calls.extra == 1


def test_an_optional_call_may_be_made_and_may_be_left_out() -> None:
    gold = [A, GoldCall("b", optional=True), C]
    for made in [A, C], [A, B, C]:
        result = match_trajectories(made, gold)
        assert result.matched
        assert (result.calls.precision, result.calls.recall, result.calls.f1) == (1.0, 1.0, 1.0)
    assert not match_trajectories([A, B, B, C], gold).matched
    assert match_trajectories([], [GoldCall("b", optional=True)]).vacuous


def test_a_required_call_is_served_before_an_optional_one() -> None:
    gold = [GoldCall("a", optional=True, label="maybe"), A]
    for mode in ALL_MODES:
        assert match_trajectories([A], gold, mode).calls.missing == 0


def test_a_partial_order_is_kept_and_everything_else_is_free() -> None:
    gold = [GoldCall("a", label="a"), GoldCall("b", label="b"), GoldCall("c", after=("a", "b")), GoldCall("d")]
    d = call("d")
    for made in itertools.permutations([A, B, C, d]):
        order = [each.name for each in made]
        kept = order.index("c") > order.index("a") and order.index("c") > order.index("b")
        assert match_trajectories(list(made), gold, "unordered").matched is kept


def test_a_partial_order_finds_the_pairing_that_keeps_it() -> None:
    gold = [GoldCall("a", label="first"), GoldCall("b", after="first"), GoldCall("a")]
    assert match_trajectories([A, B, A], gold, "unordered").matched
    assert match_trajectories([A, A, B], gold, "unordered").matched
    assert not match_trajectories([B, A, A], gold, "unordered").matched


@pytest.mark.parametrize(
    ("choice", "fits", "fails"),
    [
        (Anything(), [1, "x", None, {}], []),
        (OneOf((1, "x")), [1, 1.0, "x"], [True, "1", 2]),
        (Near(10, absolute=0.5), [10, 9.5, 10.5], [9.4, "10", True]),
        (Near(-10, relative=0.1), [-11, -9], [-12, 10]),
        (Pattern("[a-z]+"), ["x", "abc"], ["", "ab1", 7]),
        (OneOf((Pattern("a.*"), 3)), ["abc", 3], ["b", 4]),
    ],
)
def test_a_choice_stands_for_its_values_at_any_depth(choice: Any, fits: list[Any], fails: list[Any]) -> None:
    gold = [GoldCall("f", {"x": {"deep": [choice]}})]
    for value in fits:
        assert match_trajectories([call("f", x={"deep": [value]})], gold).matched
    for value in fails:
        [pair] = match_trajectories([call("f", x={"deep": [value]})], gold).differing
        assert pair.differences[0].path == "x.deep[0]"


def test_any_tool_and_any_arguments_can_be_wanted() -> None:
    gold = [GoldCall("*", {"to": "Rome"}), GoldCall("log", args_mode="ignore")]
    assert match_trajectories([call("log", at=3), call("fly", to="Rome")], gold, "unordered").matched
    assert not match_trajectories([call("log", at=3), call("fly", to="Oslo")], gold, "unordered").matched


def test_a_subset_is_found_where_required_calls_would_stand_in_its_way() -> None:
    gold = [
        GoldCall("g", after="f"),
        GoldCall("f", label="f", optional=True),
        GoldCall("g", optional=True),
    ]
    result = match_trajectories([call("g"), call("f")], gold, "subset")
    assert result.matched
    assert (len(result.pairs), result.extra) == (2, ())


def test_choices_that_compete_for_calls_are_served_together() -> None:
    gold = [GoldCall("f", {"x": Anything()}), GoldCall("f", {"x": OneOf((1, 2))}), GoldCall("f", {"x": 1})]
    for made in itertools.permutations([call("f", x=1), call("f", x=2), call("f", x=3)]):
        assert match_trajectories(list(made), gold, "unordered").matched


def test_gold_with_too_many_combinations_is_refused() -> None:
    gold = [AnyOf(((A, B), (B, C))) for _ in range(12)]
    with pytest.raises(SampleError, match="4096 ways, more than 2000"):
        match_trajectories([], gold)
    assert match_trajectories([A] * 40, [AnyOf((A, B)) for _ in range(40)]).matched


# The laws.

NAMES = st.sampled_from("fg")
VALUES = st.sampled_from([1, 1.0, "1", True, None, [1]])
CALLS = st.builds(
    lambda name, args: ToolCall(name=name, args=args), NAMES, st.dictionaries(st.sampled_from("xy"), VALUES)
)
TRAJECTORIES = st.lists(CALLS, max_size=5)
LAWS = settings(deadline=None, max_examples=60)


def numbers(result: Any) -> tuple[Any, ...]:
    return result.matched, result.calls, result.names


def told(result: Any) -> list[Any]:
    """Who is held against whom, without when a call was made."""
    return sorted(
        (kind, pair.made.name, json.dumps(pair.made.args, sort_keys=True), pair.wanted.name, repr(pair.differences))
        for kind, pairs in (("same", result.pairs), ("differs", result.differing))
        for pair in pairs
    )


@LAWS
@given(TRAJECTORIES, TRAJECTORIES, st.randoms(use_true_random=False), st.sampled_from(UNORDERED), st.booleans())
def test_permuting_the_calls_changes_nothing_where_order_does_not_count(
    made: list[ToolCall], wanted: list[ToolCall], random: Any, mode: str, loose: bool
) -> None:
    shuffled = random.sample(made, len(made))
    args = "superset" if loose else "exact"
    one, other = (match_trajectories(calls, wanted, mode, args=args) for calls in (made, shuffled))
    assert numbers(one) == numbers(other)
    assert told(one) == told(other)


@LAWS
@given(TRAJECTORIES, TRAJECTORIES, st.sampled_from(ALL_MODES))
def test_f1_is_symmetric_and_precision_is_the_recall_of_the_other_side(
    made: list[ToolCall], wanted: list[ToolCall], mode: str
) -> None:
    one, other = match_trajectories(made, wanted, mode), match_trajectories(wanted, made, mode)
    assert (one.calls.f1, one.calls.precision, one.calls.recall) == (
        other.calls.f1,
        other.calls.recall,
        other.calls.precision,
    )
    assert one.names.f1 == other.names.f1


@LAWS
@given(TRAJECTORIES, TRAJECTORIES.filter(bool), st.data(), st.sampled_from(ALL_MODES))
def test_adding_a_correct_call_never_lowers_recall(
    made: list[ToolCall], wanted: list[ToolCall], data: st.DataObject, mode: str
) -> None:
    more = list(made)
    more.insert(data.draw(st.integers(0, len(made))), data.draw(st.sampled_from(wanted)))
    before, after = (match_trajectories(calls, wanted, mode).calls.recall for calls in (made, more))
    assert before is not None
    assert after is not None
    assert after >= before


@LAWS
@given(TRAJECTORIES, TRAJECTORIES, st.sampled_from(ALL_MODES))
def test_the_order_of_keys_and_the_form_of_the_messages_never_matter(
    made: list[ToolCall], wanted: list[ToolCall], mode: str
) -> None:
    turned = [ToolCall(name=each.name, args=dict(reversed(each.args.items())), id="7") for each in made]
    one = match_trajectories(made, wanted, mode)
    other = match_trajectories(openai(turned), openai(wanted), mode)
    assert numbers(one) == numbers(other)
    assert one == other


@LAWS
@given(TRAJECTORIES, TRAJECTORIES, st.sampled_from(["exact", "ignore", "subset", "superset"]))
def test_a_narrower_mode_implies_a_wider_one(made: list[ToolCall], wanted: list[ToolCall], args: str) -> None:
    fits = {mode: match_trajectories(made, wanted, mode, args=args).matched for mode in ALL_MODES}
    for narrow, wide in [
        ("strict", "in_order"),
        ("strict", "unordered"),
        ("in_order", "superset"),
        ("unordered", "subset"),
        ("unordered", "superset"),
    ]:
        assert not fits[narrow] or fits[wide]
    assert fits["unordered"] is (fits["subset"] and fits["superset"]) or args != "exact"


@LAWS
@given(TRAJECTORIES, TRAJECTORIES)
def test_a_looser_argument_mode_matches_no_less(made: list[ToolCall], wanted: list[ToolCall]) -> None:
    for mode in ALL_MODES:
        exact, subset, superset, ignore = (
            match_trajectories(made, wanted, mode, args=args).calls.matched
            for args in ("exact", "subset", "superset", "ignore")
        )
        assert exact <= min(subset, superset)
        assert max(subset, superset) <= ignore


def brute_force(made: list[ToolCall], wanted: list[ToolCall], *, ordered: bool) -> int:
    """The largest number of calls that can be paired with equals, by trying every way."""
    keys = [read_trajectory(side, "side").keys for side in (made, wanted)]
    best = 0
    for places in itertools.product([None, *range(len(wanted))], repeat=len(made)):
        taken = [place for place in places if place is not None]
        fair = len(set(taken)) == len(taken) and (not ordered or taken == sorted(taken))
        if fair and all(place is None or keys[0][at] == keys[1][place] for at, place in enumerate(places)):
            best = max(best, len(taken))
    return best


@settings(deadline=None, max_examples=60)
@given(st.lists(CALLS, max_size=4), st.lists(CALLS, max_size=4), st.sampled_from(ALL_MODES))
def test_no_pairing_is_better_than_the_one_that_is_found(
    made: list[ToolCall], wanted: list[ToolCall], mode: str
) -> None:
    result = match_trajectories(made, wanted, mode)
    best = brute_force(made, wanted, ordered=mode in ("strict", "in_order"))
    assert result.calls.matched == len(result.pairs) == best


@LAWS
@given(TRAJECTORIES, TRAJECTORIES, st.sampled_from(ALL_MODES))
def test_the_quick_count_is_the_count_of_the_whole_story(
    made: list[ToolCall], wanted: list[ToolCall], mode: str
) -> None:
    quick = match_trajectories(made, wanted, mode)
    slow = match_trajectories(made, [GoldCall(each.name, each.args) for each in wanted], mode)
    tolerant = match_trajectories(made, wanted, mode, overrides={"f": {"nowhere": "ignore"}, "g": {"none": "ignore"}})
    assert numbers(quick) == numbers(slow) == numbers(tolerant)
    assert (quick.calls.missing, quick.calls.extra) == (len(quick.missing), len(quick.extra))
    assert quick.matched == matches(quick.calls, mode)


@LAWS
@given(TRAJECTORIES, TRAJECTORIES, st.sampled_from(ALL_MODES))
def test_names_alone_are_what_arguments_ignored_would_be(
    made: list[ToolCall], wanted: list[ToolCall], mode: str
) -> None:
    assert match_trajectories(made, wanted, mode).names == match_trajectories(made, wanted, mode, args="ignore").calls


# A plain account of the same, to be held against.

ARGUMENT_MODES = ["exact", "ignore", "subset", "superset"]
CHOICES = st.sampled_from([1, 2, "1", True, None, [1, 2], {"a": 1.0}, Anything(), OneOf([1, [1, 2]]), Near(2, 0.5)])
GOLD_CALLS = st.builds(
    lambda name, args, optional, mode, label, after: GoldCall(name, args, optional, label, after, mode),
    st.sampled_from("ffg*"),
    st.dictionaries(st.sampled_from("xy"), CHOICES),
    st.booleans(),
    st.sampled_from([None, None, *ARGUMENT_MODES]),
    st.sampled_from([None, "p"]),
    st.just(()),
)
MADE_VALUES = st.sampled_from([1, 1.0, 2, "1", True, None, [1, 2], [1, 2.0], {"a": 1}])
MADE_CALLS = st.builds(ToolCall, NAMES, st.dictionaries(st.sampled_from("xy"), MADE_VALUES))


def same(made: Any, wanted: Any) -> bool:
    """Whether a value is the one wanted, as JSON."""
    if isinstance(wanted, Anything):
        return True
    if isinstance(wanted, OneOf):
        return any(same(made, value) for value in wanted.values)
    if isinstance(wanted, Near):
        return isinstance(made, int | float) and not isinstance(made, bool) and abs(made - wanted.value) <= 0.5
    if isinstance(made, list) and isinstance(wanted, list | tuple):
        return len(made) == len(wanted) and all(map(same, made, wanted))
    if isinstance(made, dict) and isinstance(wanted, dict):
        return made.keys() == wanted.keys() and all(same(made[key], wanted[key]) for key in made)
    return (
        isinstance(made, bool) == isinstance(wanted, bool)
        and type(made) in (type(wanted), int, float)
        and made == wanted
    )


def fits(made: ToolCall, wanted: GoldCall, args: str) -> bool:
    """Whether a call made is one that is wanted."""
    mode = wanted.args_mode or args
    names, wanted_names = set(made.args), set(wanted.args)
    right = {
        "exact": names == wanted_names,
        "subset": names <= wanted_names,
        "superset": names >= wanted_names,
        "ignore": True,
    }[mode]
    alike = mode == "ignore" or all(same(made.args[name], wanted.args[name]) for name in names & wanted_names)
    return wanted.name in (made.name, "*") and right and alike


def in_order(places: list[tuple[int, int]], gold: list[GoldCall], mode: str) -> bool:
    """Whether the pairs, sorted by when the calls were made, keep the order that is asked for."""
    slots = [slot for _, slot in sorted(places)]
    if mode in ("strict", "in_order"):
        return slots == sorted(slots)
    return all(
        not (set(gold[later].after) & {gold[slot].label}) for at, slot in enumerate(slots) for later in slots[:at]
    )


def plainly(made: list[ToolCall], gold: list[GoldCall], mode: str, args: str) -> tuple[int, int, int, int]:
    """Matched, missing, extra and fulfilled of the best pairing, by trying every one."""
    needed = sum(not item.optional for item in gold)
    best = (-1, -1)
    for slots in itertools.product([None, *range(len(gold))], repeat=len(made)):
        places = [(index, slot) for index, slot in enumerate(slots) if slot is not None]
        if len({slot for _, slot in places}) < len(places) or not in_order(places, gold, mode):
            continue
        if all(fits(made[index], gold[slot], args) for index, slot in places):
            required = sum(not gold[slot].optional for _, slot in places)
            best = max(best, (len(places), required) if mode == "subset" else (required, len(places)))
    matched, fulfilled = best if mode == "subset" else best[::-1]
    return matched, needed - fulfilled, len(made) - matched, fulfilled


def counts(result: Any) -> tuple[int, int, int, int]:
    return result.calls.matched, result.calls.missing, result.calls.extra, result.calls.fulfilled


@settings(deadline=None, max_examples=300)
@given(
    st.lists(MADE_CALLS, max_size=4),
    st.lists(MADE_CALLS, max_size=4),
    st.sampled_from(ALL_MODES),
    st.sampled_from(ARGUMENT_MODES),
)
def test_a_plain_list_is_matched_as_a_plain_account_of_it_says(
    made: list[ToolCall], wanted: list[ToolCall], mode: str, args: str
) -> None:
    result = match_trajectories(made, wanted, mode, args=args)
    assert counts(result) == plainly(made, [GoldCall(each.name, each.args) for each in wanted], mode, args)
    told = (len(result.pairs), len(result.missing), len(result.extra))
    assert told == (result.calls.matched, result.calls.missing, result.calls.extra)


@settings(deadline=None, max_examples=300)
@given(
    st.lists(MADE_CALLS, max_size=4),
    st.lists(GOLD_CALLS, max_size=4),
    st.sampled_from(ALL_MODES),
    st.sampled_from(ARGUMENT_MODES),
    st.booleans(),
)
def test_richer_gold_is_matched_as_a_plain_account_of_it_says(
    made: list[ToolCall], gold: list[GoldCall], mode: str, args: str, partial: bool
) -> None:
    if partial:  # whoever has no label comes after all that have one
        known = any(item.label for item in gold)
        gold = [structs.replace(item, after=("p",) if known and item.label is None else ()) for item in gold]
    result = match_trajectories(made, gold, mode, args=args)
    assert counts(result) == plainly(made, gold, mode, args)
    told = (len(result.pairs), len(result.missing), len(result.extra))
    assert told == (result.calls.matched, result.calls.missing, result.calls.extra)


@LAWS
@given(st.lists(MADE_CALLS, max_size=5), st.lists(MADE_CALLS, max_size=5), st.sampled_from(ALL_MODES))
def test_defaults_of_a_schema_do_not_depend_on_the_way_of_counting(
    made: list[ToolCall], wanted: list[ToolCall], mode: str
) -> None:
    schema = {"properties": {"x": {"default": 1}, "y": {"default": [1, 2]}}}
    for args in ARGUMENT_MODES:
        options: Any = {"args": args, "tools": {"f": schema}}
        quick = match_trajectories(made, wanted, mode, **options)
        slow = match_trajectories(made, wanted, mode, **options, overrides={"f": {"z": "ignore"}, "g": {"z": "ignore"}})
        assert counts(quick) == counts(slow)


# Scale.


@pytest.mark.parametrize("args", ARGUMENT_MODES)
@pytest.mark.parametrize("mode", ALL_MODES)
def test_a_thousand_calls_are_matched_in_little_time_and_memory(mode: str, args: str) -> None:
    made = [call("f", i=n, q=f"query {n}") for n in range(1000)]
    wanted = [call("f", i=n + 500, q=f"query {n + 500}") for n in range(1000)]
    begun = time.process_time()
    tracemalloc.start()
    result = match_trajectories(made, wanted, mode, args=args)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert result.calls.matched == (1000 if args == "ignore" else 500)
    assert time.process_time() - begun < 5
    assert most < 20_000_000


@pytest.mark.parametrize("size", [50, 500])
@pytest.mark.parametrize("mode", ALL_MODES)
def test_long_trajectories_are_matched_quickly(size: int, mode: str) -> None:
    made = [call("f", x=n, y=n % 7) for n in range(size)]
    wanted = [call("f", x=n + size // 2, y=n % 5) for n in range(size)]
    begun = time.process_time()
    result = match_trajectories(made, wanted, mode)
    assert len(result.differing) + len(result.moved) + result.calls.matched > 0
    assert result.names.matched == size
    assert time.process_time() - begun < 5


def test_a_matcher_is_made_once_and_used_often() -> None:
    matcher = Matcher("unordered", tools={"f": {"properties": {"x": {"type": "number"}}}})
    assert all(matcher.match([call("f", x="1")], [call("f", x=1)]).matched for _ in range(3))
    assert len(plain_slots(read_trajectory([A, B], "side"))) == 2

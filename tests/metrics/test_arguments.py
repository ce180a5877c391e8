"""When arguments agree: comparators by tool and by argument, and what a tool's schema says."""

from __future__ import annotations

import re
from typing import Any

import pytest

from proctor.errors import OptionError, UnmeasuredError
from proctor.messages import ToolCall
from proctor.metrics import ExactMatch, NonLLMStringSimilarity
from proctor.metrics.comparators import AtLeast, Within
from proctor.metrics.matching import match_trajectories
from proctor.records.gold import Anything, GoldCall, Near, OneOf, Pattern


def match(made: dict[str, Any], wanted: dict[str, Any], **options: Any) -> bool:
    """Whether a call of `f` with these arguments matches one with those."""
    return match_trajectories([ToolCall("f", made)], [ToolCall("f", wanted)], **options).matched


def differences(made: dict[str, Any], wanted: dict[str, Any], **options: Any) -> list[tuple[str, str]]:
    [pair] = match_trajectories([ToolCall("f", made)], [ToolCall("f", wanted)], **options).differing
    return [(each.path, each.kind) for each in pair.differences]


# By tool.


def test_a_tool_may_have_an_argument_mode_of_its_own() -> None:
    made, wanted = [ToolCall("f", {"x": 1}), ToolCall("g", {"x": 1})], [ToolCall("f", {}), ToolCall("g", {"x": 1})]
    assert not match_trajectories(made, wanted).matched
    assert match_trajectories(made, wanted, overrides={"f": "ignore"}).matched
    assert not match_trajectories(made[::-1], wanted, overrides={"g": "ignore"}).matched


def test_a_list_says_which_arguments_count() -> None:
    made, wanted = {"x": 1, "y": {"z": 2, "w": 3}, "v": 4}, {"x": 1, "y": {"z": 2, "w": 9}}
    assert match(made, wanted, overrides={"f": ["x", "y.z"]})
    assert differences(made, wanted, overrides={"f": ["x", "y.w"]}) == [("y.w", "differs")]
    assert match({}, {"x": None}, overrides={"f": ["x"]})


def test_a_function_may_compare_the_whole() -> None:
    def same_total(made: dict[str, Any], wanted: dict[str, Any]) -> float:
        return 1.0 if sum(made.values()) == sum(wanted.values()) else 0.25

    assert match({"x": 1, "y": 3}, {"z": 4}, overrides={"f": same_total})
    result = match_trajectories([ToolCall("f", {"x": 1})], [ToolCall("f", {"x": 2})], overrides={"f": same_total})
    [difference] = result.differing[0].differences
    assert (difference.path, difference.grade) == ("", 0.25)
    assert "arguments: wanted" in str(result)


def test_a_star_stands_for_all_tools_without_an_override() -> None:
    overrides = {"*": "ignore", "g": "exact"}
    assert match({"x": 1}, {}, overrides=overrides)
    assert not match_trajectories([ToolCall("g", {"x": 1})], [ToolCall("g", {})], overrides=overrides).matched


def test_a_star_among_arguments_sets_the_mode_beside_comparators() -> None:
    overrides = {"f": {"*": "superset", "x": Within(absolute=1)}}
    assert match({"x": 2, "y": 3}, {"x": 1}, overrides=overrides)
    assert not match({"x": 3, "y": 3}, {"x": 1}, overrides=overrides)


def test_gold_may_ask_for_a_mode_of_its_own_against_an_override() -> None:
    made, gold = [ToolCall("f", {"x": 1})], [GoldCall("f", args_mode="superset")]
    assert match_trajectories(made, gold, overrides={"f": lambda *_: False}).matched
    assert not match_trajectories(made, [GoldCall("f")], overrides={"f": lambda *_: False}).matched


# By argument.


@pytest.mark.parametrize(
    ("given", "fits", "fails"),
    [
        (Within(absolute=0.5), [10, 9.5, 10.5], [9.4, 10.6, "10", True, None]),
        (Within(relative=0.1), [9, 11], [8.9, 11.1]),
        (Within(absolute=2, relative=0.1), [8, 12], [7.9]),
        (Pattern("1[0-9]"), ["10", "19"], ["1", "100", 10]),
        (re.compile("A.*", re.IGNORECASE), ["abc", "A"], ["ba", None]),
        (OneOf((1, "b")), [1, "b"], [2, True]),
        (Near(3, absolute=1), [2, 4], [5, 10]),
        (Anything(), [None, "x", {}], []),
        (ExactMatch(), [10], [11, "1 0"]),
        (lambda made, wanted: made == wanted + 1, [11], [10]),
        ("ignore", [1, None, "x"], []),
        ("exact", [10, 10.0], [11, "10"]),
    ],
)
def test_each_comparator_agrees_with_what_it_says(given: Any, fits: list[Any], fails: list[Any]) -> None:
    overrides = {"f": {"x": given}}
    assert [value for value in fits if not match({"x": value}, {"x": 10}, overrides=overrides)] == []
    assert [value for value in fails if match({"x": value}, {"x": 10}, overrides=overrides)] == []


def test_a_graded_comparator_has_to_reach_the_threshold() -> None:
    made, wanted = {"q": "sea view please"}, {"q": "Sea view, please"}
    similar = NonLLMStringSimilarity()
    assert match(made, wanted, overrides={"f": {"q": similar}})
    assert not match(made, wanted, overrides={"f": {"q": similar}}, threshold=0.95)
    assert not match(made, wanted, overrides={"f": {"q": AtLeast(similar, 0.95)}})
    assert match(made, wanted, overrides={"f": {"q": AtLeast(lambda *_: 0.3, 0.3)}})


def test_calls_below_the_threshold_are_still_paired_with_their_likest() -> None:
    made = [ToolCall("f", {"q": "hotels in Rome"}), ToolCall("f", {"q": "weather in Oslo"})]
    wanted = [ToolCall("f", {"q": "weather for Oslo today"}), ToolCall("f", {"q": "some hotels of Rome"})]
    overrides = {"f": {"q": NonLLMStringSimilarity()}}
    for calls in made, made[::-1]:
        result = match_trajectories(calls, wanted, "unordered", overrides=overrides)
        assert sorted((pair.made.args["q"][:5], pair.wanted.where) for pair in result.differing) == [
            ("hotel", "1"),
            ("weath", "0"),
        ]
        assert all((pair.differences[0].grade or 0) > 0.5 for pair in result.differing)


def test_comparators_reach_into_objects_and_lists() -> None:
    overrides = {"f": {"stay.price": Within(absolute=1), "stops[].id": "ignore", "stops[].at": Within(absolute=0.1)}}
    wanted: dict[str, Any] = {"stay": {"price": 10, "town": "Rome"}, "stops": [{"id": 1, "at": 1}, {"id": 2, "at": 2}]}
    made: dict[str, Any] = {"stay": {"price": 11, "town": "Rome"}, "stops": [{"at": 1.05}, {"id": 9, "at": 2.05}]}
    assert match(made, wanted, overrides=overrides)
    made["stops"][1]["at"] = 3
    made["stay"]["town"] = "Oslo"
    assert differences(made, wanted, overrides=overrides) == [("stay.town", "differs"), ("stops[1].at", "differs")]


def test_an_argument_that_is_ignored_may_lack_on_either_side() -> None:
    assert match({"x": 1, "trace": "a"}, {"x": 1}, overrides={"f": {"trace": "ignore"}})
    assert match({"x": 1}, {"x": 1, "trace": "a"}, overrides={"f": {"trace": "ignore"}})


def test_an_argument_with_a_comparator_still_has_to_be_there() -> None:
    assert differences({}, {"x": 1}, overrides={"f": {"x": Within(absolute=1)}}) == [("x", "missing")]
    assert differences({"x": 1}, {}, overrides={"f": {"x": Within(absolute=1)}}) == [("x", "extra")]


def test_a_choice_of_the_gold_decides_before_a_comparator() -> None:
    gold = [GoldCall("f", {"x": OneOf((1, 5))})]
    assert match_trajectories([ToolCall("f", {"x": 5})], gold, overrides={"f": {"x": Within(absolute=1)}}).matched
    assert not match_trajectories([ToolCall("f", {"x": 4})], gold, overrides={"f": {"x": Within(absolute=1)}}).matched


@pytest.mark.parametrize("said", ["yes", None, 2, -0.1, float("nan"), {}])
def test_a_function_has_to_say_true_false_or_a_share(said: Any) -> None:
    with pytest.raises(UnmeasuredError, match="not true, false or a number from 0 to 1"):
        match({"x": 1}, {"x": 2}, overrides={"f": {"x": lambda *_: said}})


def test_what_a_function_does_to_its_arguments_stays_there() -> None:
    def spoil(made: dict[str, Any], wanted: dict[str, Any]) -> bool:
        made.clear()
        wanted.clear()
        return True

    made, wanted = [ToolCall("f", {"x": {"y": 1}})], [ToolCall("f", {"x": {"y": 1}})]
    assert match_trajectories(made, wanted, overrides={"f": spoil}).matched
    assert match_trajectories(made, wanted, overrides={"f": {"x": spoil}}).matched
    assert (made, wanted) == ([ToolCall("f", {"x": {"y": 1}})], [ToolCall("f", {"x": {"y": 1}})])


@pytest.mark.parametrize("sizes", [{}, {"absolute": -1}, {"absolute": "1"}, {"relative": float("inf")}])
def test_a_tolerance_has_to_be_a_number_above_zero(sizes: dict[str, Any]) -> None:
    with pytest.raises(OptionError, match="Within needs a tolerance above 0"):
        Within(**sizes)


# What relaxes types.


def test_coerce_takes_text_for_the_number_or_truth_value_that_it_spells() -> None:
    same: list[Any] = [("1", 1), ("1.0", 1), ("-2.5e1", -25), ("true", True), ("False", False), (["3"], [3])]
    for made, wanted in same:
        assert match({"x": made}, {"x": wanted}, coerce=True)
        assert match({"x": wanted}, {"x": made}, coerce=True)
        assert not match({"x": made}, {"x": wanted})
    different: list[tuple[Any, Any]] = [(True, 1), ("01", 1), ("one", 1), ("", 0), ("nan", 0), (None, 0)]
    for made, wanted in different:
        assert not match({"x": made}, {"x": wanted}, coerce=True)


SCHEMA = {
    "type": "object",
    "properties": {
        "unit": {"enum": ["celsius", "Fahrenheit"], "default": "celsius"},
        "days": {"type": "integer", "default": 1},
        "price": {"type": ["number", "null"]},
        "strictly": {"type": "boolean"},
        "name": {"type": "string"},
        "tags": {"type": "array", "uniqueItems": True, "items": {"enum": ["a", "B"]}},
        "route": {"type": "array", "items": {"$ref": "#/$defs/stop"}},
        "size": {"anyOf": [{"type": "integer"}, {"type": "null"}], "default": None},
        "kind": {"const": "Fixed"},
    },
    "$defs": {"stop": {"type": "object", "properties": {"at": {"type": "number"}, "short": {"default": False}}}},
}


@pytest.mark.parametrize(
    ("made", "wanted"),
    [
        ({}, {"unit": "celsius", "days": 1, "size": None}),
        ({"unit": "CELSIUS"}, {}),
        ({"unit": "fahrenheit"}, {"unit": "Fahrenheit"}),
        ({"days": "3"}, {"days": 3}),
        ({"days": "1"}, {}),
        ({"price": "9.50"}, {"price": 9.5}),
        ({"strictly": "True"}, {"strictly": True}),
        ({"tags": ["b", "a"]}, {"tags": ["a", "B"]}),
        ({"route": [{"at": "1"}]}, {"route": [{"at": 1, "short": False}]}),
        ({"size": "4"}, {"size": 4}),
        ({"kind": "fixed"}, {"kind": "Fixed"}),
    ],
)
def test_a_schema_says_which_arguments_are_the_same(made: dict[str, Any], wanted: dict[str, Any]) -> None:
    shapes: list[Any] = [
        {"f": SCHEMA},
        [{"type": "function", "function": {"name": "f", "parameters": SCHEMA}}],
        [{"name": "f", "input_schema": SCHEMA}],
        [{"name": "f", "inputSchema": SCHEMA}],
    ]
    for tools in shapes:
        assert match(made, wanted, tools=tools)
        assert match(wanted, made, tools=tools)
    assert not match(made, wanted)


@pytest.mark.parametrize(
    ("made", "wanted"),
    [
        ({"unit": "kelvin"}, {}),
        ({"days": "three"}, {"days": 3}),
        ({"days": 2}, {}),
        ({"name": "1"}, {"name": 1}),
        ({"name": "A"}, {"name": "a"}),
        ({"strictly": 1}, {"strictly": True}),
        ({"tags": ["a", "a"]}, {"tags": ["a"]}),
        ({"route": [{"at": 1}, {"at": 2}]}, {"route": [{"at": 2}, {"at": 1}]}),
        ({"price": "null"}, {"price": None}),
        ({"other": "1"}, {"other": 1}),
    ],
)
def test_a_schema_relaxes_nothing_else(made: dict[str, Any], wanted: dict[str, Any]) -> None:
    assert not match(made, wanted, tools={"f": SCHEMA})


def test_defaults_stand_in_for_what_a_looser_mode_still_asks_for() -> None:
    tools = {"f": {"properties": {"n": {"default": 5}}}}
    assert match({}, {"n": 5}, tools=tools, args="superset")
    assert not match({}, {"n": 6}, tools=tools, args="superset")
    assert match({"n": 7}, {}, tools=tools, args="superset")
    assert match({"n": 5}, {}, tools=tools, args="subset")
    assert not match({"n": 7}, {}, tools=tools, args="subset")
    assert match({"x": 1}, {"x": 1, "n": 5}, tools=tools, overrides={"f": ["x", "n"]})


def test_a_schema_and_comparators_work_together() -> None:
    tools = {"f": {"properties": {"price": {"type": "number"}, "n": {"default": 5}}}}
    assert match({"price": "10.4"}, {"price": 10, "n": 5}, tools=tools, overrides={"f": {"price": Within(absolute=1)}})
    gold = [GoldCall("f", {"price": OneOf(("10", 20)), "n": Anything()})]
    assert match_trajectories([ToolCall("f", {"price": 10})], gold, tools=tools).matched


def test_a_schema_that_goes_round_in_circles_or_nowhere_says_nothing() -> None:
    tree: dict[str, Any] = {"properties": {"x": {"$ref": "#/properties/x"}, "y": {"$ref": "#/nowhere"}, "z": True}}
    assert match({"x": 1, "y": [2], "z": 3}, {"x": 1.0, "y": [2], "z": 3}, tools={"f": tree})
    assert not match({"x": "1"}, {"x": 1}, tools={"f": tree})


# What an agent may write.


@pytest.mark.parametrize("text", ["12e4567", "-1e999", "9" * 5000])
def test_text_that_spells_a_number_too_large_is_text(text: str) -> None:
    schema = {"f": {"properties": {"x": {"type": ["number", "null"]}}}}
    for options in ({"coerce": True}, {"tools": schema}):
        assert not match({"x": text}, {"x": "abc"}, **options)
        assert match({"x": text}, {"x": text}, **options)


@pytest.mark.parametrize("tolerance", [Within(absolute=0.5), Within(relative=0.5)])
def test_a_whole_number_that_no_float_holds_is_near_those_that_it_is_near(tolerance: Within) -> None:
    huge = 10**400
    overrides = {"f": {"x": tolerance}}
    assert not match({"x": huge}, {"x": 1.5}, overrides=overrides)
    assert not match({"x": 1.5}, {"x": huge}, overrides=overrides)
    assert match({"x": huge}, {"x": huge}, overrides=overrides)
    assert match({"x": huge + 1}, {"x": huge}, overrides=overrides) is bool(tolerance.relative)
    gold = [GoldCall("f", {"x": Near(1.5, absolute=0.1)})]
    assert not match_trajectories([ToolCall("f", {"x": huge})], gold).matched


# Lists whose order does not matter.

TAGS = {"f": {"properties": {"x": {"type": "array", "uniqueItems": True}}}}


@pytest.mark.parametrize(
    ("made", "wanted", "fits"),
    [
        (["c", "b"], ["c", OneOf(["z", "b"])], True),
        (["b", "c"], ["c", OneOf(["z", "b"])], True),
        (["a", "b"], ["b", Anything()], True),
        (["zz", "b"], ["b", Anything()], True),
        (["a", "c"], ["b", Anything()], False),
        (["b"], ["b", Anything()], False),
        ([2, 1], [OneOf([1, 2]), 1], True),
        ([3, 1], [OneOf([1, 2]), 1], False),
        ([{"n": 1}, {"n": 2}], [{"n": Near(2, absolute=0.5)}, {"n": Anything()}], True),
    ],
)
def test_items_in_any_order_are_paired_with_the_choices_that_they_fit(made: Any, wanted: Any, fits: bool) -> None:
    gold = [GoldCall("f", {"x": wanted})]
    result = match_trajectories([ToolCall("f", {"x": made})], gold, tools=TAGS)
    assert result.matched is fits
    if not fits:
        assert [each.path for each in result.differing[0].differences] == ["x"]


def test_items_in_any_order_are_paired_by_their_comparators() -> None:
    overrides = {"f": {"x[]": Within(absolute=1)}}
    assert match({"x": [10, 3]}, {"x": [2, 9]}, tools=TAGS, overrides=overrides)
    assert match({"x": [9, 10]}, {"x": [10, 11]}, tools=TAGS, overrides=overrides)
    assert not match({"x": [10, 3]}, {"x": [2, 7]}, tools=TAGS, overrides=overrides)


# Schemas that lead back to themselves.


@pytest.mark.parametrize(
    "node",
    [
        {"type": "object", "default": {}, "properties": {"c": {"$ref": "#/$defs/n"}}},
        {"type": "object", "default": {}, "properties": {"c": {"$ref": "#/$defs/n", "title": "child"}}},
        {"allOf": [{"$ref": "#/$defs/n"}]},
        {"allOf": [{"$ref": "#/$defs/n", "title": "again"}, {"$ref": "#/$defs/n"}]},
        {"anyOf": [{"$ref": "#/$defs/n"}, {"$ref": "#/$defs/n"}]},
        {"oneOf": [{"anyOf": [{"$ref": "#/$defs/n"}]}, {"type": "null"}]},
        {"uniqueItems": True, "items": {"$ref": "#/$defs/n"}, "additionalProperties": {"$ref": "#/$defs/n"}},
    ],
)
def test_a_schema_that_leads_back_to_itself_is_taken_once(node: Any) -> None:
    tools = {"f": {"properties": {"x": {"$ref": "#/$defs/n"}}, "$defs": {"n": node}}}
    values: list[Any] = [{}, {"c": {"c": {}}}, [[1], [2]], "s", None]
    for value in values:
        assert match({"x": value}, {"x": value}, tools=tools)
        assert not match({"x": value}, {"x": "other"}, tools=tools)


def test_a_default_that_json_cannot_hold_is_refused() -> None:
    with pytest.raises(OptionError, match="the default nan of a tool's schema cannot be: JSON has no number nan"):
        match({}, {}, tools={"f": {"properties": {"x": {"default": float("nan")}}}})


def test_a_default_is_the_number_that_it_is_however_it_is_written() -> None:
    tools = {"f": {"properties": {"x": {"default": 2.0}}}}
    assert match({}, {"x": 2}, tools=tools)
    assert match({}, {"x": 2}, tools=tools, overrides={"f": {"y": "ignore"}})

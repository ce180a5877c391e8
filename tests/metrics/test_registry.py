from __future__ import annotations

import subprocess
import sys

import pytest

from proctor.errors import OptionError
from proctor.metrics import (
    BleuScore,
    DistanceMeasure,
    MetricType,
    NonLLMStringSimilarity,
    RougeScore,
    ToolCallAccuracy,
    ToolCallF1,
    TrajectoryMatch,
)
from proctor.metrics.registry import ENTRIES, Entry, entry, make, make_all, names


@pytest.mark.parametrize(
    "spelling", ["tool_call_accuracy", "ToolCallAccuracy", "tool-call-accuracy", "TOOL CALL accuracy"]
)
def test_a_metric_is_found_in_every_usual_spelling(spelling: str) -> None:
    assert type(make(spelling)) is ToolCallAccuracy


def test_a_metric_is_found_by_the_name_of_its_class_too() -> None:
    assert entry("StringPresence").name == "string_present"


def test_an_unknown_metric_is_refused_with_the_nearest_name() -> None:
    with pytest.raises(
        OptionError, match=r"there is no metric 'tool_calls_accuracy'; did you mean 'tool_call_accuracy'\?"
    ):
        make("tool_calls_accuracy")


def test_a_metric_that_is_like_none_is_refused_with_all_names() -> None:
    with pytest.raises(OptionError, match=r"known are .*exact_match.*tool_call_f1"):
        make("?!")


def test_a_metric_of_runs_is_refused_with_the_commands_that_give_it() -> None:
    with pytest.raises(
        OptionError, match="'api_call_score' is a metric of runs, not of samples: see proctor run, proc"
    ):
        make("ApiCallScore")


@pytest.mark.parametrize("known", ENTRIES, ids=lambda known: known.name)
def test_every_metric_can_be_listed_and_made(known: Entry) -> None:
    found = entry(known.name)
    assert found == known
    metric = found.make()
    assert metric.name == found.name
    assert found.needs
    assert isinstance(found.sample_type, MetricType)
    assert found.says.endswith(".")
    assert found.asks_model is type(metric).asks_model


def test_names_are_sorted_and_each_is_there_once() -> None:
    assert names() == sorted(set(names()))


@pytest.mark.parametrize(
    ("text", "meant"), [("false", False), ("No", False), ("0", False), ("true", True), ("on", True)]
)
def test_a_switch_is_read(text: str, meant: bool) -> None:
    metric = make("tool_call_accuracy", {"strict_order": text})
    assert isinstance(metric, ToolCallAccuracy)
    assert metric.strict_order is meant


def test_a_choice_is_read_in_any_spelling() -> None:
    metric = make("non_llm_string_similarity", {"distance_measure": "Jaro-Winkler"})
    assert isinstance(metric, NonLLMStringSimilarity)
    assert metric.distance_measure is DistanceMeasure.JARO_WINKLER


def test_an_option_that_is_an_object_is_written_in_json() -> None:
    metric = make("bleu_score", {"kwargs": '{"lowercase": true}'})
    assert isinstance(metric, BleuScore)
    assert metric.kwargs == {"lowercase": True}
    with pytest.raises(OptionError, match="bleu_score: kwargs cannot be 'lowercase'; allowed is JSON"):
        make("bleu_score", {"kwargs": "lowercase"})


def test_a_bad_value_is_refused_with_the_allowed_ones() -> None:
    with pytest.raises(
        OptionError, match="tool_call_accuracy: strict_order cannot be 'perhaps'; allowed is true, false"
    ):
        make("tool_call_accuracy", {"strict_order": "perhaps"})
    with pytest.raises(OptionError, match="allowed is levenshtein, hamming, jaro, jaro_winkler"):
        make("non_llm_string_similarity", {"distance_measure": "cosine"})


def test_an_unknown_option_is_refused_with_the_nearest() -> None:
    with pytest.raises(
        OptionError, match=r"tool_call_accuracy: unknown option 'strict'; did you mean 'strict_order'\?"
    ):
        make("tool_call_accuracy", {"strict": "true"})
    with pytest.raises(OptionError, match="tool_call_f1: unknown option 'strict_order'; it has no options"):
        make("tool_call_f1", {"strict_order": "true"})


@pytest.mark.parametrize("given", [("mode", "trajectory_match.mode"), ("trajectory_match.mode", "mode")])
def test_an_option_for_one_metric_goes_before_one_for_all_wherever_it_stands(given: tuple[str, str]) -> None:
    values = {"mode": "recall", "trajectory_match.mode": "subset"}
    matched, rouge = make_all(["trajectory_match", "rouge_score"], {name: values[name] for name in given})
    assert isinstance(matched, TrajectoryMatch)
    assert isinstance(rouge, RougeScore)
    assert (matched.mode, rouge.mode) == ("subset", "recall")


def test_a_metric_inside_a_metric_is_named_and_has_options_of_its_own() -> None:
    metric = make(
        "tool_call_accuracy",
        {"arg_comparison_metric": "NonLLMStringSimilarity", "arg_comparison_metric.distance_measure": "jaro"},
    )
    assert isinstance(metric, ToolCallAccuracy)
    assert isinstance(metric.arg_comparison_metric, NonLLMStringSimilarity)
    assert metric.arg_comparison_metric.distance_measure is DistanceMeasure.JARO


def test_an_option_of_an_option_that_is_no_metric_is_refused() -> None:
    with pytest.raises(OptionError, match="'strict_order' is no metric, so it has no option 'x'"):
        make("tool_call_accuracy", {"strict_order.x": "1"})


def test_an_option_goes_to_every_metric_that_has_it() -> None:
    accuracy, f1 = make_all(["tool_call_accuracy", "tool_call_f1"], {"strict_order": "false"})
    assert isinstance(accuracy, ToolCallAccuracy)
    assert accuracy.strict_order is False
    assert type(f1) is ToolCallF1


def test_an_option_can_be_for_one_metric_alone() -> None:
    accuracy, similarity = make_all(
        ["tool_call_accuracy", "non_llm_string_similarity"],
        {"ToolCallAccuracy.strict_order": "false", "non_llm_string_similarity.distance_measure": "hamming"},
    )
    assert isinstance(accuracy, ToolCallAccuracy)
    assert isinstance(similarity, NonLLMStringSimilarity)
    assert accuracy.strict_order is False
    assert similarity.distance_measure is DistanceMeasure.HAMMING


def test_an_option_that_no_metric_has_is_refused() -> None:
    with pytest.raises(OptionError, match=r"unknown option 'strict_orders'; did you mean 'strict_order'\?"):
        make_all(["tool_call_accuracy", "tool_call_f1"], {"strict_orders": "false"})
    with pytest.raises(OptionError, match="exact_match: unknown option 'x'; there are no options"):
        make_all(["exact_match"], {"x": "1"})


def test_options_say_what_is_allowed_and_what_is_usual() -> None:
    options = entry("tool_call_accuracy").options
    assert (options["strict_order"].allowed, options["strict_order"].default) == ("true, false", True)
    assert options["arg_comparison_metric"].default == "exact_match"
    assert "llm" not in options


def test_the_metrics_load_no_heavy_library_before_one_is_used() -> None:
    heavy = ["sacrebleu", "rouge_score", "rapidfuzz", "scipy", "numpy", "pandas", "rich", "openai"]
    code = (
        "import sys, proctor.metrics, proctor.metrics.registry as r; [e.options for e in r.ENTRIES]; "
        f"print([name for name in {heavy} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)  # noqa: S603
    assert done.stdout.strip() == "[]"

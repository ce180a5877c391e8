from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proctor.dataset_schema import SingleTurnSample
from proctor.errors import OptionError, UnmeasuredError
from proctor.metrics import BleuScore, ChrfScore, RougeScore, SingleTurnMetric
from proctor.metrics._string import DistanceMeasure, ExactMatch, NonLLMStringSimilarity, StringPresence
from proctor.records.grades import Missing, Score


def score(metric: SingleTurnMetric, response: str, reference: str) -> float:
    return metric.single_turn_score(SingleTurnSample(response=response, reference=reference))


def test_an_exact_match_is_exact() -> None:
    assert score(ExactMatch(), "Ghent", "Ghent") == 1.0
    assert score(ExactMatch(), "Ghent ", "Ghent") == 0.0
    assert score(ExactMatch(), "ghent", "Ghent") == 0.0


def test_presence_is_of_the_reference_in_the_response() -> None:
    assert score(StringPresence(), "The train to Ghent leaves.", "Ghent") == 1.0
    assert score(StringPresence(), "Ghent", "The train to Ghent leaves.") == 0.0
    assert StringPresence().name == "string_present"


@pytest.mark.parametrize(
    ("measure", "similarity"),
    [("levenshtein", 1 - 1 / 6), ("hamming", 5 / 6), ("jaro", 17 / 18), ("jaro_winkler", 1 - 0.6 / 18)],
)
def test_similarity_is_one_less_the_normalised_distance(measure: str, similarity: float) -> None:
    metric = NonLLMStringSimilarity(distance_measure=DistanceMeasure(measure))
    assert score(metric, "bruges", "bruge") == pytest.approx(similarity)


@pytest.mark.parametrize("measure", DistanceMeasure)
def test_two_empty_texts_are_alike(measure: DistanceMeasure) -> None:
    assert score(NonLLMStringSimilarity(distance_measure=measure), "", "") == 1.0


@pytest.mark.parametrize("said", ["jaro_winkler", "Jaro-Winkler", "JARO_WINKLER", DistanceMeasure.JARO_WINKLER])
def test_a_distance_measure_may_be_named_by_text(said: Any) -> None:
    assert NonLLMStringSimilarity(distance_measure=said).distance_measure is DistanceMeasure.JARO_WINKLER


def test_a_distance_measure_set_by_text_later_counts_too() -> None:
    metric: Any = NonLLMStringSimilarity()
    metric.distance_measure = "hamming"
    assert score(metric, "abc", "bca") == 0.0


@pytest.mark.parametrize("said", ["cosine", 3, None])
def test_an_unknown_distance_measure_is_refused_with_those_that_there_are(said: Any) -> None:
    with pytest.raises(OptionError, match="one of hamming, jaro, jaro_winkler, levenshtein, not"):
        NonLLMStringSimilarity(distance_measure=said)


@pytest.mark.parametrize(
    "metric", [ExactMatch(), StringPresence(), NonLLMStringSimilarity(), BleuScore(), RougeScore(), ChrfScore()]
)
def test_a_text_that_is_not_there_leaves_a_metric_of_likeness_unmeasured(metric: SingleTurnMetric) -> None:
    assert metric.measure(SingleTurnSample(response="a")) == Missing("the sample has no reference")
    assert metric.measure(SingleTurnSample(reference="a")) == Missing("the sample has no response")
    with pytest.raises(UnmeasuredError, match=f"{metric.name} is unmeasured: the sample has no response"):
        metric.single_turn_score(SingleTurnSample(reference="a"))
    assert metric.required_columns == {"SINGLE_TURN": {"reference", "response"}}


@settings(deadline=None, max_examples=60)
@given(
    response=st.text(max_size=20),
    reference=st.text(max_size=20),
    metric=st.sampled_from(
        [*(NonLLMStringSimilarity(distance_measure=measure) for measure in DistanceMeasure), BleuScore(), ChrfScore()]
    ),
)
def test_every_likeness_is_between_0_and_1(response: str, reference: str, metric: SingleTurnMetric) -> None:
    measured = metric.measure(SingleTurnSample(response=response, reference=reference))
    assert isinstance(measured, Score)
    assert 0.0 <= measured.value <= 1.0

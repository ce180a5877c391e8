from __future__ import annotations

from typing import Any

import pytest

from proctor.dataset_schema import SingleTurnSample
from proctor.errors import OptionError
from proctor.metrics import RougeScore
from proctor.records.grades import Missing

SAMPLE = SingleTurnSample(reference="the museum opens at nine", response="at nine opens the door")


@pytest.mark.parametrize(
    ("rouge_type", "mode", "score"),
    [
        ("rouge1", "precision", 4 / 5),
        ("rouge1", "recall", 4 / 5),
        ("rougeL", "precision", 2 / 5),
        ("rougeL", "fmeasure", 2 / 5),
        ("rouge2", "fmeasure", 1 / 4),
    ],
)
def test_words_are_counted_alone_in_pairs_or_in_order(rouge_type: Any, mode: Any, score: float) -> None:
    assert RougeScore(rouge_type=rouge_type, mode=mode).single_turn_score(SAMPLE) == pytest.approx(score)


def test_words_are_compared_by_their_stems() -> None:
    sample = SingleTurnSample(reference="trains leave", response="train leaves")
    assert RougeScore().single_turn_score(sample) == 1.0


def test_precision_is_of_the_response_and_recall_of_the_reference() -> None:
    sample = SingleTurnSample(reference="the museum opens at nine", response="the museum opens")
    assert RougeScore(mode="precision").single_turn_score(sample) == 1.0
    assert RougeScore(mode="recall").single_turn_score(sample) == pytest.approx(3 / 5)


@pytest.mark.parametrize("text", ["博物館は九時に開きます", "Музей открывается в девять"])
def test_a_reference_without_a_word_that_rouge_counts_is_unmeasured(text: str) -> None:
    measured = RougeScore().measure(SingleTurnSample(reference=text, response=text))
    assert measured == Missing("ROUGE counts words of the letters a to z and of digits, and the reference has none")


@pytest.mark.parametrize("response", ["", "…", "九時"])
def test_a_response_without_a_word_shares_nothing(response: str) -> None:
    assert RougeScore().single_turn_score(SingleTurnSample(reference="nine", response=response)) == 0.0


def test_unknown_options_are_refused_with_those_that_there_are() -> None:
    wrong: Any = "f1"
    with pytest.raises(OptionError, match="mode must be one of fmeasure, precision, recall, not 'f1'"):
        RougeScore(mode=wrong)
    with pytest.raises(OptionError, match="rouge_type must be one of rouge1, rouge2, rougeL, rougeLsum, not 'f1'"):
        RougeScore(rouge_type=wrong)
    metric = RougeScore()
    metric.mode = wrong
    with pytest.raises(OptionError, match="mode must be one of"):
        metric.single_turn_score(SAMPLE)

from __future__ import annotations

import asyncio
import sys

import pytest

from proctor.dataset_schema import SingleTurnSample
from proctor.errors import NeedsExtraError, OptionError, UnmeasuredError
from proctor.metrics import BleuScore, ChrfScore, RougeScore
from proctor.records.grades import Score

TWO = "The museum opens at nine in the morning. It closes at six in the evening."
OTHER = "The museum opens at nine in the morning. Dogs have to wait outside of the building."


def bleu(response: str, reference: str, **kwargs: object) -> float:
    return BleuScore(kwargs=kwargs).single_turn_score(SingleTurnSample(response=response, reference=reference))


def test_identical_texts_score_exactly_1() -> None:
    assert bleu(TWO, TWO) == 1.0


def test_the_whole_text_is_scored_not_only_its_first_sentence() -> None:
    assert 0.2 < bleu(OTHER, TWO) < 0.8


def test_texts_that_are_not_equally_long_can_be_compared() -> None:
    assert 0.0 < bleu(TWO, TWO + " It is shut on Mondays.") < 1.0


def test_options_go_to_sacrebleu() -> None:
    assert bleu("nine sharp", "nine sharp") < 0.1
    assert bleu("nine sharp", "nine sharp", use_effective_order=True) == 1.0


@pytest.mark.parametrize(
    ("kind", "wrong", "meant"), [(BleuScore, "lowercasing", "lowercase"), (ChrfScore, "word_orders", "word_order")]
)
def test_an_option_that_sacrebleu_does_not_have_is_refused(
    kind: type[BleuScore | ChrfScore], wrong: str, meant: str
) -> None:
    with pytest.raises(OptionError, match=rf"unknown option '{wrong}' in kwargs; did you mean '{meant}'\?"):
        kind(kwargs={wrong: 1})


def test_an_option_that_sacrebleu_cannot_work_with_is_a_sentence() -> None:
    with pytest.raises(
        OptionError, match=r"bleu_score: sacrebleu cannot work with the options \{'tokenize': 'runes'\}"
    ):
        bleu(TWO, TWO, tokenize="runes")


@pytest.mark.parametrize("kind", [BleuScore, ChrfScore])
def test_without_sacrebleu_the_metric_says_how_to_get_it(
    monkeypatch: pytest.MonkeyPatch, kind: type[BleuScore | ChrfScore]
) -> None:
    monkeypatch.setitem(sys.modules, "sacrebleu", None)
    with pytest.raises(NeedsExtraError, match=r"sacrebleu is required .* pip install sacrebleu"):
        kind()


def test_without_rouge_score_the_metric_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    metric = RougeScore()
    monkeypatch.setitem(sys.modules, "rouge_score", None)
    with pytest.raises(ImportError, match=r"rouge_score is required .* pip install rouge-score"):
        metric.single_turn_score(SingleTurnSample(response="a", reference="a"))


def test_chrf_of_a_blank_text_is_0_with_the_reason() -> None:
    measured = ChrfScore().measure(SingleTurnSample(response=" ", reference="nine"))
    assert isinstance(measured, Score)
    assert measured.value == 0.0
    assert str(measured.reason).startswith("Empty input")


def test_chrf_of_identical_texts_is_1_and_of_near_ones_is_near() -> None:
    metric = ChrfScore()
    assert metric.single_turn_score(SingleTurnSample(response=TWO, reference=TWO)) == 1.0
    near = metric.single_turn_score(SingleTurnSample(response="the museum opens", reference="the museums open"))
    assert 0.6 < near < 1.0


def test_chrf_options_go_to_sacrebleu() -> None:
    sample = SingleTurnSample(response="nine opens", reference="opens nine")
    assert ChrfScore(kwargs={"word_order": 2}).single_turn_score(sample) != ChrfScore().single_turn_score(sample)


def test_the_door_of_ragas_itself_counts_a_text_that_is_not_there_as_0_and_the_others_raise() -> None:
    metric, sample = ChrfScore(), SingleTurnSample(response="nine")
    assert asyncio.run(metric._single_turn_ascore(sample, None)) == 0.0
    with pytest.raises(UnmeasuredError):
        asyncio.run(metric.single_turn_ascore(sample))

"""BLEU: how many runs of words the response shares with the reference."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from proctor.dataset_schema import SingleTurnSample
from proctor.errors import NeedsExtraError
from proctor.metrics.base import SingleTurnMetric
from proctor.metrics.texts import NEEDED, reference_and_response
from proctor.records.grades import Missing, Score


@dataclass(eq=False)
class BleuScore(SingleTurnMetric):
    """BLEU of the whole response against the whole reference, from 0 to 1, by sacrebleu.

    `kwargs` go to `sacrebleu.corpus_bleu`. Texts of fewer than four words have no runs of four, which BLEU counts as 0;
    `{"use_effective_order": True}` leaves the runs out that are longer than the text.
    """

    name: str = "bleu_score"
    kwargs: dict[str, Any] = field(default_factory=dict)

    needs = NEEDED

    def __post_init__(self) -> None:
        super().__post_init__()
        _ = self.corpus_bleu  # raises without sacrebleu

    @property
    def corpus_bleu(self) -> Callable[..., Any]:
        """Sacrebleu's function."""
        try:
            from sacrebleu import corpus_bleu
        except ImportError:
            raise NeedsExtraError("sacrebleu is required for the BLEU score: pip install sacrebleu") from None
        return corpus_bleu

    def measure(self, sample: SingleTurnSample) -> Score | Missing:
        """Compare the two texts."""
        texts = reference_and_response(sample)
        if isinstance(texts, Missing):
            return texts
        reference, response = texts
        # Identical texts come to 100.00000000000004.
        return Score(min(self.corpus_bleu([response], [[reference]], **self.kwargs).score / 100, 1.0))

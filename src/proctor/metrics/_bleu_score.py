"""BLEU: how many runs of words the response shares with the reference."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from proctor.dataset_schema import SingleTurnSample
from proctor.errors import NeedsExtraError
from proctor.metrics.base import SHARE, SingleTurnMetric
from proctor.metrics.texts import NEEDED, check_options, reference_and_response, shared_runs
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
    bounds = SHARE

    def __post_init__(self) -> None:
        super().__post_init__()
        check_options(self.name, self.corpus_bleu, self.kwargs)

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
        return Score(shared_runs(self.name, self.corpus_bleu, texts, self.kwargs))

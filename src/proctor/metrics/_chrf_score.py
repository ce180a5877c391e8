"""chrF: how many runs of characters the response shares with the reference."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from proctor.dataset_schema import SingleTurnSample
from proctor.errors import NeedsExtraError
from proctor.metrics.base import SHARE, SingleTurnMetric, number
from proctor.metrics.texts import NEEDED, check_options, reference_and_response, shared_runs
from proctor.records.grades import Missing, Score

_NO_TEXT = Score(0.0, reason="Empty input: the reference or the response holds nothing but blanks")


@dataclass(eq=False)
class ChrfScore(SingleTurnMetric):
    """chrF of the response against the reference, from 0 to 1, by sacrebleu; 0 where one of them is blank.

    `kwargs` go to `sacrebleu.corpus_chrf`: `char_order`, `word_order` (2 makes it chrF++), `beta`.
    """

    name: str = "chrf_score"
    kwargs: dict[str, Any] = field(default_factory=dict)

    needs = NEEDED
    bounds = SHARE

    def __post_init__(self) -> None:
        super().__post_init__()
        check_options(self.name, self.corpus_chrf, self.kwargs)

    @property
    def corpus_chrf(self) -> Callable[..., Any]:
        """Sacrebleu's function."""
        try:
            from sacrebleu import corpus_chrf
        except ImportError:
            raise NeedsExtraError("sacrebleu is required for the chrF score: pip install sacrebleu") from None
        return corpus_chrf

    def measure(self, sample: SingleTurnSample) -> Score | Missing:
        """Compare the two texts."""
        texts = reference_and_response(sample)
        if isinstance(texts, Missing):
            return texts
        if not all(text.strip() for text in texts):
            return _NO_TEXT
        return Score(shared_runs(self.name, self.corpus_chrf, texts, self.kwargs))

    async def _single_turn_ascore(self, sample: SingleTurnSample, callbacks: Any = None) -> float:
        """Keep ragas's own door as it is there: a text that is not there counts 0. The other doors raise."""
        measured = self.measure(sample)
        return 0.0 if isinstance(measured, Missing) else number(self.name, measured)

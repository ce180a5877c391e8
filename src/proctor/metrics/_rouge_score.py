"""ROUGE: how many words the response shares with the reference, alone or in order."""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass
from typing import Any, Literal, get_args

from proctor.dataset_schema import SingleTurnSample
from proctor.errors import NeedsExtraError, OptionError
from proctor.metrics.base import SHARE, SingleTurnMetric
from proctor.metrics.texts import NEEDED, reference_and_response
from proctor.records.grades import Missing, Score

RougeType = Literal["rouge1", "rouge2", "rougeL", "rougeLsum"]
Mode = Literal["fmeasure", "precision", "recall"]
_COUNTED = re.compile("[a-z0-9]")
_UNCOUNTED = Missing("ROUGE counts words of the letters a to z and of digits, and the reference has none")


@dataclass(eq=False)
class RougeScore(SingleTurnMetric):
    """ROUGE of the response against the reference, from 0 to 1, by rouge-score with word stems.

    `rouge_type` is `rouge1` (single words), `rouge2` (pairs), `rougeL` (the longest common sequence) or `rougeLsum`
    (the same line by line); `mode` is `fmeasure`, `precision` or `recall`. Words are of the letters a to z and of
    digits: a reference in another script leaves nothing to look for and is unmeasured.
    """

    name: str = "rouge_score"
    rouge_type: RougeType = "rougeL"
    mode: Mode = "fmeasure"

    needs = NEEDED
    bounds = SHARE

    def __post_init__(self) -> None:
        super().__post_init__()
        self._check()
        _ = self.rouge_scorer  # raises without rouge-score

    @property
    def rouge_scorer(self) -> Any:
        """rouge-score's module."""
        try:
            from rouge_score import rouge_scorer
        except ImportError:
            raise NeedsExtraError("rouge_score is required for the ROUGE score: pip install rouge-score") from None
        return rouge_scorer

    def measure(self, sample: SingleTurnSample) -> Score | Missing:
        """Compare the two texts."""
        texts = reference_and_response(sample)
        if isinstance(texts, Missing):
            return texts
        self._check()
        reference = texts[0]
        if reference.strip() and not _COUNTED.search(reference.lower()):
            return _UNCOUNTED
        scores = _scorer(self.rouge_scorer, self.rouge_type).score(*texts)
        return Score(float(getattr(scores[self.rouge_type], self.mode)))

    def _check(self) -> None:
        for option, value, allowed in (
            ("rouge_type", self.rouge_type, get_args(RougeType)),
            ("mode", self.mode, get_args(Mode)),
        ):
            if value not in allowed:
                raise OptionError(f"{option} must be one of {', '.join(allowed)}, not {value!r}.")


@functools.cache
def _scorer(rouge_scorer: Any, rouge_type: str) -> Any:
    return rouge_scorer.RougeScorer([rouge_type], use_stemmer=True)

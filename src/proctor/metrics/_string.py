"""How like the reference an answer is, character by character."""

from __future__ import annotations

import enum
from collections.abc import Callable
from dataclasses import dataclass

from proctor.dataset_schema import SingleTurnSample
from proctor.errors import OptionError
from proctor.metrics.base import SHARE, SingleTurnMetric
from proctor.metrics.texts import NEEDED, reference_and_response
from proctor.records.grades import Missing, Score


class DistanceMeasure(enum.Enum):
    """How the distance between two texts is counted."""

    LEVENSHTEIN = "levenshtein"
    """Insertions, deletions and substitutions."""
    HAMMING = "hamming"
    """Positions that differ; the shorter text is padded."""
    JARO = "jaro"
    """Characters that both have, near the same place, and how many of them are swapped."""
    JARO_WINKLER = "jaro_winkler"
    """Jaro, more lenient when the beginnings agree."""

    @classmethod
    def _missing_(cls, value: object) -> DistanceMeasure | None:
        """The measure that a text names, in any spelling."""
        return cls.__members__.get(value.strip().upper().replace("-", "_")) if isinstance(value, str) else None


@dataclass(eq=False)
class ExactMatch(SingleTurnMetric):
    """1 when the response is the reference, to the letter, else 0."""

    name: str = "exact_match"

    needs = NEEDED
    bounds = SHARE

    def measure(self, sample: SingleTurnSample) -> Score | Missing:
        """Compare the two texts."""
        texts = reference_and_response(sample)
        if isinstance(texts, Missing):
            return texts
        reference, response = texts
        return Score(float(reference == response))


@dataclass(eq=False)
class StringPresence(SingleTurnMetric):
    """1 when the reference stands somewhere in the response, to the letter, else 0."""

    name: str = "string_present"

    needs = NEEDED
    bounds = SHARE

    def measure(self, sample: SingleTurnSample) -> Score | Missing:
        """Look for the reference in the response."""
        texts = reference_and_response(sample)
        if isinstance(texts, Missing):
            return texts
        reference, response = texts
        return Score(float(reference in response))


@dataclass(eq=False)
class NonLLMStringSimilarity(SingleTurnMetric):
    """1 less the distance between the two texts, as a share of the largest distance that such texts can have.

    `distance_measure` is a `DistanceMeasure` or its name as text. Two empty texts are alike: 1.
    """

    name: str = "non_llm_string_similarity"
    distance_measure: DistanceMeasure = DistanceMeasure.LEVENSHTEIN

    needs = NEEDED
    bounds = SHARE

    def __post_init__(self) -> None:
        super().__post_init__()
        self.distance_measure = _measure_named(self.distance_measure)

    def measure(self, sample: SingleTurnSample) -> Score | Missing:
        """Measure the distance."""
        texts = reference_and_response(sample)
        if isinstance(texts, Missing):
            return texts
        reference, response = texts
        return Score(1 - _distance(self.distance_measure)(reference, response))


def _measure_named(measure: DistanceMeasure | str) -> DistanceMeasure:
    try:
        return DistanceMeasure(measure)
    except ValueError:
        known = ", ".join(sorted(member.value for member in DistanceMeasure))
        raise OptionError(f"distance_measure must be one of {known}, not {measure!r}.") from None


def _distance(measure: DistanceMeasure | str) -> Callable[[str, str], float]:
    from rapidfuzz import distance

    distances: dict[DistanceMeasure, Callable[[str, str], float]] = {
        DistanceMeasure.LEVENSHTEIN: distance.Levenshtein.normalized_distance,
        DistanceMeasure.HAMMING: distance.Hamming.normalized_distance,
        DistanceMeasure.JARO: distance.Jaro.normalized_distance,
        DistanceMeasure.JARO_WINKLER: distance.JaroWinkler.normalized_distance,
    }
    return distances[_measure_named(measure)]

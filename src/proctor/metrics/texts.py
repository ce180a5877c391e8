"""The two texts that every metric of likeness compares, and how sacrebleu is asked about them."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from proctor.dataset_schema import SingleTurnSample
from proctor.errors import OptionError, nearest
from proctor.records.grades import Missing

NEEDED = frozenset({"reference", "response"})
"""What such a metric needs of a sample."""


def reference_and_response(sample: SingleTurnSample) -> tuple[str, str] | Missing:
    """What should have been answered and what was; or which of them is not there."""
    if sample.reference is None:
        return Missing("the sample has no reference")
    if sample.response is None:
        return Missing("the sample has no response")
    return sample.reference, sample.response


def check_options(metric: str, function: Callable[..., Any], options: dict[str, Any]) -> None:
    """Refuse options that the function, which takes responses and references first, does not have."""
    parameters = inspect.signature(function).parameters
    if any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters.values()):
        return
    known = list(parameters)[2:]
    for option in options:
        if option not in known:
            raise OptionError(f"{metric}: unknown option {option!r} in kwargs; {nearest(option, known)}")


def shared_runs(metric: str, function: Callable[..., Any], texts: tuple[str, str], options: dict[str, Any]) -> float:
    """The share of runs that the two texts have in common, by a function of sacrebleu that gives per cent."""
    reference, response = texts
    try:
        per_cent = function([response], [[reference]], **options).score
    except Exception as error:
        if not options:
            raise
        raise OptionError(f"{metric}: sacrebleu cannot work with the options {options!r}: {error!r}.") from error
    # Identical texts come to 100.00000000000004.
    return min(float(per_cent) / 100, 1.0)

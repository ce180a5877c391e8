from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import pytest

from proctor.errors import OptionError
from proctor.metrics import SingleTurnMetric
from proctor.metrics.options import options_of, read_options
from proctor.metrics.registry import make


@dataclass(eq=False)
class Many(SingleTurnMetric):
    name: str = "many"
    mode: Literal["f1", "recall"] = "f1"
    limit: int = 3
    weight: float = 0.5
    label: str | None = None
    words: list[str] | None = None
    _hidden: int = 0


@pytest.mark.parametrize(
    ("option", "text", "value"),
    [
        ("mode", "recall", "recall"),
        ("limit", "7", 7),
        ("weight", "0.25", 0.25),
        ("weight", "1", 1.0),
        ("label", "none", None),
        ("label", "1", "1"),
        ("words", '["a", "b"]', ["a", "b"]),
        ("words", "null", None),
    ],
)
def test_a_text_becomes_a_value_of_the_options_type(option: str, text: str, value: Any) -> None:
    assert read_options("many", Many, {option: text}, make) == {option: value}


@pytest.mark.parametrize(
    ("option", "text", "allowed"),
    [
        ("mode", "precision", "f1, recall"),
        ("limit", "1.5", "a whole number"),
        ("weight", "much", "a number"),
        ("words", "a", "JSON or none"),
    ],
)
def test_a_text_that_is_no_such_value_is_refused_with_what_is_allowed(option: str, text: str, allowed: str) -> None:
    with pytest.raises(OptionError, match=f"many: {option} cannot be '{text}'; allowed is {allowed}"):
        read_options("many", Many, {option: text}, make)


def test_options_are_what_can_be_set_about_this_metric() -> None:
    assert list(options_of(Many)) == ["mode", "limit", "weight", "label", "words"]
    assert options_of(Many)["label"].allowed == "text or none"

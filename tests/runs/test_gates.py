"""Gates: a metric that is too low fails the command."""

import pytest

from proctor.errors import OptionError
from proctor.records.grades import Missing
from proctor.runs.gates import Gate, decide, read_gate
from proctor.stats.intervals import Estimate

COLUMNS = [
    "tool_call_f1",
    "rouge_score(mode=fmeasure)",
    "trajectory_match(mode=strict)",
    "trajectory_match(mode=subset)",
]
WIDE = Estimate(value=0.7, n=10, low=0.4, high=0.9)


@pytest.mark.parametrize(
    ("said", "gate"),
    [
        ("tool_call_f1=0.8", Gate("tool_call_f1", 0.8)),
        ("tool-call-f1=1", Gate("tool_call_f1", 1.0)),
        ("rouge_score=.3", Gate("rouge_score(mode=fmeasure)", 0.3)),
        ("trajectory_match(mode=subset)=0.5", Gate("trajectory_match(mode=subset)", 0.5)),
    ],
)
def test_a_gate_names_a_column_or_a_metric_that_has_only_one(said: str, gate: Gate) -> None:
    assert read_gate(said, COLUMNS) == gate


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        ("tool_call_f1", "must be of the form metric=0.8"),
        ("tool_call_f=0.8", "did you mean 'tool_call_f1'?"),
        ("trajectory_match=0.8", "names 'trajectory_match'"),
        ("tool_call_f1=high", "'high' is no number"),
        ("tool_call_f1=inf", "'inf' is no number"),
    ],
)
def test_a_gate_that_is_none_is_refused(said: str, sentence: str) -> None:
    with pytest.raises(OptionError, match=sentence.replace("?", r"\?")):
        read_gate(said, COLUMNS)


@pytest.mark.parametrize(
    ("threshold", "by", "passed", "sentence"),
    [
        (0.7, "mean", True, "m at least 0.7: the mean is 0.7000"),
        (0.71, "mean", False, "m at least 0.71: the mean is 0.7000"),
        (0.3, "interval", True, "m at least 0.3: the interval is 0.4000 to 0.9000"),
        (0.8, "interval", True, "m at least 0.8: the interval is 0.4000 to 0.9000, which does not decide it"),
        (0.95, "interval", False, "m at least 0.95: the interval is 0.4000 to 0.9000"),
    ],
)
def test_a_gate_looks_at_the_mean_or_at_the_interval(threshold: float, by: str, passed: bool, sentence: str) -> None:
    verdict = decide(Gate("m", threshold), WIDE, "interval" if by == "interval" else "mean")
    assert (verdict.passed, verdict.sentence) == (passed, sentence)


def test_without_an_interval_the_mean_decides() -> None:
    assert not decide(Gate("m", 0.8), Estimate(value=0.7, n=1), "interval").passed


def test_what_was_not_measured_never_passes() -> None:
    assert not decide(Gate("m", -1), Missing("nothing"), "mean").passed
    assert not decide(Gate("m", -1), Missing("nothing"), "interval").passed

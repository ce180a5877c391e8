"""Whether the right calls were made, in the right order, with the right arguments."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import msgspec

from proctor.dataset_schema import MultiTurnSample, SingleTurnSample
from proctor.errors import OptionError, UnmeasuredError
from proctor.messages import ToolCall
from proctor.metrics._string import ExactMatch
from proctor.metrics.base import SHARE, Metric, MultiTurnMetric, SingleTurnMetric, cell, settled
from proctor.metrics.blocking import together
from proctor.metrics.calls import calls_made, not_comparable, readable, spelling, unreadable_reason
from proctor.metrics.comparators import check_text_metric
from proctor.records.grades import Missing, Score

_NOTHING_TO_DO = Score(1.0, reason="no calls were made and none were wanted")
_NONE_MADE = Score(0.0, warning="No tool calls found in the user input")
_NONE_WANTED = Score(0.0, warning="Reference tool calls are empty but predictions exist")
_OTHER_CALLS = Score(0.0, reason="other tools were called")
_OTHER_ORDER = Score(0.0, reason="the wanted tools were called in another order")
_ROUNDING = 1e-9
_LAST = "\U0010ffff"

Pairs = list[tuple[ToolCall, ToolCall]]


@dataclass(eq=False)
class ToolCallAccuracy(MultiTurnMetric):
    """The share of wanted arguments that the calls got right, or 0 when other tools were called.

    With `strict_order` the tools have to be called in the order of the reference; without it both lists are sorted by
    name and arguments first. Each wanted argument is compared, as text, by `arg_comparison_metric`: any metric of an
    answer against a reference with values from 0 to 1, whether it asks a model or not.
    """

    name: str = "tool_call_accuracy"
    strict_order: bool = True
    arg_comparison_metric: SingleTurnMetric | Any = field(default_factory=ExactMatch)

    needs = frozenset({"user_input", "reference_tool_calls"})
    bounds = SHARE

    def __setattr__(self, name: str, value: Any) -> None:
        """Set an option; an argument comparison that could not work is refused here, when made and when set later."""
        if name == "arg_comparison_metric":
            check_text_metric(value, name)
        super().__setattr__(name, value)

    @property
    def immediate(self) -> bool:
        """Whether it can be measured without waiting: when its argument comparison can."""
        comparison = self.arg_comparison_metric
        return super().immediate and isinstance(comparison, Metric) and comparison.immediate

    def measure(self, sample: MultiTurnSample) -> Score | Missing:
        """Compare the calls. Only where `immediate` is true."""
        comparison = self.arg_comparison_metric
        if not (isinstance(comparison, Metric) and comparison.immediate):
            return super().measure(sample)
        pairs = self._paired(sample)
        if not isinstance(pairs, list):
            return pairs
        if type(comparison) is ExactMatch:
            return _mean(sum([_same_arguments(made, wanted) for made, wanted in pairs]), pairs)
        return self._compared(pairs, comparison)

    async def ameasure(self, sample: MultiTurnSample, callbacks: Any = None) -> Score | Missing:
        """Compare the calls, and wait for the argument comparison."""
        if self.immediate:
            return self.measure(sample)
        pairs = self._paired(sample)
        return pairs if not isinstance(pairs, list) else await self._acompared(pairs, callbacks)

    def is_sequence_aligned(self, pred_sequence: list[str], ref_sequence: list[str]) -> bool:
        """Whether the names called are the names wanted: in this order, or in any without `strict_order`."""
        if self.strict_order:
            return pred_sequence == ref_sequence
        return sorted(pred_sequence) == sorted(ref_sequence)

    @staticmethod
    def _sorted_key_for_tool_call(tc: ToolCall) -> tuple[str, ...]:
        """Where a call stands among others: by name, then by each argument's name and text, names sorted."""
        if tc.malformed is not None:
            return tc.name, _LAST, tc.malformed
        key = [tc.name]
        for name in sorted(tc.args, key=str):
            key += (str(name), spelling(tc.args[name]))
        return tuple(key)

    def _paired(self, sample: MultiTurnSample) -> Pairs | Score | Missing:
        """Each wanted call with the call that was made for it; or the score, where that is settled without."""
        wanted = getattr(sample, "reference_tool_calls", None)
        if wanted is None:
            return Missing("the sample has no reference_tool_calls")
        lacking = not_comparable(wanted)
        if lacking is not None:
            return lacking
        made = calls_made(sample.user_input)
        if not made or not wanted:
            return _NOTHING_TO_DO if not made and not wanted else _NONE_WANTED if made else _NONE_MADE
        made = readable(made)
        if not self.strict_order:
            made = sorted(made, key=self._sorted_key_for_tool_call)
            wanted = sorted(wanted, key=self._sorted_key_for_tool_call)
        if len(made) != len(wanted):
            return Score(0.0, warning=_length_mismatch(len(made), len(wanted)))
        names, wanted_names = [call.name for call in made], [call.name for call in wanted]
        if not self.is_sequence_aligned(names, wanted_names):
            return _OTHER_ORDER if sorted(names) == sorted(wanted_names) else _OTHER_CALLS
        return list(zip(made, wanted, strict=True))

    def _compared(self, pairs: Pairs, comparison: Metric) -> Score | Missing:
        total = 0.0
        for made, wanted in pairs:
            values = []
            for sample in _to_compare(made, wanted):
                compared = comparison.measure(sample)
                if isinstance(compared, Missing):
                    return _unmeasured(compared)
                values.append(self._checked(compared.value))
            total += _pair_score(made, wanted, values)
        return _mean(total, pairs)

    async def _acompared(self, pairs: Pairs, callbacks: Any) -> Score | Missing:
        """As `_compared`, with all arguments asked about at once; what was said counts in the reference's order."""
        samples = [list(_to_compare(made, wanted)) for made, wanted in pairs]
        found = iter(await together(self._acompare(one, callbacks) for of_pair in samples for one in of_pair))
        total, said = 0.0, []
        for (made, wanted), of_pair in zip(pairs, samples, strict=True):
            values = []
            for one in of_pair:
                compared = next(found)
                if isinstance(compared, Missing):
                    return _unmeasured(compared)
                values.append(self._checked(compared.value))
                if compared.reason is not None:
                    said.append(_told(wanted, one, compared))
            total += _pair_score(made, wanted, values)
        mean = _mean(total, pairs)
        return msgspec.structs.replace(mean, details={"arguments": said}) if said else mean

    async def _acompare(self, sample: SingleTurnSample, callbacks: Any) -> Score | Missing:
        comparison: Any = self.arg_comparison_metric
        if isinstance(comparison, SingleTurnMetric) and _has_usual_door(comparison):
            return await comparison.ameasure(sample, callbacks)
        score = getattr(comparison, "single_turn_ascore", None) or getattr(comparison, "single_turn_score", None)
        assert score is not None, "it was looked at when it was set"
        try:
            return cell(_named(comparison), await settled(score(sample, callbacks)))
        except UnmeasuredError as error:
            return Missing(error.reason, error.detail)

    def _checked(self, value: float) -> float:
        if not -_ROUNDING <= value <= 1 + _ROUNDING:
            raise OptionError(
                f"arg_comparison_metric {_named(self.arg_comparison_metric)!r} gave {value!r}; "
                "an argument comparison has to give a value from 0 to 1.",
            )
        return min(max(value, 0.0), 1.0)


def _mean(total: float, pairs: Pairs) -> Score:
    """The mean over the pairs; where one counts for nothing because it cannot be compared, that is the reason."""
    value = total / len(pairs)
    return Score(value, reason=None if value == 1 else unreadable_reason([made for made, _ in pairs]))


def _same_arguments(made: ToolCall, wanted: ToolCall) -> float:
    """The share of wanted arguments that were given, exactly."""
    given, asked = made.args, wanted.args
    if made.malformed is not None:
        return 0.0
    if not asked:
        return 0.0 if given else 1.0
    right = 0
    for name, value in asked.items():
        if name in given:
            other = given[name]
            if type(value) is str and type(other) is str:
                right += value == other
            else:
                right += spelling(value) == spelling(other)
    return right / len(asked)


def _to_compare(made: ToolCall, wanted: ToolCall) -> Iterator[SingleTurnSample]:
    """The wanted arguments that were given at all, in the reference's order."""
    if made.malformed is None:
        for name, value in wanted.args.items():
            if name in made.args:
                yield SingleTurnSample(response=spelling(made.args[name]), reference=spelling(value))


def _pair_score(made: ToolCall, wanted: ToolCall, values: list[float]) -> float:
    """The mean over the wanted arguments; one that was not given counts 0."""
    if made.malformed is not None:
        return 0.0
    if not wanted.args:
        return 0.0 if made.args else 1.0
    return sum(values) / len(wanted.args)


def _length_mismatch(made: int, wanted: int) -> str:
    return (
        f"Length mismatch: predicted tool calls ({made}) vs reference tool calls ({wanted}). "
        "The sequences cannot be aligned, so the score is 0."
    )


def _unmeasured(compared: Missing) -> Missing:
    return Missing(f"an argument could not be compared: {compared.reason}", compared.detail)


def _told(wanted: ToolCall, sample: SingleTurnSample, compared: Score) -> dict[str, Any]:
    """What a comparison said of one argument, with its words."""
    return {
        "call": wanted.name,
        "given": sample.response,
        "wanted": sample.reference,
        "value": compared.value,
        "reason": compared.reason,
    }


def _has_usual_door(comparison: SingleTurnMetric) -> bool:
    """Whether nobody has put a way of measuring of their own where the bare number is asked for."""
    door = type(comparison).single_turn_ascore
    return door is SingleTurnMetric.single_turn_ascore and "single_turn_ascore" not in comparison.__dict__


def _named(comparison: Any) -> str:
    return str(getattr(comparison, "name", "") or type(comparison).__name__)

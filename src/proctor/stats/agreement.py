"""Agreement between judges, or between a judge and people.

Raw agreement alone says little: where nine of ten answers are good, a judge that always says "good" agrees nine times
in ten. So it stands beside what each one says how often (prevalence), beside the rates at which good answers pass and
bad ones fail, and beside coefficients that take out what chance would agree on: Cohen's kappa for two judges who
labelled everything, Krippendorff's alpha for any number with gaps.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from typing import TYPE_CHECKING, Literal, TypeVar

import msgspec

from proctor.errors import InputError, OptionError
from proctor.records.grades import Missing
from proctor.stats.intervals import Estimate, check_level, proportion

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Array = npt.NDArray[np.float64]

Label = TypeVar("Label", bound=Hashable)
Weights = Literal["linear", "quadratic"]
Scale = Literal["nominal", "ordinal"]

RESAMPLES = 2_000
"""How many times the items are drawn again for an interval."""
_CELLS = 4_000_000
"""So many numbers are held at once on the way."""

_CONSTANT = Missing("agreement beyond chance is undefined: every label is the same")


class Agreement(msgspec.Struct, frozen=True, tag="agreement", omit_defaults=True):
    """How a judge's labels stand to the true ones, one of the labels being the positive one."""

    raw: Estimate
    """The share of items with the same label."""
    kappa: Estimate | Missing
    """Cohen's kappa."""
    alpha: Estimate | Missing
    """Krippendorff's alpha, nominal."""
    prevalence: Estimate
    """The share of items that are truly positive."""
    judged_positive: Estimate
    """The share of items that the judge calls positive."""
    true_positive_rate: Estimate | Missing
    """How often the judge says positive of what is."""
    true_negative_rate: Estimate | Missing
    """How often the judge says anything else of what is not."""
    unlabelled: int = 0
    """Items that one of the two has no label for; they are in none of the numbers above."""

    @property
    def n(self) -> int:
        """How many items both labelled."""
        return self.raw.n


def judge_agreement(
    judge: Iterable[Label | Missing | None],
    truth: Iterable[Label | Missing | None],
    *,
    positive: Label,
    level: float = 0.95,
    seed: int = 0,
) -> Agreement | Missing:
    """Everything about a judge's labels beside the true ones, in the same order. None and Missing are no label."""
    said, true, unlabelled = _both_labelled(judge, truth)
    if not said:
        return Missing("no item is labelled by both")
    n = len(said)
    passes = [label == positive for label in said]
    good = [label == positive for label in true]
    hits = sum(one and other for one, other in zip(passes, good, strict=True))
    rejections = sum(not one and not other for one, other in zip(passes, good, strict=True))
    return Agreement(
        raw=_rate(sum(one == other for one, other in zip(said, true, strict=True)), n, level),
        kappa=cohen_kappa(said, true, level=level, seed=seed),
        alpha=krippendorff_alpha([said, true], level=level, seed=seed),
        prevalence=_rate(sum(good), n, level),
        judged_positive=_rate(sum(passes), n, level),
        true_positive_rate=_share(hits, sum(good), "no item is truly positive", level),
        true_negative_rate=_share(rejections, n - sum(good), "no item is truly negative", level),
        unlabelled=unlabelled,
    )


def cohen_kappa(
    one: Iterable[Label | Missing | None],
    other: Iterable[Label | Missing | None],
    *,
    weights: Weights | None = None,
    order: Sequence[Label] | None = None,
    level: float = 0.95,
    seed: int = 0,
) -> Estimate | Missing:
    """Cohen's kappa of two judges' labels, with a bootstrap interval over the items.

    With `weights`, a label further off counts as a larger error; the labels' `order` from lowest to highest is then
    needed, all of them named, used or not.
    """
    check_level(level)
    _check_choice("weights", weights, (None, "linear", "quadratic"))
    if weights is not None and order is None:
        raise OptionError("weighted kappa needs the order of the labels; give order=[lowest, …, highest].")
    first, second, unlabelled = _both_labelled(one, other)
    if not first:
        return Missing("no item is labelled by both")
    import numpy as np

    place = _places([*first, *second], order)
    size = len(place)
    table = np.zeros((size, size))
    for a, b in zip(first, second, strict=True):
        table[place[a], place[b]] += 1
    steps = np.abs(np.subtract.outer(np.arange(size), np.arange(size)))
    cost = (steps > 0).astype(float) if weights is None else steps.astype(float) ** (1 if weights == "linear" else 2)
    value = _kappa(table[None], cost)[0]
    if math.isnan(value):
        return _CONSTANT
    n = len(first)
    dice = np.random.default_rng(seed)
    tables = dice.multinomial(n, (table / n).ravel(), size=RESAMPLES).reshape(-1, size, size).astype(float)
    name = "kappa" if weights is None else f"kappa, {weights} weights"
    note = f"{unlabelled} items are not labelled by both and left out" if unlabelled else None
    plain = Estimate(value=float(value), n=n, level=level, method=f"{name}; bootstrap", note=note)
    return _with_interval(plain, _kappa(tables, cost))


def krippendorff_alpha(
    raters: Sequence[Sequence[Label | Missing | None]],
    *,
    scale: Scale = "nominal",
    order: Sequence[Label] | None = None,
    level: float = 0.95,
    seed: int = 0,
) -> Estimate | Missing:
    """Krippendorff's alpha of any number of judges, one sequence of labels each; None and Missing are gaps.

    Items with fewer than two labels say nothing about agreement and are left out. The `ordinal` scale needs the labels'
    `order` from lowest to highest. The interval is a bootstrap over the items.
    """
    check_level(level)
    _check_choice("scale", scale, ("nominal", "ordinal"))
    if scale == "ordinal" and order is None:
        raise OptionError("ordinal alpha needs the order of the labels; give order=[lowest, …, highest].")
    if len({len(labels) for labels in raters}) > 1:
        raise InputError(f"the judges have {sorted({len(labels) for labels in raters})} labels; expected equally many.")
    read = [_labels(labels) for labels in raters]
    items = [[label for label in item if label is not None] for item in zip(*read, strict=True)]
    paired = [item for item in items if len(item) > 1]
    if not paired:
        return Missing("no item has two labels")
    import numpy as np

    place = _places([label for item in items for label in item], order)
    counts = np.zeros((len(paired), len(place)))
    for row, item in enumerate(paired):
        for label in item:
            counts[row, place[label]] += 1
    n = len(paired)
    patterns, times = np.unique(counts, axis=0, return_counts=True)
    coincidences = _coincidences(patterns).reshape(len(patterns), -1)
    value = _alpha((times @ coincidences).reshape(1, len(place), len(place)), scale)[0]
    if math.isnan(value):
        return _CONSTANT
    dice = np.random.default_rng(seed)
    at_once = max(1, _CELLS // len(patterns))
    drawn = np.concatenate(
        [
            dice.multinomial(n, times / n, size=min(at_once, RESAMPLES - done)) @ coincidences
            for done in range(0, RESAMPLES, at_once)
        ]
    ).reshape(-1, len(place), len(place))
    left_out = len(items) - n
    note = f"{left_out} items have fewer than two labels and are left out" if left_out else None
    plain = Estimate(value=float(value), n=n, level=level, method=f"alpha, {scale}; bootstrap", note=note)
    return _with_interval(plain, _alpha(drawn, scale))


def _kappa(tables: Array, cost: Array) -> Array:
    """Kappa of each table: 1 - (disagreement seen / disagreement by chance); NaN where chance has none."""
    import numpy as np

    n = tables.sum(axis=(1, 2))
    seen = (tables * cost).sum(axis=(1, 2)) / n
    rows, columns = tables.sum(axis=2), tables.sum(axis=1)
    chance = np.einsum("ri,ij,rj->r", rows, cost, columns) / n**2
    return _one_less(seen, chance)


def _coincidences(counts: Array) -> Array:
    """For each row of counts, how often each two labels meet, weighed so that each label counts once."""
    import numpy as np

    labels = counts.sum(axis=1)
    met = counts[:, :, None] * counts[:, None, :]
    places = np.arange(counts.shape[1])
    met[:, places, places] -= counts
    found: Array = met / (labels - 1)[:, None, None]
    return found


def _alpha(coincidences: Array, scale: Scale) -> Array:
    """Alpha of each matrix of coincidences; NaN where only one label occurs."""
    import numpy as np

    totals = coincidences.sum(axis=2)
    n = totals.sum(axis=1)
    size = totals.shape[1]
    if scale == "nominal":
        distance = np.broadcast_to(1.0 - np.eye(size), coincidences.shape)
    else:
        upto = np.cumsum(totals, axis=1) - totals / 2
        distance = (upto[:, :, None] - upto[:, None, :]) ** 2
    seen = (coincidences * distance).sum(axis=(1, 2)) / n
    pairs = totals[:, :, None] * totals[:, None, :]
    chance = (pairs * distance).sum(axis=(1, 2)) / (n * (n - 1))
    return _one_less(seen, chance)


def _one_less(seen: Array, chance: Array) -> Array:
    import numpy as np

    found = np.full(seen.shape, np.nan)
    np.divide(seen, chance, out=found, where=chance > 0)
    return 1.0 - found


def _with_interval(plain: Estimate, drawn: Array) -> Estimate:
    """The percentiles of the redrawn values; none where too many of the redraws are undefined."""
    import numpy as np

    defined = drawn[~np.isnan(drawn)]
    if plain.n < 2 or len(defined) < len(drawn) * 0.9:
        few = "too few items differ for an interval"
        return msgspec.structs.replace(plain, note=f"{plain.note}; {few}" if plain.note else few)
    low, high = np.quantile(defined, [(1 - plain.level) / 2, (1 + plain.level) / 2])
    return msgspec.structs.replace(plain, low=float(low), high=float(high), se=float(np.std(defined, ddof=1)))


def _both_labelled(
    one: Iterable[Label | Missing | None], other: Iterable[Label | Missing | None]
) -> tuple[list[Label], list[Label], int]:
    first, second = _labels(one), _labels(other)
    if len(first) != len(second):
        raise InputError(f"there are {len(first)} labels and {len(second)}; expected one of each for every item.")
    both = [(a, b) for a, b in zip(first, second, strict=True) if a is not None and b is not None]
    return [a for a, _ in both], [b for _, b in both], len(first) - len(both)


def _labels(said: Iterable[Label | Missing | None]) -> list[Label | None]:
    """The labels, None for each gap."""
    labels: list[Label | None] = []
    for place, label in enumerate(said):
        if isinstance(label, Missing):
            labels.append(None)
            continue
        if not _comparable(label):
            raise InputError(f"label {place} is {label!r}; expected text, a number or a truth value, None for a gap.")
        labels.append(label)
    return labels


def _comparable(label: object) -> bool:
    try:
        return hash(label) == hash(label) and bool(label == label)  # noqa: PLR0124 - only NaN differs from itself
    except TypeError:
        return False


def _places(labels: Sequence[Hashable], order: Sequence[Hashable] | None) -> dict[Hashable, int]:
    """Each label's place in the order, or by first appearance where the order does not matter."""
    if order is None:
        return {label: place for place, label in enumerate(dict.fromkeys(labels))}
    twice = [label for label, count in Counter(order).items() if count > 1]
    if twice:
        raise OptionError(f"order names {twice[0]!r} twice; expected each label once.")
    places = {label: place for place, label in enumerate(order)}
    unknown = [label for label in labels if label not in places]
    if unknown:
        raise InputError(f"the label {unknown[0]!r} is not in order, which names {', '.join(map(repr, order))}.")
    return places


def _check_choice(name: str, value: object, choices: tuple[object, ...]) -> None:
    if value not in choices:
        raise OptionError(f"{name} is {value!r}; expected one of {', '.join(map(repr, choices))}.")


def _rate(successes: int, n: int, level: float) -> Estimate:
    found = proportion(successes, n, level=level)
    assert isinstance(found, Estimate)  # n is at least 1
    return found


def _share(successes: int, n: int, none: str, level: float) -> Estimate | Missing:
    return proportion(successes, n, level=level) if n else Missing(none)

"""The result of an evaluation: every cell, and the figures that follow from them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from proctor.dataset_schema import EvaluationDataset
from proctor.errors import OptionError, nearest
from proctor.records.grades import Missing, Score
from proctor.records.traces import Usage
from proctor.stats.intervals import Bounds, Estimate
from proctor.stats.tally import Tally

Cell = Score | Missing


class EvaluationResult:
    """What an evaluation came to.

    `result["metric"]` is the list of a metric's values, in the order of the samples; where a sample could not be
    measured, a `Missing` with the reason stands instead of a number.
    """

    def __init__(
        self,
        dataset: EvaluationDataset,
        cells: Mapping[str, Sequence[Cell]],
        usage: Usage,
        bounds: Mapping[str, Bounds | None] | None = None,
    ) -> None:
        self.dataset = dataset
        """What was evaluated."""
        self.cells = dict(cells)
        """By metric, the whole `Score` (with its reason, its warning and its details) or `Missing` of each sample."""
        self.usage = usage
        """The requests to models, their tokens and their cost: all zero when no model was asked."""
        self._bounds = dict(bounds or {})

    @cached_property
    def scores(self) -> list[dict[str, float | Missing]]:
        """One dictionary a sample: the value of each metric, or `Missing` with the reason."""
        columns = [self[name] for name in self.cells]
        return [dict(zip(self.cells, row, strict=True)) for row in zip(*columns, strict=True)]

    def __getitem__(self, metric: str) -> list[float | Missing]:
        return [cell.value if isinstance(cell, Score) else cell for cell in self.cells[self._column(metric)]]

    def __iter__(self) -> Iterator[str]:
        return iter(self.cells)

    @cached_property
    def means(self) -> dict[str, float | Missing]:
        """By metric, the mean over the samples that were measured."""
        return {name: tally.mean for name, tally in self._tallies.items()}

    @property
    def unmeasured(self) -> dict[str, Counter[str]]:
        """By metric, how many samples could not be measured, by reason."""
        return {name: Counter(tally.unmeasured) for name, tally in self._tallies.items()}

    @property
    def warnings(self) -> dict[str, Counter[str]]:
        """By metric, what was odd about samples that were measured, and about how many."""
        return {
            name: Counter(cell.warning for cell in cells if isinstance(cell, Score) and cell.warning is not None)
            for name, cells in self.cells.items()
        }

    @property
    def estimates(self) -> dict[str, Estimate | Missing]:
        """By metric, the mean with its 95 % interval."""
        return {name: self.estimate(name) for name in self.cells}

    def estimate(self, metric: str, *, level: float = 0.95) -> Estimate | Missing:
        """The mean of a metric with its interval at the given level."""
        name = self._column(metric)
        return self._tallies[name].estimate(level, bounds=self._bounds.get(name))

    def total_tokens(self) -> Usage:
        """The requests, tokens and cost of all models that were asked."""
        return self.usage

    def total_cost(self) -> float | Missing:
        """The cost in US dollars; `Missing` when a model's price is not known."""
        return self.usage.cost

    def to_pandas(self) -> Any:
        """A frame: the fields of the samples, then a column for each metric.

        Where a value is missing it is `<NA>`, and a column `<metric>_unmeasured` holds the reason; that column exists
        only for metrics that could not be measured everywhere.
        """
        frame = self.dataset.to_pandas()
        import pandas as pd

        for name, cells in self.cells.items():
            values = [cell.value if isinstance(cell, Score) else None for cell in cells]
            frame[name] = pd.array(values, dtype="Float64" if None in values else "float64")
            if None in values:
                frame[f"{name}_unmeasured"] = [cell.reason if isinstance(cell, Missing) else None for cell in cells]
        return frame

    def __repr__(self) -> str:
        return "{" + ", ".join(self._summary(name) for name in self.cells) + "}"

    @cached_property
    def _tallies(self) -> dict[str, Tally]:
        return {name: tallied(cells) for name, cells in self.cells.items()}

    def _summary(self, name: str) -> str:
        tally = self._tallies[name]
        missing, total = sum(tally.unmeasured.values()), len(self.cells[name])
        if not tally.n:
            return f"{name!r}: unmeasured ({missing} of {total})"
        said = f"{name!r}: {tally.mean:0.4f}"
        return f"{said} ({missing} of {total} unmeasured)" if missing else said

    def _column(self, metric: str) -> str:
        """The column that is meant: its whole name, or the metric's name without its mode where only one has it."""
        if metric in self.cells:
            return metric
        meant = [name for name in self.cells if name.partition("(")[0] == metric]
        if len(meant) == 1:
            return meant[0]
        if meant:
            raise OptionError(f"several columns are of the metric {metric!r}: {', '.join(meant)}; name one of them.")
        raise OptionError(f"the result has no metric {metric!r}; {nearest(metric, self.cells)}")


def tallied(cells: Sequence[Cell]) -> Tally:
    """The cells of a metric, counted."""
    tally = Tally()
    tally.extend([cell.value for cell in cells if isinstance(cell, Score)])
    for cell in cells:
        if isinstance(cell, Missing):
            tally.add_missing(cell.reason)
    return tally

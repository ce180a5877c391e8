"""Scoring a stream of records: figures in constant memory, however many there are."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from proctor.dataset_schema import Sample
from proctor.errors import FileError
from proctor.formats.records import Record
from proctor.metrics.blocking import wait_for
from proctor.records.grades import Missing, Score
from proctor.run_config import RunConfig
from proctor.runs.measuring import Cell, Measurement, measure
from proctor.runs.metering import Meter
from proctor.runs.preparing import check_kind
from proctor.runs.skipping import Skipped
from proctor.stats.tally import Tally

_AT_ONCE = 8
"""So many records are measured at a time: so few that what was just read is still in the processor's cache."""
_AT_ONCE_WAITING = 256
"""… where a metric waits for a model: so many that its workers are seldom idle."""
_COUNTED_AT_ONCE = 512

Keep = Callable[[Record | FileError, Sequence[Cell]], object]
"""Is handed each record with its cells, in order; a record that was skipped has none."""


class Odd:
    """How many samples were measured with a warning, and the first one's."""

    def __init__(self) -> None:
        self.count = 0
        self.first = ""

    def add(self, warning: str) -> None:
        """Count one more."""
        self.first = self.first or warning
        self.count += 1


class Scoring:
    """The figures of a stream as it goes by: records are added, and measured a few hundred at a time."""

    def __init__(self, measurements: Sequence[Measurement], *, skip: bool = False, keep: Keep | None = None) -> None:
        self.measurements = measurements
        self.tallies = {one.name: Tally() for one in measurements}
        """By metric, its scores and what could not be measured."""
        self.odd = {one.name: Odd() for one in measurements}
        """By metric, how many measured samples were odd."""
        self.samples = 0
        """How many samples were measured by at least one metric, or could have been."""
        self.skipped = Skipped()
        self.immediate = all(one.metric.immediate for one in measurements)
        """Whether no metric has to wait."""
        self._at_once = _AT_ONCE if self.immediate else _AT_ONCE_WAITING
        self._skip = skip
        self._keep = keep
        self._kind: type[Sample] | None = None
        self._waiting: list[Record | FileError] = []
        self._uncounted: list[list[Cell]] = [[] for _ in measurements]

    def batches(self, records: Iterable[Record | FileError]) -> Iterator[list[Sample]]:
        """The samples of the records, a few at a time; each batch is to be measured and `put` before the next.

        A record that is an error is raised, unless errors are skipped.
        """
        waiting, samples, at_once, kind = self._waiting, list[Sample](), self._at_once, self._kind
        for record in records:
            if type(record) is Record and type(record.sample) is kind:
                samples.append(record.sample)
            else:
                record = self._looked_at(record)  # noqa: PLW2901 - what comes of it stands in its place
                kind = self._kind
                if isinstance(record, Record):
                    samples.append(record.sample)
            waiting.append(record)
            if len(waiting) >= at_once:
                yield samples
                waiting.clear()
                samples.clear()
        yield samples
        waiting.clear()
        self._count()

    def put(self, columns: Sequence[Sequence[Cell]]) -> None:
        """Count what was measured about the batch at hand: a list of cells for each metric."""
        self.samples += len(columns[0])
        for uncounted, cells in zip(self._uncounted, columns, strict=True):
            uncounted += cells  # noqa: PLW2901 - the list itself grows
        if len(self._uncounted[0]) >= _COUNTED_AT_ONCE:
            self._count()
        if self._keep is not None:
            rows = zip(*columns, strict=True)
            for record in self._waiting:
                self._keep(record, next(rows) if isinstance(record, Record) else ())

    def _count(self) -> None:
        for one, cells in zip(self.measurements, self._uncounted, strict=True):
            tally, odd = self.tallies[one.name], self.odd[one.name]
            scores = [cell for cell in cells if type(cell) is Score]
            tally.extend([score.value for score in scores])
            for warning in [score.warning for score in scores if score.warning is not None]:
                odd.add(warning)
            for missing in [cell for cell in cells if isinstance(cell, Missing)] if len(scores) < len(cells) else ():
                tally.add_missing(missing.reason)
            cells.clear()

    def _looked_at(self, record: Record | FileError) -> Record | FileError:
        """The first record of all, which decides the kind; or an error, the record's or that it is of another kind."""
        if isinstance(record, Record) and self._kind is None:
            for one in self.measurements:
                check_kind(one, record.sample)
            self._kind = type(record.sample)
            return record
        if isinstance(record, Record):
            said = f"this sample is of another kind ({type(record.sample).__name__}) than those before it"
            problem = f"{said}; score conversations and single turns apart."
            record = FileError(problem, path=record.path, line=record.line, id=record.id)
        if not self._skip:
            raise record
        self.skipped.add(record)
        return record


def score(
    records: Iterable[Record | FileError], scoring: Scoring, config: RunConfig, meter: Meter | None = None
) -> None:
    """Measure all records. Metrics that wait for a model share one loop from the first record to the last.

    The models of the meter are closed at the end of that loop.
    """
    if not scoring.immediate:
        wait_for(lambda: _ascore(records, scoring, config, meter))
        return
    for samples in scoring.batches(records):
        scoring.put([one.cells(samples) for one in scoring.measurements])


async def _ascore(
    records: Iterable[Record | FileError], scoring: Scoring, config: RunConfig, meter: Meter | None
) -> None:
    try:
        for samples in scoring.batches(records):
            scoring.put(await measure(scoring.measurements, samples, config))
    finally:
        if meter is not None:
            await meter.aclose()

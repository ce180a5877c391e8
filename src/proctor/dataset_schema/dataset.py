"""The dataset: samples of one kind, and the ways in and out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

from proctor.dataset_schema import csv_files, frames, hugging_face, json_lines
from proctor.dataset_schema.columns import rows_of_columns, used_columns
from proctor.dataset_schema.samples import MultiTurnSample, Sample, read_sample
from proctor.errors import SampleError

if TYPE_CHECKING:
    import datasets
    import pandas as pd


class EvaluationDataset:
    """Samples of one kind, in order.

    >>> dataset = EvaluationDataset.from_list([{"user_input": "2 + 2?", "response": "4"}])
    >>> dataset[0].response
    '4'
    """

    def __init__(self, samples: Iterable[Sample] = ()) -> None:
        self.samples: list[Sample] = list(samples)
        """The samples."""
        sample: Any
        for index, sample in enumerate(self.samples):
            if not isinstance(sample, Sample):
                msg = (
                    f"Sample at index {index} is of type {type(sample).__name__}, expected SingleTurnSample or "
                    "MultiTurnSample; plain data is read by from_list."
                )
                raise SampleError(msg)
            if type(sample) is not type(self.samples[0]):
                raise SampleError(mixed(index, sample, self.samples[0]))

    @classmethod
    def from_list(cls, data: Iterable[Any]) -> EvaluationDataset:
        """Read samples from dictionaries, one each."""
        return cls([_read(index, item) for index, item in enumerate(data)])

    @classmethod
    def from_dict(cls, data: Iterable[Any] | Mapping[str, Sequence[Any]]) -> EvaluationDataset:
        """Read samples from a list of dictionaries, or from a dictionary of columns of one length."""
        return cls.from_list(rows_of_columns(data) if isinstance(data, Mapping) else data)

    @classmethod
    def from_jsonl(cls, path: str | Path) -> EvaluationDataset:
        """Read a file with a sample on each line. FileError, with file and line, at the first that is none."""
        samples: list[Sample] = []
        for line, sample in json_lines.numbered_samples(path):
            if samples and type(sample) is not type(samples[0]):
                raise json_lines.misplaced(path, line, mixed(len(samples), sample, samples[0]))
            samples.append(sample)
        return cls(samples)

    @staticmethod
    def iter_jsonl(path: str | Path) -> Iterator[Sample]:
        """The samples of a file, one at a time: only the one at hand is in memory."""
        return (sample for _, sample in json_lines.numbered_samples(path))

    @classmethod
    def from_csv(cls, path: str | Path, sample_type: type[Sample] | None = None) -> EvaluationDataset:
        """Read a CSV file: a field in each column, lists and dictionaries as JSON.

        `sample_type` says which kind of sample a row is, where the columns fit both kinds; without it, such rows are
        single turns.
        """
        return cls(csv_files.read(path, sample_type))

    @classmethod
    def from_pandas(cls, dataframe: pd.DataFrame) -> EvaluationDataset:
        """Read a DataFrame: a field in each column. An empty cell is a field that is not there."""
        return cls.from_list(frames.rows(dataframe))

    @classmethod
    def from_hf_dataset(cls, dataset: datasets.Dataset) -> EvaluationDataset:
        """Read a Dataset of the package `datasets`: a field in each column."""
        return cls.from_list(hugging_face.rows(dataset))

    def to_list(self) -> list[dict[str, Any]]:
        """The samples as plain data, fields that are None left out."""
        return [sample.to_dict() for sample in self.samples]

    def to_jsonl(self, path: str | Path) -> None:
        """Write a file with a sample on each line, whole or not at all."""
        json_lines.write(path, self.samples)

    def to_csv(self, path: str | Path) -> None:
        """Write a CSV file with a field in each column, whole or not at all. `from_csv` reads it back as it was."""
        csv_files.write(path, self.samples)

    def to_pandas(self) -> pd.DataFrame:
        """The samples as a DataFrame of objects: text, lists and dictionaries; None where a field is not there."""
        return frames.frame(self.samples)

    def to_hf_dataset(self) -> datasets.Dataset:
        """The samples as a Dataset of the package `datasets`. `from_hf_dataset` reads it back as it was."""
        return hugging_face.table(self.samples)

    def features(self) -> list[str]:
        """The names of the fields that any sample has, in the order of the sample's fields."""
        return used_columns(self.samples)

    def get_sample_type(self) -> type[Sample] | None:
        """The kind of the samples; None when there are none."""
        return type(self.samples[0]) if self.samples else None

    def is_multi_turn(self) -> bool:
        """Whether the samples are conversations."""
        return self.get_sample_type() is MultiTurnSample

    def __iter__(self) -> Iterator[Sample]:
        return iter(self.samples)

    def __len__(self) -> int:
        return len(self.samples)

    @overload
    def __getitem__(self, index: int) -> Sample: ...

    @overload
    def __getitem__(self, index: slice) -> EvaluationDataset: ...

    def __getitem__(self, index: int | slice) -> Sample | EvaluationDataset:
        if isinstance(index, slice):
            return EvaluationDataset(self.samples[index])
        return self.samples[index]

    def __eq__(self, other: object) -> bool:
        return self.samples == other.samples if isinstance(other, EvaluationDataset) else NotImplemented

    __hash__ = None  # type: ignore[assignment]  # it can be changed

    def __repr__(self) -> str:
        return f"EvaluationDataset(features={self.features()}, len={len(self)})"


def mixed(index: int, sample: Sample, first: Sample) -> str:
    """The sentence about a sample of another kind than the first."""
    return (
        f"Sample at index {index} is of type {type(sample).__name__}, expected {type(first).__name__}: "
        "a dataset has samples of one kind."
    )


def _read(index: int, item: Any) -> Sample:
    try:
        return read_sample(item)
    except SampleError as error:
        raise SampleError(f"sample {index}: {error}") from None

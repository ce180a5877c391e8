"""Datasets as JSONL: a sample on each line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from proctor.dataset_schema.columns import writable
from proctor.dataset_schema.reading import read_sample_line
from proctor.dataset_schema.samples import Sample
from proctor.errors import FileError
from proctor.store.artifacts import artifact
from proctor.store.lines import numbered_lines, opened


def numbered_samples(path: str | Path) -> Iterator[tuple[int, Sample]]:
    """The samples of a file, each with its line. FileError, with file and line, at the first line that is none."""
    with opened(path) as file:
        for line, data in numbered_lines(file, path):
            if isinstance(data, FileError):
                raise data
            yield line, read_sample_line(data, path=str(path), line=line)


def misplaced(path: str | Path, line: int, problem: str) -> FileError:
    """The error about a line that is in order, but does not belong there."""
    return FileError(problem, path=str(path), line=line)


def write(path: str | Path, samples: Iterable[Sample]) -> None:
    """Write a sample on each line. SampleError, and no file, for a value that JSON does not have."""
    with artifact(path) as file:
        for index, sample in enumerate(samples):
            file.write(writable(index, sample) + b"\n")

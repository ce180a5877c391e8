"""Samples and datasets: what is scored."""

from proctor.dataset_schema.dataset import EvaluationDataset
from proctor.dataset_schema.reading import read_sample_line
from proctor.dataset_schema.samples import BaseSample, MultiTurnSample, Sample, SingleTurnSample, read_sample

__all__ = [
    "BaseSample",
    "EvaluationDataset",
    "MultiTurnSample",
    "Sample",
    "SingleTurnSample",
    "read_sample",
    "read_sample_line",
]

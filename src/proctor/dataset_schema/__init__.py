"""Samples and datasets: what is scored. The messages that conversations are made of can be had from here too."""

from proctor.dataset_schema.dataset import EvaluationDataset
from proctor.dataset_schema.reading import read_sample_line
from proctor.dataset_schema.samples import BaseSample, MultiTurnSample, Sample, SingleTurnSample, read_sample
from proctor.messages import AIMessage, HumanMessage, Message, ToolCall, ToolMessage

__all__ = [
    "AIMessage",
    "BaseSample",
    "EvaluationDataset",
    "HumanMessage",
    "Message",
    "MultiTurnSample",
    "Sample",
    "SingleTurnSample",
    "ToolCall",
    "ToolMessage",
    "read_sample",
    "read_sample_line",
]

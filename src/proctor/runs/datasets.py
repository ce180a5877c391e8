"""What users hand over as a dataset, as an `EvaluationDataset`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from proctor.dataset_schema import BaseSample, EvaluationDataset
from proctor.errors import OptionError, SampleError, nearest


def as_dataset(dataset: Any, column_map: Mapping[str, str] | None = None) -> EvaluationDataset:
    """The dataset in an `EvaluationDataset`, a list of samples or dictionaries, a Hugging Face dataset or a frame.

    `column_map` says what our fields are called in the data: `{"response": "answer"}`.
    """
    if isinstance(dataset, EvaluationDataset) and not column_map:
        return dataset
    package = type(dataset).__module__.partition(".")[0]
    names = dict(column_map or {})
    if isinstance(dataset, EvaluationDataset):
        return EvaluationDataset.from_list(_renamed(dataset.to_list(), names))
    if package == "pandas":
        renames = _renames(names, list(dataset.columns))
        return EvaluationDataset.from_pandas(dataset.rename(columns=renames))
    if package == "datasets":
        if isinstance(dataset, dict):
            raise OptionError(f"this is a dictionary of datasets; evaluate one of them: {', '.join(dataset)}.")
        return EvaluationDataset.from_hf_dataset(dataset.rename_columns(_renames(names, dataset.column_names)))
    return _from_items(dataset, names)


def _from_items(dataset: Any, names: dict[str, str]) -> EvaluationDataset:
    if isinstance(dataset, (str, bytes, Mapping)) or not isinstance(dataset, Iterable):
        raise OptionError(
            f"a dataset must be an EvaluationDataset, a list of samples, a Hugging Face dataset or a pandas frame, "
            f"not {type(dataset).__name__}. From a file: EvaluationDataset.from_jsonl(path)."
        )
    items = list(dataset)
    for index, item in enumerate(items):
        if not isinstance(item, (dict, BaseSample)):
            raise SampleError(f"sample {index} must be a sample or a dictionary, not {type(item).__name__}.")
    if all(isinstance(item, BaseSample) for item in items) and not names:
        return EvaluationDataset(items)
    plain = [item.to_dict() if isinstance(item, BaseSample) else item for item in items]
    return EvaluationDataset.from_list(_renamed(plain, names))


def _renamed(items: list[dict[str, Any]], names: dict[str, str]) -> list[dict[str, Any]]:
    if not names:
        return items
    renames = _renames(names, sorted({str(field) for item in items for field in item}))
    return [{renames.get(field, field): value for field, value in item.items()} for item in items]


def _renames(names: dict[str, str], columns: list[str]) -> dict[str, str]:
    """From the data's names to ours; a name that the data does not have is an error."""
    for ours, theirs in names.items():
        if theirs not in columns:
            raise OptionError(f"column_map looks for {theirs!r} as our {ours!r}; {nearest(theirs, map(str, columns))}")
    return {theirs: ours for ours, theirs in names.items()}

"""Datasets of the package `datasets`, which is imported only here, and only when such a dataset is asked for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from proctor.dataset_schema import arrow
from proctor.dataset_schema.columns import has_conversations, table_columns, unfolded, writable
from proctor.dataset_schema.samples import Sample
from proctor.errors import NeedsExtraError, SampleError

if TYPE_CHECKING:
    import datasets


def table(samples: Sequence[Sample]) -> datasets.Dataset:
    """The samples as a table with a type for each column."""
    try:
        import datasets
    except ImportError:
        raise NeedsExtraError("a Dataset needs the package datasets: pip install 'proctor[datasets]'.") from None
    for index, sample in enumerate(samples):
        writable(index, sample)
    plain = [sample.to_dict() for sample in samples]
    columns: dict[str, list[Any]] = {}
    types: dict[str, Any] = {}
    for name in table_columns(samples):
        values = [row.get(name) for row in plain]
        kind = arrow.schema(name, values)
        types[name] = _feature(kind)
        columns[name] = [arrow.folded(name, value, kind) for value in values]
    return datasets.Dataset.from_dict(columns, features=datasets.Features(types))


def _feature(kind: Any) -> Any:
    import datasets

    if isinstance(kind, list):
        return [_feature(kind[0])]
    if isinstance(kind, dict):
        return {field: _feature(inner) for field, inner in kind.items()}
    return datasets.Value(kind)


def rows(dataset: datasets.Dataset) -> Iterator[dict[str, Any]]:
    """The rows of a table as plain data."""
    if isinstance(dataset, dict):
        names = ", ".join(repr(name) for name in dataset)
        raise SampleError(f"from_hf_dataset reads one split; this has {names}: hand over dataset[…].")
    if not hasattr(dataset, "column_names"):
        raise SampleError(f"from_hf_dataset reads a Dataset, not {type(dataset).__name__}.")
    conversations = has_conversations(dataset.column_names or ())
    for row in dataset.with_format(None):
        yield unfolded({name: arrow.opened_up(name, value) for name, value in row.items()}, conversations=conversations)

"""Datasets as pandas DataFrames. pandas is imported only here, and only when a DataFrame is asked for."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from proctor.dataset_schema.arrow import opened_up
from proctor.dataset_schema.columns import has_conversations, table_columns, unfolded
from proctor.dataset_schema.samples import Sample
from proctor.errors import NeedsExtraError, SampleError

if TYPE_CHECKING:
    import pandas as pd


def frame(samples: Sequence[Sample]) -> pd.DataFrame:
    """The samples as a DataFrame of objects."""
    try:
        import pandas as pd
    except ImportError:
        raise NeedsExtraError("a DataFrame needs pandas: pip install 'proctor[pandas]'.") from None
    plain = [sample.to_dict() for sample in samples]
    columns = table_columns(samples)
    index = pd.RangeIndex(len(plain))
    return pd.DataFrame(
        {name: pd.Series([row.get(name) for row in plain], index=index, dtype=object) for name in columns}
    )


def rows(dataframe: pd.DataFrame) -> Iterator[dict[Any, Any]]:
    """The rows of a DataFrame as plain data."""
    if not hasattr(dataframe, "columns") or not hasattr(dataframe, "itertuples"):
        raise SampleError(f"from_pandas reads a DataFrame, not {type(dataframe).__name__}.")
    columns = list(dataframe.columns)
    if len(set(columns)) < len(columns):
        twice = next(name for name in columns if columns.count(name) > 1)
        raise SampleError(f"the column {twice!r} stands twice in the DataFrame.")
    conversations = has_conversations(columns)
    for cells in dataframe.itertuples(index=False, name=None):
        row = {name: _value(name, cell) for name, cell in zip(columns, cells, strict=True)}
        yield unfolded(row, conversations=conversations)


def _value(name: Any, cell: Any) -> Any:
    """A cell as plain data: None where there is none. A list that comes as an array was made by Arrow."""
    if hasattr(cell, "tolist"):
        return opened_up(str(name), _plain(cell.tolist()))
    return _plain(cell)


def _plain(value: Any) -> Any:
    """Lists for arrays at any depth, and None for what pandas writes for nothing: NaN, NaT, NA."""
    if hasattr(value, "tolist"):
        return _plain(value.tolist())
    if isinstance(value, float) and math.isnan(value):
        return None
    return None if type(value).__name__ in ("NAType", "NaTType") else value

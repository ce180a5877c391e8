"""Nothing is lost on any way out and back in."""

import itertools
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from proctor.dataset_schema import EvaluationDataset

counter = itertools.count()


def by_list(dataset: EvaluationDataset, _: Path) -> EvaluationDataset:
    return EvaluationDataset.from_list(dataset.to_list())


def by_json_text(dataset: EvaluationDataset, _: Path) -> EvaluationDataset:
    return EvaluationDataset.from_list(json.loads(json.dumps(dataset.to_list())))


def by_columns(dataset: EvaluationDataset, _: Path) -> EvaluationDataset:
    rows = dataset.to_list()
    columns = dataset.features() or ["user_input"]
    return EvaluationDataset.from_dict({name: [row.get(name) for row in rows] for name in columns})


def by_jsonl(dataset: EvaluationDataset, folder: Path) -> EvaluationDataset:
    path = folder / f"{next(counter)}.jsonl"
    dataset.to_jsonl(path)
    assert list(EvaluationDataset.iter_jsonl(path)) == dataset.samples
    return EvaluationDataset.from_jsonl(path)


def by_csv(dataset: EvaluationDataset, folder: Path) -> EvaluationDataset:
    path = folder / f"{next(counter)}.csv"
    dataset.to_csv(path)
    return EvaluationDataset.from_csv(path)


def by_pandas(dataset: EvaluationDataset, _: Path) -> EvaluationDataset:
    return EvaluationDataset.from_pandas(dataset.to_pandas())


def by_hugging_face(dataset: EvaluationDataset, _: Path) -> EvaluationDataset:
    return EvaluationDataset.from_hf_dataset(dataset.to_hf_dataset())


def by_hugging_face_and_pandas(dataset: EvaluationDataset, _: Path) -> EvaluationDataset:
    return EvaluationDataset.from_pandas(dataset.to_hf_dataset().to_pandas())


def by_parquet(dataset: EvaluationDataset, folder: Path) -> EvaluationDataset:
    import pandas as pd

    path = folder / f"{next(counter)}.parquet"
    dataset.to_hf_dataset().to_pandas().to_parquet(path)
    return EvaluationDataset.from_pandas(pd.read_parquet(path))


QUICK = [by_list, by_json_text, by_columns, by_jsonl, by_csv]
TABLES = [by_pandas, by_hugging_face, by_hugging_face_and_pandas, by_parquet]


def assert_same(back: EvaluationDataset, dataset: EvaluationDataset) -> None:
    assert back == dataset
    assert repr(back.samples) == repr(dataset.samples)  # 1 is not 1.0, and True is not 1


@pytest.mark.parametrize("route", QUICK, ids=lambda route: route.__name__)
def test_every_dataset_survives_files_and_plain_data(
    route: Callable[[EvaluationDataset, Path], EvaluationDataset], samples_of_one_kind: Any, tmp_path: Path
) -> None:
    @settings(deadline=None, max_examples=80, suppress_health_check=[HealthCheck.too_slow])
    @given(samples_of_one_kind)
    def law(samples: list[Any]) -> None:
        dataset = EvaluationDataset(samples)
        assert_same(route(dataset, tmp_path), dataset)

    law()


@pytest.mark.parametrize("route", TABLES, ids=lambda route: route.__name__)
def test_every_dataset_survives_tables(
    route: Callable[[EvaluationDataset, Path], EvaluationDataset], samples_of_one_kind: Any, tmp_path: Path
) -> None:
    @settings(deadline=None, max_examples=30, suppress_health_check=[HealthCheck.too_slow])
    @given(samples_of_one_kind)
    def law(samples: list[Any]) -> None:
        dataset = EvaluationDataset(samples)
        assert_same(route(dataset, tmp_path), dataset)

    law()

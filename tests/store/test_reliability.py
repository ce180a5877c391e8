"""Several processes write at once and some are killed: nothing that was acknowledged is lost, and no answer changes."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest


@pytest.fixture(scope="session")
def reliability() -> ModuleType:
    """The rehearsal that `bench/reliability.py` runs in full."""
    path = Path(__file__).parents[2] / "bench" / "reliability.py"
    if not path.is_file():
        pytest.skip("the benchmarks are not beside the tests")
    spec = importlib.util.spec_from_file_location("reliability", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["reliability"] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(params=["sqlite", "postgres"])
def where(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return str(tmp_path / "answers.db")
    address: str = request.getfixturevalue("postgres_schema")
    return address


def test_killed_writers_lose_nothing_and_change_nothing(reliability: ModuleType, where: str, tmp_path: Path) -> None:
    said = reliability.acknowledged(where, tmp_path, workers=3, answers=300, kills=2, pause=0.003)
    assert len(said) == 300
    assert reliability.complaints(where, said, 300) == []


def test_a_lost_or_changed_answer_would_be_seen(reliability: ModuleType, tmp_path: Path) -> None:
    where = str(tmp_path / "answers.db")
    said = reliability.acknowledged(where, tmp_path, workers=1, answers=3, kills=0)
    key = next(iter(said))
    assert reliability.complaints(where, {**said, key: {"another"}}, 3) == [f"{key} has changed"]
    assert reliability.complaints(where, {**said, "none": {"x"}}, 3) == ["none is lost"]
    assert reliability.complaints(where, {**said, key: {*said[key], "x"}}, 3)[0].startswith(f"{key} was said to be")
    assert reliability.complaints(where, said, 4) == ["there are 3 entries, not 4"]

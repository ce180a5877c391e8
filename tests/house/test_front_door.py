"""The front door is a list that can be read aloud."""

import ast
from pathlib import Path

import pytest

import proctor

MOST_NAMES = 30


def test_the_list_is_sorted_and_short() -> None:
    assert list(proctor.__all__) == sorted(set(proctor.__all__))
    assert len(proctor.__all__) <= MOST_NAMES


@pytest.mark.parametrize("name", proctor.__all__)
def test_every_name_can_be_had(name: str) -> None:
    assert getattr(proctor, name) is not None


def test_dir_shows_the_list_and_nothing_behind_it() -> None:
    assert dir(proctor) == sorted(proctor.__all__)


def test_a_name_that_is_not_there_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="module 'proctor' has no attribute 'Misspelt'"):
        _ = proctor.Misspelt


def test_what_types_and_readers_see_is_the_same_list(root: Path) -> None:
    tree = ast.parse((root / "src" / "proctor" / "__init__.py").read_text("utf-8"))
    seen_by_types = {
        name.asname
        for branch in tree.body
        if isinstance(branch, ast.If)
        for node in branch.body
        if isinstance(node, ast.ImportFrom)
        for name in node.names
    }
    assert seen_by_types | {"__version__"} == set(proctor.__all__)


def test_the_version_is_a_version() -> None:
    assert all(part.isdigit() for part in proctor.__version__.split("."))

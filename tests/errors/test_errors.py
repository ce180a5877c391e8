import inspect
import pickle
import re

import pytest

from proctor import errors
from proctor.errors import FileError, NeedsExtraError, ProctorError, SampleError, UnmeasuredError, close_to, nearest

KINDS = [kind for _, kind in inspect.getmembers(errors, inspect.isclass) if issubclass(kind, Exception)]


def test_the_tree_at_the_top_of_the_module_is_the_tree() -> None:
    drawn = re.findall(r"[A-Z]\w+Error\b", str(errors.__doc__))
    assert set(drawn) >= {kind.__name__ for kind in KINDS if kind.__module__ == errors.__name__}


@pytest.mark.parametrize("kind", KINDS)
def test_one_clause_catches_them_all(kind: type[Exception]) -> None:
    assert issubclass(kind, ProctorError)


def test_a_users_mistake_is_a_value_error_and_a_missing_package_an_import_error() -> None:
    assert issubclass(SampleError, ValueError)
    assert issubclass(FileError, ValueError)
    assert issubclass(NeedsExtraError, ImportError)


def test_an_error_about_a_file_says_where() -> None:
    assert str(FileError("it is cut off.", path="a.jsonl", line=3)) == "a.jsonl:3: it is cut off."
    assert str(FileError("it is cut off.", path="a.jsonl")) == "a.jsonl: it is cut off."
    assert str(FileError("it is cut off.", line=3)) == "<input>:3: it is cut off."
    assert str(FileError("it is cut off.")) == "it is cut off."


@pytest.mark.parametrize(
    "error",
    [FileError("x", path="a", line=1), UnmeasuredError("f1", "no calls"), SampleError("x"), NeedsExtraError("x")],
)
def test_errors_can_be_sent_to_another_process(error: ProctorError) -> None:
    back = pickle.loads(pickle.dumps(error))  # noqa: S301 - our own bytes
    assert type(back) is type(error)
    assert str(back) == str(error)
    assert vars(back) == vars(error)


def test_the_nearest_known_word_is_named() -> None:
    assert nearest("respnse", ["reference", "response"]) == "did you mean 'response'?"
    assert nearest("zzz", ["b", "a"]) == "known are a, b."
    assert close_to("zzz", ["a"]) is None

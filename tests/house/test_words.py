"""Names, sentences and words: what a reader who was not there needs, and what must not be in the house."""

import ast
import re

import pytest

# A name that says nothing about what is inside; the exception is known by that name to the users of ragas.
EMPTY_NAMES = frozenset({"base", "common", "helper", "helpers", "misc", "tools", "util", "utils"})
NAME_WAIVERS = {
    "proctor.cli.tools": "the verb that users type",
    "proctor.metrics.base": "the import path that users of ragas know",
    "proctor.metrics.collections.base": "the import path that users of ragas know",
}

# One letter of each stands in brackets, so that this file does not hold the word.
UNFINISHED = re.compile(r"\b(?:TO[D]O|FIX[M]E|XX[X]|HA[C]K)\b|\bNotImpl[e]mentedError\b")
FORBIDDEN = re.compile(
    r"/wor[k]/|/tm[p]/w|\bshare[d]/(?:spec|data|hooks|DESIGN)|\.librar[y]/|/op[t]/(?:wheels|pypi)"
    r"|pyp[i]\.org|pythonhoste[d]\.org|\b[i]ssue #?\d"
)


def docstring_complaint(text: str) -> str | None:
    """What is wrong with a module's docstring: it says in a sentence what the module is for."""
    docstring = ast.get_docstring(ast.parse(text))
    if docstring is None:
        return "there is none"
    paragraph = " ".join(docstring.split("\n\n")[0].split())
    if len(paragraph.split()) < 3:
        return f"{paragraph!r} is no sentence"
    if not paragraph.endswith((".", ":")):
        return f"{paragraph!r} does not end like a sentence"
    return None


def is_empty_name(name: str) -> bool:
    """Whether a module's name says nothing about what is inside."""
    return name.rsplit(".", 1)[-1].strip("_") in EMPTY_NAMES


def mocks(text: str) -> list[str]:
    """Where a test replaces a part by a mock. Proctor ships its fakes (public, documented); tests use those."""
    found = []
    for node in ast.walk(ast.parse(text)):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [name.name for name in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [f"{node.module}.{name.name}" for name in node.names]
        elif isinstance(node, ast.arg) and node.arg == "mocker":
            names = ["mock.mocker"]
        found += [name for name in names if "mock" in name.split(".") or name.startswith("pytest_mock")]
    return found


def lines_with(pattern: re.Pattern[str], texts: dict[str, str]) -> list[str]:
    """The lines that hold a word, each with its place."""
    return [
        f"{path}:{number}: {line.strip()[:100]}"
        for path, text in texts.items()
        for number, line in enumerate(text.splitlines(), 1)
        if pattern.search(line)
    ]


def test_every_module_says_in_a_sentence_what_it_is_for(sources: dict[str, str]) -> None:
    complaints = {name: docstring_complaint(text) for name, text in sources.items()}
    assert {name: what for name, what in complaints.items() if what is not None} == {}


def test_every_module_is_named_after_what_is_inside(sources: dict[str, str]) -> None:
    assert [name for name in sources if is_empty_name(name) and name not in NAME_WAIVERS] == []
    assert [name for name in NAME_WAIVERS if name not in sources] == []


def test_tests_use_no_mocks(written: dict[str, str]) -> None:
    tests = {path: text for path, text in written.items() if path.startswith("tests/") and path.endswith(".py")}
    assert tests
    assert {path: found for path, text in tests.items() if (found := mocks(text))} == {}


def test_nothing_is_left_unfinished(written: dict[str, str]) -> None:
    assert lines_with(UNFINISHED, written) == []


def test_nothing_tells_of_the_place_where_it_was_written(written: dict[str, str]) -> None:
    assert lines_with(FORBIDDEN, written) == []


@pytest.mark.parametrize("text", ["x = 1", '"""Things."""', '"""All about things"""'])
def test_a_docstring_that_is_no_sentence_is_found(text: str) -> None:
    assert docstring_complaint(text) is not None


def test_a_sentence_may_run_over_two_lines() -> None:
    assert docstring_complaint('"""All that is known\nof things.\n\nMore\n"""') is None


def test_an_empty_name_is_found() -> None:
    assert is_empty_name("proctor.metrics.utils")
    assert is_empty_name("proctor.cli._common")
    assert not is_empty_name("proctor.metrics.matching")


@pytest.mark.parametrize(
    "text",
    [
        "from unittest import mock",
        "from unittest.mock import patch",
        "import unittest.mock",
        "from mock import patch",
        "def test_it(mocker): ...",
    ],
)
def test_a_mock_is_found(text: str) -> None:
    assert mocks(text) != []


@pytest.mark.parametrize("line", ["# TO" + "DO: y", "x = 1  # FIX" + "ME", "raise NotImpl" + "ementedError"])
def test_unfinished_work_is_found(line: str) -> None:
    assert lines_with(UNFINISHED, {"a.py": f"x = 1\n{line}"}) == [f"a.py:2: {line}"]


@pytest.mark.parametrize("line", ["see /wor" + "k/x", "https://pypi" + ".org/simple", "as is" + "sue 3 asks"])
def test_a_word_from_the_place_where_it_was_written_is_found(line: str) -> None:
    assert lines_with(FORBIDDEN, {"a.md": line}) == [f"a.md:1: {line}"]


def test_words_like_them_are_left_alone() -> None:
    assert lines_with(FORBIDDEN, {"a.md": "network/works, an issue of ours"}) == []
    assert lines_with(UNFINISHED, {"a.py": "to do, hackney, xxxx"}) == []

"""Every example in the documentation runs, as it stands there.

The ```python blocks of a page run in order and in one namespace, like cells of a notebook (`await` included), in an
empty folder, with warnings as errors. A ```text block right after one is what it prints. A block that cannot run here
says why in a comment on the line before it: `<!-- not run: it asks a model -->`.

The commands in ```bash and ```console blocks run in the same folder, in the order of the page. Those that ask a model,
a server or the network (`shell.obstacle`, `shell.OTHERS`) are read by click and not run. What they read, and a reader
has, is made for them (`provided.PROVIDED`).
"""

import ast
import asyncio
import contextlib
import inspect
import io
import re
import sys
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mcp.client.stdio  # noqa: F401 - it keeps the standard error that stands when it is first imported
import pytest
from tests.docs import provided, shell

ROOT = Path(__file__).parents[2]
PAGES = sorted(path.relative_to(ROOT).as_posix() for path in [ROOT / "README.md", *ROOT.glob("docs/**/*.md")])
FENCE = re.compile(
    r"^(?P<before>[^\n]*)\n(?P<indent> *)```python[^\n]*\n(?P<code>.*?)^(?P=indent)```$"
    r"(?:\n+(?P=indent)```text\n(?P<prints>.*?)^(?P=indent)```$)?",
    re.MULTILINE | re.DOTALL,
)
SHELL = re.compile(
    r"^(?P<before>[^\n]*)\n(?P<indent> *)```(?:bash|console)[^\n]*\n(?P<code>.*?)^(?P=indent)```$",
    re.MULTILINE | re.DOTALL,
)
EXCUSE = re.compile(r"<!-- not run: \w+.* -->")


@dataclass(frozen=True)
class Example:
    """A block of a page: its code, the line of its fence, and what it prints where the page says so."""

    code: str
    line: int
    prints: str | None
    of_shell: bool = False


def examples(page: str) -> list[Example]:
    """The blocks of a page that have to run."""
    found = []
    for match in FENCE.finditer(f"\n{page}"):
        if not EXCUSE.fullmatch(match["before"].strip()):
            prints = None if match["prints"] is None else textwrap.dedent(match["prints"])
            line = match.string.count("\n", 0, match.start("code")) - 1
            found.append(Example(textwrap.dedent(match["code"]), line, prints))
    for match in SHELL.finditer(f"\n{page}"):
        if not EXCUSE.fullmatch(match["before"].strip()):
            line = match.string.count("\n", 0, match.start("code")) - 1
            found.append(Example(textwrap.dedent(match["code"]), line, None, of_shell=True))
    return sorted(found, key=lambda example: example.line)


def run(example: Example, path: str, names: dict[str, Any]) -> str:
    """Run a block and return what it prints. Its line numbers in a traceback are those of the page."""
    tree = ast.parse(example.code)
    ast.increment_lineno(tree, example.line)
    code = compile(tree, path, "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        waiting = eval(code, names)  # noqa: S307 - the documentation is ours
        if inspect.iscoroutine(waiting):
            asyncio.run(waiting)
    return printed.getvalue()


def run_page(path: str, page: str, provide: Callable[[str], None] = lambda _: None) -> None:
    """Run a page's blocks in order, and compare what they print with what the page says.

    `provide` makes what a block of commands reads.
    """
    names: dict[str, Any] = {"__name__": "__main__"}
    for example in examples(page):
        if example.of_shell:
            provide(example.code)
            for command in shell.commands(example.code):
                shell.run_command(command, f"{path}:{example.line}")
            continue
        printed = run(example, path, names)
        if example.prints is not None:
            assert printed == example.prints, f"{path}:{example.line} prints something else"


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("reader")
    with contextlib.chdir(folder):
        return provided.made(folder)


@pytest.mark.parametrize("path", PAGES)
def test_the_examples_of_a_page_run(path: str, tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    run_page(path, (ROOT / path).read_text("utf-8"), lambda commands: provided.provide(commands, home, tmp_path))


def test_blocks_share_their_names_and_may_await() -> None:
    run_page("a.md", "```python\nx = 1\n```\n\n```python\nimport asyncio\nawait asyncio.sleep(0)\nassert x == 1\n```\n")


def test_a_broken_example_is_found_at_its_line() -> None:
    with pytest.raises(ZeroDivisionError) as caught:
        run_page("a.md", "# A\n\n```python\nx = 1\n1 / 0\n```\n")
    assert caught.traceback[-1].lineno == 4
    assert Path(caught.traceback[-1].path).name == "a.md"


def test_other_output_than_the_page_shows_is_found() -> None:
    page = "```python\nprint(1 + 1)\n```\n\n```text\n{}\n```\n"
    run_page("a.md", page.format("2"))
    with pytest.raises(AssertionError, match=r"a\.md:1 prints something else"):
        run_page("a.md", page.format("3"))


def test_a_warning_is_found() -> None:
    with pytest.raises(UserWarning, match="careful"):
        run_page("a.md", "```python\nimport warnings\nwarnings.warn('careful')\n```\n")


def test_a_block_is_left_out_with_a_reason_only() -> None:
    assert examples("<!-- not run: it asks a model -->\n```python\n1 / 0\n```\n") == []
    assert len(examples("<!-- not run: -->\n```python\n1 / 0\n```\n")) == 1


def test_blocks_of_other_kinds_and_indented_ones_are_told_apart() -> None:
    page = "```json\n{}\n```\n\n1. A step\n\n    ```python\n    if True:\n        x = 1\n    ```\n"
    assert [example.code for example in examples(page)] == ["if True:\n    x = 1\n"]


def test_commands_are_read_without_comments_and_as_one_where_they_go_on() -> None:
    block = (
        "# a\nproctor list   # b\n$ proctor run … \\\n    --agent null\ncurl -d '{\n}'\nproctor list || [ $? = 1 ]\n"
    )
    assert [shell.words_of(command) for command in shell.commands(block)] == [
        ["proctor", "list"],
        ["proctor", "run", "--agent", "null"],
        ["curl", "-d", "{\n}"],
        ["proctor", "list"],
    ]


@pytest.mark.parametrize(
    "command",
    ["proctor lisst", "proctor serve --port 80 --no-such", "proctor cache emport a b", "proctor run --policy maybe"],
)
def test_a_command_that_there_is_not_is_found_even_where_it_is_not_run(command: str) -> None:
    with pytest.raises(shell.UnknownError):
        run_page("a.md", f"```bash\n{command}\n```\n")


def test_a_command_that_fails_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(AssertionError, match=r"a\.md:1: proctor show nothing"):
        run_page("a.md", "```bash\nproctor show nothing\n```\n")
    with pytest.raises(AssertionError, match="neither Proctor nor among the other programs"):
        run_page("a.md", "```bash\nmake demo\n```\n")


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        ("proctor serve --starter", "it waits for clients"),
        ("proctor run --agent react --model openai/gpt-4o-mini", "it asks a model"),
        ("proctor grade x --judge openai/gpt-4o", "its judge is a model"),
        ("proctor run --engine ray", "it needs a cluster"),
        ("proctor grade x --judge heuristic", None),
    ],
)
def test_what_cannot_be_run_here_has_its_reason(command: str, reason: str | None) -> None:
    assert shell.obstacle(shell.words_of(command)) == reason

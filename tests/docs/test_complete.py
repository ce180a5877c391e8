"""Everything that can be met is described: every room, metric, error and page."""

import re
from pathlib import Path

import click
import pytest

from proctor import errors
from proctor.cli import proctor
from proctor.metrics import registry


def undescribed(names: list[str], page: str) -> list[str]:
    """The names that do not stand as code in a heading or a row of a table."""
    places = "\n".join(line for line in page.splitlines() if line.startswith(("#", "|")))
    return [name for name in names if f"`{name}`" not in places]


def test_every_room_has_a_sentence_in_the_architecture(pages: dict[str, str], root: Path) -> None:
    rooms = [
        path.stem
        for path in (root / "src" / "proctor").iterdir()
        if (path.suffix == ".py" or (path / "__init__.py").exists()) and not path.stem.startswith("__")
    ]
    assert "records" in rooms
    assert undescribed(sorted(rooms), pages["ARCHITECTURE.md"]) == []


def test_every_error_has_a_row(pages: dict[str, str]) -> None:
    kinds = [name for name, kind in vars(errors).items() if isinstance(kind, type) and issubclass(kind, Exception)]
    assert "ProctorError" in kinds
    assert undescribed(kinds, pages["docs/errors.md"]) == []


def test_every_metric_has_a_place_in_the_docs(pages: dict[str, str]) -> None:
    everything = "\n".join(page for path, page in pages.items() if path.startswith("docs/"))
    assert registry.names()
    assert undescribed(registry.names(), everything) == []


def test_every_command_has_a_heading(pages: dict[str, str]) -> None:
    context = click.Context(proctor, info_name="proctor")
    commands = ["proctor", *(f"proctor {verb}" for verb in proctor.list_commands(context))]
    assert "proctor score" in commands
    assert undescribed(commands, pages["docs/cli.md"]) == []


@pytest.mark.parametrize("page", ["metrics are `x`", "`xy`\n| `yx` |", "# x"])
def test_a_name_that_is_not_described_is_found(page: str) -> None:
    assert undescribed(["x"], page) == ["x"]


def test_a_heading_or_a_row_describes() -> None:
    assert undescribed(["x", "y"], "## `x`, the unknown\n| `y` | the other |") == []


def test_every_page_of_the_site_can_be_reached(pages: dict[str, str], root: Path) -> None:
    menu = (root / "mkdocs.yml").read_text("utf-8")
    in_menu = set(re.findall(r"[\w/-]+\.md", menu))
    decisions = {path.removeprefix("docs/") for path in pages if path.startswith("docs/decisions/")}
    everything = {path.removeprefix("docs/") for path in pages if path.startswith("docs/")}
    assert everything - decisions == in_menu - decisions
    assert "decisions/index.md" in in_menu
    listed = set(re.findall(r"\(([\w-]+\.md)\)", pages["docs/decisions/index.md"]))
    assert listed == {path.removeprefix("decisions/") for path in decisions} - {"index.md"}

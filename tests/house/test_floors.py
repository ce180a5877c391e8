"""Imports go down, never sideways: the contract in pyproject.toml holds, and it can be broken."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest


@pytest.fixture
def copy(root: Path, tmp_path: Path) -> Path:
    """A copy of the house that may be damaged."""
    shutil.copytree(root / "src" / "proctor", tmp_path / "proctor", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(root / "pyproject.toml", tmp_path)
    return tmp_path


def lint(folder: Path) -> subprocess.CompletedProcess[str]:
    """What import-linter says about the house in a folder."""
    code = "from importlinter.cli import lint_imports_command; lint_imports_command()"
    command = [sys.executable, "-c", code, "--no-cache"]
    environment = {**os.environ, "PYTHONPATH": str(folder), "COVERAGE_PROCESS_START": ""}
    return subprocess.run(  # noqa: S603 - our own command
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=120
    )


def test_imports_go_down(copy: Path) -> None:
    said = lint(copy)
    assert said.returncode == 0, said.stdout


@pytest.mark.parametrize(
    ("module", "line"),
    [
        ("stats/__init__.py", "import proctor.store"),
        ("records/keys.py", "import proctor.dataset_schema"),
        ("errors.py", "def f() -> None:\n    import proctor.messages"),
    ],
    ids=["sideways", "up", "up, in a function"],
)
def test_an_import_sideways_or_up_is_found(copy: Path, module: str, line: str) -> None:
    broken = copy / "proctor" / module
    broken.write_text(f"{broken.read_text('utf-8')}\n\n{line}\n", "utf-8")
    said = lint(copy)
    assert said.returncode == 1
    assert "BROKEN" in said.stdout


def test_a_room_without_a_floor_is_found(copy: Path) -> None:
    (copy / "proctor" / "annexe.py").write_text('"""A room that no floor holds."""\n', "utf-8")
    said = lint(copy)
    assert said.returncode == 1
    assert "annexe" in said.stdout


def test_the_floors_are_drawn_as_they_are(root: Path) -> None:
    contract = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]["contracts"][0]
    floors = [re.findall(r"\w+", floor) for floor in contract["layers"]]
    drawing = (root / "ARCHITECTURE.md").read_text("utf-8").split("```")[1].strip("\n")
    drawn = [line.split("  ")[0].split() for line in drawing.splitlines()]
    assert [[room.strip("()") for room in floor] for floor in drawn] == floors
    source = root / "src" / "proctor"
    rooms = {room for floor in floors for room in floor}
    built = {room for room in rooms if (source / room / "__init__.py").exists() or (source / f"{room}.py").exists()}
    assert {room for floor in drawn for room in floor if not room.startswith("(")} == built

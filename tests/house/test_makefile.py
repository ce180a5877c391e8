"""`make` on a machine that is not ready says what is missing, in a sentence."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")

# A stand-in for python3 that answers the Makefile's questions: its version, whether it will do, whether it has venv.
STAND_IN = """#!/bin/sh
case "$2" in
    *print*) echo {version} ;;
    *sys.exit*) exit {too_old} ;;
    *ensurepip*) exit {bare} ;;
esac
"""


def make(root: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """make, as if it were called from a terminal and not from `make test`."""
    outside = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))}
    return subprocess.run(  # noqa: S603 - our own command
        ["make", *words],  # noqa: S607 - wherever it is
        cwd=root,
        env=outside,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def setup(root: Path, folder: Path, python: Path) -> subprocess.CompletedProcess[str]:
    """`make setup` with another Python, into a folder where nothing is."""
    return make(root, "setup", f"PYTHON={python}", f"VENV={folder / 'venv'}")


def stand_in(folder: Path, version: str, *, too_old: int = 0, bare: int = 0) -> Path:
    python = folder / "python"
    python.write_text(STAND_IN.format(version=version, too_old=too_old, bare=bare), "utf-8")
    python.chmod(0o755)
    return python


def test_no_python_at_all(root: Path, tmp_path: Path) -> None:
    said = setup(root, tmp_path, tmp_path / "python")
    assert said.returncode != 0
    assert said.stdout.startswith("Proctor needs Python 3.11 or newer, and ")
    assert "does not start" in said.stdout


def test_a_python_that_is_too_old(root: Path, tmp_path: Path) -> None:
    said = setup(root, tmp_path, stand_in(tmp_path, "3.9", too_old=1))
    assert said.returncode != 0
    assert "is 3.9: say which one to use: make PYTHON=python3.12" in said.stdout


def test_a_python_without_venv(root: Path, tmp_path: Path) -> None:
    said = setup(root, tmp_path, stand_in(tmp_path, "3.11", bare=1))
    assert said.returncode != 0
    assert "cannot make virtual environments: install its venv part" in said.stdout


def test_make_alone_lists_what_can_be_made(root: Path) -> None:
    said = make(root)
    assert "make test " in said.stdout
    assert "make check " in said.stdout

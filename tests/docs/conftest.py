"""The pages: what the documentation's tests read."""

from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def root() -> Path:
    return ROOT


@pytest.fixture(scope="session")
def pages() -> dict[str, str]:
    """Every page, by its path from the root."""
    paths = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]
    return {path.relative_to(ROOT).as_posix(): path.read_text("utf-8") for path in sorted(paths)}

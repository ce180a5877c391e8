"""The house as text: what the rules of this folder are held against."""

from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def root() -> Path:
    return ROOT


@pytest.fixture(scope="session")
def sources() -> dict[str, str]:
    """The text of every module of Proctor, by its dotted name (a package's own module under the package's name)."""
    source = ROOT / "src"
    return {_dotted(path.relative_to(source)): path.read_text("utf-8") for path in sorted(source.rglob("*.py"))}


@pytest.fixture(scope="session")
def written() -> dict[str, str]:
    """Every text file that people write here, by its path from the root."""
    folders = (ROOT / name for name in ("src", "tests", "docs", "bench", "examples", ".ci"))
    paths = [path for folder in folders for path in sorted(folder.rglob("*")) if path.is_file()]
    paths += [path for path in sorted(ROOT.iterdir()) if path.is_file() and _is_ours(path)]
    texts = {}
    for path in paths:
        if ".peers" not in path.parts and path.suffix not in {".pyc", ".gz", ".zip", ".png", ".db"}:
            texts[path.relative_to(ROOT).as_posix()] = path.read_text("utf-8", errors="replace")
    return texts


def _is_ours(path: Path) -> bool:
    return path.suffix in {".md", ".toml", ".yml", ".lock"} or path.name in {"Makefile", ".gitignore", ".gitattributes"}


def _dotted(path: Path) -> str:
    parts = path.with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)

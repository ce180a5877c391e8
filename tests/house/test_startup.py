"""Starting costs nothing: what is heavy is loaded by those who need it, when they do.

Modules are counted here, which is the same on every machine; `bench/startup.py` measures the time.
"""

import subprocess
import sys

import pytest

HEAVY = frozenset(
    [
        *("asyncio", "datasets", "email", "http.client", "httpx2", "jinja2", "logging", "multiprocessing", "numpy"),
        *("openai", "pandas", "rapidfuzz", "rich", "rouge_score", "sacrebleu", "scipy", "sqlite3", "ssl"),
        *("unittest", "urllib.request", "xml"),
    ]
)
HELP = """
sys.argv = ['proctor', '--help']
from proctor.cli import main
try:
    main()
except SystemExit:
    pass
"""


def loaded_by(code: str) -> set[str]:
    """The names of the modules that a fresh Python has loaded after some code, above those that it always has."""
    report = (
        f"import sys\nbefore = set(sys.modules)\n{code}\nprint(*sorted(set(sys.modules) - before), file=sys.stderr)"
    )
    done = subprocess.run(  # noqa: S603 - our own command
        [sys.executable, "-I", "-c", report], capture_output=True, text=True, check=True, timeout=60
    )
    return set(done.stderr.split())


def test_importing_proctor_loads_nothing_heavy() -> None:
    loaded = loaded_by("import proctor")
    assert "proctor" in loaded
    assert loaded & HEAVY == set()
    assert {name for name in loaded if name.startswith("proctor.")} == set()


def test_asking_for_help_loads_nothing_heavy() -> None:
    loaded = loaded_by(HELP)
    assert "proctor.cli" in loaded
    assert loaded & HEAVY == set()


def test_the_script_of_a_shell_loads_nothing_heavy() -> None:
    loaded = loaded_by(HELP.replace("'--help'", "'completion', 'fish'"))
    assert "proctor.cli.completion" in loaded
    assert loaded & HEAVY == set()


def test_a_name_is_loaded_when_it_is_used() -> None:
    loaded = loaded_by("import proctor\nproctor.ProctorError")
    assert "proctor.errors" in loaded
    assert "proctor.messages" not in loaded


@pytest.mark.parametrize("module", ["asyncio", "rich"])
def test_a_heavy_module_would_be_seen(module: str) -> None:
    assert module in loaded_by(f"import {module}") & HEAVY

"""Each large library has an address: the modules that may talk to it. Everybody else asks them."""

import ast
import re
import tomllib
from pathlib import Path

# The library, as it is imported, and who may: a module, or a room with all its modules. A library that is not listed
# may be imported by nobody.
ADDRESSES: dict[str, tuple[str, ...]] = {
    "click": ("proctor.cli",),
    "datasets": ("proctor.dataset_schema",),
    "jinja2": ("proctor.report.page",),
    "mcp": ("proctor.server.mcp", "proctor.server.stdio"),
    "msgspec": ("proctor",),  # the records themselves are its structures
    "numpy": ("proctor.catalog.postings", "proctor.catalog.search", "proctor.metrics.pairing", "proctor.stats"),
    "openai": ("proctor.models.exchange",),
    "pandas": ("proctor.dataset_schema", "proctor.runs.results"),
    "pytest": ("proctor.pytest_plugin",),
    "psycopg": ("proctor.store.postgres",),
    "ray": ("proctor.runs.engines.ray",),
    "rapidfuzz": ("proctor.metrics._string",),
    "rich": ("proctor.cli", "proctor.report.terminal", "proctor.runs.progress"),
    "rouge_score": ("proctor.metrics._rouge_score",),
    "sacrebleu": ("proctor.metrics._bleu_score", "proctor.metrics._chrf_score"),
    "scipy": ("proctor.metrics.pairing", "proctor.stats"),
    "starlette": ("proctor.server.http",),
    "uvicorn": ("proctor.server.bounded", "proctor.server.listening"),
    "yaml": ("proctor.catalog.yaml_text", "proctor.judges.templates"),
}
IMPORTED_AS = {"pyyaml": "yaml"}
STANDARD = frozenset(__import__("sys").stdlib_module_names)


def strangers(name: str, text: str) -> list[str]:
    """The libraries that a module imports although they do not live with it."""
    return [
        f"{name} imports {library}, which lives in {', '.join(ADDRESSES.get(library, ())) or 'no module'}"
        for library in sorted(_libraries(text))
        if not any(name == home or name.startswith(f"{home}.") for home in ADDRESSES.get(library, ()))
    ]


def _libraries(text: str) -> set[str]:
    imported: set[str] = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            imported.update(name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            imported.add(node.module or "")
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith("import_module"):
            imported.update(str(word.value) for word in node.args if isinstance(word, ast.Constant))
    tops = {name.split(".")[0] for name in imported}
    return {top for top in tops if top not in STANDARD and top not in {"", "proctor"}}


def asked_for(pyproject: str) -> set[str]:
    """The libraries that pyproject.toml asks for, extras included, as they are imported."""
    project = tomllib.loads(pyproject)["project"]
    lines = [*project["dependencies"], *(line for lines in project["optional-dependencies"].values() for line in lines)]
    names = {re.split(r"[^\w.-]", line)[0].replace("-", "_") for line in lines}
    return {IMPORTED_AS.get(name, name) for name in names}


def test_libraries_are_imported_at_their_address_only(sources: dict[str, str]) -> None:
    assert [complaint for name, text in sources.items() for complaint in strangers(name, text)] == []


def test_every_library_that_is_asked_for_has_an_address(root: Path) -> None:
    assert asked_for((root / "pyproject.toml").read_text("utf-8")) == set(ADDRESSES)


def test_an_import_elsewhere_is_found() -> None:
    assert strangers("proctor.metrics._string", "import rapidfuzz.distance") == []
    assert strangers("proctor.stats.estimates", "def f():\n    from scipy.stats import t") == []
    assert strangers("proctor.records.keys", "def f():\n    from scipy.stats import t") != []
    assert strangers("proctor.stats.estimates", "import rapidfuzz") != []
    assert strangers("proctor.statsy", "import scipy") != []
    assert strangers("proctor.runs.plan", "import importlib\nimportlib.import_module('pandas')") != []


def test_a_library_that_nobody_asked_for_is_found() -> None:
    assert strangers("proctor.errors", "import pydantic") == [
        "proctor.errors imports pydantic, which lives in no module"
    ]
    assert strangers("proctor.errors", "import json\nfrom proctor import messages") == []


def test_extras_are_asked_for_too() -> None:
    text = '[project]\ndependencies = ["a-b>=1"]\n[project.optional-dependencies]\nx = ["c[d]>=2"]'
    assert asked_for(text) == {"a_b", "c"}

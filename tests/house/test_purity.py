"""The rooms that decide touch nothing: no disk, clock, dice, network, process or event loop."""

import ast
import re

import pytest

# A room stands for all its modules.
PURE = (
    "proctor.agents",
    "proctor.catalog",
    "proctor.errors",
    "proctor.gateway.canned",
    "proctor.gateway.directory",
    "proctor.gateway.envelopes",
    "proctor.gateway.faults",
    "proctor.gateway.http_answers",
    "proctor.gateway.memory",
    "proctor.gateway.mending",
    "proctor.gateway.policy",
    "proctor.gateway.prompts",
    "proctor.gateway.source",
    "proctor.gateway.templates",
    "proctor.json_text",
    "proctor.judges.rubric",
    "proctor.judges.declines",
    "proctor.judges.denials",
    "proctor.judges.spellings",
    "proctor.messages",
    "proctor.metrics",
    "proctor.models.answered",
    "proctor.models.asking",
    "proctor.models.chat",
    "proctor.models.faults",
    "proctor.models.payloads",
    "proctor.models.retries",
    "proctor.records",
    "proctor.report.doings",
    "proctor.report.exhibit",
    "proctor.report.gold",
    "proctor.report.packed",
    "proctor.report.plots",
    "proctor.report.shares",
    "proctor.report.summary",
    "proctor.report.telling",
    "proctor.report.trials",
    "proctor.server.counters",
    "proctor.server.local",
    "proctor.server.protocol",
    "proctor.server.lookup",
    "proctor.runs.comparing",
    "proctor.runs.plan",
    "proctor.runs.schedule",
    "proctor.runs.selftest",
    "proctor.starter.apis",
    "proctor.starter.checking",
    "proctor.starter.deriving",
    "proctor.starter.documents",
    "proctor.starter.tool",
    "proctor.starter.values",
    "proctor.stats",
)
# The exceptions, and why.
WAIVERS = {
    "proctor.agents.adapters.command": "starts processes, and talks with them",
    "proctor.agents.adapters.endpoint": "posts to addresses",
    "proctor.agents.adapters.objects": "imports the agent that the user names",
    "proctor.agents.adapters.seats": "gives each framework a thread of its own",
    "proctor.agents.agent": "drives strategies, and waits",
    "proctor.agents.desk": "waits for agents that nobody drives",
    "proctor.agents.sessions": "makes tokens that nobody can guess",
    "proctor.catalog.files": "finds and reads the documents below a folder",
    "proctor.catalog.loader": "looks at the file or folder that the user names, and hands on what is in it",
    "proctor.catalog.stamped": "keeps in a file what took long to make",
    "proctor.metrics.blocking": "waiting is what it is for: the one place with a loop and a thread",
}

MODULES = re.compile(
    r"(aiohttp|asyncio|concurrent|ftplib|glob|http|httpx2?|io|multiprocessing|openai|os|requests|secrets|select|shutil"
    r"|signal|smtplib|socket|sqlite3|ssl|subprocess|tempfile|threading|time|urllib|uuid)(\.|$)"
)
FUNCTIONS = frozenset({"open", "input", "print"})
METHODS = frozenset(
    {"open", "read_text", "read_bytes", "write_text", "write_bytes", "mkdir", "unlink", "touch", "rglob", "glob"}
    | {"iterdir", "exists", "is_file", "is_dir", "is_symlink", "stat", "lstat"}
)
IMPORTERS = frozenset({"__import__", "import_module", "importlib.import_module"})
STREAMS = frozenset({"sys.stdin", "sys.stdout", "sys.stderr"})
CLOCKS = frozenset({"now", "utcnow", "today"})
DICE = frozenset({"random", "np.random", "numpy.random"})
SEEDED = frozenset({"Random", "default_rng", "Generator", "SeedSequence", "PCG64"})


def touches(text: str) -> list[str]:
    """What in a module's text reaches outside, a sentence each."""
    found = []
    tree = ast.parse(text)
    meant = _meanings(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found += [f"imports {name.name}" for name in node.names if MODULES.match(name.name)]
        elif isinstance(node, ast.ImportFrom):
            found += _imported_from(node)
        elif isinstance(node, ast.Call):
            found += _called(node, meant)
        elif isinstance(node, ast.Attribute) and _full(node, meant) in STREAMS:
            found.append(f"uses {_full(node, meant)}")
    return found


def _meanings(tree: ast.AST) -> dict[str, str]:
    """What names stand for that an import gave to something: `r` for `random`, `d` for `datetime.datetime`."""
    meant: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            meant |= {name.asname: name.name for name in node.names if name.asname}
        elif isinstance(node, ast.ImportFrom) and not node.level:
            meant |= {name.asname or name.name: f"{node.module}.{name.name}" for name in node.names}
    return meant


def _full(node: ast.expr, meant: dict[str, str]) -> str:
    """The name of what an expression says, under the name that it was imported from."""
    first, dot, rest = ast.unparse(node).partition(".")
    return f"{meant.get(first, first)}{dot}{rest}"


def _imported_from(node: ast.ImportFrom) -> list[str]:
    module = node.module or ""
    if MODULES.match(module):
        return [f"imports {module}"]
    whole = [f"imports {module}.{name.name}" for name in node.names if f"{module}.{name.name}" in STREAMS]
    return whole + [f"throws dice ({name.name})" for name in node.names if module in DICE and name.name not in SEEDED]


def _called(node: ast.Call, meant: dict[str, str]) -> list[str]:
    function = _full(node.func, meant)
    owner, _, name = function.rpartition(".")
    if function.removeprefix("builtins.") in FUNCTIONS or (owner and name in METHODS):
        return [f"calls {function}()"]
    if function in IMPORTERS and not _of_our_own(node):
        return [f"imports by {function}()"]
    if owner and name in CLOCKS:
        return [f"reads the clock by {function}()"]
    if owner in DICE and name not in SEEDED:
        return [f"throws dice by {function}()"]
    if name in SEEDED and not node.args and not node.keywords:
        return [f"throws dice without a seed by {function}()"]
    return []


def _of_our_own(node: ast.Call) -> bool:
    """Whether what is imported by its name as text begins with our own."""
    said = node.args[0] if node.args else None
    if isinstance(said, ast.JoinedStr):
        said = said.values[0]
    return isinstance(said, ast.Constant) and str(said.value).startswith("proctor.")


def is_pure(name: str) -> bool:
    return any(name == room or name.startswith(f"{room}.") for room in PURE) and name not in WAIVERS


def test_pure_rooms_touch_nothing(sources: dict[str, str]) -> None:
    complaints = [f"{name}: {what}" for name, text in sources.items() if is_pure(name) for what in touches(text)]
    assert complaints == []


def test_every_room_and_every_waiver_exists_and_is_needed(sources: dict[str, str]) -> None:
    assert [room for room in PURE if room not in sources] == []
    assert [name for name in WAIVERS if not touches(sources.get(name, ""))] == []


@pytest.mark.parametrize(
    "text",
    [
        "open('x')",
        "from pathlib import Path\nPath('x').open()",
        "def f(path):\n    return path.read_text()",
        "def f(path):\n    path.write_bytes(b'')",
        "import time",
        "import os.path",
        "from datetime import datetime\ndatetime.now()",
        "import random\nrandom.random()",
        "import random\nrandom.Random()",
        "from random import shuffle",
        "import numpy as np\nnp.random.normal()",
        "import numpy as np\nnp.random.default_rng()",
        "from numpy.random import default_rng\ndefault_rng()",
        "def f():\n    import socket",
        "from urllib.request import urlopen",
        "import asyncio",
        "import threading",
        "print('x')",
        "from pathlib import Path\nPath('x').exists()",
        "from pathlib import Path\nlist(Path('.').iterdir())",
        "def f(path):\n    return path.is_file() or path.stat()",
        "def f(path):\n    return list(path.glob('*'))",
        "import random as r\nr.random()",
        "import random as r\nr.Random()",
        "import numpy.random as dice\ndice.rand()",
        "from numpy import random as dice\ndice.rand()",
        "from datetime import datetime as d\nd.now()",
        "import sys\nsys.stdin.read()",
        "import sys as s\ns.stderr.write('x')",
        "from sys import stdout",
        "import importlib\nimportlib.import_module('time')",
        "from importlib import import_module as load\nload('socket')",
        "__import__('time').time()",
        "def f(name):\n    return __import__(name)",
        "import builtins\nbuiltins.open('x')",
    ],
)
def test_reaching_outside_is_found(text: str) -> None:
    assert touches(text) != []


@pytest.mark.parametrize(
    "text",
    [
        "import random\nrandom.Random(1).random()",
        "import numpy as np\nnp.random.default_rng(seed)",
        "from datetime import datetime\ndef f(at: datetime) -> int:\n    return at.year",
        "async def f(model):\n    return await model.reply('x')",
        "import importlib\nimportlib.import_module(f'proctor.metrics.{name}')",
        "import sys\nsys.intern('x')",
    ],
)
def test_seeded_dice_given_times_and_awaiting_are_pure(text: str) -> None:
    assert touches(text) == []


def test_a_module_beside_a_pure_room_is_not_in_it() -> None:
    assert is_pure("proctor.records.keys")
    assert not is_pure("proctor.records_of_others")
    assert not is_pure("proctor.metrics.blocking")

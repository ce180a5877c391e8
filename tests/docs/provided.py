"""What stands in the folder of a reader of the documentation: small files and runs of the kinds that pages name."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path

from click.testing import CliRunner

from proctor import starter
from proctor.cli import proctor

Maker = Callable[[Path, Path], None]


def called(*words: str) -> None:
    """A command that has to go well."""
    ended = CliRunner().invoke(proctor, words)
    assert ended.exit_code == 0, f"proctor {' '.join(words)}: {ended.output}"


def made(home: Path) -> Path:
    """A folder with a run, its recorded answers and what they are converted to. `home` is the working folder."""
    for agent in ("baseline", "null"):
        called("run", "--agent", agent, "--limit", "1", "--cache", "answers.db", "--display", "none")
        called("convert", f"results/tools/{agent}_starter.json", "--to", "pass-rates", "-o", f"pass_rates/{agent}")
    called("cache", "export", "answers.db", "tool_response_cache")
    called("cache", "import", "tool_response_cache", "recorded.db")
    result = "results/tools/baseline_starter.json"
    called("convert", result, "--to", "converted", "-o", "model_predictions_converted")
    called("convert", result, "--to", "raw", "-o", "answer")
    called("judge", "calibrate", str(starter.labels()), "-o", "judge.json")
    queries = home / "solvable_queries"
    queries.mkdir()
    asked = [
        one for path in sorted(starter.folder().rglob("queries/*/*.json")) for one in json.loads(path.read_bytes())
    ]
    (queries / "starter.json").write_text(json.dumps(asked), "utf-8")
    return home


def run_named(name: str) -> Maker:
    """The run under another name, which a page would give it."""

    def make(home: Path, here: Path) -> None:
        shutil.copytree(home / "results/runs/baseline_starter", here / "results/runs" / name)
        (here / "results/tools").mkdir(parents=True, exist_ok=True)
        shutil.copy(home / "results/tools/baseline_starter.json", here / "results/tools" / f"{name}.json")

    return make


def copied(source: str, target: str) -> Maker:
    """A file or a folder of what was made."""

    def make(home: Path, here: Path) -> None:
        copy = shutil.copytree if (home / source).is_dir() else shutil.copy
        (here / target).parent.mkdir(parents=True, exist_ok=True)
        copy(home / source, here / target)

    return make


def shipped(source: Path, target: str) -> Maker:
    """A file or a folder that comes with Proctor."""
    return copied(str(source), target)


PROVIDED: dict[str, Maker] = {
    **{name: run_named(name) for name in ("baseline_starter", "react_starter", "dfs_starter")},
    **{f"results/{name}": run_named(name) for name in ("main", "branch", "react_stabletoolbench")},
    "results/tools/react_gpt.json": run_named("react_gpt"),
    "answers.db": copied("recorded.db", "answers.db"),
    "tool_response_cache": copied("tool_response_cache", "tool_response_cache"),
    "model_predictions_converted": copied("model_predictions_converted", "model_predictions_converted"),
    "convert answer ": copied("answer", "answer"),
    "solvable_queries": copied("solvable_queries", "solvable_queries"),
    "pass_rates/chatgpt": copied("pass_rates/null", "pass_rates/chatgpt"),
    "pass_rates/ours": copied("pass_rates/baseline", "pass_rates/ours"),
    "judge.json": copied("judge.json", "judge.json"),
    "labels.csv": shipped(starter.labels(), "labels.csv"),
    "--tools tools": shipped(starter.folder() / "tools", "tools"),
    "check tools": shipped(starter.folder() / "tools", "tools"),
    "talks.jsonl": shipped(starter.conversations(), "talks.jsonl"),
}
"""What a page's commands may name, each with how it is made."""


def provide(commands: str, home: Path, here: Path) -> None:
    """Make what these commands name and nobody has made yet. What a command writes by -o, it makes by itself."""
    read = re.sub(r"-o \S+", "", commands)
    for name, make in PROVIDED.items():
        if name in read and not stands(name, here):
            make(home, here)


def stands(name: str, here: Path) -> bool:
    """Whether it is there already."""
    place = name.strip().rpartition(" ")[2]
    run = Path(place).stem
    return (here / place).exists() or (here / "results/runs" / run).exists()

"""What a shell may put in for a half-written word: runs, agents, judges, metrics, test sets, files.

Each function is the `shell_complete` of options and arguments. What is needed to answer is imported when a shell asks.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

__all__ = ["agents", "benchmarks", "files", "judges", "metrics", "queries", "runs", "sets", "tools"]


def files(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Files and folders, which the shell itself knows."""
    return _begun(incomplete, ())


def runs(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The runs in `results` by their names, those of another folder as FOLDER/NAME; else files."""
    from proctor.runs.folders import MANIFEST, RESULTS, run_path

    folder, slash, _ = incomplete.rpartition("/")
    home = run_path(folder or "/", "") if slash else run_path(RESULTS, "")
    names = sorted(path.parent.name for path in home.glob(f"*/{MANIFEST}"))
    return _begun(incomplete, (f"{folder}{slash}{name}" for name in names))


def queries(ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The queries of the run that stands before it."""
    from proctor.errors import ProctorError
    from proctor.runs.folders import find_run, read_manifest

    try:
        asked = read_manifest(find_run(ctx.params.get("run") or "")).query_ids
    except ProctorError:
        return []
    ids = dict.fromkeys(identity.partition("/")[2] for identity in asked)
    return _items(one for one in (*ids, *asked) if one.startswith(incomplete) and (incomplete or "/" not in one))


def agents(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The agents that are known by name."""
    from proctor.wiring.agents import AGENTS
    from proctor.wiring.outsiders import BY_NAME

    return _items(name for name in sorted({*AGENTS, *BY_NAME}) if name.startswith(incomplete))


def judges(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The judges that ask no model, and nobody."""
    from proctor.wiring.judges import NOBODY, RULES

    return _items(name for name in (*RULES, NOBODY) if name.startswith(incomplete))


def benchmarks(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The benchmarks that have a name, else folders and files of queries."""
    from proctor.wiring.benchmarks import NAMED

    return _begun(incomplete, NAMED)


def sets(ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The sets of the benchmark that was named before; those of the starter where none was."""
    from proctor.config import Benchmark
    from proctor.errors import ProctorError
    from proctor.wiring.benchmarks import set_names

    said = Benchmark(name=ctx.params.get("benchmark") or Benchmark().name, data=ctx.params.get("data"))
    try:
        names = set_names(said)
    except ProctorError:
        return []
    return _items(name for name in names if name.startswith(incomplete))


def metrics(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The metrics by name."""
    from proctor.metrics import registry

    return _items(name for name in registry.names() if name.startswith(incomplete))


def tools(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The starter's tools by its name, else folders and files."""
    return _begun(incomplete, ("starter",))


def _begun(incomplete: str, names: Iterable[str]) -> list[CompletionItem]:
    """The names that begin so; files where none does, or where nothing was begun and there are both."""
    from click.shell_completion import CompletionItem

    found = _items(name for name in names if name.startswith(incomplete))
    path = Path(incomplete)
    return found if found and not path.is_dir() else [*found, CompletionItem(incomplete, type="file")]


def _items(names: Iterable[str]) -> list[CompletionItem]:
    from click.shell_completion import CompletionItem

    return [CompletionItem(name) for name in names]

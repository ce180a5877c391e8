"""The settings of a run, as data: what stands in `proctor.toml`, what the command line says, and the defaults.

A setting has a table and a key in the file, and one name that the command line and `proctor.run` share. The command
line goes before the file, the file before the default.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, get_type_hints

import msgspec

from proctor.errors import FileError, OptionError, nearest

__all__ = ["FILE", "NAMES", "Settings", "read_settings", "settings_of"]

FILE = "proctor.toml"
"""The file that is read where none is named, if it is in the working folder."""


class _Table(msgspec.Struct, frozen=True, omit_defaults=True):
    """A table of the file."""


class Benchmark(_Table, frozen=True, omit_defaults=True):
    """What is asked."""

    name: str = "starter"
    """`starter`, `stabletoolbench`, or a folder or a file of queries."""
    data: str | None = None
    """The folder of the benchmark's queries, where its name is `stabletoolbench`."""
    tool_dir: str | None = None
    """The folder of tool files; without one the APIs are those that the queries document."""
    index: str | None = None
    """A file in which an index of the tools is kept."""
    test_set: tuple[str, ...] = ()
    """The sets of queries; all that there are where none is named."""
    ids: str | None = None
    """A file of query ids, or a folder of such files by set: only those queries are asked."""
    limit: int | None = None
    """The first so many queries of each set."""


class Agent(_Table, frozen=True, omit_defaults=True):
    """Who sits the exam."""

    name: str = "baseline"
    model: str | None = None
    url: str | None = None
    options: dict[str, Any] = {}
    """Options of the agent, such as tries or width, and temperature and max_tokens of its model."""
    tools: str = "all"
    """Which tools are at hand: `all`, `query` or `retrieved:K`."""


class Judge(_Table, frozen=True, omit_defaults=True):
    """Who judges."""

    name: tuple[str, ...] = ()
    """Judges by name: several are a panel."""
    url: str | None = None
    repeats: int = 1
    template: str | None = None
    calibration: str | None = None


class Gateway(_Table, frozen=True, omit_defaults=True):
    """Who answers the calls."""

    policy: str = "cache"
    cache: str | None = None
    """The recorded answers; without one, those of the run's own folder."""
    simulator: str | None = None
    simulator_url: str | None = None
    simulator_thought: bool = False
    """Whether the MirrorAPI is one that reasons first."""
    simulator_system: str | None = None
    """A file with the instructions of the MirrorAPI's training, in place of Proctor's own."""
    live: str | None = None
    faults: float | None = None
    fault: tuple[str, ...] = ()
    faults_by: str = "call"
    """Whether the share is one of calls or of tools: `call` or `tool`."""


class Limits(_Table, frozen=True, omit_defaults=True):
    """How far the agent may go with one query."""

    max_steps: int | None = None
    max_calls: int | None = None
    max_tokens: int | None = None
    max_seconds: float | None = None
    max_observation: int | None = None


class Run(_Table, frozen=True, omit_defaults=True):
    """How the run goes about its work, and where it keeps it."""

    output: str = "results"
    name: str | None = None
    """What the run is called beside its agent: `<framework>_<config>`."""
    epochs: int = 1
    seed: int = 0
    concurrency: int = 8
    tries: int = 3
    engine: str = "local"
    ray_address: str | None = None
    prices: str | None = None
    replies: str | None = None
    """A file in which the agent's and the judge's replies are recorded, over all runs."""
    replay: bool = False
    """Whether nobody is asked: every reply has to stand in that file."""


class Settings(msgspec.Struct, frozen=True, omit_defaults=True):
    """All settings of a run, by table."""

    benchmark: Benchmark = Benchmark()
    agent: Agent = Agent()
    judge: Judge = Judge()
    gateway: Gateway = Gateway()
    limits: Limits = Limits()
    run: Run = Run()


_RENAMED = {
    ("benchmark", "name"): "benchmark",
    ("agent", "name"): "agent",
    ("agent", "url"): "model_url",
    ("agent", "options"): "agent_options",
    ("judge", "name"): "judge",
    ("judge", "url"): "judge_url",
    ("judge", "repeats"): "judge_repeats",
    ("judge", "template"): "judge_template",
    ("judge", "calibration"): "calibration",
}
"""The settings that the command line calls otherwise than the file, where the table's name says what they belong to."""


def _names() -> Iterator[tuple[str, tuple[str, str]]]:
    for table, kind in get_type_hints(Settings).items():
        for key in kind.__struct_fields__:
            yield _RENAMED.get((table, key), key), (table, key)


NAMES: Mapping[str, tuple[str, str]] = dict(_names())
"""The settings by the name that the command line and `proctor.run` share: their table and their key in it."""


def settings_of(said: Mapping[str, Any], base: Settings | None = None) -> Settings:
    """Settings of the options that were said, over others. What is None, or an empty list, was not said.

    >>> settings_of({"agent": "react", "limit": 5}).benchmark.limit
    5
    """
    tables: dict[str, dict[str, Any]] = {}
    for name, value in said.items():
        if name not in NAMES:
            raise OptionError(f"there is no option {name!r}; {nearest(name, NAMES)}")
        if value is not None and value not in ((), [], {}):
            table, key = NAMES[name]
            tables.setdefault(table, {})[key] = _listed(table, key, value)
    settings = base or Settings()
    for table, values in tables.items():
        here = getattr(settings, table)
        try:
            fresh = msgspec.convert({**msgspec.to_builtins(here), **values}, type(here), strict=True)
        except msgspec.ValidationError as error:
            raise OptionError(
                _sentence(error, {key: name for name, (of, key) in NAMES.items() if of == table})
            ) from None
        settings = msgspec.structs.replace(settings, **{table: fresh})
    return settings


def read_settings(path: str | Path | None = None) -> Settings:
    """The settings of a file; without a path those of `proctor.toml` in the working folder, if there is one."""
    place = Path(FILE if path is None else path)
    if path is None and not place.is_file():
        return Settings()
    try:
        document = tomllib.loads(place.read_text("utf-8"))
    except OSError as error:
        raise FileError(f"cannot be read: {error.strerror or error}.", path=str(place)) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise FileError(f"this is not TOML: {error}.", path=str(place)) from None
    return _read(document, str(place))


def _read(document: Mapping[str, Any], path: str) -> Settings:
    tables = get_type_hints(Settings)
    found: dict[str, Any] = {}
    for table, values in document.items():
        if table not in tables:
            raise FileError(f"there is no table [{table}]; {nearest(table, tables)}", path=path)
        if not isinstance(values, dict):
            raise FileError(f"[{table}] is a table of settings, not {type(values).__name__}.", path=path)
        kind = tables[table]
        for key in values:
            if key not in kind.__struct_fields__:
                raise FileError(f"[{table}] has no setting {key!r}; {nearest(key, kind.__struct_fields__)}", path=path)
        plain = {key: _listed(table, key, value) for key, value in values.items()}
        try:
            found[table] = msgspec.convert(plain, kind, strict=True)
        except msgspec.ValidationError as error:
            raise FileError(f"[{table}] {_sentence(error, {})}", path=path) from None
    return Settings(**found)


def _listed(table: str, key: str, value: Any) -> Any:
    """One text is a list of one, where a list is wanted."""
    kind = get_type_hints(get_type_hints(Settings)[table])[key]
    if str(kind).startswith("tuple"):
        return [value] if isinstance(value, str) else list(value)
    return value


def _sentence(error: msgspec.ValidationError, names: Mapping[str, str]) -> str:
    """What is wrong with a value, and of which setting: `Expected …, got …` at `$.key`."""
    said, _, place = str(error).partition(" - at `$.")
    key = place.rstrip("`").partition("[")[0]
    return f"{names.get(key, key)}: {said[0].lower()}{said[1:]}."

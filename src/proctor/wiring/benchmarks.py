"""Benchmarks by name: their queries by set, their tools, and the functions that answer where there are any."""

from __future__ import annotations

import hashlib
import importlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from proctor.catalog.index import Catalog
from proctor.catalog.joining import joined
from proctor.catalog.loader import load_catalog
from proctor.config import Benchmark
from proctor.errors import FileError, OptionError, counted, nearest
from proctor.formats.stabletoolbench.queries import read_queries, read_query_ids
from proctor.records.finishing import FINISH
from proctor.records.queries import ApiId, ApiSpec, Query

__all__ = ["NAMED", "Opened", "functions_of", "open_benchmark", "set_names"]

_FOLDERS = ("test_instruction", "solvable_queries/test_instruction", "queries", ".")
"""Where query files are looked for below a benchmark's folder."""
_IDS = "test_query_ids"
_TOOLS = "tools"
_STARTER = "starter"
_PUBLISHED = "stabletoolbench"
NAMED = (_STARTER, _PUBLISHED)
"""The benchmarks that have a name; others are folders and files."""
_encode = msgspec.json.Encoder(order="deterministic").encode


class Opened(msgspec.Struct, frozen=True):
    """A benchmark that was read."""

    name: str
    sets: Mapping[str, Sequence[Query]]
    catalog: Catalog
    hash: str
    """Of the queries, the tools and what answers them: the same exam has the same, from whatever files it came."""
    functions: Mapping[ApiId, Callable[..., Any]] = {}
    of_queries: int = 0
    """How many APIs of the catalogue only the queries document, and no tool file."""
    unread: tuple[str, ...] = ()
    """Query files of sets that are not asked and cannot be read: a sentence each."""

    @property
    def warning(self) -> str | None:
        """What is wrong with the exam: APIs that queries need and that are in nobody's catalogue."""
        lost = [f"{one} The APIs that only it documents are not in the catalogue." for one in self.unread]
        needed = {gold for queries in self.sets.values() for query in queries for gold in query.gold}
        needed = {gold for gold in needed if gold.api != FINISH}
        lacking = [gold for gold in needed if not self.catalog.named(gold.tool, gold.api, gold.category)]
        if lacking:
            first = min(f"{gold.tool}/{gold.api}" for gold in lacking)
            lost.append(
                f"of the {counted(len(needed), 'API')} that the queries need {len(lacking)} {_stand(len(lacking))} in "
                f"nobody's catalogue, and no call can reach them (such as {first}); name their documents: "
                "--tool-dir DIR."
            )
        return " ".join(lost) or None


def open_benchmark(said: Benchmark) -> Opened:
    """The benchmark of that name.

    Its APIs are those of its tool files and of all its queries, whichever of these are asked: an exam does not become
    easier because less of it is sat.
    """
    name, folder, functions = _found(said)
    files = _query_files(folder)
    sets = _sets(files, said)
    unread: list[str] = []
    documented = _documented(files, {} if said.ids is not None else sets, unread)
    whole = joined(_tool_files(folder, said), documented)
    made = _starter().fingerprint() if functions else ""
    return Opened(
        name=name,
        sets=sets,
        catalog=whole.catalog,
        hash=_hash(sets, whole.catalog, made),
        functions=functions,
        of_queries=whole.of_queries,
        unread=tuple(unread),
    )


def _documented(
    files: Mapping[str, Path], known: Mapping[str, Iterable[Query]], unread: list[str]
) -> Iterator[ApiSpec]:
    """The APIs that the queries of all sets document, in the order of the files, whatever is asked of them."""
    for test_set, path in files.items():
        try:
            queries = known[test_set] if test_set in known else read_queries(path, test_set=test_set)
        except FileError as error:
            unread.append(str(error))
            continue
        for query in queries:
            yield from query.apis


def _tool_files(folder: Path, said: Benchmark) -> Catalog:
    """What the tool files document: those that are named, else those of the benchmark's folder; nothing without any."""
    if said.tool_dir is not None:
        return load_catalog(said.tool_dir, index=said.index)
    return load_catalog(folder / _TOOLS, index=said.index) if (folder / _TOOLS).is_dir() else Catalog(())


def set_names(said: Benchmark) -> tuple[str, ...]:
    """The names of a benchmark's sets; no query is read for them."""
    if said.name == _STARTER:
        return tuple(sorted(_query_files(Path(_starter().folder()))))
    return tuple(sorted(_query_files(_found(said)[1])))


def functions_of(name: str) -> Mapping[ApiId, Callable[..., Any]]:
    """The functions that answer the calls of a benchmark; only one that comes with Proctor has any."""
    return _starter().functions() if name == _STARTER else {}


def _found(said: Benchmark) -> tuple[str, Path, Mapping[ApiId, Callable[..., Any]]]:
    """The benchmark's name, its folder (or its one file), and its functions."""
    if said.name == _STARTER:
        starter = _starter()
        return said.name, Path(starter.folder()), starter.functions()
    if said.name == _PUBLISHED:
        if said.data is None:
            raise OptionError(f"the benchmark {_PUBLISHED!r} is not part of Proctor; say where it lies: --data DIR.")
        return said.name, _existing(Path(said.data)), {}
    if not Path(said.name).exists():
        raise OptionError(
            f"there is no benchmark {said.name!r}; it is {_STARTER}, {_PUBLISHED} (with --data DIR), "
            "or a folder or a file of queries."
        )
    if said.data is not None:
        raise OptionError(f"--data belongs to the benchmark {_PUBLISHED!r}; {said.name!r} is a place of its own.")
    path = Path(said.name)
    return path.resolve().stem, path, {}


def _starter() -> Any:
    try:
        return importlib.import_module("proctor.starter")
    except ModuleNotFoundError:
        raise OptionError("this Proctor comes without its starter benchmark; name another: --benchmark DIR.") from None


def _sets(files: Mapping[str, Path], said: Benchmark) -> dict[str, list[Query]]:
    if unknown := [name for name in said.test_set if name not in files]:
        raise OptionError(f"the benchmark has no test set {unknown[0]!r}; {nearest(unknown[0], files)}")
    wanted = said.test_set or tuple(sorted(files))
    sets = {name: read_queries(files[name], ids=_ids(said.ids, name), test_set=name) for name in wanted}
    if empty := [name for name, queries in sets.items() if not queries]:
        raise FileError("holds no query.", path=str(files[empty[0]]))
    return sets


def _query_files(folder: Path) -> dict[str, Path]:
    """The query files of a benchmark by the name of their set, or the folders where a set has one of its own."""
    if folder.is_file():
        return {folder.stem: folder}
    for below in _FOLDERS:
        found = {path.stem: path for path in sorted((folder / below).glob("*.json")) if path.is_file()}
        if found:
            return found
    folders = {path.name: path for path in sorted((folder / "queries").glob("*")) if any(path.glob("*.json"))}
    if folders:
        return folders
    looked = ", ".join([f"{below}/*.json" for below in _FOLDERS[:-1]] + ["queries/SET/*.json"])
    raise FileError(f"there are no query files here; expected *.json, or {looked}.", path=str(folder))


def _ids(where: str | None, test_set: str) -> tuple[str, ...] | None:
    if where is None:
        return None
    path = _existing(Path(where))
    if path.is_dir():
        places = (path / f"{test_set}.json", path / _IDS / f"{test_set}.json")
        path = next((place for place in places if place.is_file()), path)
    if path.is_dir():
        raise FileError(f"there is no id file {test_set}.json here.", path=str(path))
    return read_query_ids(path)


def _stand(number: int) -> str:
    return "stands" if number == 1 else "stand"


def _existing(path: Path) -> Path:
    if not path.exists():
        raise FileError("no such file or folder; check the path.", path=str(path))
    return path


def _hash(sets: Mapping[str, Iterable[Query]], catalog: Catalog, made: str) -> str:
    digest = hashlib.sha256(made.encode())
    for name in sorted(sets):
        digest.update(name.encode())
        for query in sets[name]:
            digest.update(_encode(query))
    for tool in sorted(catalog.tools, key=lambda one: (one.category, one.name)):
        digest.update(_encode(tool))
    return digest.hexdigest()

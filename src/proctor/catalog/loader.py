"""Loading a catalogue from files.

A folder of tool files is read in any of the layouts in which such files are handed around; a single file may be a
tool's, a query file, an OpenAPI 3 document, or an MCP server's list of tools (docs/tools.md). What cannot be read is
named in the catalogue's report, and the rest is loaded. Code that lies beside the files is never opened.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from proctor.catalog.documents import Place, Read, read_document, read_plain
from proctor.catalog.files import Found, find_documents, read_bytes, shown_name, shown_path, stamp_of
from proctor.catalog.index import Broken, Catalog, LoadReport, merged
from proctor.catalog.snapshot import KIND, Snapshot, packed, unpacked
from proctor.catalog.stamped import read_stamped, write_stamped
from proctor.catalog.toolfiles import UnreadableError, first_text, read_response_examples, with_examples
from proctor.catalog.yaml_text import may_be_openapi, read_yaml
from proctor.errors import FileError
from proctor.records.queries import ToolSpec

_YAML = (".yaml", ".yml")
EXAMPLES = "response_examples"
"""The folder beside the tools' where examples of responses are looked for."""


def load_catalog(path: str | Path, *, examples: str | Path | None = None, index: str | Path | None = None) -> Catalog:
    """Load the tools below a folder, or of one file; `Catalog.report` says what could not be read.

    `examples` is a folder of response examples; without it, one called `response_examples` beside the tools' folder is
    taken. `index` is a file that this may write and that makes the next load fast: it is used as long as no document
    has changed, and made again when it is broken or out of date.
    """
    root = Path(path)
    if not root.exists():
        raise FileError("no such file or folder; check the path.", path=shown_path(root))
    found, passed_over = _documents(root)
    if not found and not passed_over:
        msg = (
            "there is no tool file here; expected <category>/<tool>.json, <tool>.json or <category>/<tool>/<api>.json."
        )
        raise FileError(msg, path=shown_path(root))
    shown, examples_broken = _examples_below(root, examples)
    stamp = stamp_of([*found, *shown], shown_path(root))
    kept = unpacked(read_stamped(Path(index), KIND, stamp)) if index is not None else None
    if kept is not None:
        return Catalog(kept.tools, _report(kept, from_index=True), stamp)
    reading = _Reading(_read_examples(shown, examples_broken))
    tools, twice = merged(reading.tools(found))
    broken = sorted({*passed_over, *examples_broken, *reading.broken, *twice})
    snapshot = Snapshot(len(found), tools, broken)
    note = write_stamped(Path(index), KIND, stamp, packed(snapshot)) if index is not None else ""
    return Catalog(tools, _report(snapshot, note=note), stamp)


def _report(loaded: Snapshot, *, from_index: bool = False, note: str = "") -> LoadReport:
    apis = sum(len(tool.apis) for tool in loaded.tools)
    return LoadReport(loaded.files, len(loaded.tools), apis, tuple(loaded.broken), from_index, note)


def _documents(root: Path) -> tuple[list[Found], list[Broken]]:
    if root.is_dir():
        found, broken = find_documents(root, (".json", *_YAML))
        return [one for one in found if not _is_yaml(one) or _is_openapi(one)], broken
    if not root.is_file():
        raise FileError("this is neither a file nor a folder.", path=shown_path(root))
    status = root.stat()
    stamp = (status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)
    return [Found(root, (root.name,), stamp)], []


def _examples_below(root: Path, examples: str | Path | None) -> tuple[list[Found], list[Broken]]:
    folder = root.parent / EXAMPLES if examples is None else Path(examples)
    if folder.is_dir() and root.is_dir():
        return find_documents(folder)
    if examples is not None:
        raise FileError("there is no such folder of response examples; check the path.", path=shown_path(folder))
    return [], []


Examples = dict[tuple[str, str], dict[str, Any]]
"""What answers look like: by category and the stem of the tool's file, then by the API's name."""


def _read_examples(found: list[Found], broken: list[Broken]) -> Examples:
    read: Examples = {}
    for one in found:
        category = shown_name(one.relative[-2]) if len(one.relative) > 1 else ""
        try:
            read[category, shown_name(one.stem)] = read_response_examples(read_bytes(one.path))
        except (UnreadableError, FileError) as error:
            broken.append(Broken(shown_path(one.path), _reason(error)))
    return read


class _Reading:
    """Reads documents one after the other and keeps what is wrong with them."""

    def __init__(self, examples: Examples) -> None:
        self._examples = examples
        self.broken: list[Broken] = []

    def tools(self, found: list[Found]) -> Iterator[tuple[ToolSpec, str]]:
        for one in found:
            path = shown_path(one.path)
            try:
                tools, problems = _read(one)
            except (UnreadableError, FileError) as error:
                self.broken.append(Broken(path, _reason(error)))
                continue
            self.broken.extend(Broken(path, problem) for problem in problems)
            for tool in tools:
                examples = self._examples.get((tool.category, shown_name(one.stem)))
                yield with_examples(tool, examples) if examples else tool, path


def _read(one: Found) -> Read:
    place = Place(tuple(shown_name(name) for name in one.relative[:-1]), shown_name(one.stem))
    text = read_bytes(one.path)
    if not _is_yaml(one):
        return read_document(text, place)
    if not may_be_openapi(text):
        raise UnreadableError("it is YAML and no OpenAPI document; write other documents as JSON")
    return read_plain(read_yaml(text), place)


def _is_yaml(one: Found) -> bool:
    return one.relative[-1].lower().endswith(_YAML)


def _is_openapi(one: Found) -> bool:
    """Whether a YAML file in a folder is one of ours; what cannot be read is looked at later, and said."""
    try:
        return may_be_openapi(read_bytes(one.path))
    except FileError:
        return True


def _reason(error: UnreadableError | FileError) -> str:
    return first_text(error.problem if isinstance(error, FileError) else str(error))

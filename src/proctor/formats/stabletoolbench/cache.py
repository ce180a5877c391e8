"""Cache files of the ToolBench family, into a store of answers and out of one, without loss.

A file is one API's: a JSON object from a text that stands for the arguments to `{"error": …, "response": …}`. Files are
read one at a time, so a tree of any size will do. What cannot be read is named and nothing is written to where it lies.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath
from typing import Any

import msgspec

from proctor import json_text
from proctor.catalog.files import Found, find_documents, read_bytes, shown_name, shown_path
from proctor.catalog.index import Broken, Catalog
from proctor.errors import FileError, InputError, StorageError
from proctor.formats.stabletoolbench.cache_keys import read_arguments, written_arguments
from proctor.formats.stabletoolbench.cache_paths import Layout, api_at, path_beside, path_of
from proctor.records.answers import Answer, Provenance, Source
from proctor.records.entries import ANSWERS_NO_CALL, Entry, Mark
from proctor.records.marks import mark_of
from proctor.records.queries import ApiId
from proctor.store.artifacts import write_whole
from proctor.store.responses import ResponseStore

_BATCH = 500
_DEPTH = 3
_IMPORTED = Provenance(Source.RECORDED)
_SUSPICIOUS = frozenset({Mark.FAILURE, Mark.EMPTY})


class Imported(msgspec.Struct):
    """What came of importing cache files."""

    files: int = 0
    """Files that were read."""
    entries: int = 0
    """Entries in them."""
    stored: int = 0
    """Entries that are new in the store."""
    replaced: int = 0
    """Sound entries that took the place of a suspicious one of an earlier import; that one is kept beside them."""
    known: int = 0
    """Entries that were there already, with the same answer."""
    kept_out: list[str] = []
    """Entries whose call has another answer in the store, which stands."""
    marks: dict[str, int] = {}
    """Suspicious entries among the new ones, by why."""
    undocumented: int = 0
    """Files about an API that the catalogue does not have; they keep the names of their path."""
    broken: list[Broken] = []
    """Files and entries that could not be read."""


class Exported(msgspec.Struct):
    """What came of exporting a store."""

    files: int = 0
    entries: int = 0
    beside: list[str] = []
    """Files that could not have their own name, because another API of the same name answers differently."""


def import_cache(folder: str | Path, store: ResponseStore, catalog: Catalog | None = None) -> Imported:
    """Read all cache files below a folder, in either layout, into a store.

    With a catalogue, entries get the documented names of their API and its parameters; else those of their path.
    """
    root = Path(folder)
    if not root.is_dir():
        raise FileError("there is no such folder of cache files; check the path.", path=shown_path(root))
    found, passed_over = find_documents(root)
    if not any(len(one.relative) == _DEPTH for one in found):
        raise FileError("there is no cache file here; expected <category>/<tool>/<api>.json.", path=shown_path(root))
    importing = _Importing(store, catalog)
    importing.report.broken.extend(passed_over)
    for one in found:
        importing.file(one)
    importing.flush()
    return importing.report


class _Importing:
    """Takes in one file after the other."""

    def __init__(self, store: ResponseStore, catalog: Catalog | None) -> None:
        self.report = Imported()
        self._store = store
        self._catalog = catalog
        self._batch: list[Entry] = []

    def file(self, one: Found) -> None:
        """Take in a file, or say what is wrong with it."""
        path = shown_path(one.path)
        if len(one.relative) != _DEPTH:
            self._broken(path, "is not where cache files lie: <category>/<tool>/<api>.json")
            return
        try:
            answers = _read_file(read_bytes(one.path))
        except InputError as error:
            self._broken(path, error.problem if isinstance(error, FileError) else str(error))
            return
        self.report.files += 1
        api = self._identity(*(shown_name(name) for name in (*one.relative[:2], one.stem)))
        entries = []
        for raw, value in answers.items():
            self.report.entries += 1
            try:
                entry = self._entry(api, raw, value)
                json_text.encode(entry.answer.response)
            except InputError as error:
                self._broken(path, f"the entry {raw[:60]!r}: {error}")
                continue
            entries.append(entry)
        for entry in _one_for_each_call(entries):
            self._add(entry)

    def flush(self) -> None:
        """Store what has been gathered."""
        batch, self._batch = self._batch, []
        again = []
        for entry, stored in zip(batch, self._put(batch), strict=True):
            spare = entry
            if entry.mark is None and stored.mark in _SUSPICIOUS:
                before, stored = stored, self._store.put(entry, over_suspicious=True)  # noqa: PLW2901 - it has changed
                if stored == entry:
                    self.report.replaced += 1
                    spare = before
                else:  # one before it in this very batch has taken the place
                    self._tell_known(entry, stored)
            if _is_another_spelling(spare, stored):
                again.append(_kept_beside(spare))
        if again:
            self._put(again)

    def _put(self, batch: list[Entry]) -> list[Entry]:
        known = {entry.key for entry in batch if self._store.get(entry.key) is not None}
        stored = self._store.put_many(batch)
        for entry, now in zip(batch, stored, strict=True):
            if entry.key not in known:
                known.add(entry.key)
                self.report.stored += 1
                if entry.mark is not None:
                    self.report.marks[entry.mark.value] = self.report.marks.get(entry.mark.value, 0) + 1
            elif _is_another_spelling(entry, now) or (entry.mark is None and now.mark in _SUSPICIOUS):
                continue
            else:
                self._tell_known(entry, now)
        return stored

    def _tell_known(self, entry: Entry, stored: Entry) -> None:
        """Count an entry whose call has an answer already: the same one, or another, which stands."""
        if _says(stored) == _says(entry):
            self.report.known += 1
        elif not _is_another_spelling(entry, stored):
            self.report.kept_out.append(f"{entry.api} {entry.raw_key}")

    def _identity(self, category: str, folder: str, stem: str) -> ApiId:
        if self._catalog is not None:
            documented = self._catalog.resolver.locate(category, folder, stem).api
            if documented is not None:
                return documented
            self.report.undocumented += 1
        return api_at(category, folder, stem)

    def _entry(self, api: ApiId, raw: str, value: Any) -> Entry:
        answer = _answer(value)
        arguments = read_arguments(raw)
        if arguments is None:
            return Entry.kept_for_export(api, raw, answer, Mark.UNREADABLE_KEY)
        if self._catalog is not None and api in self._catalog:
            arguments = self._catalog.arguments(api).restore(arguments).arguments
        return Entry.of(api, arguments, answer, mark=mark_of(answer), raw=raw)

    def _add(self, entry: Entry) -> None:
        self._batch.append(entry)
        if len(self._batch) >= _BATCH:
            self.flush()

    def _broken(self, path: str, reason: str) -> None:
        self.report.broken.append(Broken(path, reason.rstrip(".")))


def _one_for_each_call(entries: list[Entry]) -> Iterator[Entry]:
    """The entries of a file, of which one answers each call: the first sound one, or else the first.

    The others are kept for export. A recorded failure must not hide an answer that stands below it in another spelling.
    """
    chosen: dict[str, Entry] = {}
    for entry in entries:
        before = chosen.get(entry.key)
        if before is None or (before.mark is not None and entry.mark is None):
            chosen[entry.key] = entry
    for entry in entries:
        yield entry if chosen[entry.key] is entry else _kept_beside(entry)


def _kept_beside(entry: Entry) -> Entry:
    return Entry.kept_for_export(entry.api, _text_of(entry), entry.answer, Mark.DUPLICATE)


def export_cache(store: ResponseStore, folder: str | Path, layout: Layout = Layout.STABLETOOLBENCH) -> Exported:
    """Write a store as cache files below a folder, which has to be empty or new.

    Texts that were imported are written back as they were; others are written as StableToolBench looks for them.
    """
    root = Path(folder)
    _make_empty(root)
    sharing: dict[PurePosixPath, list[ApiId]] = defaultdict(list)
    taken: dict[str, PurePosixPath] = {}
    for api in store.apis():
        path = path_of(api, layout)
        sharing[taken.setdefault(str(path).casefold(), path)].append(api)
    report = Exported()
    for path, apis in sharing.items():
        for where, answers in _files(path, apis, store):
            if where != path:
                report.beside.append(str(where))
            _write(root / where, answers)
            report.files += 1
            report.entries += len(answers)
    return report


def _files(path: PurePosixPath, apis: list[ApiId], store: ResponseStore) -> list[tuple[PurePosixPath, _Answers]]:
    """The files of the APIs that have one path: one file, and more for those that contradict the ones before them."""
    files: list[tuple[PurePosixPath, _Answers]] = []
    for api in apis:
        answers = _texts(store.entries(api))
        fitting = next((shared for _, shared in files if _agree(shared, answers)), None)
        if fitting is not None:
            fitting.update(answers)
        else:
            files.append((path_beside(path, api) if files else path, answers))
    return files


def _texts(entries: Iterable[Entry]) -> _Answers:
    """What a file says of an API. What answers a call comes first, so that it does again when the file is imported.

    Where another spelling of the same call has its text, that one is left out: it answers nothing.
    """
    answering: _Answers = {}
    others: _Answers = {}
    for entry in entries:
        (others if entry.mark in ANSWERS_NO_CALL else answering)[_text_of(entry)] = _says(entry)
    return {**answering, **{text: said for text, said in others.items() if text not in answering}}


def _agree(some: _Answers, others: _Answers) -> bool:
    return all(json_text.encode(some[text]) == json_text.encode(others[text]) for text in some.keys() & others)


_Answers = dict[str, dict[str, Any]]


def _text_of(entry: Entry) -> str:
    return entry.raw_key if entry.raw_key is not None else written_arguments(entry.arguments)


def _says(entry: Entry) -> dict[str, Any]:
    return {"error": entry.answer.error, "response": entry.answer.response}


def _is_another_spelling(entry: Entry, stored: Entry) -> bool:
    """Whether an entry's call is in the store under another text, so that its own has yet to be kept."""
    return entry.mark not in ANSWERS_NO_CALL and stored.raw_key is not None and stored.raw_key != entry.raw_key


def _answer(value: Any) -> Answer:
    """The answer that an entry of a file holds."""
    if not isinstance(value, dict) or set(value) != {"error", "response"} or not isinstance(value["error"], str):
        raise InputError('expected {"error": text, "response": anything}')
    return Answer(value["response"], value["error"], _IMPORTED)


def _read_file(data: bytes) -> dict[str, Any]:
    """The entries of a file. What only Python's reader takes (NaN, say) is read, and refused where it stands."""
    text = data.removeprefix(b"\xef\xbb\xbf")
    if not text.strip():
        raise InputError("the file is empty")
    try:
        entries = json_text.decode(text)
    except InputError as error:
        try:
            entries = json.loads(text, object_pairs_hook=_unique)
        except (ValueError, RecursionError):
            raise error from None
    if not isinstance(entries, dict):
        raise InputError(f"a cache file is an object of answers, not {type(entries).__name__}")
    return entries


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    twice = [name for name, count in Counter(name for name, _ in pairs).items() if count > 1]
    if twice:
        raise ValueError
    return dict(pairs)


def _make_empty(root: Path) -> None:
    try:
        root.mkdir(parents=True, exist_ok=True)
        if next(root.iterdir(), None) is not None:
            raise FileError("the folder is not empty; name a new one, nothing is overwritten.", path=shown_path(root))
    except OSError as error:
        raise StorageError(f"{shown_path(root)}: the folder cannot be made: {error.strerror or error}.") from None


def _write(path: Path, answers: _Answers) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StorageError(f"{path.parent}: the folder cannot be made: {error.strerror or error}.") from None
    write_whole(path, msgspec.json.format(json_text.encode(answers), indent=2) + b"\n")

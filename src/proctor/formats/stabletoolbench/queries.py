"""Query files (`test_instruction/<set>.json`) and id files (`test_query_ids/<set>.json`) as records.

Real files differ: ids are numbers or text or not there, the key is `relevant APIs` or `relevant_apis`, a query's text
may be a list of one, gold may stand twice or not at all. All of it is read; what cannot be is an error that names file,
query and field. Proctor's own benchmarks say more beside it: `gold_calls`, `facts`, `expected`
and `decline`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from proctor.catalog.toolfiles import UnreadableError, read_listed_api
from proctor.errors import FileError, SampleError
from proctor.formats.stabletoolbench.json_files import kind_of, read_json
from proctor.records.gold import read_gold
from proctor.records.queries import ApiSpec, Decline, Expected, Fact, GoldApi, Query

T = TypeVar("T")
_GOLD_KEYS = ("relevant APIs", "relevant_apis", "relevant_APIs")


def read_queries(path: str | Path, *, ids: Collection[str] | None = None, test_set: str | None = None) -> list[Query]:
    """The queries of a file, in its order; with `ids`, only those. Of a folder, those of all its files, as one set.

    The test set is the name of the file without its ending, or of the folder, unless it is given. An id that no query
    has is an error: an exam of which a part is silently missing is another exam.
    """
    name = Path(path).stem if test_set is None else test_set
    queries = [query for file in _files(Path(path)) for query in _queries(file, name)]
    _refuse_twins(path, queries)
    if ids is None:
        return queries
    if unknown := sorted(set(map(str, ids)) - {query.id for query in queries}):
        shown = ", ".join(unknown[:5]) + (f" and {len(unknown) - 5} more" if len(unknown) > 5 else "")
        raise FileError(f"has no query with the id {shown}; is the id file of another set?", path=str(path))
    wanted = set(map(str, ids))
    return [query for query in queries if query.id in wanted]


def read_query_documents(path: str | Path, *, ids: Collection[str] | None = None) -> list[dict[str, Any]]:
    """The same queries as their file has them, each with its `query_id` as text."""
    kept = {query.id for query in read_queries(path, ids=ids)}
    documents = [
        {**item, "query_id": str(position if item.get("query_id") is None else item["query_id"])}
        for file in _files(Path(path))
        for position, item in enumerate(read_json(file))
    ]
    return [document for document in documents if document["query_id"] in kept]


def query_of(query: Mapping[str, Any] | Query) -> Query:
    """A query as a record, from what a query file has. SampleError where it is none."""
    if isinstance(query, Query):
        return query
    try:
        return read_query(query)
    except UnreadableError as error:
        raise SampleError(f"{error}.") from None


def read_query_ids(path: str | Path) -> tuple[str, ...]:
    """The ids of an id file, each once and as text, in the file's order: the keys of an object, or a list of ids."""
    ids = read_json(path)
    if not isinstance(ids, (dict, list)):
        said = f"an id file is a list of ids or an object with ids as keys, not {kind_of(ids)}."
        raise FileError(said, path=str(path))
    for item in ids:
        if isinstance(item, bool) or not isinstance(item, (str, int)):
            raise FileError(f"an id is text or a whole number, not {kind_of(item)}.", path=str(path))
    return tuple(dict.fromkeys(str(item) for item in ids))


def read_query(item: Any, *, position: int = 0, test_set: str = "") -> Query:
    """One query from plain data; without a `query_id` its position is its identity.

    Raises `UnreadableError` with the reason when it is not a query.
    """
    if not isinstance(item, Mapping):
        raise UnreadableError(f"a query must be an object, not {kind_of(item)}")
    apis = tuple(_apis(item.get("api_list")))
    identity = item.get("query_id")
    if isinstance(identity, bool) or not (identity is None or isinstance(identity, (str, int))):
        raise UnreadableError(f"query_id must be text or a whole number, not {kind_of(identity)}")
    return Query(
        id=str(position if identity is None else identity),
        text=_text(item.get("query")),
        gold=_gold(item, apis),
        apis=apis,
        test_set=test_set,
        calls=_calls(item.get("gold_calls")),
        facts=_read(item, "facts", tuple[Fact, ...], ()),
        expected=_read(item, "expected", Expected, Expected.ANSWER),
        decline=_read(item, "decline", Decline, None),
    )


def _files(path: Path) -> list[Path]:
    if not path.is_dir():
        return [path]
    if found := sorted(path.glob("*.json")):
        return found
    raise FileError("there is no query file in this folder; expected files that end in .json.", path=str(path))


def _queries(path: Path, test_set: str) -> list[Query]:
    items = read_json(path)
    if not isinstance(items, list):
        raise FileError(f"a query file is a list of queries, not {kind_of(items)}.", path=str(path))
    return [_located(path, index, item, test_set) for index, item in enumerate(items)]


def _located(path: str | Path, index: int, item: Any, test_set: str) -> Query:
    try:
        return read_query(item, position=index, test_set=test_set)
    except UnreadableError as error:
        identity = item.get("query_id") if isinstance(item, dict) else None
        which = f"query {index}" if identity is None else f"query {index} (query_id {identity!r})"
        raise FileError(f"{which}: {error}.", path=str(path)) from None


def _text(said: Any) -> str:
    """The query's words; of a list, ToolBench takes the first."""
    text = said[0] if isinstance(said, list) and said else said
    if not isinstance(text, str) or not text.strip():
        raise UnreadableError("its 'query' must be text that is not empty")
    return text


def _apis(listed: Any) -> Iterator[ApiSpec]:
    if listed is None:
        return
    if not isinstance(listed, list):
        raise UnreadableError(f"its api_list must be a list, not {kind_of(listed)}")
    for index, item in enumerate(listed):
        try:
            yield read_listed_api(item)
        except UnreadableError as error:
            raise UnreadableError(f"api_list[{index}]: {error}") from None


def _gold(item: Mapping[str, Any], apis: tuple[ApiSpec, ...]) -> tuple[GoldApi, ...]:
    """The APIs that are needed, each once; the category is that of the query's own list where only one fits."""
    key = next((key for key in _GOLD_KEYS if item.get(key) is not None), None)
    if key is None:
        return ()
    listed = item[key]
    if not isinstance(listed, list):
        raise UnreadableError(f"{key!r} must be a list of [tool, API] pairs, not {kind_of(listed)}")
    categories: dict[tuple[str, str], set[str]] = {}
    for api in apis:
        categories.setdefault((api.id.tool, api.id.api), set()).add(api.id.category)
    gold: dict[GoldApi, None] = {}
    for index, pair in enumerate(listed):
        tool, name = _pair(pair, f"{key}[{index}]")
        fitting = categories.get((tool, name), set())
        gold[GoldApi(tool, name, next(iter(fitting)) if len(fitting) == 1 else None)] = None
    return tuple(gold)


def _calls(listed: Any) -> tuple[dict[str, Any], ...]:
    """Gold calls as plain data, looked at once, so that a mistake in the file is found when it is read."""
    if listed is None:
        return ()
    try:
        gold = read_gold(listed)
    except SampleError as error:
        raise UnreadableError(f"gold_calls: {error}".rstrip(".")) from None
    return tuple(msgspec.to_builtins(item) for item in gold)


def _read(item: Mapping[str, Any], field: str, as_type: type[T], default: T) -> T:
    """A field that Proctor has beside those of StableToolBench."""
    if item.get(field) is None:
        return default
    try:
        return msgspec.convert(item[field], as_type)
    except msgspec.ValidationError as error:
        raise UnreadableError(f"{field}: {str(error)[0].lower()}{str(error)[1:]}") from None


def _pair(pair: Any, where: str) -> tuple[str, str]:
    if not isinstance(pair, list) or len(pair) != 2 or not all(isinstance(name, str) for name in pair):
        raise UnreadableError(f"{where} must be a pair of texts, [tool, API], not {str(pair)[:60]}")
    return pair[0], pair[1]


def _refuse_twins(path: str | Path, queries: list[Query]) -> None:
    seen: dict[str, int] = {}
    for index, query in enumerate(queries):
        if seen.setdefault(query.id, index) != index:
            msg = f"query {index}: the query_id {query.id!r} is also that of query {seen[query.id]}; ids must differ."
            raise FileError(msg, path=str(path))

"""A benchmark's queries on the disk: one file, or a folder of them."""

from __future__ import annotations

from pathlib import Path

from proctor.errors import FileError
from proctor.formats.stabletoolbench.queries import read_queries
from proctor.records.queries import Query
from proctor.store.lines import unreadable

_INSIDE = ("test_instruction", "queries")


def query_files(place: str | Path) -> dict[str, Path]:
    """The query files of a place, by their set: a file, a folder of them, or a folder that has such a folder."""
    path = Path(place)
    if not path.is_dir():
        return {path.stem: path}
    folder = next((path / name for name in _INSIDE if (path / name).is_dir()), path)
    try:
        found = sorted(one for one in folder.iterdir() if one.suffix == ".json" and one.name[0] != ".")
    except OSError as error:
        raise unreadable(folder, error) from None
    if not found:
        raise FileError("the folder has no query file <set>.json; check the path.", path=str(folder))
    return {one.stem: one for one in found}


def queries_by_id(place: str | Path) -> dict[str, Query]:
    """All queries of a place by their id. An id that two sets share is an error: nobody could tell which is meant."""
    known: dict[str, Query] = {}
    for path in query_files(place).values():
        for query in read_queries(path):
            twin = known.setdefault(query.id, query)
            if twin.text != query.text:
                problem = f"the query_id {query.id!r} is also that of another query in {twin.test_set}; name one set."
                raise FileError(problem, path=str(path))
    return known
